//! A run as the team's server takes it: no document panics, what is refused is refused in one line without control characters, and what
//! is accepted is within the limits, and comes back from what is stored as it was.
#![no_main]

#[allow(dead_code)]
#[path = "../../serve/src/received.rs"]
mod received;
#[path = "../../serve/src/shown.rs"]
mod shown;

use ciphermeter_answer::fleet::Choice;
use ciphermeter_core::escaped;
use libfuzzer_sys::fuzz_target;

use received::{Judged, Received, export, restored};
use shown::Shown;

/// The server's clock.
const NOW: &str = "2026-11-30T00:00:00Z";

fuzz_target!(|document: &[u8]| {
    let run = match Received::of(document, NOW) {
        Ok(run) => run,
        Err(why) => {
            let why = why.to_string();
            assert!(!why.is_empty() && escaped(&why) == why, "{why:?}");
            return;
        }
    };
    assert!(run.digest.len() == 64 && run.digest.bytes().all(|byte| byte.is_ascii_hexdigit()));
    assert!(run.judged.cells.len() <= 4000 && run.bytes as usize == document.len());
    for cell in &run.judged.cells {
        assert!(cell.ns.is_finite() && cell.ns > 0.0, "{cell:?}");
        assert!(cell.ratio.is_none_or(|[mid, low, high]| low <= mid && mid <= high), "{cell:?}");
        assert!([&cell.cell, &cell.version, &cell.reference].iter().all(|text| escaped(text) == **text), "{cell:?}");
        assert!([&cell.code.library, &cell.code.program].iter().all(|text| !text.contains('\0')), "{cell:?}");
        assert!(!cell.is_ceiling || !cell.cell.is_empty());
    }
    assert!(export(&run.document).expect("it was compressed here") == document);
    let (again, records) = restored(&run.document).expect("it was read before");
    assert_eq!(run.is_of_page, again.fact("browser").is_some());
    let judged = Judged::of(&again, &records);
    assert_eq!((&judged.answer, &judged.choice), (&run.judged.answer, &run.judged.choice));
    let series = &run.judged.series;
    assert!(
        matches!(series.identity.len(), 0 | 64)
            && !series.state.contains('\0')
            && judged.recommended == run.judged.recommended
    );
    let shown = Shown::restored(&run.judged.shown).expect("it was stored here");
    // A cell without a figure is in no group.
    assert!(shown.groups.iter().map(|group| group.cells.len()).sum::<usize>() <= records.len());
    let choice = run.judged.choice.as_deref().map(serde_json::from_str::<Choice>);
    assert!(choice.is_none_or(|choice| choice.is_ok()));
    let facts = [run.started, run.scenario, run.status, run.version];
    assert!(facts.iter().all(|fact| escaped(fact) == *fact) && run.method >= 0);
    assert!(
        !judged.question.is_empty()
            && !judged.measured_on.is_empty()
            && (judged.is_answered || !judged.answer.is_empty())
    );
});
