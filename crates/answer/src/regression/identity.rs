//! Is it the same code? Only what is proven counts: every word that a worker told, and a hash of a file.

use ciphermeter_core::{Provenance, escaped};

/// Digits of a hash that are shown.
const DIGITS: usize = 12;

/// A hash as it is shown: its beginning.
pub(crate) fn begun(hash: &str) -> &str {
    hash.get(..DIGITS).unwrap_or(hash)
}

/// The code in a few words: `5.12.0, library 0123456789ab`.
pub(crate) fn in_words(from: &Provenance) -> String {
    let hash = [("library", &from.sha256), ("program", &from.program)];
    let hash = hash.into_iter().find_map(|(of, hash)| Some(format!(", {of} {}", begun(hash.as_ref()?))));
    escaped(&(from.version.clone() + &hash.unwrap_or_default()))
}

/// `None` if both are the same code, else what differs or is unknown.
pub(super) fn difference(before: Option<&Provenance>, after: Option<&Provenance>) -> Option<String> {
    let (Some(a), Some(b)) = (before, after) else { return Some("its provenance is unknown".into()) };
    if a == b {
        let known = a.sha256.is_some() || a.program.is_some();
        return (!known).then(|| "neither its library nor its program has a hash, so it may have changed".into());
    }
    let hash = |hash: &Option<String>| hash.as_deref().map(|hash| begun(hash).into());
    let some = |text: &str| Some(text.to_string());
    let device = |from: &Provenance| {
        let device = from.device.as_ref()?;
        Some(device.clock_hz.map_or(device.board.clone(), |hertz| format!("{} at {hertz} Hz", device.board)))
    };
    let all: [(&str, Option<String>, Option<String>); 9] = [
        ("device", device(a), device(b)),
        ("version", some(&a.version), some(&b.version)),
        ("code path", some(&a.path), some(&b.path)),
        ("library", hash(&a.sha256), hash(&b.sha256)),
        ("library's file", a.library.clone(), b.library.clone()),
        ("program", hash(&a.program), hash(&b.program)),
        ("worker", some(&a.worker), some(&b.worker)),
        ("runtime", some(&a.runtime), some(&b.runtime)),
        ("key set-up", some(a.setup.as_str()), some(b.setup.as_str())),
    ];
    // The first says enough: another version is another file, too.
    let first = all.into_iter().find(|(_, before, after)| before != after);
    let shown = |text: Option<String>| text.unwrap_or_else(|| "unknown".into());
    // Hashes may differ behind the digits that are shown.
    let (name, before, after) = first.unwrap_or(("hash", some("one"), some("another")));
    Some(format!("{name} {} ≠ {}", shown(before), shown(after)))
}
