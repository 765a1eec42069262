//! Files that are written whole or not at all: new ones, which take no other's name, and those that replace what a name held. A signal
//! that ends the process leaves nothing of them either.

use std::fs::{File, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::Path;

use anyhow::{Context, Result, bail};
use ciphermeter_core::quoted_path;
use rustix::fs::{Access, CWD, Mode, OFlags, access, fcntl_getfl, fcntl_setfl, openat};
use tempfile::NamedTempFile;

use crate::interrupt::Held;

/// Refuses a name that is taken, or in a folder that does not exist, before anything is drawn or written; `remedy` says what to do.
pub fn check_is_free(path: &Path, remedy: &str) -> Result<()> {
    match path.symlink_metadata() {
        Ok(_) => bail!("{} exists, and nothing is overwritten: {remedy}", quoted_path(path)),
        Err(_) if !folder_of(path).is_dir() => {
            let why = if folder_of(path).exists() { "its parent is no folder" } else { "its folder does not exist" };
            bail!("cannot write {}: {why}; {remedy}", quoted_path(path))
        }
        Err(_) => Ok(()),
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Writes a new file: beside its place first, so that what is at its name is never half of it.
pub fn write_new(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    let cannot = || format!("cannot write {}: name another file", quoted_path(path));
    let held = Held::new()?;
    let file = staged(path, &held, write).with_context(cannot)?;
    file.persist_noclobber(path).map_err(|failed| failed.error).with_context(cannot)?;
    Ok(())
}

/// Writes a file in the place of what its name holds, which stays until the new one is whole. A link leads to the file
/// that is replaced, and a device or a pipe is written to.
pub fn replace(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    match path.metadata() {
        Ok(held) if !held.is_file() => {
            let mut out = BufWriter::new(opened_at_once(&path)?);
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
pub fn check_is_replaceable(path: &Path) -> Result<()> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    match path.metadata() {
        Ok(held) if held.is_dir() => Err(io::Error::from(io::ErrorKind::IsADirectory).into()),
        // No file of a socket can be opened.
        Ok(held) if held.file_type().is_socket() => bail!("it is a socket"),
        // Not opened: where it is closed again, a pipe ends for its reader.
        Ok(held) if !held.is_file() => Ok(access(&path, Access::WRITE_OK)?),
        held => {
            held.map_or(Ok(()), |_| access(&path, Access::WRITE_OK))?;
            let signals = Held::new()?;
            drop(beside(&path)?);
            Ok(signals.check()?)
        }
    }
}

/// A device or a pipe, to be written to. Only its opening doesn't wait: nobody may ever read a pipe.
fn opened_at_once(path: &Path) -> Result<File> {
    let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = match openat(CWD, path, flags, Mode::empty()) {
        Err(rustix::io::Errno::NXIO) if path.metadata()?.file_type().is_fifo() => {
            bail!("nobody reads this pipe: start what reads it first")
        }
        opened => opened?,
    };
    fcntl_setfl(&file, fcntl_getfl(&file)? - OFlags::NONBLOCK)?;
    Ok(file.into())
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
    use ciphermeter_terminal::Exit;

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
                assert_eq!(Exit::of(&error), Exit::Interrupted, "{error:#}");
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
        let [elsewhere, link, pipe] = ["elsewhere", "link", "pipe"].map(|name| folder.path().join(name));
        std::os::unix::fs::symlink(&elsewhere, &link).unwrap();
        make_pipe(&pipe);
        for planted in [link, pipe] {
            check_is_free(&planted, "name another").unwrap_err();
            write_new(&planted, |out| Ok(out.write_all(b"other")?)).unwrap_err();
        }
        assert!(!elsewhere.exists());
    }

    fn make_pipe(path: &Path) {
        assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
    }

    #[test]
    fn pipe_is_written_to_where_something_reads_it_and_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        make_pipe(&pipe);
        check_is_replaceable(&pipe).unwrap();
        let refused = replace(&pipe, |out| Ok(out.write_all(b"lost")?)).unwrap_err().to_string();
        assert!(refused.contains("nobody reads this pipe"), "{refused}");
        let mut reader = File::options().read(true).write(true).open(&pipe).unwrap();
        // More than a pipe holds, so that writing waits for the reader.
        let much = vec![7; 1 << 20];
        let read = std::thread::spawn(move || {
            let mut read = vec![0; 1 << 20];
            std::io::Read::read_exact(&mut reader, &mut read).map(|()| read)
        });
        check_is_replaceable(&pipe).unwrap();
        replace(&pipe, |out| Ok(out.write_all(&much)?)).unwrap();
        assert!(read.join().unwrap().unwrap() == much);
        assert!(check_is_replaceable(folder.path()).is_err(), "a folder");
        let socket = folder.path().join("socket");
        let _listens = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        assert_eq!(check_is_replaceable(&socket).unwrap_err().to_string(), "it is a socket");
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
