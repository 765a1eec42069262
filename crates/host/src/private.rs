//! What is this user's alone: the folders below those of XDG, of mode 0700, and the files in them, of mode 0600, whatever the
//! umask is.
//!
//! Promises: what another user owns, or others may write, is not believed: each function here refuses it with the remedy.

use std::fs::{self, DirBuilder, File, Metadata, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, openat};

use crate::file;

/// A folder's mode, and a file's.
const FOLDER: u32 = 0o700;
const FILE: u32 = 0o600;
/// The bits with which a group, or everybody, may write.
const OTHERS_WRITE: u32 = 0o022;
/// The bit with which everybody may write, and the one that keeps them to what is theirs.
const ANY_WRITES: u32 = 0o002;
const STICKY: u32 = 0o1000;

/// Makes a folder and those around it that are missing, and closes it to other users, whoever made it.
///
/// # Errors
/// It cannot be made or closed, or another user owns it.
pub fn make_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(FOLDER).create(folder)?;
    close(folder)
}

/// Closes a folder to other users.
///
/// # Errors
/// There is no such folder, or another user owns it, or its mode cannot be set.
pub fn close(folder: &Path) -> io::Result<()> {
    check_owner(&fs::symlink_metadata(folder)?, folder)?;
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let open = File::from(openat(CWD, folder, flags, Mode::empty())?);
    let found = open.metadata()?;
    check_owner(&found, folder)?;
    if found.mode() & 0o777 != FOLDER {
        open.set_permissions(Permissions::from_mode(FOLDER))?;
    }
    Ok(())
}

/// Sees that only this user, or root, can have made a file or a folder what it is; a link counts with what it leads to.
///
/// # Errors
/// Another user can, or there is no such path.
pub fn check(path: &Path) -> io::Result<()> {
    check_owner(&fs::symlink_metadata(path)?, path)?;
    check_facts(&fs::metadata(path)?, path)
}

/// The same of a path and the folders around it, up to `root`, which is one of them, and which nobody else can rename.
///
/// # Errors
/// As [`check`].
pub fn check_below(root: &Path, path: &Path) -> io::Result<()> {
    if let Some(around) = root.parent() {
        let mode = fs::metadata(around)?.mode();
        if mode & ANY_WRITES != 0 && mode & STICKY == 0 {
            return Err(writable(around));
        }
    }
    // From the root on: one command repairs all that is below it.
    let mut below: Vec<_> = path.ancestors().take_while(|folder| folder.starts_with(root)).collect();
    below.reverse();
    below.into_iter().try_for_each(check)
}

/// Opens a file that this program wrote, which is no link, in a folder of this user's.
///
/// # Errors
/// It cannot be read, or is not to be believed.
pub fn open(path: &Path) -> io::Result<File> {
    path.parent().map_or(Ok(()), check)?;
    let file = file::opened(path, OFlags::RDONLY | OFlags::NOFOLLOW, 0)?;
    check_facts(&file.metadata()?, path)?;
    Ok(file)
}

/// What such a file holds.
///
/// # Errors
/// As [`open`], or it has more than `most` bytes.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(io::Error::other("it is too long")) } else { Ok(bytes) }
}

/// Writes a file as `new`, and gives it its name: whoever reads it finds all of it, or what was there. It comes back open.
///
/// # Errors
/// It cannot be written.
pub fn write(new: &Path, path: &Path, bytes: &[u8]) -> io::Result<File> {
    let mut file = made(new)?;
    file.set_len(0)?;
    file.write_all(bytes)?;
    fs::rename(new, path)?;
    Ok(file)
}

/// Makes an empty file unless there is one, which stays as it is, and closes it to other users.
///
/// # Errors
/// It cannot be made, or what is there is not to be believed.
pub fn make_file(path: &Path) -> io::Result<()> {
    let missing = matches!(fs::metadata(path), Err(error) if error.kind() == io::ErrorKind::NotFound);
    if missing {
        return made(path).map(drop);
    }
    check(path)?;
    closed(&file::open(path)?, path)
}

fn made(path: &Path) -> io::Result<File> {
    let file = file::opened(path, OFlags::WRONLY | OFlags::CREATE | OFlags::NOFOLLOW, FILE)?;
    closed(&file, path)?;
    Ok(file)
}

fn closed(file: &File, path: &Path) -> io::Result<()> {
    let found = file.metadata()?;
    check_facts(&found, path)?;
    if found.mode() & 0o777 != FILE {
        file.set_permissions(Permissions::from_mode(FILE))?;
    }
    Ok(())
}

fn check_facts(found: &Metadata, path: &Path) -> io::Result<()> {
    check_owner(found, path)?;
    if found.mode() & OTHERS_WRITE == 0 { Ok(()) } else { Err(writable(path)) }
}

fn writable(path: &Path) -> io::Error {
    let word = ciphermeter_core::shell_word(path);
    io::Error::other(format!(
        "other users may write {}; if what it holds is yours, run `chmod -R go-w {word}`",
        shown(path)
    ))
}

fn shown(path: &Path) -> String {
    ciphermeter_core::quoted(&path.to_string_lossy())
}

fn check_owner(found: &Metadata, path: &Path) -> io::Result<()> {
    let is_trusted = found.uid() == 0 || found.uid() == rustix::process::geteuid().as_raw();
    if is_trusted {
        Ok(())
    } else {
        Err(io::Error::other(format!("{} belongs to another user; run this command as that user", shown(path))))
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o777
    }

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn folder_and_file_are_closed_whoever_made_them() {
        let around = tempfile::tempdir().unwrap();
        let folder = around.path().join("a/b");
        make_folder(&folder).unwrap();
        assert_eq!((mode(&folder), mode(folder.parent().unwrap())), (0o700, 0o700));
        set_mode(&folder, 0o777);
        make_folder(&folder).unwrap();
        assert_eq!(mode(&folder), 0o700);
        let file = folder.join("runs.db");
        make_file(&file).unwrap();
        fs::write(&file, "kept").unwrap();
        set_mode(&file, 0o644);
        make_file(&file).unwrap();
        assert_eq!((mode(&file), read(&file, 4).unwrap()), (0o600, b"kept".to_vec()));
        read(&file, 3).unwrap_err();
        write(&folder.join("new"), &file, b"all").unwrap();
        assert_eq!((mode(&file), read(&file, 4).unwrap()), (0o600, b"all".to_vec()));
    }

    #[test]
    fn what_others_may_write_is_not_believed() {
        let folder = tempfile::tempdir().unwrap();
        let [inner, file, link] = ["inner", "inner/file", "link"].map(|name| folder.path().join(name));
        make_folder(&inner).unwrap();
        make_file(&file).unwrap();
        symlink(&file, &link).unwrap();
        check_below(folder.path(), &file).unwrap();
        check(&link).unwrap();
        open(&link).unwrap_err();
        for writable in [0o620, 0o602] {
            set_mode(&file, writable);
            for refused in [check(&file), check(&link), make_file(&file), open(&file).map(drop)] {
                let refused = refused.unwrap_err().to_string();
                assert!(refused.contains("other users may write") && refused.contains("chmod"), "{refused}");
            }
        }
        set_mode(&file, 0o600);
        set_mode(&inner, 0o770);
        check_below(folder.path(), &file).unwrap_err();
        open(&file).unwrap_err();
    }
}
