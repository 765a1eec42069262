//! Files that move: the table's blocks, one a size, what to use, and a CSV with a line for each sample and side.

mod advice;
mod block;
mod bound;
mod csv;
mod figures;

pub(crate) use advice::{advice, advice_beside_an_answer};
pub(crate) use block::transfer_blocks;
pub(crate) use bound::bounds;
pub use csv::{transfer_csv_columns, write_transfer_csv};
