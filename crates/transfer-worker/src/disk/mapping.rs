//! A mapping of dm-crypt over a RAM disk, by the program `dmsetup`.
//!
//! As soon as this process has opened it, the kernel is asked to remove it with the last close, so that no mapping
//! outlives its process, not even one that is killed.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use ciphermeter_core::Algorithm;
use zeroize::Zeroizing;

use super::device::{BYTES, SECTOR, open_alone};
use crate::error::Error;
use crate::system::run;

/// What the names begin with: ours, then the process, then a number.
const PREFIX: &str = "ciphermeter-";

/// The kernel's name of a cipher with the sector's number as its nonce.
fn specification(algorithm: Algorithm) -> Option<&'static str> {
    match algorithm {
        Algorithm::Aes256Xts => Some("aes-xts-plain64"),
        Algorithm::Adiantum => Some("xchacha12,aes-adiantum-plain64"),
        _ => None,
    }
}

/// Opens a mapping of that cipher over a disk; `None` where it is no cipher. The options are dm-crypt's own; only its
/// sectors are as long as `cryptsetup` would make them.
pub(super) fn open(algorithm: Algorithm, key: &[u8], over: &Path) -> Result<Option<File>, Error> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let Some(cipher) = specification(algorithm) else { return Ok(None) };
    let name = format!("{PREFIX}{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
    let (sectors, key) = (BYTES / 512, Zeroizing::new(hex::encode(key)));
    let table = format!("0 {sectors} crypt {cipher} {} 0 {} 0 1 sector_size:{SECTOR}\n", *key, over.display());
    let table = Zeroizing::new(table);
    run("dmsetup", &["create", &name, "--noudevsync"], table.as_bytes())?;
    let opened =
        node(&name).ok_or_else(|| Error::local(format!("the mapping {name} has no device"))).and_then(|node| {
            open_alone(&node).map_err(|why| Error::local(format!("cannot open {}: {why}", node.display())))
        });
    let removed = run("dmsetup", &["remove", "--deferred", &name], b"");
    let file = opened?;
    removed.map(|_| Some(file))
}

/// The device of that mapping, as devtmpfs names it: nothing waits for udev.
fn node(name: &str) -> Option<PathBuf> {
    let (found, _) = mappings().find(|(_, other)| other == name)?;
    Some(Path::new("/dev").join(found))
}

/// Every mapping: the device's name, then its own.
fn mappings() -> impl Iterator<Item = (String, String)> {
    let entries = fs::read_dir("/sys/block").into_iter().flatten().flatten();
    entries.filter_map(|entry| {
        let name = fs::read_to_string(entry.path().join("dm/name")).ok()?;
        Some((entry.file_name().into_string().ok()?, name.trim_end().to_owned()))
    })
}

/// Removes mappings of processes of ours that were killed right after they had made one.
pub(super) fn remove_leftovers() {
    for (_, name) in mappings() {
        if is_left(&name, |process| Path::new("/proc").join(process).exists()) {
            let _ = run("dmsetup", &["remove", "--deferred", &name], b"");
        }
    }
}

/// Whether it is ours by its name, and its process is gone.
fn is_left(name: &str, lives: impl Fn(&str) -> bool) -> bool {
    let number = |text: &str| !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
    let parts = name.strip_prefix(PREFIX).and_then(|rest| rest.split_once('-'));
    parts.is_some_and(|(process, count)| number(process) && number(count) && !lives(process))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_mappings_of_ours_whose_process_is_gone_are_left_over() {
        let is_left = |name| is_left(name, |process| process == "17");
        assert!(is_left("ciphermeter-18-0"));
        for other in
            ["ciphermeter-17-0", "ciphermeter-18", "ciphermeter-home-0", "ciphermeter-../1-0", "root", "luks-18-0"]
        {
            assert!(!is_left(other), "{other}");
        }
    }
}
