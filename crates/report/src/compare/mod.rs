//! What became slower, on a terminal.

mod lines;
mod screen;

pub use screen::{against, compare};

#[cfg(test)]
mod tests;
