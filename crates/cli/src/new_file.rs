//! Files that are written whole or not at all: new ones, which take no other's name, and those that replace what a name held. A signal
//! that ends the process leaves nothing of them either.

use std::fs::{OpenOptions, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::{Context, Result, bail};
use ciphermeter_core::quoted;
use tempfile::NamedTempFile;

use crate::interrupt::Held;

/// Refuses a name that is taken, or in a folder that does not exist, before anything is drawn or written.
///
/// # Errors
/// Either; `remedy` says what to do.
pub fn check_is_free(path: &Path, remedy: &str) -> Result<()> {
    match path.symlink_metadata() {
        Ok(_) => bail!("{} exists, and nothing is overwritten: {remedy}", quoted(&path.to_string_lossy())),
        Err(_) if !folder_of(path).is_dir() => {
            let why = if folder_of(path).exists() { "its parent is no folder" } else { "its folder does not exist" };
            bail!("cannot write {}: {why}; {remedy}", quoted(&path.to_string_lossy()))
        }
        Err(_) => Ok(()),
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Writes a new file: beside its place first, so that what is at its name is never half of it.
///
/// # Errors
/// It cannot be written, or the name was taken meanwhile.
pub fn write_new(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    let name = quoted(&path.to_string_lossy());
    let cannot = || format!("cannot write {name}: name another file");
    let held = Held::new()?;
    let file = staged(path, &held, write).with_context(cannot)?;
    file.persist_noclobber(path).map_err(|failed| failed.error).with_context(cannot)?;
    Ok(())
}

/// Writes a file in the place of what its name holds, which stays until the new one is whole. A link leads to the file that is replaced, and
/// a device or a pipe is written to.
///
/// # Errors
/// It cannot be written.
pub fn replace(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    match path.metadata() {
        Ok(held) if !held.is_file() => {
            let mut out = BufWriter::new(OpenOptions::new().write(true).open(&path)?);
            write(&mut out)?;
            Ok(out.flush()?)
        }
        held => {
            let signals = Held::new()?;
            let file = staged(&path, &signals, write)?;
            if let Ok(held) = held {
                file.as_file().set_permissions(held.permissions())?;
            }
            file.persist(&path).map_err(|failed| failed.error)?;
            Ok(())
        }
    }
}

/// Sees that [`replace`] can write there, without leaving or touching anything.
///
/// # Errors
/// It cannot.
pub fn check_is_replaceable(path: &Path) -> Result<()> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if path.exists() {
        OpenOptions::new().append(true).open(&path)?;
    }
    match path.metadata() {
        Ok(held) if !held.is_file() => Ok(()),
        _ => {
            let held = Held::new()?;
            drop(beside(&path)?);
            Ok(held.check()?)
        }
    }
}

/// What will be the file of that name, beside its place. The caller holds signals until it has its name.
fn staged(path: &Path, held: &Held, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<NamedTempFile> {
    let mut file = beside(path)?;
    let mut out = Heeding { held, out: BufWriter::new(file.as_file_mut()) };
    let written = write(&mut out).and_then(|()| Ok(out.flush()?));
    drop(out);
    // Before the error that it may have come to.
    held.check()?;
    written.map(|()| file)
}

/// Stops where a signal came.
struct Heeding<'a, W> {
    held: &'a Held,
    out: W,
}

impl<W: Write> Write for Heeding<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.held.check().map_err(io::Error::other)?;
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn beside(path: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    // What the umask leaves of it, as of any new file.
    let file = builder.permissions(Permissions::from_mode(0o666)).tempfile_in(folder_of(path));
    // The library's own error names the file that stands in for this one. The folder's is in the system's words.
    file.map_err(|error| std::fs::metadata(folder_of(path)).err().unwrap_or_else(|| error.kind().into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_is_written_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.html");
        let failed = write_new(&path, |out| {
            out.write_all(b"half")?;
            bail!("no more")
        });
        let said = format!("{:#}", failed.unwrap_err());
        assert!(said.contains("name another file") && said.ends_with("no more"), "{said}");
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
        write_new(&path, |out| Ok(out.write_all(b"whole")?)).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "whole");
    }

    /// In a process of its own, because a signal is for all that it does.
    #[test]
    fn signal_leaves_nothing_and_has_an_exit_code_of_its_own() {
        const FOLDER: &str = "CIPHERMETER_TEST_FOLDER";
        let half = |out: &mut dyn Write| {
            out.write_all(b"half")?;
            signal_hook::low_level::raise(signal_hook::consts::SIGINT)?;
            Ok(out.write_all(b"more")?)
        };
        if let Some(folder) = std::env::var_os(FOLDER) {
            let folder = Path::new(&folder);
            for failed in [write_new(&folder.join("new"), half), replace(&folder.join("old"), half)] {
                let error = failed.expect_err("a signal came");
                assert_eq!(crate::exit::of(&error), crate::exit::Exit::Interrupted, "{error:#}");
            }
            write_new(&folder.join("next"), |out| Ok(out.write_all(b"whole")?)).expect("signals are over");
            // Nobody holds it, so it ends the process.
            signal_hook::low_level::raise(signal_hook::consts::SIGTERM).expect("a signal");
            unreachable!("it ended");
        }
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("old"), "old").unwrap();
        let mut again = std::process::Command::new(std::env::current_exe().unwrap());
        again.args(["--exact", "new_file::tests::signal_leaves_nothing_and_has_an_exit_code_of_its_own"]);
        let ended = again.env(FOLDER, folder.path()).output().unwrap();
        let status = std::os::unix::process::ExitStatusExt::signal(&ended.status);
        assert_eq!(status, Some(signal_hook::consts::SIGTERM), "{ended:?}");
        let mut names: Vec<_> = folder.path().read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["next", "old"]);
        assert_eq!(std::fs::read_to_string(folder.path().join("old")).unwrap(), "old");
    }

    #[test]
    fn name_that_is_taken_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.html");
        std::fs::write(&path, "mine").unwrap();
        let refused = check_is_free(&path, "name another").unwrap_err().to_string();
        assert!(refused.ends_with("exists, and nothing is overwritten: name another"), "{refused}");
        let failed = write_new(&path, |out| Ok(out.write_all(b"other")?)).unwrap_err();
        assert!(format!("{failed:#}").contains("name another file"), "{failed:#}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
    }

    #[test]
    fn file_that_is_replaced_stays_until_the_new_one_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let [path, link] = ["x.json", "link.json"].map(|name| folder.path().join(name));
        std::fs::write(&path, "old").unwrap();
        std::fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        check_is_replaceable(&path).unwrap();
        let failed = replace(&path, |out| {
            out.write_all(b"half")?;
            bail!("no more")
        });
        assert!(failed.is_err() && std::fs::read_to_string(&path).unwrap() == "old");
        replace(&link, |out| Ok(out.write_all(b"new")?)).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "new");
        assert!(link.symlink_metadata().unwrap().is_symlink(), "a link stays one");
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o640);
        check_is_replaceable(&folder.path().join("none.json")).unwrap();
        assert!(check_is_replaceable(&folder.path().join("nowhere/x.json")).is_err());
        assert_eq!(folder.path().read_dir().unwrap().count(), 2, "nothing else is left");
    }
}
