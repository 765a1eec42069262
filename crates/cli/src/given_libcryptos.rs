//! The libcryptos of `--openssl`: each file once, and the names under which they are measured.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Error, Result, bail};
use ciphermeter_core::{Note, quoted_path};
use ciphermeter_host::file;
use ciphermeter_meter::Source;
use ciphermeter_native::libcryptos;

use crate::built_in::described;

/// The provider that a libcrypto is.
pub const LIBCRYPTO: &str = "openssl";

/// The most libcryptos: each is asked before the run's time begins, and takes its share of that.
const MOST_LIBCRYPTOS: usize = 16;
/// The most characters of a version or a file's name that names a library.
const MOST_OF_MARK: usize = 24;

/// The files that are named, each once: those that are in the place of another, or have the same bytes, are noted.
pub fn files(named: &[PathBuf], notes: &mut Vec<Note>) -> Result<Vec<PathBuf>> {
    let mut given: Vec<PathBuf> = Vec::new();
    for named in named {
        for file in libcryptos::files(named).map_err(Error::msg)? {
            let shown = quoted_path(&file);
            if given.iter().any(|other| is_place_of(other, &file)) {
                notes.push(Note::other(format!("{shown} is given twice, and measured once")));
            } else if let Some(other) = given.iter().find(|other| is_copy_of(other, &file)) {
                let other = quoted_path(other);
                notes.push(Note::other(format!("{shown} is a copy of {other}, and not measured a second time")));
            } else if given.len() == MOST_LIBCRYPTOS {
                bail!("--openssl gives more than {MOST_LIBCRYPTOS} libcryptos, the most of one run: leave some out");
            } else {
                given.push(file);
            }
        }
    }
    Ok(given)
}

fn is_place_of(one: &Path, other: &Path) -> bool {
    one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}

fn is_copy_of(one: &Path, other: &Path) -> bool {
    let length = |path: &Path| fs::metadata(path).ok().map(|facts| facts.len());
    let hash = |path: &Path| file::sha256(path).ok();
    length(one) == length(other) && hash(one).is_some_and(|one| hash(other) == Some(one))
}

/// The source of a file, under the first of its names that is free, and a note of which file that is.
pub fn source(file: &Path, patience: Duration, is_free: impl Fn(&str) -> bool) -> Result<(Source, Note)> {
    let (source, version) = described(file, patience)?;
    let name = names_of(&version, file).find(|name| is_free(name)).unwrap_or_default();
    let note = Note::other(format!("{name} is {}", quoted_path(file)));
    // You named the file, so the run lacks something without it.
    Ok((Source { name, installed: true, ..source }, note))
}

/// Names for a libcrypto, the first that is free is its: `openssl`, then its file's name (`openssl@new.so`); of a file that is called as all
/// are, `libcrypto.so.3`, its version (`openssl@3.5.0`); of further ones of that name `openssl@3.5.0-2` and so on.
fn names_of(version: &str, file: &Path) -> impl Iterator<Item = String> {
    let is_word = |text: &String| {
        (1..=MOST_OF_MARK).contains(&text.len())
            && text.chars().all(|letter| letter.is_ascii_alphanumeric() || "._+-".contains(letter))
    };
    let file_name = file.file_name().map(|name| name.to_string_lossy().into_owned()).filter(is_word);
    let own_name = file_name.clone().filter(|name| !name.starts_with("libcrypto"));
    let version = Some(version.to_owned()).filter(is_word);
    let mark = own_name.or(version).or(file_name).unwrap_or_else(|| "file".into());
    (0..).map(move |number| match number {
        0 => LIBCRYPTO.into(),
        1 => format!("{LIBCRYPTO}@{mark}"),
        number => format!("{LIBCRYPTO}@{mark}-{number}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libcryptos_are_given_once_each_and_sixteen_at_most() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: usize, text: String| {
            let file = folder.path().join(format!("{name:02}.so"));
            fs::write(&file, text).unwrap();
            file
        };
        let mut named: Vec<PathBuf> = (0..16).map(|number| file(number, number.to_string())).collect();
        named.extend([named[3].clone(), file(16, "3".into()), file(17, "13".into())]);
        let mut notes = Vec::new();
        assert_eq!(files(&named, &mut notes).unwrap(), named[..16]);
        let said: Vec<String> = notes.iter().map(ToString::to_string).collect();
        assert!(said[0].ends_with("/03.so is given twice, and measured once"), "{said:?}");
        assert!(said[1].contains("/16.so is a copy of ") && said[2].contains("/17.so is a copy of "), "{said:?}");
        named.push(file(18, "another".into()));
        let why = files(&named, &mut notes).unwrap_err().to_string();
        assert!(why.starts_with("--openssl gives more than 16 libcryptos, "), "{why}");
    }

    #[test]
    fn libraries_are_named_by_file_or_version() {
        let names = |version: &str, file: &str| names_of(version, Path::new(file)).take(3).collect::<Vec<_>>();
        assert_eq!(names("3.5.0", "lib/libcrypto.so.3"), ["openssl", "openssl@3.5.0", "openssl@3.5.0-2"]);
        assert_eq!(names("3.5.0", "/a/new.so"), ["openssl", "openssl@new.so", "openssl@new.so-2"]);
        assert_eq!(names("OpenSSL 1.1.1 (compatible; BoringSSL)", "/a/libcrypto.so")[1], "openssl@libcrypto.so");
        assert_eq!(names("", "/a/b c.so")[1], "openssl@file");
        assert_eq!(names("3.0\u{1b}[2J", "..")[1], "openssl@file");
        assert_eq!(names("3.5.0", &format!("{}.so", "9".repeat(25)))[1], "openssl@3.5.0");
    }
}
