//! Files that move: the table's blocks, one a size, what to use, and a CSV with a study's columns.

mod advice;
mod block;
mod bound;
mod figures;
mod study_csv;

pub(crate) use advice::{advice, advice_beside_an_answer};
pub(crate) use block::transfer_blocks;
pub(crate) use bound::bounds;
pub use study_csv::{study_csv_columns, write_study_csv};
