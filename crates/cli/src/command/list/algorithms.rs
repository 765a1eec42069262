//! `list algorithms`: a line each, or the properties of those named that matter to a choice.

use anyhow::Result;
use ciphermeter_core::{Algorithm, Facts, Family, Nonces, Operation, Sizes};
use ciphermeter_report::{LEFT, RIGHT, TableColumn, plain_table, security_notes};
use ciphermeter_terminal::output::{hanging, joined, page_width};

/// All of them.
pub fn table() -> String {
    let columns = [
        ("algorithm", TableColumn { least: 19, ..LEFT }),
        ("family", TableColumn { least: 7, ..LEFT }),
        ("key", TableColumn { least: 3, ..RIGHT }),
        ("nonce", TableColumn { least: 5, ..RIGHT }),
        ("tag", TableColumn { least: 3, ..RIGHT }),
        ("operations", TableColumn { gap: 2, ..LEFT }),
    ];
    let row = |algorithm: &Algorithm| {
        let family = match algorithm.family() {
            Family::Aead => "AEAD",
            Family::Bare => "bare",
            Family::Ceiling => "ceiling",
        };
        let operations = operations(*algorithm);
        let [key, nonce, tag] =
            [algorithm.key_bytes(), algorithm.nonce_bytes(), algorithm.tag_bytes()].map(|bytes| bytes.to_string());
        [algorithm.to_string(), family.into(), key, nonce, tag, joined(&operations)]
    };
    plain_table(columns, Algorithm::ALL.iter().map(row))
}

fn operations(algorithm: Algorithm) -> Vec<Operation> {
    Operation::ALL.iter().copied().filter(|operation| algorithm.has(*operation)).collect()
}

/// Lengths and sizes, the standard, and each note of `advise` for programs that count nonces themselves, with its source.
pub fn properties(named: &[Algorithm]) -> String {
    named.iter().map(|algorithm| of(*algorithm)).collect::<Vec<_>>().join("\n")
}

fn of(algorithm: Algorithm) -> String {
    let Facts { title, standard, key, nonce, tag, sizes, most, .. } = algorithm.facts();
    let mut text = hanging(0, "", &format!("{title} ({algorithm}): {standard}"), page_width());
    let mut lengths = vec![format!("key of {key} bytes")];
    lengths.push(if *nonce > 0 { format!("nonce of {nonce}") } else { "no nonce".into() });
    lengths.push(if *tag > 0 { format!("tag of {tag}") } else { "no tag: a change goes unnoticed".into() });
    lengths.extend(match sizes {
        Sizes::Any => None,
        Sizes::Padded => Some("messages padded to blocks of 16 bytes".into()),
        Sizes::Sectors => Some("messages of whole blocks of 16 bytes".into()),
    });
    lengths.extend(most.map(|most| format!("messages of at most {most} bytes")));
    text += &hanging(2, "", &format!("{}.", joined(&lengths)), page_width());
    for note in security_notes(Some(algorithm), Nonces::Own, None) {
        text += &hanging(2, "", &format!("{} ({})", note.text, note.source), page_width());
    }
    text
}

/// The table, or the rows named. conformance/algorithms.json is its output, with which each language compares its own list.
pub fn json(named: &[Algorithm]) -> Result<String> {
    #[derive(serde::Serialize)]
    struct Row {
        algorithm: Algorithm,
        #[serde(flatten)]
        facts: &'static Facts,
        operations: Vec<Operation>,
    }
    let row = |algorithm: &Algorithm| Row {
        algorithm: *algorithm,
        facts: algorithm.facts(),
        operations: operations(*algorithm),
    };
    let rows: Vec<String> = Algorithm::ALL
        .iter()
        .filter(|algorithm| named.is_empty() || named.contains(algorithm))
        .map(|algorithm| serde_json::to_string(&row(algorithm)))
        .collect::<Result<_, _>>()?;
    Ok(format!("[\n{}\n]\n", rows.join(",\n")))
}
