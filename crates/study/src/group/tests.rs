use super::*;
use crate::built_in::all;
use crate::study::Study;

#[test]
fn every_contradiction_names_two_sources() {
    let studies = all().unwrap();
    let contradictions: Vec<_> = studies.iter().filter(|study| study.group == Group::Contradictions).collect();
    assert!(contradictions.len() >= 10, "{}", contradictions.len());
    for study in contradictions {
        let [one, other, ..] = &study.sides[..] else { panic!("{}", study.name) };
        assert!(one.source != other.source && one.says != other.says, "{}", study.name);
        assert!(study.claims.iter().any(|claim| claim.scenario.is_some()), "{}: records decide nothing", study.name);
    }
}

#[test]
fn contradiction_without_two_sides_and_what_decides_it_is_refused() {
    let text = include_str!("../../../../studies/aegis-x2/study.toml");
    let why = |text: &str| Study::parse(text).unwrap_err().to_string();
    let (head, rest) = text.split_once("[[sides]]").unwrap();
    let (first, rest) = rest.split_once("[[sides]]").unwrap();
    assert!(
        why(&format!("{head}[[sides]]{first}{}", &rest[rest.find("[[measures]]").unwrap()..])).contains("two `sides`")
    );
    assert!(why(&text.replace("url = \"https://", "url = \"http://")).contains("begins with https://"));
    assert!(why(&text.replace("\ndecides = ", "\ndecides = \"\" #")).contains("give `decides`"));
    assert!(why(&text.replace("group = \"contradictions\"", "")).contains("are of contradictions"));
    assert!(why(&text.replace("group = \"contradictions\"", "group = \"talks\"")).contains("unknown variant"));
}
