//! A load for minutes: its steps, where it fell for good, and why, as far as the machine tells.

mod cause;
mod course;
mod exported;
mod finding;
mod statement;

pub use course::{Quantity, Step, course, joules_per_gigabyte, mean, most, range, rate_unit};
pub use exported::ExportedCourse;
pub use finding::{Fall, Finding, is_long_enough};
pub use statement::{reason, statement};
