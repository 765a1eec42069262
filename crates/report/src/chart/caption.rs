//! The small print below a figure: on what it was measured, with which versions, what the whiskers mean, and what is not drawn.

use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_core::{Outcome, Record, Run, known_path};

use ciphermeter_answer::machine::{measured_on, status};
use ciphermeter_answer::measured::{self, has_enough_forks};
use ciphermeter_answer::words::{counted, fit, listed, short, version_numbers};

/// What medians and whiskers are, where samples are summed up.
pub(super) const SAMPLES: &str = "Points and bars: medians of undisturbed samples. Whiskers: the range in which 90 % of the samples lay; an uncapped one extends beyond the plot.";
const MOST_VERSIONS: usize = 16;
/// The most columns of any text from outside.
const MOST: usize = 60;

/// Text from outside, harmless and short.
pub(super) fn clean(text: &str) -> String {
    short(text, MOST)
}

/// Which run, and on what it was measured: a system and a kernel are this machine's alone.
pub(super) fn origin<'a>(run: &Run, records: impl IntoIterator<Item = &'a Record>) -> String {
    let (status, records) = (status(run), records.into_iter().collect::<Vec<_>>());
    let is_here = records.is_empty() || records.iter().any(|record| measured::is_here(record));
    let day = clean(run.started.split('T').next().unwrap_or_default());
    let (name, id) = (clean(&run.scenario.name), run.id);
    // A run without a number is of no store.
    let which = if id == 0 { "Run".into() } else { format!("Run {id}") };
    let mut parts = vec![format!("{which} ({name}{status}, {day}) on {}", fit(&measured_on(run, records), 120))];
    if is_here {
        let hypervisor = run.fact("hypervisor").filter(|value| value.starts_with("yes"));
        parts.extend(run.fact("os").map(clean));
        parts.extend(run.fact("kernel").map(clean));
        parts.extend(hypervisor.map(|_| "virtual machine".to_owned()));
    }
    parts.push(format!("Ciphermeter {}", clean(&run.version)));
    parts.join("; ") + "."
}

/// The versions of what is drawn, with the code paths that they used.
pub(super) fn versions<'a>(shown: impl IntoIterator<Item = &'a Record>) -> Option<String> {
    let mut by_provider = BTreeMap::<&str, (Vec<&str>, BTreeSet<String>)>::new();
    for record in shown {
        let Some(provenance) = &record.provenance else { continue };
        let (versions, paths) = by_provider.entry(&record.cell.provider).or_default();
        versions.push(&provenance.version);
        paths.extend(known_path(&provenance.path).map(clean));
    }
    let named = |(provider, (versions, paths)): (&&str, &(Vec<&str>, BTreeSet<String>))| {
        let numbers = fit(&version_numbers(versions.iter().copied()), MOST);
        let paths = fit(&paths.iter().cloned().collect::<Vec<_>>().join(", "), MOST);
        let paths = if paths.is_empty() { paths } else { format!(" ({paths})") };
        let package = package(versions).map_or(String::new(), |name| format!(": {}", clean(name)));
        format!("{}{package} {numbers}", clean(provider)).trim_end().to_owned() + &paths
    };
    let mut all: Vec<String> = by_provider.iter().map(named).collect();
    let more = all.len().saturating_sub(MOST_VERSIONS);
    all.truncate(MOST_VERSIONS);
    all.extend((more > 0).then(|| format!("{more} more")));
    (!all.is_empty()).then(|| format!("Libraries: {}.", all.join(", ")))
}

/// `cryptography`, where all versions begin with the name of one package.
fn package<'a>(versions: &[&'a str]) -> Option<&'a str> {
    let names: BTreeSet<&str> = versions.iter().filter_map(|version| Some(version.split_once(' ')?.0)).collect();
    let is_name = |name: &&str| name.starts_with(|first: char| first.is_alphabetic());
    names.first().copied().filter(is_name).filter(|_| names.len() == 1)
}

/// What of the cells that belong into a figure is not in it, and why.
pub(super) fn left_out<'a>(scope: impl IntoIterator<Item = &'a Record>) -> Option<String> {
    let reasons =
        ["with WRONG OUTPUT", "that failed", "with fewer than six undisturbed forks", "without support or time"];
    let mut left_out: [Vec<&Record>; 4] = Default::default();
    for record in scope {
        match &record.outcome {
            Outcome::WrongOutput { .. } => left_out[0].push(record),
            Outcome::Failed { .. } => left_out[1].push(record),
            Outcome::Measured if !has_enough_forks(record) => left_out[2].push(record),
            Outcome::Measured => {}
            Outcome::LeftOut(_) | Outcome::Unsupported { .. } => left_out[3].push(record),
        }
    }
    // Whose fault it may be is named.
    let libraries = |records: &[&Record]| {
        let names: BTreeSet<_> = records.iter().map(|record| clean(&record.cell.provider)).collect();
        let some: Vec<_> = names.iter().take(3).cloned().collect();
        format!(" ({}{})", listed(&some), if names.len() > 3 { " and others" } else { "" })
    };
    let parts = reasons.iter().zip(&left_out).enumerate().filter(|(_, (_, records))| !records.is_empty());
    let parts = parts.map(|(place, (reason, records))| {
        let libraries = if place < 2 { libraries(records) } else { String::new() };
        format!("{} {reason}{libraries}", counted(records.len(), "cell"))
    });
    let parts: Vec<String> = parts.collect();
    (!parts.is_empty()).then(|| format!("Left out: {}.", listed(&parts)))
}

/// The last sentences of a caption: which cells of the scope are left out, and of those that are
/// shown the versions and the run.
pub(super) fn ends<'a>(
    run: &Run,
    shown: impl IntoIterator<Item = &'a Record>,
    scope: impl IntoIterator<Item = &'a Record>,
) -> Vec<Option<String>> {
    let scope: Vec<&Record> = scope.into_iter().collect();
    vec![left_out(scope.iter().copied()), versions(shown), Some(origin(run, scope))]
}

#[cfg(test)]
mod tests {
    use super::*;
    use ciphermeter_answer::fixtures;
    use ciphermeter_core::Algorithm;

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

    /// A library may be a crate for each algorithm.
    #[test]
    fn versions_are_those_that_markdown_prints() {
        let (run, mut records) = fixtures::run();
        for record in &mut records {
            let version =
                if record.cell.algorithm == Algorithm::Aes256Gcm { "aes-gcm 0.11.1" } else { "chacha 0.11.0" };
            record.provenance.as_mut().unwrap().version = version.into();
        }
        let drawn = records.iter().filter(|record| record.cell.provider == "rustcrypto");
        assert!(versions(drawn).unwrap().contains(" rustcrypto 0.11.1 and 0.11.0 ("));
        let mut markdown = Vec::new();
        crate::write_markdown(&mut markdown, &run, &records).unwrap();
        let markdown = String::from_utf8(markdown).unwrap();
        assert!(markdown.contains("| rustcrypto 0.11.1 and 0.11.0 |"), "{markdown}");
    }

    /// `study` is a script, and no library.
    #[test]
    fn package_is_named_where_versions_name_one() {
        let (_, mut records) = fixtures::run();
        records.retain(|record| record.cell.provider == "ring");
        for record in &mut records {
            record.provenance.as_mut().unwrap().version = "cryptography 50.0.2, OpenSSL 4.0.3".into();
        }
        assert!(versions(&records).unwrap().contains("ring: cryptography 50.0.2"));
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
