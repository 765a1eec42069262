//! The built-in worker as sources: this binary, started once for each provider.

use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use ciphermeter_core::quoted_path;
use ciphermeter_meter::{Clock, Missing, Processes, Source, Surveyed, SystemClock, survey};
use ciphermeter_native::PROVIDERS;
use ciphermeter_protocol::Command;

use crate::folders;

/// The built-in worker, once for each provider.
pub fn native() -> Result<Vec<Source>> {
    let binary = folders::binary()?;
    let source = |provider: &&str| Source::new(*provider, *provider, worker(binary.clone(), "native", provider));
    Ok(PROVIDERS.iter().map(source).collect())
}

/// How a ciphermeter is started as a worker of that kind, for one provider.
pub fn worker(binary: PathBuf, kind: &str, provider: &str) -> Command {
    Command::new(binary, ["worker", kind, "--provider", provider].map(String::from).into())
}

/// How long each may take to say what it offers, where the user does not say it.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// What of these sources is here, and what is missing.
pub fn surveyed(sources: &[Source], patience: Duration) -> Result<(Vec<Surveyed>, Vec<Missing>)> {
    let clock: Rc<dyn Clock> = Rc::new(SystemClock::start());
    let (here, missing) = survey(sources, &mut Processes::pinned()?, &clock, patience);
    Ok((here.into_iter().map(|(surveyed, _)| surveyed).collect(), missing))
}

/// The built-in worker with a libcrypto of that file.
pub fn openssl(file: &Path, patience: Duration) -> Result<Source> {
    described(file, patience).map(|(source, _)| source)
}

/// What to do about a file that is none.
const GIVE: &str = "give the file of one, libcrypto.so.3 for example";

/// The same, and the library's version, empty where it names none.
pub fn described(file: &Path, patience: Duration) -> Result<(Source, String)> {
    let path = file
        .canonicalize()
        .map_err(|error| anyhow!("cannot open the library {}: {error}; {GIVE}", quoted_path(file)))?;
    let Some(path) = path.to_str() else {
        bail!("cannot open the library {}: give a file whose path is UTF-8", quoted_path(file));
    };
    let mut command = worker(folders::binary()?, "native", "openssl");
    command.environment.push(("CIPHERMETER_OPENSSL".into(), path.into()));
    let source = Source::new("openssl", "openssl", command);
    // Asked at once: measuring everything else first would not make it one.
    let (here, missing) = surveyed(std::slice::from_ref(&source), patience)?;
    if let Some(Missing { why, .. }) = missing.first() {
        // The remedy of who set the variable; what else is wrong comes with its own.
        let why = why
            .split_once("; correct $CIPHERMETER_OPENSSL")
            .map_or_else(|| why.clone(), |(why, _)| format!("{why}; {GIVE}"));
        bail!("{} cannot be measured as a libcrypto: {why}", quoted_path(file));
    }
    let version = here.iter().flat_map(|here| &here.offers).next().map(|offer| offer.version.clone());
    Ok((source, version.unwrap_or_default()))
}
