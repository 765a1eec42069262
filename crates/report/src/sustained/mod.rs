//! A load for minutes: its course as a page, and as CSV with a line a step.

mod chart;
mod csv;
mod page;

pub use csv::course_csv_columns;
pub(crate) use csv::write_course_csv;
pub(crate) use page::{page, summary};
