//! The built-in worker as sources: this binary, started once for each provider.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use ciphermeter_meter::Source;
use ciphermeter_native::PROVIDERS;
use ciphermeter_protocol::Command;

use crate::folders;

/// The built-in worker, once for each provider.
pub fn native() -> Result<Vec<Source>> {
    let binary = folders::binary()?;
    let source = |provider: &&str| Source::new(*provider, *provider, native_command(binary.clone(), provider));
    Ok(PROVIDERS.iter().map(source).collect())
}

/// How a ciphermeter is started as a worker of one provider.
pub fn native_command(binary: PathBuf, provider: &str) -> Command {
    let arguments = ["worker", "native", "--provider", provider].map(String::from).into();
    Command { program: binary, arguments, folder: None, environment: Vec::new() }
}

/// The built-in worker with a libcrypto of that file.
pub fn openssl(file: &Path) -> Result<Source> {
    let path = file.canonicalize().with_context(|| format!("cannot open the library {}", file.display()))?;
    if !path.is_file() {
        bail!("cannot open the library {}: it is no file; give a libcrypto", file.display());
    }
    let Some(path) = path.to_str() else {
        bail!("cannot open the library {}: give a file whose path is UTF-8", file.display());
    };
    let mut command = native_command(folders::binary()?, "openssl");
    command.environment.push(("CIPHERMETER_OPENSSL".into(), path.into()));
    Ok(Source::new("openssl", "openssl", command))
}
