//! Memory: each cell in processes of its own, and what was idle before is not the cell's.

use crate::model::{Model, Vice};
use crate::trial::Trial;

#[test]
fn a_cells_memory_is_what_it_adds() {
    let mut trial = Trial::new([Model::new("a", 100.0)]);
    (trial.lines, trial.messages) = ("memory = true", r#""1KiB", "1MiB""#);
    let (end, kept) = trial.run();
    end.unwrap();
    for (record, message) in kept.records.iter().zip([1 << 10, 1 << 20]) {
        assert_eq!(record.memory.len(), 3, "three processes");
        for memory in &record.memory {
            assert_eq!((memory.idle_rss, memory.peak_rss), (Some(8 << 20), Some(2 * message)));
            assert_eq!(memory.peak_heap, Some(message));
            assert_eq!(memory.allocated_per_call(), Some(message));
            assert_eq!(memory.counter.as_deref(), Some("model"));
        }
        assert!(record.summary.is_some(), "it is timed, too");
    }
    let forks: std::collections::BTreeSet<u32> =
        kept.records.iter().flat_map(|record| &record.memory).map(|memory| memory.fork).collect();
    assert_eq!(forks.len(), 3, "a fork of its own for each round of processes");
}

#[test]
fn a_cell_whose_memory_cannot_be_told_keeps_its_times() {
    let mut trial = Trial::new([Model::new("a", 100.0), Model { vice: Vice::NoMemory, ..Model::new("b", 130.0) }]);
    trial.lines = "memory = true";
    let (_, kept) = trial.run();
    assert!(kept.record("b").memory.is_empty() && kept.record("b").summary.is_some());
    assert_eq!(kept.record("a").memory.len(), 3);
    assert!(kept.notes.iter().any(|note| note.contains("the memory of b") && note.contains("cannot be measured")));
}
