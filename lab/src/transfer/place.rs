//! A folder with the files to transfer, and their destination.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use ciphermeter_core::Bytes;
use tempfile::TempDir;

/// A temporary folder that is removed when dropped.
pub struct Place {
    folder: TempDir,
    /// The file that all transfer.
    pub file: PathBuf,
}

impl Place {
    pub fn new(size: Bytes) -> Result<Self> {
        let made = || {
            let folder = tempfile::Builder::new().prefix("ciphermeter-lab-").tempdir()?;
            fs::create_dir(folder.path().join("into"))?;
            let file = folder.path().canonicalize()?.join("big");
            fill(&file, size).map(|()| Self { folder, file })
        };
        made().context("cannot fill a temporary folder; choose another place with TMPDIR")
    }

    /// A path in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The folder to receive into.
    pub fn into(&self) -> PathBuf {
        self.path("into")
    }

    /// Before a turn: no disk is still writing what others left; the file is in the page cache, from which some systems
    /// drop what was not read for seconds; and there is memory for a copy of it, which a virtual machine's host may
    /// have taken back. The folder to receive into is empty.
    pub fn prepare(&self) -> Result<()> {
        rustix::fs::sync();
        let (mut file, mut copy) = (File::open(&self.file)?, File::create(self.path("copy"))?);
        let mut portion = vec![0; 1 << 20];
        // Not io::copy, which some file systems do without reading a byte.
        while let read @ 1.. = file.read(&mut portion)? {
            copy.write_all(&portion[..read])?;
        }
        fs::remove_file(self.path("copy"))?;
        fs::remove_dir_all(self.into())?;
        fs::create_dir(self.into())?;
        Ok(())
    }

    /// A sparse file of that size, with a byte in every half MiB: holes as short as these are sent like other bytes.
    pub fn sparse(&self, size: Bytes) -> Result<PathBuf> {
        let path = self.path("sparse");
        let file = File::create(&path)?;
        file.set_len(size.0).context("this file system has no sparse files of that size")?;
        for at in (0..size.0).step_by(512 << 10) {
            file.write_all_at(&[1], at)?;
        }
        Ok(path)
    }

    /// A folder of many files.
    pub fn small(&self, files: u32, each: Bytes) -> Result<PathBuf> {
        let folder = self.path("small");
        fs::create_dir(&folder)?;
        let mut generator = fastrand::Rng::with_seed(8);
        let mut bytes = vec![0; each.0 as usize];
        for number in 0..files {
            generator.fill(&mut bytes);
            fs::write(folder.join(number.to_string()), &bytes)?;
        }
        Ok(folder)
    }
}

/// A file of random bytes.
fn fill(path: &Path, size: Bytes) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    let mut generator = fastrand::Rng::with_seed(7);
    let mut portion = vec![0; 1 << 20];
    let mut left = size.0;
    while left > 0 {
        let length = left.min(portion.len() as u64) as usize;
        generator.fill(&mut portion);
        file.write_all(&portion[..length])?;
        left -= length as u64;
    }
    Ok(())
}
