//! Placeholder.
use crate::card::Card;
/// Opens.
pub fn open() -> Result<Box<dyn Card>, String> {
    Err("not yet".into())
}
