//! A file that is written whole or not at all, and never over another.

use std::fs::Permissions;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::{Context, Result, bail};
use ciphermeter_core::quoted;

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
    let folder = folder_of(path);
    let cannot = || format!("cannot write {name}: name another file");
    // What the umask leaves of it, as of any new file.
    let mut builder = tempfile::Builder::new();
    let file = builder.permissions(Permissions::from_mode(0o666)).tempfile_in(folder);
    // The library's own error names the file that stands in for this one.
    let mut file = file.map_err(|error| io::Error::from(error.kind())).with_context(cannot)?;
    write(file.as_file_mut()).with_context(cannot)?;
    file.as_file_mut().flush().with_context(cannot)?;
    file.persist_noclobber(path).map_err(|failed| failed.error).with_context(cannot)?;
    Ok(())
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
}
