//! Files that move: the table's blocks, one a size, and a CSV with a study's columns.

mod block;
mod study_csv;

pub(crate) use block::transfer_blocks;
pub use study_csv::{study_csv_columns, write_study_csv};
