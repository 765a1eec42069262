//! Whether a worker was built from the sources that are in its folder now: a list of them with their hashes lies beside the
//! build. Only `ciphermeter workers build` makes one; sources in other folders are not in it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ciphermeter_host::file;

use super::copy::files;

const LIST: &str = ".sources";

/// Keeps the list of what was just built.
pub fn keep(folder: &Path, built: &str) -> io::Result<()> {
    fs::write(list_of(folder, built), sources(folder, built)?)
}

/// Whether other sources were built. Where that is unknown, as of what was built by hand since, it is `false`.
pub fn is_of_other_sources(folder: &Path, built: &str) -> bool {
    let list = list_of(folder, built);
    let changed = |path: &Path| fs::metadata(path).and_then(|facts| facts.modified()).ok();
    changed(&list) >= changed(&folder.join(built))
        && fs::read_to_string(list).is_ok_and(|kept| sources(folder, built).is_ok_and(|now| now != kept))
}

fn list_of(folder: &Path, built: &str) -> PathBuf {
    folder.join(built).with_file_name(LIST)
}

/// A line for each file that is neither hidden nor in the folder of what is built.
fn sources(folder: &Path, built: &str) -> io::Result<String> {
    let is_hidden = |path: &Path| path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    let of_build = Path::new(built).components().next();
    let all = files(folder, &|path| is_hidden(path) || path.components().next() == of_build)?;
    let line = |path: &PathBuf| Ok(format!("{path:?} {}\n", file::sha256(folder.join(path))?));
    all.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_source_makes_a_build_old_and_a_build_by_hand_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        let is_old = || is_of_other_sources(folder.path(), "build/worker");
        fs::create_dir(folder.path().join("build")).unwrap();
        write("main.c", "one");
        write("build/worker", "");
        assert!(!is_old(), "nothing is known");
        keep(folder.path(), "build/worker").unwrap();
        write("build/further", "");
        write(".hidden", "");
        write("main.c", "one");
        assert!(!is_old(), "the same sources");
        write("main.c", "two");
        assert!(is_old());
        write("main.c", "one");
        write("added.c", "");
        assert!(is_old());
        let later = std::time::SystemTime::now() + std::time::Duration::from_secs(60);
        fs::File::options().write(true).open(folder.path().join("build/worker")).unwrap().set_modified(later).unwrap();
        assert!(!is_old(), "built by hand since");
    }
}
