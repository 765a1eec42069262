//! What became slower, on a terminal.

mod lines;
mod screen;

pub use screen::{against, compare, compare_json};

#[cfg(test)]
mod tests;
