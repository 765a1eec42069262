//! docs/contradictions.md is what docs/contradictions.py writes of the studies and of the verdicts that are kept.

use std::fs;

use ciphermeter_study::{Group, all};
use serde_json::Value;

use crate::common::{DOCS, page_made_by};

/// The most words of a contradiction's section.
const MOST_WORDS: usize = 200;

#[test]
fn page_of_contradictions_is_made_of_the_studies_as_they_are() {
    let page = page_made_by("contradictions");
    for study in all().expect("the studies").iter().filter(|study| study.group == Group::Contradictions) {
        let section = page
            .split("\n## ")
            .find(|section| section.contains(&format!("`{}`: {}\n", study.name, study.title)))
            .expect("its section");
        let text = section.split_whitespace().collect::<Vec<_>>().join(" ");
        let words = text.split(' ').count();
        assert!(words <= MOST_WORDS, "{} has {words} words, of at most {MOST_WORDS}: shorten its texts", study.name);
        for side in &study.sides {
            assert!(text.contains(&format!("[{}]({}): {}.", side.source, side.url, side.says)), "{text}");
        }
        assert!(study.claims.iter().all(|claim| text.contains(&claim.says)), "{text}");
    }
}

/// A verdict of a claim that was renamed or removed would be another claim's.
#[test]
fn verdicts_that_are_kept_are_those_of_every_claim() {
    let text = fs::read_to_string(format!("{DOCS}/measurements/contradictions.json")).expect("the verdicts");
    let kept: Value = serde_json::from_str(&text).expect("JSON");
    for study in all().expect("the studies").iter().filter(|study| study.group == Group::Contradictions) {
        let Some(claims) = kept[&study.name]["claims"].as_object() else { panic!("{} has none", study.name) };
        let ids: Vec<&String> = claims.keys().collect();
        let mut own: Vec<&String> = study.claims.iter().map(|claim| &claim.id).collect();
        own.sort();
        assert_eq!(ids, own, "{}", study.name);
    }
}
