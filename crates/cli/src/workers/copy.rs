//! The copy in which an installed worker is built: an installation stays as it came, and its user need not be able to
//! write to it. When the installation changes, the copy no longer counts, and the next build makes another.

use std::fs::{self, DirBuilder, DirEntry, Permissions};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use anyhow::{Context, Result};
use ciphermeter_core::quoted_path;
use ciphermeter_host::private;

/// The file in the copy that lists what was copied. It is written last, so an incomplete copy has none.
const LIST: &str = ".copied";
/// Its name until it is whole.
const NEW: &str = ".copied.new";

/// A worker's folder and the copy of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copy {
    pub from: PathBuf,
    pub to: PathBuf,
}

impl Copy {
    /// Whether the copy was made of what the original is now, and no other user can have changed it.
    pub fn is_current(&self) -> bool {
        let list_of_copy = || {
            let (list, mut copied) = (self.to.join(LIST), String::new());
            private::check_below(self.root(), &list)?;
            private::open(&list)?.read_to_string(&mut copied)?;
            Ok::<_, io::Error>(copied)
        };
        let files = files(&self.from, &|_| false).and_then(|files| list(&self.from, &files));
        files.is_ok_and(|wanted| list_of_copy().is_ok_and(|copied| copied == wanted))
    }

    /// The folder around that of all copies.
    fn root(&self) -> &Path {
        self.to.ancestors().nth(2).unwrap_or(&self.to)
    }

    /// Makes it anew if it is not current; what was built in it goes.
    pub fn renew(&self) -> Result<()> {
        if self.is_current() {
            return Ok(());
        }
        self.make().with_context(|| {
            let (from, to) = (quoted_path(&self.from), quoted_path(&self.to));
            format!("cannot copy {from} to {to}, where it is built; choose another place with XDG_DATA_HOME")
        })
    }

    fn make(&self) -> io::Result<()> {
        private::make_folder(self.to.parent().unwrap_or(&self.to))?;
        match fs::remove_dir_all(&self.to) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => private::make_folder(&self.to)?,
        }
        let files = files(&self.from, &|_| false)?;
        for file in &files {
            let (from, to) = (self.from.join(file), self.to.join(file));
            DirBuilder::new().recursive(true).mode(0o700).create(to.parent().unwrap_or(&self.to))?;
            fs::copy(&from, &to)?;
            fs::set_permissions(&to, Permissions::from_mode(fs::metadata(&from)?.mode() & 0o700))?;
        }
        let text = list(&self.from, &files)?;
        private::write(&self.to.join(NEW), &self.to.join(LIST), text.as_bytes()).map(drop)
    }
}

/// All files below a folder, sorted, by their paths within it, without what is skipped. Links are none.
pub fn files(folder: &Path, is_skipped: &dyn Fn(&Path) -> bool) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(within) = folders.pop() {
        let entries: io::Result<Vec<DirEntry>> = fs::read_dir(folder.join(&within))?.collect();
        for entry in entries? {
            let (kind, path) = (entry.file_type()?, within.join(entry.file_name()));
            if is_skipped(&path) {
                continue;
            } else if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file() {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// A line for each file, with its size and the nanosecond of its last change: another release has others.
fn list(folder: &Path, files: &[PathBuf]) -> io::Result<String> {
    let mut lines = String::new();
    for file in files {
        let facts = fs::metadata(folder.join(file))?;
        let changed = facts.modified()?.duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos());
        lines += &format!("{file:?} {} {changed}\n", facts.len());
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    /// A worker with two files, and where its copy would be.
    fn worker() -> (TempDir, Copy) {
        let folder = tempfile::tempdir().unwrap();
        let copy = Copy { from: folder.path().join("lib/snake"), to: folder.path().join("home/built/snake") };
        fs::create_dir_all(copy.from.join("src")).unwrap();
        fs::write(copy.from.join("worker.toml"), "name = \"snake\"").unwrap();
        fs::write(copy.from.join("src/main"), "one").unwrap();
        (folder, copy)
    }

    #[test]
    fn copy_has_every_file_and_is_current() {
        let (_folder, copy) = worker();
        assert!(!copy.is_current());
        copy.renew().unwrap();
        assert!(copy.is_current());
        assert_eq!(fs::read_to_string(copy.to.join("src/main")).unwrap(), "one");
    }

    #[test]
    fn current_copy_keeps_what_was_built_in_it() {
        let (_folder, copy) = worker();
        copy.renew().unwrap();
        fs::write(copy.to.join("built"), "").unwrap();
        copy.renew().unwrap();
        assert!(copy.is_current() && copy.to.join("built").is_file());
    }

    #[test]
    fn changed_added_or_removed_file_makes_the_copy_old() {
        for change in [
            (|from| fs::write(from, "changed")) as fn(&Path) -> io::Result<()>,
            |from| fs::write(from.with_file_name("added"), ""),
            |from| fs::remove_file(from),
        ] {
            let (_folder, copy) = worker();
            copy.renew().unwrap();
            fs::write(copy.to.join("built"), "").unwrap();
            change(&copy.from.join("src/main")).unwrap();
            assert!(!copy.is_current());
            copy.renew().unwrap();
            assert!(copy.is_current() && !copy.to.join("built").exists());
        }
    }

    #[test]
    fn copy_without_its_list_is_incomplete() {
        let (_folder, copy) = worker();
        copy.renew().unwrap();
        fs::remove_file(copy.to.join(LIST)).unwrap();
        assert!(!copy.is_current());
    }

    #[test]
    fn copy_that_cannot_be_made_says_where() {
        let (folder, copy) = worker();
        fs::write(folder.path().join("home"), "").unwrap();
        let error = format!("{:#}", copy.renew().unwrap_err());
        assert!(error.contains("home/built/snake") && error.contains("XDG_DATA_HOME"), "{error}");
    }
}
