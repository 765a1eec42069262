//! Bounded reading of `/proc`, `/sys` and `/etc`, of this machine or, in tests, of another.
//!
//! Promises: no file is read beyond [`LIMIT`], and every failure is a sentence that can serve as the reason of an
//! absent fact.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::PathBuf;

/// The largest file that is read: `/proc/cpuinfo` of a machine with a thousand CPUs takes about 1.7 MiB.
const LIMIT: u64 = 4 << 20;

/// The most names that are read from one folder.
const NAMES: usize = 4096;

/// The root of `proc`, `sys` and `etc`.
pub(crate) struct Tree {
    root: PathBuf,
    #[cfg(test)]
    _folder: Option<tempfile::TempDir>,
}

impl Tree {
    /// This machine's.
    pub(crate) fn live() -> Self {
        Self {
            root: PathBuf::from("/"),
            #[cfg(test)]
            _folder: None,
        }
    }

    /// A made-up machine with these files.
    #[cfg(test)]
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Self { root: folder.path().to_owned(), _folder: Some(folder) }
    }

    /// The same machine once more.
    #[cfg(test)]
    pub(crate) fn same(&self) -> Self {
        Self { root: self.root.clone(), _folder: None }
    }

    /// Changes a file of a made-up machine.
    #[cfg(test)]
    pub(crate) fn write(&self, path: &str, text: &str) {
        assert!(self.root != std::path::Path::new("/"), "never this machine");
        fs::write(self.root.join(path), text).unwrap();
    }

    /// The text of a file such as `proc/loadavg`, without white space and NULs around it, or why it cannot be read.
    pub(crate) fn text(&self, path: &str) -> Result<String, String> {
        let bytes = self.bytes(path).map_err(|error| why(path, &error))?;
        let text = String::from_utf8_lossy(&bytes);
        Ok(text.trim_matches(|sign: char| sign.is_whitespace() || sign == '\0').to_owned())
    }

    /// The number in a file that contains nothing else.
    pub(crate) fn number(&self, path: &str) -> Result<u64, String> {
        let text = self.text(path)?;
        text.parse().map_err(|_| format!("/{path} holds no number"))
    }

    /// The names in a folder, sorted; none if it does not exist.
    pub(crate) fn names(&self, path: &str) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.root.join(path)) else { return Vec::new() };
        let mut names: Vec<String> =
            entries.take(NAMES).flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        names
    }

    /// Whether a file or folder exists.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.root.join(path).exists()
    }

    fn bytes(&self, path: &str) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        File::open(self.root.join(path))?.take(LIMIT + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > LIMIT {
            return Err(io::Error::other("larger than 4 MiB"));
        }
        Ok(bytes)
    }
}

/// A name as firmware and kernels give it, in words with one blank between: they pad names, and
/// some hold other signs.
pub(crate) fn name(text: &str) -> String {
    let words = text.split(|sign: char| sign.is_whitespace() || sign.is_control());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

fn why(path: &str, error: &io::Error) -> String {
    if !cfg!(any(target_os = "linux", target_os = "android")) {
        return format!("read from Linux's /{path} only; this is {}", std::env::consts::OS);
    }
    match error.kind() {
        ErrorKind::NotFound => format!("there is no /{path}"),
        ErrorKind::PermissionDenied => format!("this user may not read /{path}"),
        _ => format!("/{path} can't be read: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_file_gives_a_reason() {
        let tree = Tree::of(&[("proc/word", "seven\n"), ("proc/number", "7\n"), ("proc/nul", "rk3588\0")]);
        assert_eq!(tree.number("proc/number"), Ok(7));
        assert_eq!(tree.text("proc/nul").unwrap(), "rk3588");
        assert_eq!(tree.names("proc"), ["nul", "number", "word"]);
        assert!(tree.names("sys").is_empty() && !tree.has("sys"));
        assert_eq!(tree.number("proc/word").unwrap_err(), "/proc/word holds no number");
        if cfg!(target_os = "linux") {
            assert_eq!(tree.text("sys/none").unwrap_err(), "there is no /sys/none");
        }
    }

    #[test]
    fn endless_file_is_refused() {
        let tree = Tree::of(&[("proc/long", "")]);
        File::options().write(true).open(tree.root.join("proc/long")).unwrap().set_len(LIMIT + 1).unwrap();
        assert!(tree.text("proc/long").unwrap_err().contains("larger than 4 MiB"));
    }
}
