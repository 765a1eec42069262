//! The folder of `--keep-output`: new, for this user alone, and gone again if nothing came to be in it that is worth keeping.

use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use ciphermeter_core::{Record, quoted_path};
use ciphermeter_native::OwnFiles;

/// A folder that this run made. Dropped, it is removed unless it has something in it.
pub struct KeptFolder(PathBuf);

impl KeptFolder {
    /// A folder that is made here has nothing in it that could be overwritten.
    pub fn make(folder: &Path) -> Result<Self> {
        let made = fs::DirBuilder::new().mode(0o700).create(folder);
        made.with_context(|| {
            format!("--keep-output {}: a new folder cannot be made there; name another", quoted_path(folder))
        })?;
        Ok(Self(folder.into()))
    }

    /// Removes the outputs of a run that measured nothing: nobody verified them.
    pub fn settle(self, records: &[Record]) {
        let is_measured = records.iter().flat_map(|record| &record.forks).any(|fork| !fork.samples.is_empty());
        let outputs = fs::read_dir(&self.0).into_iter().flatten().flatten();
        for output in outputs.filter(|_| !is_measured) {
            if output.file_name().to_str().is_some_and(OwnFiles::is_kept) {
                // What can't be removed stays, and so does its folder.
                let _ = fs::remove_file(output.path());
            }
        }
    }
}

impl Drop for KeptFolder {
    fn drop(&mut self) {
        // Fails where it has something in it.
        let _ = fs::remove_dir(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_of_nothing_measured_are_removed_and_nothing_else() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("kept");
        drop(KeptFolder::make(&folder).unwrap());
        assert!(!folder.exists());
        let made = KeptFolder::make(&folder).unwrap();
        assert!(KeptFolder::make(&folder).is_err(), "it is there already");
        for name in
            ["openssl-xor-mapped-1-threads-4194304.bin", "openssl-xor-mapped-1-threads-4194304.bin.txt", "mine.bin"]
        {
            fs::write(folder.join(name), "").unwrap();
        }
        made.settle(&[]);
        let left: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["mine.bin"]);
    }
}
