//! An answer for a workload or a program, printed: as a first screen ([`advice_screen`]) or as a JSON document ([`advice_json`]).

mod json;
mod page;

pub use json::advice_json;
pub use page::advice_screen;
