//! What is read of an export, what is refused, and that nothing panics.

mod mutated;
mod refused;
mod taken;

/// An export with all that one may have, which the fuzzer begins with, too.
const EXPORT: &str = include_str!("../../../fuzz/corpus/import_document/every-part.json");
