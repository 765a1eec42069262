//! What a sender says of several addresses when none of them leads to its receiver.

use std::fmt;

/// Addresses that were tried, and why each failed.
#[derive(Debug)]
pub struct Tried {
    /// Each address, as the ticket names it, with a short reason.
    pub addresses: Vec<(String, String)>,
    /// Whether one of them failed in a way that may pass.
    pub may_pass: bool,
}

impl fmt::Display for Tried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, (address, why)) in self.addresses.iter().enumerate() {
            write!(f, "{}{address}: {why}", if number == 0 { "" } else { "; " })?;
        }
        Ok(())
    }
}
