//! Scenarios that are read, and those that are refused.

use super::*;
use proptest::prelude::*;

const GOOD: &str = r#"
    name = "try"
    title = "a try"
    budget = "10s"
    precision = "2%"
    [[cells]]
    algorithms = ["aes-256-gcm", "xor"]
    operations = ["seal", "encrypt", "key-setup"]
    messages = ["16", "1KiB"]
    forms = ["in-place", "into"]
"#;

fn error(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from));
    Scenario::parse(&GOOD.replace(from, to)).unwrap_err().to_string()
}

#[test]
fn cells_are_those_that_each_algorithm_has() {
    let scenario = Scenario::parse(GOOD).unwrap();
    let count = |algorithm| scenario.cells_for("p", algorithm, 4).len();
    assert_eq!(count(Algorithm::Aes256Gcm), 2 * 2 + 1, "seal in both forms, key-setup once");
    assert_eq!(count(Algorithm::Xor), 2 * 2);
    assert_eq!(count(Algorithm::Memcpy), 2 * 2 * 2, "ceilings in the groups of seal and encrypt");
    assert_eq!(count(Algorithm::ChaCha20), 0);
}

#[test]
fn errors_name_the_thing_and_the_remedy() {
    assert!(error("aes-256-gcm", "rot13").contains("line 7"));
    assert!(error("\"1KiB\"", "\"-1\"").contains("`-1` is not a size in bytes; write it like"));
    assert!(error("\"1KiB\"", "\"10XB\"").contains("`10XB` is not a size"));
    assert!(error("\"1KiB\"", "\"2GiB\"").contains("a message of 2GiB is too large; the most is 1GiB"));
    assert!(error("[\"16\", \"1KiB\"]", "[]").contains("it has no cells"));
    let rotates = "forms = [\"batch\"]\n    key_counts = [10]";
    assert!(error("forms = [\"in-place\", \"into\"]", rotates).contains("leave `working_sets` and `key_counts` out"));
    assert!(error("budget = \"10s\"", "budget = \"-3s\"").contains("write it like `60s`"));
    assert!(error("title", "tilte").contains("unknown field `tilte`"));
}

#[test]
fn subject_and_premise_are_texts_like_the_title() {
    let with = |key: &str, text: &str| Scenario::parse(&format!("{key} = \"{text}\"\n{GOOD}"));
    for key in ["subject", "premise"] {
        assert!(with(key, &"x".repeat(200)).is_ok());
        for text in [&"x".repeat(201), "\\u001b[2J", "\\u202e"] {
            let error = with(key, text).unwrap_err().to_string();
            assert!(error.contains("at most 200 bytes") && !error.contains('\u{1b}'), "{error}");
        }
    }
    let error = with("nonces", "wep").unwrap_err().to_string();
    assert!(error.contains("line 1: ") && error.contains("`tls-1.2`"), "{error}");
    assert_eq!(with("nonces", "quic").map(|scenario| scenario.nonces).ok(), Some(Nonces::Quic));
}

#[test]
fn number_of_cells_is_limited() {
    let sizes = (0..3000).map(|n| format!("\"{n}\"")).collect::<Vec<_>>().join(",");
    assert!(error("\"16\", \"1KiB\"", &sizes).contains("the most is 4096"));
    assert!(Scenario::parse(&" ".repeat(MAX_FILE + 1)).is_err());
}

#[test]
fn ceilings_count_where_the_named_algorithms_have_nothing() {
    let sizes = (0..100).map(|n| format!("\"{n}\"")).collect::<Vec<_>>().join(",");
    let block = |algorithm, operation| {
        let lists = format!("messages = [{sizes}]\naad = [{sizes}]");
        let words = format!("algorithms = [{algorithm}]\noperations = [\"{operation}\"]");
        Scenario::parse(&format!("{GOOD}\n[[cells]]\n{words}\n{lists}"))
    };
    for algorithm in ["", "\"aes-256-gcm\""] {
        let error = block(algorithm, "encrypt").unwrap_err().to_string();
        assert!(error.contains("it has 10008 cells"), "{error}");
    }
    let nothing = block("\"xor\"", "key-setup").unwrap();
    assert_eq!(nothing.cells_for("p", Algorithm::Xor, 1).len(), 2 * 2);
}

#[test]
fn transfers_exclude_other_operations() {
    let moves = |lines: &str| {
        let head = "name = 't'\ntitle = 't'\nkind = 'transfer'\nbudget = '1s'\nprecision = '1%'\n[[cells]]\n";
        let lists = "algorithms = ['aes-256-gcm', 'aes-256-ctr']\nmessages = ['10KiB', '1GiB']\n";
        Scenario::parse(&format!("{head}{lists}{lines}"))
    };
    let scenario = moves("operations = ['transfer']\nforms = ['discard', 'file', 'into']").unwrap();
    let cells = |algorithm, cpus| scenario.cells_for("p", algorithm, cpus);
    assert_eq!(cells(Algorithm::Aes256Gcm, 4).len(), 2 * 2);
    assert_eq!(cells(Algorithm::TcpPlain, 4).len(), 2 * 2, "the ceiling stands in every group");
    assert_eq!(cells(Algorithm::Aes256Ctr, 4).len() + cells(Algorithm::Memcpy, 4).len(), 0);
    assert!(cells(Algorithm::TcpPlain, 1).iter().all(|cell| cell.parameters.cpus() == Some(1)));
    let error = |lines| moves(lines).unwrap_err().to_string();
    assert!(error("operations = ['transfer']").contains("it has no cells"), "a transfer has no in-place form");
    assert!(error("operations = ['transfer', 'seal']\nforms = ['file']").contains("no operation but `transfer`"));
    assert!(error("operations = ['transfer']\nforms = ['file']\nthreads = [2]").contains("neither `aad` nor"));
    let seal = Scenario::parse(&GOOD.replace("\"seal\"", "\"transfer\"")).unwrap_err().to_string();
    assert!(seal.contains("kind `transfer`"), "{seal}");
}

#[test]
fn sustained_load_has_one_cell() {
    let head = "name = 's'\ntitle = 's'\nkind = 'sustained'\nbudget = '5min'\nprecision = '5%'\n";
    let block = |more: &str| {
        format!("[[cells]]\nalgorithms = ['aes-256-gcm', 'chacha20-poly1305']\noperations = ['transfer']\n{more}\n")
    };
    let fine = block("messages = ['500MiB']\nforms = ['discard']");
    let files = Scenario::parse(&format!("{head}{fine}")).unwrap();
    assert_eq!(files.cells_for("ciphermeter", Algorithm::Aes256Gcm, 2).len(), 1);
    assert_eq!(files.cells_for("ceiling", Algorithm::TcpPlain, 2).len(), 0, "a load is alone");
    let calls = block("messages = ['1MiB']\nthreads = [2]").replace("'transfer'", "'seal'");
    let calls = Scenario::parse(&format!("{head}{calls}")).unwrap();
    let cells = calls.cells_for("openssl", Algorithm::Aes256Gcm, 2);
    assert_eq!(cells.iter().map(|cell| cell.parameters.threads()).collect::<Vec<_>>(), [2]);
    for (blocks, why) in [
        (block("messages = ['1MiB', '500MiB']\nforms = ['discard']"), "one of `messages`"),
        (block("messages = ['1MiB']\nforms = ['file']"), "writes no file"),
        (fine.replace("'transfer'", "'seal', 'open'"), "one of `operations`"),
        (fine.clone() + "latency = true", "leave `latency` and `memory` out"),
        (fine.clone() + &fine, "leave one of `[[cells]]`"),
        (block("messages = []\nforms = ['discard']"), "it has no cells: give one"),
    ] {
        let error = Scenario::parse(&format!("{head}{blocks}")).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn errors_are_one_line_of_printable_text() {
    assert!(!error("title", "\"\\u001b[2J\\r\"").contains(char::is_control));
}

proptest! {
    #[test]
    fn no_text_panics(text in ".{0,300}") {
        let _ = Scenario::parse(&text);
    }
}

#[test]
fn latency_of_batches_alone_is_refused() {
    let with = |forms: &str| {
        let block = "messages = ['1KiB']\nalgorithms = ['aes-256-gcm']\noperations = ['seal']\nlatency = true\n";
        Scenario::parse(&format!(
            "name = 's'\ntitle = 's'\nbudget = '9s'\nprecision = '5%'\n[[cells]]\n{block}forms = {forms}"
        ))
    };
    let error = with("['batch']").unwrap_err().to_string();
    assert!(error.contains("no call of its own to time: leave `latency` out"), "{error}");
    assert!(with("['batch', 'into']").is_ok());
}
