//! The libcryptos that `--openssl`, `--against` or `CIPHERMETER_OPENSSL` names: a file, or those of a folder. A folder is one that has them, like that in which OpenSSL was
//! built, or what it was installed into, with `lib64` or `lib`.

use std::env::consts::ARCH;
use std::fs;
use std::path::{Path, PathBuf};

use ciphermeter_core::quoted_path;
use ciphermeter_host::architecture;

/// What a prefix has its libraries in; Debian's are in one that begins with the architecture.
const WITHIN: [&str; 4] = ["", "lib64", "lib", "usr/lib"];

/// The file itself, or all libcryptos of the folder, each once, those of other architectures only where all are.
///
/// # Errors
/// The folder has none, or cannot be read.
pub fn files(named: &Path) -> Result<Vec<PathBuf>, String> {
    if !named.is_dir() {
        return Ok(vec![named.to_owned()]);
    }
    let mut places: Vec<PathBuf> = WITHIN.iter().map(|within| named.join(within)).collect();
    for lib in [named.join("lib"), named.join("usr/lib")] {
        let of_architecture = |name: &String| name.starts_with(&format!("{ARCH}-"));
        places.extend(names(&lib)?.iter().filter(|name| of_architecture(name)).map(|name| lib.join(name)));
    }
    let mut found: Vec<PathBuf> = Vec::new();
    for place in &places {
        let names = names(place)?;
        let versioned: Vec<&String> = names.iter().filter(|name| is_versioned(name)).collect();
        let plain = names.iter().filter(|name| ["libcrypto.so", "libcrypto.dylib"].contains(&name.as_str()));
        let chosen = if versioned.is_empty() { plain.collect() } else { versioned };
        for file in chosen.iter().filter_map(|name| place.join(name).canonicalize().ok()) {
            if !found.contains(&file) {
                found.push(file);
            }
        }
    }
    if found.iter().any(|file| architecture::other(file).is_none()) {
        found.retain(|file| architecture::other(file).is_none());
    }
    if found.is_empty() {
        let shown = quoted_path(named);
        if places.iter().any(|place| place.join("libcrypto.a").exists()) {
            return Err(format!("{shown} has only libcrypto.a, which cannot be opened; build OpenSSL with `shared`"));
        }
        return Err(format!(
            "there is no libcrypto in {shown}, nor in its lib64, lib or usr/lib; give the file of one, libcrypto.so.3 for example"
        ));
    }
    Ok(found)
}

/// The file itself, or the folder's libcrypto, where just one can be meant.
///
/// # Errors
/// As [`files`]; or the folder has several.
pub fn only(named: &Path) -> Result<PathBuf, String> {
    let mut found = files(named)?;
    match found.pop() {
        Some(file) if found.is_empty() => Ok(file),
        last => {
            let all: Vec<String> = found.iter().chain(&last).map(|file| quoted_path(file)).collect();
            Err(format!("{} has several libcryptos; give one: {}", quoted_path(named), all.join(", ")))
        }
    }
}

/// `libcrypto.so.3`, `libcrypto.so.1.1`, `libcrypto.3.dylib`.
fn is_versioned(name: &str) -> bool {
    let version = match (name.strip_prefix("libcrypto.so."), name.strip_prefix("libcrypto.")) {
        (Some(version), _) => Some(version),
        (None, rest) => rest.and_then(|rest| rest.strip_suffix(".dylib")),
    };
    version.is_some_and(|version| {
        version.starts_with(|first: char| first.is_ascii_digit())
            && version.chars().all(|letter| letter.is_ascii_digit() || letter == '.')
    })
}

/// What is in a folder, in order; nothing where there is none.
fn names(folder: &Path) -> Result<Vec<String>, String> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let unread = |error| format!("cannot read the folder {}: {error}; make it readable", quoted_path(folder));
    let entries = fs::read_dir(folder).map_err(unread)?;
    let mut names: Vec<String> =
        entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).filter(|name| name.is_ascii()).collect();
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with these files, each the header of a library for this processor, or for Arm's if its name has that word.
    fn folder(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let own = fs::read(std::env::current_exe().unwrap()).unwrap();
        for name in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            let mut header = own[..64].to_vec();
            if name.contains("other") {
                header[18] = 0xff;
            }
            fs::write(path, header).unwrap();
        }
        folder
    }

    fn found(names: &[&str]) -> Vec<String> {
        let folder = folder(names);
        let root = folder.path().canonicalize().unwrap();
        let files = files(folder.path()).unwrap();
        files.iter().map(|file| file.strip_prefix(&root).unwrap().display().to_string()).collect()
    }

    #[test]
    fn a_folder_stands_for_all_its_libcryptos() {
        assert_eq!(found(&["libcrypto.so", "libcrypto.so.3", "libcrypto.so.3.bak", "libssl.so.3"]), ["libcrypto.so.3"]);
        assert_eq!(found(&["libcrypto.so.1.1", "libcrypto.so.3"]), ["libcrypto.so.1.1", "libcrypto.so.3"]);
        assert_eq!(found(&["libcrypto.so", "apps/openssl"]), ["libcrypto.so"]);
        assert_eq!(found(&["lib64/libcrypto.so.3", "bin/openssl"]), ["lib64/libcrypto.so.3"]);
        assert_eq!(found(&["lib/libcrypto.3.dylib", "lib/libcrypto.dylib"]), ["lib/libcrypto.3.dylib"]);
        let debian = format!("lib/{ARCH}-linux-gnu/libcrypto.so.3");
        assert_eq!(found(&[&debian]), [debian.as_str()]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn those_of_another_architecture_stand_back() {
        let folder = folder(&["lib64/libcrypto.so.3", "lib/other"]);
        fs::rename(folder.path().join("lib/other"), folder.path().join("lib/libcrypto.so.3")).unwrap();
        let all = files(folder.path()).unwrap();
        assert_eq!(all, [folder.path().canonicalize().unwrap().join("lib64/libcrypto.so.3")]);
        fs::remove_file(folder.path().join("lib64/libcrypto.so.3")).unwrap();
        assert_eq!(files(folder.path()).unwrap().len(), 1, "so that its own error says which it is");
    }

    #[test]
    fn a_folder_without_one_says_where_it_looked() {
        let why = |names: &[&str]| files(folder(names).path()).unwrap_err();
        assert!(why(&["README"]).contains("nor in its lib64, lib or usr/lib; give the file of one"));
        assert!(why(&["libcrypto.a"]).contains("build OpenSSL with `shared`"));
    }

    #[test]
    fn a_file_stands_for_itself() {
        assert_eq!(files(Path::new("nowhere.so")).unwrap(), [Path::new("nowhere.so")]);
    }

    #[test]
    fn a_folder_stands_for_its_only_libcrypto_where_one_is_meant() {
        assert!(only(folder(&["lib64/libcrypto.so.3"]).path()).unwrap().ends_with("lib64/libcrypto.so.3"));
        let why = only(folder(&["libcrypto.so.1.1", "libcrypto.so.3"]).path()).unwrap_err();
        assert!(why.contains(" has several libcryptos; give one: ") && why.ends_with("/libcrypto.so.3"), "{why}");
    }
}
