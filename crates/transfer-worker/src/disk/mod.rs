//! The provider `dm-crypt`: the kernel's own ciphers of disks, as it runs them, over a RAM disk that this worker makes,
//! beside that RAM disk bare (`ram-disk`).
//!
//! A message is written through the mapping past the page cache and read back. So a time holds the system calls and the
//! block layer; the bare RAM disk shows how much those are. dm-crypt takes no nonce from outside, which is why this is a
//! transfer and no call: the nonce of a sector is its number (`plain64`).

mod beneath;
mod cell;
mod device;
mod mapping;
mod ram;

use ciphermeter_core::Algorithm;

use crate::error::Error;
use crate::system::{is_root, needs_module, run};

pub(crate) use cell::DiskCell;
pub(crate) use device::BYTES;
pub(crate) use ram::RamDisks;

/// What goes through the mapping, and what goes past it.
pub(crate) const ALGORITHMS: &[Algorithm] = &[Algorithm::Aes256Xts, Algorithm::Adiantum, Algorithm::RamDisk];

/// Whether this machine can make what is measured; looking makes nothing.
pub(crate) fn probe() -> Result<(), Error> {
    if cfg!(not(target_os = "linux")) {
        return Err(Error::local("dm-crypt is a part of Linux"));
    }
    is_root("RAM disks and mappings")?;
    ram::probe()?;
    match run("dmsetup", &["targets"], b"") {
        Ok(targets) if targets.lines().any(|line| line.starts_with("crypt ")) => Ok(()),
        Err(why) if why.to_string().starts_with("there is no program") => Err(why),
        _ => needs_module("dm-crypt", "dm-crypt"),
    }
}
