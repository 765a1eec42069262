//! Names that come from outside: of machines, and of runs.

use ciphermeter_core::escaped;

/// Characters of a machine's name.
const MOST: usize = 100;
/// What such a name has to be.
pub const MACHINE_NAME: &str = "a machine's name has 1 to 100 printable characters";
/// Digits of a run's digest, and how many of them at least name a run.
const DIGITS: std::ops::RangeInclusive<usize> = 8..=64;

/// A machine's name, as it is stored; `None` where it is none.
pub fn machine_name(name: &str) -> Option<&str> {
    let name = name.trim();
    let is_odd = matches!(name, "" | "." | "..") || name.chars().count() > MOST || name != escaped(name);
    (!is_odd).then_some(name)
}

/// Whether a run may be called so: by its digest, or the beginning of it.
pub fn is_digest(digits: &str) -> bool {
    DIGITS.contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}
