//! The small print below a figure: on what it was measured, with which versions, what the whiskers mean, and what is not drawn.

use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_core::{Outcome, Record, Run, escaped};

use crate::screen::machine;
use ciphermeter_answer::machine::status;
use ciphermeter_answer::measured::has_enough_forks;
use ciphermeter_answer::words::fit;
use ciphermeter_answer::words::{listed, version_number};

/// What medians and whiskers are, where samples are summed up.
pub(super) const SAMPLES: &str = "Points and bars: medians of undisturbed samples. Whiskers: the range in which 90 % of the samples lay; an uncapped one extends beyond the plot.";
/// The most libraries whose versions are named.
const MOST_VERSIONS: usize = 16;
/// The most columns of any text from outside.
const MOST: usize = 60;

/// Text from outside, harmless and short.
pub(super) fn clean(text: &str) -> String {
    fit(&escaped(text), MOST)
}

/// Which run, and on what machine.
pub(super) fn origin(run: &Run) -> String {
    let status = status(run);
    let day = clean(run.started.split('T').next().unwrap_or_default());
    let (name, id) = (clean(&run.scenario.name), run.id);
    let mut parts = vec![format!("Run {id} ({name}{status}, {day}) on {}", fit(&machine(run), 120))];
    parts.extend(run.fact("os").map(clean));
    parts.extend(run.fact("kernel").map(clean));
    parts.extend(run.fact("hypervisor").filter(|value| value.starts_with("yes")).map(|_| "virtual machine".to_owned()));
    parts.push(format!("Ciphermeter {}", clean(&run.version)));
    parts.join("; ") + "."
}

/// The versions of what is drawn, with the code paths that they used.
pub(super) fn versions<'a>(shown: impl IntoIterator<Item = &'a Record>) -> Option<String> {
    let mut by_provider = BTreeMap::<&str, (String, BTreeSet<String>)>::new();
    for record in shown {
        let Some(provenance) = &record.provenance else { continue };
        let (version, paths) = by_provider.entry(&record.cell.provider).or_default();
        *version = clean(&version_number(&provenance.version));
        paths.extend((provenance.path != "unknown").then(|| clean(&provenance.path)));
    }
    let mut all: Vec<String> =
        by_provider.iter().map(|(provider, (version, paths))| named(provider, version, paths)).collect();
    let more = all.len().saturating_sub(MOST_VERSIONS);
    all.truncate(MOST_VERSIONS);
    all.extend((more > 0).then(|| format!("{more} more")));
    (!all.is_empty()).then(|| format!("Libraries: {}.", all.join(", ")))
}

fn named(provider: &str, version: &str, paths: &BTreeSet<String>) -> String {
    let name = format!("{} {version}", clean(provider)).trim_end().to_owned();
    match paths.len() {
        0 => name,
        _ => format!("{name} ({})", fit(&paths.iter().cloned().collect::<Vec<_>>().join(", "), MOST)),
    }
}

/// What of the cells that belong into a figure is not in it, and why.
pub(super) fn left_out<'a>(scope: impl IntoIterator<Item = &'a Record>) -> Option<String> {
    let (mut few, mut wrong, mut failed, mut unsupported) = (0_usize, Vec::new(), Vec::new(), 0_usize);
    for record in scope {
        match &record.outcome {
            Outcome::Measured if !has_enough_forks(record) => few += 1,
            Outcome::Measured => {}
            Outcome::WrongOutput { .. } => wrong.push(record),
            Outcome::Failed { .. } => failed.push(record),
            Outcome::LeftOut(_) | Outcome::Unsupported { .. } => unsupported += 1,
        }
    }
    let names = |records: &[&Record]| {
        let names: BTreeSet<_> = records.iter().map(|record| clean(&record.cell.provider)).collect();
        let some: Vec<_> = names.iter().take(3).cloned().collect();
        let more = if names.len() > 3 { " and others" } else { "" };
        format!("{}{more}", listed(&some))
    };
    let mut parts = Vec::new();
    if !wrong.is_empty() {
        parts.push(format!("{} with WRONG OUTPUT ({})", cells(wrong.len()), names(&wrong)));
    }
    if !failed.is_empty() {
        parts.push(format!("{} that failed ({})", cells(failed.len()), names(&failed)));
    }
    if few > 0 {
        parts.push(format!("{} with fewer than six undisturbed forks", cells(few)));
    }
    if unsupported > 0 {
        parts.push(format!("{} without support or time", cells(unsupported)));
    }
    (!parts.is_empty()).then(|| format!("Left out: {}.", listed(&parts)))
}

/// `1 cell`, `12 cells`.
pub(super) fn cells(count: usize) -> String {
    format!("{count} cell{}", if count == 1 { "" } else { "s" })
}

/// What does not fit into a figure.
pub(super) fn more(count: usize, what: &str) -> Option<String> {
    (count > 0).then(|| format!("Not drawn: {count} more {what}."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ciphermeter_answer::fixtures;

    #[test]
    fn names_versions_and_paths_of_what_is_drawn() {
        let (_, records) = fixtures::run();
        let seal = records.iter().filter(|record| record.cell.provider != "ceiling");
        let said = versions(seal).unwrap();
        assert_eq!(
            said,
            "Libraries: aws-lc 1.2.3 (vaes-avx512), ring 1.2.3 (vaes-avx512), rustcrypto 1.2.3 (aesni, avx2)."
        );
        assert_eq!(versions([]), None);
    }

    #[test]
    fn says_what_is_left_out_and_why() {
        let (_, mut records) = fixtures::run();
        assert_eq!(left_out(&records), None);
        records[0].outcome = Outcome::WrongOutput { why: "x".into() };
        records[1].outcome = Outcome::Failed { why: "x".into() };
        records[2].summary.as_mut().unwrap().forks = 5;
        assert_eq!(
            left_out(&records).unwrap(),
            "Left out: 1 cell with WRONG OUTPUT (aws-lc), 1 cell that failed (ring) and 1 cell with fewer than six undisturbed forks."
        );
    }

    #[test]
    fn text_from_outside_is_harmless_and_short() {
        assert_eq!(clean("a\u{1b}[31m"), "a\\u{1b}[31m");
        assert!(clean(&"x".repeat(9999)).chars().count() <= MOST);
    }
}
