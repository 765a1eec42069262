//! Exports as files: what `export`, `run --json` or a page in a browser wrote, packed by gzip or as it is.

use std::io::{self, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use ciphermeter_core::{Record, Run, most, option_words, quoted_path};
use ciphermeter_host::file;
use ciphermeter_import::{import_samples, measurements};

use crate::folders;

/// The run of an export; `-`: of standard input.
pub fn read(file: &Path) -> Result<(Run, Vec<Record>)> {
    run(file, &document(file)?)
}

/// The same, or the measurements of a guard's document.
pub fn read_all(file: &Path) -> Result<Vec<(Run, Vec<Record>)>> {
    let document = document(file)?;
    let all = measurements(&document).unwrap_or_else(|| vec![&document]);
    all.into_iter().map(|export| run(file, export)).collect()
}

fn run(file: &Path, export: &[u8]) -> Result<(Run, Vec<Record>)> {
    import_samples(export).map_err(|why| anyhow!("cannot import {}: {why}", shown(file)))
}

/// A document as it was before it was packed.
fn document(file: &Path) -> Result<Vec<u8>> {
    let shown = shown(file);
    if folders::is_database(file) {
        bail!(
            "{shown} is a store, and an export is read: write one with `ciphermeter export RUN {}`",
            option_words("--store", file)
        );
    }
    let is_pipe = std::fs::metadata(file).is_ok_and(|facts| facts.file_type().is_fifo());
    if is_pipe {
        bail!("cannot read {shown}: it is a pipe; give it as standard input, and `-` in its place");
    }
    bytes(file).and_then(ciphermeter_machines::unpack).with_context(|| format!("cannot read {shown}"))
}

pub fn shown(file: &Path) -> String {
    if file == Path::new("-") { "standard input".into() } else { quoted_path(file) }
}

/// At most one byte more than is imported, by which the document is seen to be too long.
fn bytes(file: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let input: &mut dyn Read = if file == Path::new("-") { &mut io::stdin() } else { &mut file::open(file)? };
    input.take(most::DOCUMENT as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
