//! What a run looks like in each shape, from records made up.

mod advised;
mod exported;
mod memory;
mod moved;
mod ranked;
mod schema;
mod screened;
mod several;
mod sustained;
mod tabled;
