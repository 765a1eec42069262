//! Names that come from outside: of machines, and of runs.

pub use ciphermeter_answer::fleet::{MACHINE_NAME, machine_name};

/// Digits of a run's digest, and how many of them at least name a run.
const DIGITS: std::ops::RangeInclusive<usize> = 8..=64;

/// Whether a run may be called so: by its digest, or the beginning of it.
pub fn is_digest(digits: &str) -> bool {
    DIGITS.contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}
