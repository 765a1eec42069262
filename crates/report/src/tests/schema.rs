//! The schema fits what is exported, and nothing else.

use boon::{Compiler, Schemas};
use ciphermeter_core::{Against, Algorithm, Form, Kind, Mask, Operation, Record, Run, RunStatus, Scenario, Share};
use serde_json::{Value, json};

use super::exported::small;
use crate::{ADVICE_SCHEMA, COMPARE_SCHEMA, EXPORT_SCHEMA, RANK_SCHEMA, whole_schema, write_json};
use ciphermeter_answer::fixtures;
use ciphermeter_study::STUDIES_SCHEMA;

fn schema() -> Value {
    serde_json::from_str(EXPORT_SCHEMA).unwrap()
}

pub(super) fn check(document: &Value) -> Result<(), String> {
    fits(EXPORT_SCHEMA, document)
}

/// Whether a document fits a schema.
pub(super) fn fits(schema: &str, document: &Value) -> Result<(), String> {
    let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
    compiler.add_resource("own.schema.json", serde_json::from_str(schema).unwrap()).unwrap();
    let index = compiler.compile("own.schema.json", &mut schemas).unwrap();
    schemas.validate(document, index).map_err(|error| format!("{error:#}"))
}

fn exported(run: &Run, records: &[Record]) -> Value {
    let mut out = Vec::new();
    write_json(&mut out, run, records).unwrap();
    serde_json::from_slice(&out).unwrap()
}

#[test]
fn exports_fit() {
    let (mut run, records) = small();
    check(&exported(&run, &records)).unwrap();
    check(&exported(&fixtures::head(), &[])).unwrap();
    check(&exported(&fixtures::head(), &fixtures::run().1)).unwrap();
    let scenario = "name = \"self-check\"\ntitle = \"t\"\nbudget = \"1.5s\"\nprecision = \"0.5%\"\n\
                    copies = { names = 40, files = 4, fixed = 8, slowed = [\"0.5%\", \"1%\"] }\n[[cells]]\nalgorithms = [\"xor\"]\n\
                    operations = [\"encrypt\"]\nmessages = [\"1KiB\", \"17\"]\nthreads = [1, \"all\"]\nlatency = true\n\
                    memory = true\n";
    run.scenario = Scenario::parse(scenario).unwrap();
    check(&exported(&run, &records)).unwrap();
}

#[test]
fn cells_without_figures_on_two_sides_fit() {
    let (mut run, _) = fixtures::run();
    run.against = Some(Against { old: "old.so".into(), threshold: Share(0.003), may_hide: Some(Share(0.05)) });
    let cell = |provider| fixtures::cell(provider, Algorithm::Aes256Gcm, Operation::Seal, 1024, 300.0);
    let document = exported(&run, &fixtures::records(&[cell("openssl"), cell("openssl@old")], 3));
    check(&document).unwrap();
    assert_eq!(document["answer"]["about"]["unmatched"].as_array().map(Vec::len), Some(1), "{}", document["answer"]);
}

/// The export that the notebook draws, which is one of a run measured by this program.
#[test]
fn example_of_the_notebook_fits() {
    check(&serde_json::from_str(include_str!("../../../../python/examples/run.json")).unwrap()).unwrap();
}

/// The properties of a schema that have no description, their own or that of what they refer to.
fn undocumented(schema: &Value, part: &Value, place: &str, found: &mut Vec<String>) {
    let own = |property: &Value| property["description"].is_string();
    let referred = |property: &Value| {
        let name = property["$ref"].as_str().and_then(|to| to.strip_prefix("#/$defs/"));
        name.is_some_and(|name| own(&schema["$defs"][name]))
    };
    for (name, property) in part["properties"].as_object().into_iter().flatten() {
        if !own(property) && !referred(property) {
            found.push(format!("{place}/{name}"));
        }
    }
    let parts: Vec<(String, &Value)> = match part {
        Value::Object(all) => all.iter().map(|(name, part)| (name.clone(), part)).collect(),
        Value::Array(all) => all.iter().enumerate().map(|(place, part)| (place.to_string(), part)).collect(),
        _ => Vec::new(),
    };
    parts.into_iter().for_each(|(name, part)| undocumented(schema, part, &format!("{place}/{name}"), found));
}

#[test]
fn every_property_of_a_schema_has_a_description() {
    let own = [ADVICE_SCHEMA, COMPARE_SCHEMA, RANK_SCHEMA].map(whole_schema);
    for text in own.iter().map(String::as_str).chain([STUDIES_SCHEMA, EXPORT_SCHEMA]) {
        let schema: Value = serde_json::from_str(text).unwrap();
        let mut found = Vec::new();
        undocumented(&schema, &schema, "", &mut found);
        assert_eq!(found, [""; 0]);
    }
    let mut schema = schema();
    schema["$defs"]["answer"]["properties"]["more"] = json!({"type": "string"});
    let mut found = Vec::new();
    undocumented(&schema, &schema, "", &mut found);
    assert_eq!(found, ["/$defs/answer/more"]);
}

#[test]
fn what_is_no_export_does_not_fit() {
    let (run, records) = small();
    let whole = exported(&run, &records);
    let broken: [(&str, Value); 18] = [
        ("/ciphermeter", json!(1)),
        ("/run/status", json!("done")),
        ("/run/against/threshold", json!(0.05)),
        ("/run/mask", json!("no-sse")),
        ("/run/scenario/cells/0/memory", json!(null)),
        ("/run/scenario/cells/0/threads/0", json!("some")),
        ("/host/cpu", json!({})),
        ("/records/0/algorithm", json!(13)),
        ("/records/0/parameters/threads", json!(-1)),
        ("/records/0/program", json!("unknown")),
        ("/records/0/outcome", json!({"is": "measured", "why": "?"})),
        ("/records/0/summary/range/mid", json!(null)),
        ("/records/0/percentiles/p99.9", json!(null)),
        ("/records/0/cpu/mid", json!(null)),
        ("/records/0/memory/0/peak_rss", json!(-1)),
        ("/records/0/samples/0/ns/0", json!(1.5)),
        ("/records/0/samples/0/iterations/0", json!(0)),
        ("/records/0/latency/0/calls", json!(null)),
    ];
    for (place, value) in broken {
        let mut document = whole.clone();
        *document.pointer_mut(place).expect(place) = value;
        assert!(check(&document).is_err(), "{place}");
    }
    for place in ["", "/run", "/run/scenario", "/records/0", "/records/0/summary", "/records/0/samples/0"] {
        let mut document = whole.clone();
        let object = document.pointer_mut(place).and_then(Value::as_object_mut).expect(place);
        object.insert("more".into(), json!(1));
        assert!(check(&document).is_err(), "{place}");
    }
    for place in ["", "/run", "/records/0", "/records/0/summary", "/records/0/percentiles", "/records/0/latency/0"]
        .into_iter()
        .chain(["/records/0/cpu", "/records/0/memory/0", "/answer", "/answer/rests_on"])
    {
        let object = whole.pointer(place).and_then(Value::as_object).expect(place);
        // Earlier versions wrote no answer.
        for key in object.keys().filter(|key| *key != "answer") {
            let mut document = whole.clone();
            document.pointer_mut(place).and_then(Value::as_object_mut).expect(place).remove(key);
            assert!(check(&document).is_err(), "{place} without {key}");
        }
    }
}

#[test]
fn its_words_are_ours() {
    let schema = schema();
    let words = |place: &str| schema.pointer(place).unwrap_or_else(|| panic!("no {place}")).clone();
    assert_eq!(words("/$defs/operation/enum"), json!(Operation::ALL));
    assert_eq!(words("/$defs/form/enum"), json!(Form::ALL));
    assert_eq!(words("/$defs/run/properties/status/enum"), json!(RunStatus::ALL));
    let masks: Vec<_> = Mask::ALL.iter().copied().map(Some).chain([None]).collect();
    assert_eq!(words("/$defs/run/properties/mask/enum"), json!(masks));
    assert_eq!(words("/$defs/scenario/properties/kind/enum"), json!(Kind::ALL));
}
