//! How lists are laid out.

use crate::output;

/// Columns of a page.
pub const WIDTH: usize = 80;

pub fn joined<T: ToString>(words: &[T]) -> String {
    words.iter().map(T::to_string).collect::<Vec<_>>().join(", ")
}

/// Wrapped, and moved in by two columns.
pub fn indented(text: &str) -> String {
    output::wrapped(text, WIDTH - 2).lines().map(|line| format!("  {line}\n")).collect()
}
