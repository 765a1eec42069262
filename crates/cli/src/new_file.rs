//! Files that are written whole or not at all: new ones, which take no other's name, and those that replace what a name held.

use std::fs::{OpenOptions, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::{Context, Result, bail};
use ciphermeter_core::quoted;
use tempfile::NamedTempFile;

/// Refuses a name that is taken, or in a folder that does not exist, before anything is drawn or written.
///
/// # Errors
/// Either; `remedy` says what to do.
pub fn check_is_free(path: &Path, remedy: &str) -> Result<()> {
    match path.symlink_metadata() {
        Ok(_) => bail!("{} exists, and nothing is overwritten: {remedy}", quoted(&path.to_string_lossy())),
        Err(_) if !folder_of(path).is_dir() => {
            bail!("cannot write {}: its folder does not exist; {remedy}", quoted(&path.to_string_lossy()))
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
    let file = staged(path, write).with_context(cannot)?;
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
            let file = staged(&path, write)?;
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
pub fn check_is_replaceable(path: &Path) -> io::Result<()> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if path.exists() {
        OpenOptions::new().append(true).open(&path)?;
    }
    match path.metadata() {
        Ok(held) if !held.is_file() => Ok(()),
        _ => beside(&path).map(drop),
    }
}

/// What will be the file of that name, beside its place.
fn staged(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<NamedTempFile> {
    let mut file = beside(path)?;
    let mut out = BufWriter::new(file.as_file_mut());
    write(&mut out)?;
    out.flush()?;
    drop(out);
    Ok(file)
}

fn beside(path: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    // What the umask leaves of it, as of any new file.
    let file = builder.permissions(Permissions::from_mode(0o666)).tempfile_in(folder_of(path));
    // The library's own error names the file that stands in for this one.
    file.map_err(|error| io::Error::from(error.kind()))
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
