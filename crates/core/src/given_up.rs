//! Providers of a device that was lost in mid-run, as the notes of its run say it.
//!
//! What such a provider has measured is kept, and the run is partial. The note is the only record of the loss, so it is
//! written and read here alone.

use std::collections::BTreeSet;

use crate::Record;

/// The beginning of the note on a device's provider that went in mid-run for good; the reason follows.
fn given_up_beginning(provider: &str) -> String {
    format!("{provider} was lost in mid-run, and its cells keep what was measured: ")
}

/// The note on a device's provider that went in mid-run for good: what it has measured is kept, and the run is partial.
pub fn given_up(provider: &str, why: &str) -> String {
    given_up_beginning(provider) + why
}

/// The note on a provider that was given up, and is measured again in a resumed run.
pub fn came_back(provider: &str) -> String {
    format!("{provider} is there again, and is measured further")
}

/// Why a provider was given up, by the notes of its run; `None` if it never was, or came back.
pub fn given_up_why<'a>(notes: &'a [String], provider: &str) -> Option<&'a str> {
    let (given_up, back) = (given_up_beginning(provider), came_back(provider));
    let latest = notes.iter().rev().find(|note| note.starts_with(&given_up) || **note == back)?;
    latest.strip_prefix(&given_up)
}

/// The providers of these records that were given up, and did not come back.
pub fn all_given_up(notes: &[String], records: &[Record]) -> BTreeSet<String> {
    let providers = records.iter().map(|record| &record.cell.provider);
    providers.filter(|provider| given_up_why(notes, provider).is_some()).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn note_on_a_lost_device_gives_its_reason_back() {
        let mut notes = vec!["another".into(), given_up("bearssl@board", "the line is gone"), "a third".into()];
        assert_eq!(given_up_why(&notes, "bearssl@board"), Some("the line is gone"));
        assert_eq!(given_up_why(&notes, "bearssl"), None);
        notes.push(came_back("bearssl@board"));
        assert_eq!(given_up_why(&notes, "bearssl@board"), None);
    }
}
