//! AES or ChaCha20: what all libraries come to, and each of them size by size.

mod answer;
mod by_size;
mod collect;
mod exceptions;
mod fastest;
mod languages;
mod library;
mod notes;
mod page;
mod programs;
mod sentences;
mod tally;

pub use answer::{PairAnswer, USUAL, pair};
pub use fastest::{Fastest, Libraries, Standing};
pub use languages::{LEAST_LANGUAGES, best_by_language, languages_of, versions};
pub use library::{Figure, Gap, Lack, Library, Row};
