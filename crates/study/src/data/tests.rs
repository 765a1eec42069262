use boon::{Compiler, Schemas};
use ciphermeter_core::Mask;
use serde_json::{Value, json};

use super::*;
use crate::built_in::{all, factors, find};
use crate::fixtures;

fn check(document: &Value) -> Result<(), String> {
    let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
    compiler.add_resource("studies.schema.json", serde_json::from_str(STUDIES_SCHEMA).unwrap()).unwrap();
    let index = compiler.compile("studies.schema.json", &mut schemas).unwrap();
    schemas.validate(document, index).map_err(|error| format!("{error:#}"))
}

/// A study in which this claim is measured as published, with that ratio.
fn document(study: &Study, id: &str, ratio: f64) -> Value {
    let claim = study.claims.iter().find(|claim| claim.id == id).unwrap();
    let measured = [fixtures::measured(study, claim, Way::AsPublished, ratio)];
    let (factors, runs) = (factors().unwrap(), [vec![fixtures::run(7, "messages", Vec::new())]]);
    serde_json::to_value(Document::new(&measured, Some((&factors, &runs)))).unwrap()
}

#[test]
fn each_study_fits_the_schema_measured_or_not() {
    for study in all().unwrap() {
        for claim in study.claims.iter().filter(|claim| claim.question(Way::AsPublished).is_some()) {
            check(&document(&study, &claim.id, 2.0)).unwrap();
        }
        let unmeasured = [Measured { study: &study, runs: Vec::new(), store: None }];
        check(&serde_json::to_value(Document::new(&unmeasured, None)).unwrap()).unwrap();
    }
}

#[test]
fn ratios_of_study_and_machine_stand_in_one_pair() {
    let study = find("python-sizes").unwrap().unwrap();
    let document = document(&study, "time-ratio", 2.7);
    let claim = &document["studies"][0]["claims"][2];
    assert_eq!((&claim["id"], &claim["verdict"]), (&json!("time-ratio"), &json!("supported")));
    assert_eq!(claim["expects"], json!({"is": "time-ratio", "published": 2.74, "tolerance": 0.25}));
    let comparison = &claim["as_published"];
    assert_eq!((&comparison["run"], &comparison["scenario"]), (&json!(1), &json!("python-script")));
    let [pair] = &comparison["pairs"].as_array().unwrap()[..] else { panic!("{comparison}") };
    assert_eq!(
        (&pair["left"]["algorithm"], &pair["right"]["operation"]),
        (&json!("chacha20-poly1305"), &json!("encrypt"))
    );
    assert_eq!((&pair["published"]["what"], &pair["measured"]["mid"]), (&json!("10 MB"), &json!(2.7)));
    let low = pair["published"]["ratio"]["low"].as_f64().unwrap();
    assert!((low - 0.0105 / 0.004_015).abs() < 1e-9, "{low}");
    assert_eq!(claim["proper"]["verdict"], "not-measured");
    let answer = &document["studies"][0]["answer"];
    let claims = document["studies"][0]["claims"].as_array().unwrap();
    let [supported, contradicted] =
        ["supported", "contradicted"].map(|verdict| claims.iter().filter(|claim| claim["verdict"] == verdict).count());
    let open = claims.len() - supported - contradicted;
    let about = json!({"is": "claims", "supported": supported, "contradicted": contradicted, "open": open});
    assert_eq!((&answer["about"], supported), (&about, 1));
    let says = answer["sentences"].as_array().unwrap();
    assert_eq!(says.len(), 1 + claims.len());
    assert!(says[3].as_str().unwrap().starts_with("Supported: "), "the third claim, after the count: {says:?}");
    assert_eq!(answer["next"][0]["command"], json!(["ciphermeter", "study", "run", "python-sizes"]));
    assert_eq!(document["studies"][0]["measures"][0]["runs"][0]["started"], "2026-11-26T10:00:00Z");
    let rows = &document["studies"][0]["contradictions"][0]["rows"];
    assert_eq!((&rows[0]["row"], &rows[0]["printed"]), (&json!("1 KB"), &json!("0.614")));
}

#[test]
fn what_is_no_such_document_does_not_fit() {
    let study = find("python-sizes").unwrap().unwrap();
    let whole = document(&study, "time-ratio", 2.7);
    check(&whole).unwrap();
    for place in
        ["", "/studies/0", "/studies/0/claims/2", "/studies/0/claims/2/as_published/pairs/0", "/factors/0/sides/0"]
    {
        let object = whole.pointer(place).and_then(Value::as_object).expect(place);
        for key in object.keys() {
            let mut document = whole.clone();
            document.pointer_mut(place).and_then(Value::as_object_mut).expect(place).remove(key);
            assert!(check(&document).is_err(), "{place} without {key}");
        }
        let mut document = whole.clone();
        document.pointer_mut(place).and_then(Value::as_object_mut).expect(place).insert("more".into(), json!(1));
        assert!(check(&document).is_err(), "{place} with more");
    }
}

#[test]
fn its_words_are_ours() {
    let schema: Value = serde_json::from_str(STUDIES_SCHEMA).unwrap();
    assert_eq!(schema["$defs"]["verdict"]["enum"], json!(Verdict::ALL));
    assert_eq!(schema["$defs"]["measure"]["properties"]["serves"]["items"]["enum"], json!(Way::ALL));
    let masks: Vec<_> = Mask::ALL.iter().copied().map(Some).chain([None]).collect();
    assert_eq!(schema["$defs"]["mask"]["enum"], json!(masks));
}
