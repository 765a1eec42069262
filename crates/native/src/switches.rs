//! placeholder until merge
use ciphermeter_core::Mask;
/// Environment.
pub fn switch(provider: &str, mask: Mask) -> Result<&'static [(&'static str, &'static str)], &'static str> {
    match (provider, mask) {
        ("openssl" | "aws-lc", Mask::NoAes) => Ok(&[("OPENSSL_ia32cap", "~0x200000200000000")]),
        _ => Err("no switch"),
    }
}
