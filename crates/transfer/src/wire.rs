//! The version of the wire format, which every hello and every stored state begins with, and a bound that both ends know.

use serde::Deserialize;

/// This wire format.
pub const WIRE: u32 = 3;

/// The shortest piece that is accepted, in bytes, unless nothing is missing behind it: each costs the receiver some
/// memory.
pub const MIN_PIECE: u64 = 1 << 16;

/// The version of the wire format in a stored state: the only field that states of all versions share.
pub(crate) fn wire_of(state: &[u8]) -> Option<u32> {
    #[derive(Deserialize)]
    struct AnyVersion {
        wire: u32,
    }
    serde_json::from_slice(state).ok().map(|AnyVersion { wire }| wire)
}
