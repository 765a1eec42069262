//! What is refused: a sentence each, with the place.

use ciphermeter_core::{MAX_INTEGER, Series};
use ciphermeter_import::{ImportError, import};
use serde_json::{Value, json};

use crate::EXPORT;

fn refused(document: impl AsRef<[u8]>) -> String {
    import(document.as_ref()).expect_err("it is refused").to_string()
}

/// The export with another value at a place.
fn with(place: &str, value: Value) -> Value {
    let mut document: Value = serde_json::from_str(EXPORT).unwrap();
    let (object, name) = place.rsplit_once('/').unwrap();
    let parent = document.pointer_mut(object).unwrap();
    match parent {
        Value::Array(list) => list[name.parse::<usize>().unwrap()] = value,
        parent => parent[name] = value,
    }
    document
}

/// The export without a member.
fn without(place: &str) -> Value {
    let mut document: Value = serde_json::from_str(EXPORT).unwrap();
    let (object, name) = place.rsplit_once('/').unwrap();
    document.pointer_mut(object).unwrap().as_object_mut().unwrap().remove(name).unwrap();
    document
}

#[test]
fn what_is_no_export_is_refused_with_what_to_do() {
    for (document, said) in [
        ("", "it is no JSON, or not all of it: EOF while parsing a value"),
        ("run,started,cell\n", "it is no JSON, or not all of it: expected value"),
        ("[]", "it is no export of a run: `records` is missing; write one with `ciphermeter export --format json`"),
        (
            r#"{"schema":1,"question":{},"answer":{}}"#,
            "it is no export of a run: `ciphermeter` is missing; write one with",
        ),
        (&EXPORT[..2000], "it is no JSON, or not all of it: EOF while parsing a string in `records[1]"),
        (
            &EXPORT.replacen("64.8", "NaN", 1),
            "it is no JSON, or not all of it: expected value in `records[0].summary.range.low`;",
        ),
        (
            &format!("{EXPORT}{EXPORT}"),
            "it is no JSON, or not all of it: trailing characters; export the run again with",
        ),
    ] {
        let found = refused(document);
        assert!(found.starts_with(said), "{found}");
    }
    assert!(refused(b"{\"schema\":\xff}").starts_with("it is no JSON, or not all of it: invalid utf-8"));
}

#[test]
fn other_schemas_are_refused_with_what_to_do() {
    let first = "it has the first schema, and schema 2 is read; export the run again with this version of Ciphermeter, which \
                 reads stores of older ones";
    assert_eq!(refused(without("/schema").to_string()), first);
    assert_eq!(refused(with("/schema", json!(1)).to_string()), first);
    for (schema, found) in [(json!(3), "3"), (json!(0), "0"), (json!("2"), "\"2\""), (json!(2.5), "2.5")] {
        let said = format!(
            "it has schema {found}, and schema 2 is read; import it with the version of Ciphermeter that wrote it, or export \
             the run again with this one"
        );
        assert_eq!(refused(with("/schema", schema).to_string()), said);
    }
}

#[test]
fn rules_of_the_run_are_checked() {
    let metric = |name: &str, unit: &str| json!({"name": name, "unit": unit, "better": "less", "sums": "per-call"});
    for (place, value, said) in [
        ("/ciphermeter", json!(1), "`ciphermeter` cannot be read: invalid type: integer `1`, expected a text"),
        ("/run/id", json!(-1), "`run.id` cannot be read: invalid value: integer `-1`, expected an integer from 0 to"),
        (
            "/run/seed",
            json!(MAX_INTEGER + 1),
            "`run.seed` cannot be read: invalid value: integer `9007199254740992`, expected an",
        ),
        ("/run/status", json!("done"), "`run.status` cannot be read: unknown status `done`; known are open, complete,"),
        ("/run/mask", json!("no-sse"), "`run.mask` cannot be read: unknown CPU `no-sse`; known are no-aes,"),
        (
            "/run/method",
            json!(4.5),
            "`run.method` cannot be read: invalid type: floating point `4.5`, expected an integer from 0",
        ),
        ("/run/against", json!({"old": "x"}), "`run.against` cannot be read: missing field `threshold`"),
        ("/run/notes", json!([1]), "`run.notes[0]` cannot be read: invalid type: integer `1`, expected a text"),
        (
            "/run/metrics",
            json!([metric("ns", "s")]),
            "`run.metrics` cannot be read: ns is not a name for a metric: records call",
        ),
        ("/run/metrics", json!([metric("ns", "ns"), metric("ns", "ns")]), "`run.metrics` has ns twice"),
        (
            "/run/scenario/title",
            json!("t".repeat(201)),
            "`run.scenario` is invalid: `tttttttttttttttttttt…`: names, title, subject",
        ),
        (
            "/run/scenario/cells/0/messages",
            json!(["9GiB"]),
            "`run.scenario` is invalid: a message of 9GiB is too large; the most",
        ),
        (
            "/run/scenario/budget",
            json!("2d"),
            "`run.scenario` cannot be read: `2d` is not a time of at most a day; write it like",
        ),
        (
            "/host/cpu",
            json!(8),
            "`host.cpu` cannot be read: expected a text or null, and in `absent` a text for each name",
        ),
        ("/host/cpu", json!({"a": "b"}), "`host.cpu` is neither a text nor null"),
        ("/host/absent", json!("no"), "`host.absent` has no reasons by name"),
        ("/host/absent", json!({"disk": "no"}), "`host.absent` has disk, which is no fact of the host"),
        (
            "/records",
            json!({}),
            "`records` cannot be read: invalid type: map, expected a list of at most 262144 entries",
        ),
    ] {
        let found = refused(with(place, value).to_string());
        assert!(found.starts_with(said), "{place}: {found}");
    }
    assert_eq!(refused(without("/host/absent").to_string()), "`host.absent` is missing");
    assert_eq!(refused(without("/run/seed").to_string()), "`run` cannot be read: missing field `seed`");
    let twice = refused(EXPORT.replacen(r#""governor":null"#, r#""cpu":null"#, 1));
    assert_eq!(twice, "`host.cpu` cannot be read: its name is there twice");
    let undated = refused(with("/run/started", json!("2026-11-30")).to_string());
    assert_eq!(undated, "`run.started` is no moment such as 2026-11-30T04:02:50Z");
}

#[test]
fn cell_of_two_records_is_refused() {
    let mut document = with("/records/2/provider", json!("aws-lc"));
    document["records"][2]["parameters"]["message"] = json!(1024);
    assert_eq!(refused(document.to_string()), "record 2 has the cell of record 0");
}

#[test]
fn rules_of_a_record_are_checked() {
    for (place, value, said) in [
        ("/records/1/id", json!(0), "record 1: `id` is 0, and a record's `id` is its place in the list, from 0"),
        ("/records/1/id", json!(2), "record 1: `id` is 2, and a record's `id` is its place in the list, from 0"),
        (
            "/records/0/provider",
            json!(null),
            "record 0: `provider` cannot be read: invalid type: null, expected a text",
        ),
        (
            "/records/0/algorithm",
            json!("rot13"),
            "record 0: `algorithm` cannot be read: unknown algorithm `rot13`; known are aes-",
        ),
        (
            "/records/0/operation",
            json!("hash"),
            "record 0: `operation` cannot be read: unknown operation `hash`; known are",
        ),
        ("/records/0/form", json!("blob"), "record 0: `form` cannot be read: unknown form `blob`; known are in-place,"),
        (
            "/records/0/parameters/threads",
            json!(-1),
            "record 0: `parameters.threads` cannot be read: invalid value: integer `-1`",
        ),
        (
            "/records/0/parameters/threads",
            json!(u64::MAX),
            "record 0: `parameters.threads` cannot be read: invalid value: integer",
        ),
        (
            "/records/0/setup",
            json!("both"),
            "record 0: `setup` cannot be read: unknown setup `both`; known are outside, inside",
        ),
        (
            "/records/0/worker",
            json!(null),
            "record 0 has some of `worker`, `runtime`, `version`, `path` and `setup`, and lacks",
        ),
        (
            "/records/2/sha256",
            json!("00"),
            "record 2 has some of `worker`, `runtime`, `version`, `path` and `setup`, and lacks",
        ),
        ("/records/0/outcome", json!({"is": "fine"}), "record 0: `outcome` cannot be read: unknown variant `fine`"),
        ("/records/0/outcome", json!({"is": "failed"}), "record 0: `outcome` cannot be read: missing field `why`"),
        (
            "/records/1/outcome/sample_ms",
            json!(MAX_INTEGER + 1),
            "record 1: `outcome` cannot be read: an integer above 2^53-1",
        ),
        (
            "/records/0/device",
            json!({"name": "m4"}),
            "record 0: `device` is there, and `parameters` has no number of a device",
        ),
        (
            "/records/1/device/board",
            json!(null),
            "record 1: `device` has some of `name`, `board` and `emulated`, and lacks others",
        ),
        (
            "/records/1/device/counts",
            json!("steps"),
            "record 1: `device.counts` cannot be read: unknown count `steps`; known are",
        ),
    ] {
        let found = refused(with(place, value).to_string());
        assert!(found.starts_with(said), "{place}: {found}");
    }
    assert_eq!(refused(without("/records/2/form").to_string()), "record 2 cannot be read: missing field `form`");
}

#[test]
fn rules_of_samples_are_checked() {
    let fork = |place: &str| format!("/records/0/samples/0/{place}");
    for (place, value, said) in [
        ("iterations", json!([40, 40, 40, 40]), "`samples[0].iterations` has 4 entries, `round` has 3"),
        ("turn", json!([]), "`samples[0].turn` has 0 entries, `round` has 3"),
        ("turns", json!([1]), "`samples[0].turns` has 1 entry, `round` has 3"),
        ("series_cpu", json!([null]), "`samples[0].series_cpu` has 1 entry, `round` has 3"),
        ("round", json!([0, 2, 1]), "`samples[0].round[2]` is below the round before it"),
        ("round", json!([1, 1, 1]), "`samples[0].turn[2]` is not above the turn before it, in one round"),
        ("after", json!([null, 1, 3]), "`samples[0].after[2]` is the `id` of none of the 3 records"),
        ("iterations", json!([1, 0, 1]), "`samples[0].iterations[1]` is 0, and a sample has at least one call"),
        (
            "ns",
            json!([1, -1, 1]),
            "`samples[0].ns[1]` cannot be read: invalid value: integer `-1`, expected an integer from 0 to",
        ),
        (
            "ns",
            json!([1, 1.5, 1]),
            "`samples[0].ns[1]` cannot be read: invalid type: floating point `1.5`, expected an integer",
        ),
        (
            "ns",
            json!([1, 1, MAX_INTEGER + 1]),
            "`samples[0].ns[2]` cannot be read: invalid value: integer `9007199254740992`",
        ),
        (
            "turn",
            json!([1, 1u64 << 32, 1]),
            "`samples[0].turn[1]` cannot be read: invalid value: integer `4294967296`, expected",
        ),
        ("odd", json!([1, 1, 1]), "`samples[0].odd` is a metric that neither this version nor `run.metrics` describes"),
        (
            "series_odd",
            json!([]),
            "`samples[0].series_odd` cannot be read: unknown series `series_odd`; known are series_cpu",
        ),
        ("series_cpu", json!([vec![0; Series::MOST + 1], [], []]), "`samples[0].series_cpu[0]"),
        ("fork", json!(1), "`samples[1].fork` is not above the fork before it"),
        ("short", json!("no"), "`samples[0].short` cannot be read: invalid type: string \"no\", expected a boolean"),
    ] {
        let found = refused(with(&fork(place), value).to_string());
        assert!(found.starts_with(&format!("record 0: {said}")), "{place}: {found}");
    }
    let missing = refused(without(&fork("round")).to_string());
    assert_eq!(missing, "record 0: `samples[0]` cannot be read: missing field `round`");
    let twice = refused(EXPORT.replacen(r#""cpu_ns":"#, r#""ns":"#, 1));
    assert_eq!(twice, "record 0: `samples[0].ns` cannot be read: its name is there twice");
    let many: String = (0..400).map(|k| format!(r#""m{k}":[],"#)).collect();
    let many = refused(EXPORT.replacen(r#""cpu_ns":"#, &format!(r#"{many}"cpu_ns":"#), 1));
    assert!(many.contains("cannot be read: there are more than ") && many.ends_with(" metrics"), "{many}");
}

#[test]
fn rules_of_what_stands_beside_samples_are_checked() {
    for (place, value, said) in [
        ("summary/reference", json!(3), "`summary.reference` is the `id` of none of the 3 records"),
        ("summary/range/low", json!(null), "`summary.range.low` cannot be read: invalid type: null, expected f64"),
        ("summary/range/low", json!(0), "`summary.range` does not begin above 0"),
        ("summary/ratio/mid", json!(-1), "`summary.ratio` does not ascend from low over mid to high"),
        ("summary/correlation", json!(1), "`summary.correlation` is not from 0 to below 1"),
        (
            "summary/undisturbed_limits",
            json!({"a": 1}),
            "`summary.undisturbed_limits` has a, which is no number of a fork",
        ),
        ("summary/undisturbed_limits", json!({"1": 1, "01": 1}), "`summary.undisturbed_limits` has fork 1 twice"),
        ("latency/0/calls", json!([1]), "`latency[0].calls` has 1 entry, `ns` has 3"),
        ("latency/0/ns", json!([71, 71, 72]), "`latency[0].ns[1]` is not above the length before it"),
        ("memory/0/peak_rss", json!(-1), "`memory[0].peak_rss` cannot be read: invalid value: integer `-1`"),
        ("memory/0/counter", json!("m".repeat(401)), "`memory[0].counter` is over 400 characters long"),
    ] {
        let found = refused(with(&format!("/records/0/{place}"), value).to_string());
        assert!(found.starts_with(&format!("record 0: {said}")), "{place}: {found}");
    }
    let number = refused(EXPORT.replacen("64.8", "1e999", 1));
    assert_eq!(number, "record 0: `summary.range.low` cannot be read: number out of range");
    let mut other =
        with("/records/2/latency", json!([{"fork": 2, "short": true, "clock_ns": 1, "ns": [], "calls": []}]));
    let said = "record 2: `latency[0].short` is true, and is not where fork 2 stands before";
    assert_eq!(refused(other.to_string()), said);
    other["records"][2]["latency"][0]["short"] = json!(false);
    assert!(import(other.to_string().as_bytes()).is_ok());
}

#[test]
fn too_many_records_are_refused_before_one_is_read() {
    let records = format!("\"records\":[{}0]", "0,".repeat(1 << 18));
    let found = refused(EXPORT.replacen("\"records\":[", &format!("{records},\"more\":["), 1));
    assert!(found.ends_with("cannot be read: there are more than 262144 entries"), "{found}");
}

#[test]
fn damage_is_data() {
    let Err(ImportError::Damaged(damage)) = import(with("/records/1/id", json!(5)).to_string().as_bytes()) else {
        panic!("it is damaged");
    };
    assert_eq!((damage.record, damage.path.as_str()), (Some(1), "id"));
}
