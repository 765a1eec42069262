//! Programs of Ciphermeter beside its binary: `ciphermeter-serve`, `ciphermeter-fleet`, and from these the binary itself.

use std::env;
use std::path::{Path, PathBuf};

use ciphermeter_host::private;
use rustix::fs::{Access, access};

/// The file of such a program: beside this one, after links, unless another user may have put it there; else in an absolute entry of PATH.
/// Never in the current folder, which may be anyone's.
pub fn find(name: &str) -> Option<PathBuf> {
    let own = env::current_exe().ok().and_then(|own| own.canonicalize().ok());
    let beside = own.as_deref().and_then(Path::parent).map(Path::to_owned);
    let beside =
        beside.filter(|folder| private::check(folder).and_then(|()| private::check(&folder.join(name))).is_ok());
    let path = env::var_os("PATH").unwrap_or_default();
    among(beside.into_iter().chain(env::split_paths(&path)), name)
}

/// The file of a program of others in an absolute entry of PATH.
pub fn in_path(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    among(env::split_paths(&path), name)
}

fn among(folders: impl IntoIterator<Item = PathBuf>, name: &str) -> Option<PathBuf> {
    let files = folders.into_iter().filter(|folder| folder.is_absolute()).map(|folder| folder.join(name));
    files.into_iter().find(|file| file.is_file() && access(file, Access::EXEC_OK).is_ok())
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn finds_executables_in_absolute_folders_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ciphermeter-x");
        fs::write(&file, "").unwrap();
        let looked = |folder: &Path| among([folder.to_owned()], "ciphermeter-x");
        fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
        assert_eq!(looked(folder.path()), None);
        fs::set_permissions(&file, Permissions::from_mode(0o700)).unwrap();
        assert_eq!(looked(folder.path()), Some(file));
        assert_eq!(looked(Path::new(".")), None);
        assert_eq!(looked(Path::new("")), None);
    }
}
