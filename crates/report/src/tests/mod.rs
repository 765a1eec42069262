//! What a run looks like in each shape, from records made up.

mod advises;
mod browser;
mod costs;
pub(crate) mod devices;
mod exported;
mod imported;
mod lacking;
mod memory;
pub(crate) mod moved;
mod otherwise;
mod paged;
mod parallel;
mod ranked;
pub(crate) mod schema;
pub(crate) mod screened;
mod several;
pub(crate) mod sustained;
mod tabled;
mod writers;
