//! A folder with what is moved, and where it goes.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use ciphermeter_core::Bytes;

/// A temporary folder that goes when it is dropped.
pub struct Place {
    folder: PathBuf,
    /// The file that all move.
    pub file: PathBuf,
}

impl Place {
    pub fn new(size: Bytes) -> Result<Self> {
        let folder = std::env::temp_dir().join(format!("ciphermeter-bench-{}", std::process::id()));
        let made = || -> io::Result<PathBuf> {
            fs::create_dir(&folder)?;
            let folder = folder.canonicalize()?;
            fs::create_dir(folder.join("into"))?;
            let mut file = File::create_new(folder.join("big"))?;
            let mut generator = fastrand::Rng::with_seed(7);
            let mut portion = vec![0; 1 << 20];
            let mut left = size.0;
            while left > 0 {
                let length = left.min(portion.len() as u64) as usize;
                generator.fill(&mut portion);
                file.write_all(&portion[..length])?;
                left -= length as u64;
            }
            Ok(folder)
        };
        let folder =
            made().with_context(|| format!("{} can't be filled: name another folder by TMPDIR", folder.display()))?;
        Ok(Self { file: folder.join("big"), folder })
    }

    /// Something in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The folder to receive into.
    pub fn into(&self) -> PathBuf {
        self.path("into")
    }

    /// Before a turn: no disk is still busy with what others left; the file is in the page cache, from which some systems drop what nobody
    /// has read for seconds; and there is memory for a copy of it, which a virtual machine's host may have taken back. The folder to
    /// receive into is empty.
    pub fn prepare(&self) -> Result<()> {
        rustix::fs::sync();
        let (mut file, mut copy) = (File::open(&self.file)?, File::create(self.path("copy"))?);
        let mut portion = vec![0; 1 << 20];
        // Not io::copy, which some file systems do without touching a byte.
        while let read @ 1.. = file.read(&mut portion)? {
            copy.write_all(&portion[..read])?;
        }
        fs::remove_file(self.path("copy"))?;
        fs::remove_dir_all(self.into())?;
        fs::create_dir(self.into())?;
        Ok(())
    }

    /// A file of that size with nothing in it.
    pub fn sparse(&self, size: Bytes) -> Result<PathBuf> {
        let path = self.path("sparse");
        File::create(&path)?.set_len(size.0).context("this file system has no sparse files of that size")?;
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

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(Path::new(&self.folder));
    }
}
