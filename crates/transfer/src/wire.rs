//! The version of the wire format: what both ends name first, and every stored state.

use serde::Deserialize;

/// This wire format.
pub const WIRE: u32 = 2;

/// The version of the wire format in a stored state, which is all that the states of different versions have in common.
pub(crate) fn wire_of(state: &[u8]) -> Option<u32> {
    #[derive(Deserialize)]
    struct AnyVersion {
        wire: u32,
    }
    serde_json::from_slice(state).ok().map(|AnyVersion { wire }| wire)
}
