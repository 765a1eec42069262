//! The file of recorded changes: JSON lines, only ever appended to.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use ciphermeter_core::{Bytes, quoted_path};
use ciphermeter_host::file;
use ciphermeter_report::{Change, Past};

use crate::args::StoreOption;
use crate::run_output::check_writable;

/// The most bytes of a history: more than ten thousand changes of a dozen cells.
const MOST: u64 = 32 << 20;

pub struct HistoryFile {
    path: PathBuf,
}

impl HistoryFile {
    /// Reads what is there, if anything is, before anything is measured.
    pub fn open(path: &Path, store: &StoreOption) -> Result<(Self, Past)> {
        if path == Path::new("-") {
            bail!("--history names a file that is read and appended to: give its path");
        }
        check_writable(path, store)?;
        let past = match path.exists() {
            true => Past::read(&read(path).with_context(|| format!("cannot read the history {}", quoted_path(path)))?),
            false => Past::default(),
        };
        Ok((Self { path: path.to_owned() }, past))
    }

    /// Appends a change, and has it on disk. A line that a crash left without its end is ended first.
    pub fn append(&self, change: &Change) -> Result<()> {
        let line = || -> Result<()> {
            let is_new = !self.path.exists();
            let mut out = File::options().read(true).append(true).create(true).open(&self.path)?;
            out.lock()?;
            let mut line = serde_json::to_vec(change)?;
            line.push(b'\n');
            if !ends_a_line(&mut out)? {
                line.insert(0, b'\n');
            }
            out.write_all(&line)?;
            out.sync_all()?;
            let folder = self.path.parent().filter(|folder| is_new && !folder.as_os_str().is_empty());
            folder.map_or(Ok(()), |folder| Ok(File::open(folder)?.sync_all()?))
        };
        line().with_context(|| {
            format!("cannot append to the history {}: this change is not in it", quoted_path(&self.path))
        })
    }
}

fn read(path: &Path) -> Result<Vec<u8>> {
    let mut text = Vec::new();
    file::open(path)?.take(MOST + 1).read_to_end(&mut text)?;
    if text.len() as u64 > MOST {
        bail!("it is longer than {}; move it elsewhere, and another begins", Bytes(MOST));
    }
    Ok(text)
}

fn ends_a_line(file: &mut File) -> Result<bool> {
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(true);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}
