//! The most that a run from outside may hold, whether a store or a document brings it: what reads
//! one checks these before it takes anything in.

/// Cells of one run.
pub const CELLS: usize = 1 << 18;
/// Samples of one run: above a day of half a millisecond each.
pub const SAMPLES: usize = 1 << 28;
/// Bytes of one document, and of the rows of a query: 70 million samples.
pub const DOCUMENT: usize = 1 << 30;
/// Bytes of one value that is read as a whole: a round of 4096 cells is below 300 KiB.
pub const VALUE: usize = 16 << 20;
/// Characters of one text, several times the longest that a CPU's features are.
pub const TEXT: usize = 10_000;
/// Characters of a counter's name.
pub const COUNTER: usize = 400;
