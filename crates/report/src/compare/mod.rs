//! What became slower, on a terminal.

mod guard;
mod guard_markdown;
mod lines;
mod screen;

pub use guard::{GuardedRuns, guard_screen, write_guard_json, write_identical_json};
pub use guard_markdown::{write_guard_markdown, write_identical_markdown};
pub use screen::{against, compare, compare_json};

#[cfg(test)]
mod tests;
