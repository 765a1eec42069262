//! The studies of `studies/`, built in.

use crate::factor::Factors;
use crate::study::{BadStudy, Study};

const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/studies.rs"));

/// Why they disagree.
const FACTORS: &str = include_str!("../../../studies/factors.toml");

/// What studies disagree by.
///
/// # Errors
///
/// Its file cannot be used.
pub fn factors() -> Result<Factors, BadStudy> {
    Factors::parse(FACTORS)
}

/// All of them, by name.
///
/// # Errors
///
/// The first file that cannot be used.
pub fn all() -> Result<Vec<Study>, BadStudy> {
    FILES.iter().map(|(name, text)| parsed(name, text)).collect()
}

/// The one of that name; `None` if there is none.
///
/// # Errors
///
/// Its file cannot be used.
pub fn find(name: &str) -> Result<Option<Study>, BadStudy> {
    FILES.iter().find(|(known, _)| *known == name).map(|(name, text)| parsed(name, text)).transpose()
}

fn parsed(name: &str, text: &str) -> Result<Study, BadStudy> {
    Study::parse(text).map_err(|error| match error {
        BadStudy::Format(why) => BadStudy::Format(format!("studies/{name}/study.toml: {why}")),
        other => other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::Group;

    #[test]
    fn every_file_can_be_used_and_is_named_after_its_folder() {
        for (name, text) in FILES {
            let study = Study::parse(text).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(study.name, *name);
            assert!(!study.claims.is_empty() && !study.measures.is_empty(), "{name}");
        }
        assert_eq!(all().unwrap().len(), FILES.len());
        assert!(find("no-such-study").unwrap().is_none());
    }

    #[test]
    fn factors_are_about_studies_that_exist() {
        for factor in factors().unwrap().factors {
            assert!(factor.sides.len() > 1, "{}", factor.name);
            for name in factor.studies.keys() {
                assert!(find(name).unwrap().is_some(), "{}: {name}", factor.name);
            }
        }
    }

    /// How the claims stood on a machine, counted by hand, as runs that measured it are not in the repository.
    #[test]
    fn table_of_verdicts_counts_every_claim_once() {
        let readme = include_str!("../../../studies/README.md");
        let verdicts = readme.split("| study | supported |").nth(1).unwrap().split("\n\n").next().unwrap();
        // docs/contradictions.md has the others.
        for study in all().unwrap().into_iter().filter(|study| study.group == Group::Papers) {
            let row = verdicts.lines().find(|row| row.starts_with(&format!("| `{}`", study.name))).unwrap();
            let counts = row.split('|').skip(2).filter_map(|cell| {
                cell.trim().split(|sign: char| !sign.is_ascii_digit()).next()?.parse::<usize>().ok()
            });
            assert_eq!(counts.sum::<usize>(), study.claims.len(), "{row}");
        }
    }

    #[test]
    fn what_openssl_speed_shows_here_is_as_its_measurement_printed() {
        let printed = include_str!("../../../docs/measurements/openssl-speed.txt");
        let study = include_str!("../../../studies/openssl-speed/study.toml");
        let table = study.split("id = \"here\"").nth(1).unwrap().split("[[").next().unwrap();
        let rows =
            |text: &str| text.lines().filter(|line| line.starts_with("    [")).map(String::from).collect::<Vec<_>>();
        assert!(rows(table).len() == 6 && rows(table) == rows(printed), "{table}");
    }

    /// Each check is there because a row contradicts it, or because none does although one would expect it.
    #[test]
    fn every_check_looks_at_rows() {
        for study in all().unwrap() {
            for check in &study.checks {
                let table = study.table(&check.table).unwrap();
                assert!(check.contradictions(table).1 > 0, "{}: {}", study.name, check.says);
            }
        }
    }
}
