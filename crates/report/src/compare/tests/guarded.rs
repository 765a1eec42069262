//! A change whose alarm was measured again: on a terminal, as a comment, as JSON.

use ciphermeter_answer::guard::{Change, Guarded, History, Past, guarded};
use ciphermeter_answer::regression::Stored;
use ciphermeter_core::{Against, Algorithm, Record, Run, Share};

use super::{at_80, records, run, seal, unwrapped};
use crate::compare::{GuardedRuns, guard_screen, write_guard_json, write_guard_markdown};

const GCM: Algorithm = Algorithm::Aes256Gcm;
const CHACHA: Algorithm = Algorithm::ChaCha20Poly1305;
const COMMAND: &str = "ciphermeter guard 'old;`x`' new --budget 60s";

fn measured(id: i64) -> Run {
    let mut run = run(id);
    run.against = Some(Against { old: "old;`x`".into(), threshold: Share(0.003), may_hide: None });
    run
}

/// Two alarms: one is confirmed, the other is not.
fn example() -> [(Run, Vec<Record>); 2] {
    let first = [
        seal("openssl", GCM, 1024, 309.0),
        seal("openssl@old", GCM, 1024, 300.0),
        seal("openssl", CHACHA, 1024, 512.0),
        seal("openssl@old", CHACHA, 1024, 500.0),
        seal("openssl", GCM, 16, 100.0),
        seal("openssl@old", GCM, 16, 100.0),
    ];
    let again = [
        seal("openssl", GCM, 1024, 308.0),
        seal("openssl@old", GCM, 1024, 300.0),
        seal("openssl@control", GCM, 1024, 300.3),
        seal("openssl", CHACHA, 1024, 500.2),
        seal("openssl@old", CHACHA, 1024, 500.0),
        seal("openssl@control", CHACHA, 1024, 500.0),
    ];
    [(measured(7), records(&first)), (measured(8), records(&again))]
}

fn stored((run, records): &(Run, Vec<Record>)) -> Stored<'_> {
    Stored { run, records }
}

fn decided([first, again]: &[(Run, Vec<Record>); 2]) -> (Guarded, History) {
    let guarded = guarded(stored(first), Some(stored(again)), Share(0.05)).expect("a verdict");
    let change = Change::of(&guarded, stored(first));
    let before = Change { old: "a".into(), new: "b".into(), ..change.clone() };
    let lines = serde_json::to_string(&before).expect("JSON") + "\n{\"schema\":1";
    let history = Past::read(lines.as_bytes()).with(&change, Share(0.003));
    (guarded, history)
}

fn runs<'a>(pair: &'a [(Run, Vec<Record>); 2], (guarded, history): &'a (Guarded, History)) -> GuardedRuns<'a> {
    let (first, again) = (stored(&pair[0]), Some(stored(&pair[1])));
    GuardedRuns { guarded, history: Some(history), first, again, command: COMMAND }
}

#[test]
fn screen_calls_slower_what_is_confirmed_and_says_what_is_not() {
    let pair = example();
    let decided = decided(&pair);
    let text = at_80(|look| guard_screen(&runs(&pair, &decided), None, look));
    insta::assert_snapshot!(text);
    let short = guard_screen(&runs(&pair, &decided), Some(0), crate::TableOptions::default());
    assert!(short.lines().count() <= 24, "{short}");
}

#[test]
fn comment_says_what_moved_and_how_to_repeat_it() {
    let pair = example();
    let decided = decided(&pair);
    let mut out = Vec::new();
    write_guard_markdown(&mut out, &runs(&pair, &decided)).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert!(!text.contains('\u{1b}'));
    insta::assert_snapshot!(text);
}

#[test]
fn document_has_both_measurements_and_each_alarm() {
    let pair = example();
    let decided = decided(&pair);
    let mut out = Vec::new();
    write_guard_json(&mut out, &runs(&pair, &decided)).unwrap();
    let document: serde_json::Value = serde_json::from_slice(&out).unwrap();
    assert_eq!(document["finding"], "slower");
    let standings: Vec<_> = document["alarms"].as_array().unwrap().iter().map(|alarm| &alarm["standing"]).collect();
    assert_eq!(standings, ["confirmed", "not-slower"]);
    let numbers: Vec<_> = document["measurements"].as_array().unwrap().iter().map(|own| &own["run"]["id"]).collect();
    assert_eq!(numbers, [7, 8]);
    assert_eq!(document["command"], COMMAND);
    let sentences = unwrapped(&document["sentences"].to_string());
    assert!(sentences.contains("Line 2 of the history is damaged"), "{sentences}");
}
