//! A load for minutes: its course as a page, as one sentence, and as CSV with a line a step.

mod cause;
mod chart;
mod course;
mod csv;
mod exported;
mod finding;
mod page;
mod words;

pub(crate) use course::{Quantity, Step, course, joules_per_gigabyte, rate_unit};
pub use csv::course_csv_columns;
pub(crate) use csv::write_course_csv;
pub(crate) use exported::ExportedCourse;
pub(crate) use finding::Finding;
pub(crate) use page::{page, summary};
pub(crate) use words::statement;
