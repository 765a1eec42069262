//! TUN devices in other network namespaces.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::thread;

use anyhow::{Context, Result, anyhow, ensure};
use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::ioctl::{Opcode, Updater, ioctl, opcode};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

/// Bytes of a device's name with the zero at its end, `IFNAMSIZ` in linux/if.h.
const NAME: usize = 16;
/// linux/if_tun.h: packets of IP, and nothing before them.
const IFF_TUN: u16 = 0x0001;
const IFF_NO_PI: u16 = 0x1000;
/// `_IOW('T', 202, int)`, though it takes an ifreq, and writes the name back.
const TUNSETIFF: Opcode = opcode::write::<u32>(b'T', 202);

/// `struct ifreq` of linux/if.h: a union of at most 24 bytes follows the name, here the flags.
#[repr(C)]
struct Request {
    name: [u8; NAME],
    flags: u16,
    rest: [u8; 22],
}

/// A TUN device. It stays when this is dropped if whoever made it made it so, as `ip tuntap add` does.
pub struct Tun(File);

impl Tun {
    /// Opens a device in the namespace that the file stands for, such as /run/netns/NAME.
    pub fn open(namespace: &Path, device: &str) -> Result<Self> {
        let name = device.as_bytes();
        ensure!(name.len() < NAME && !name.contains(&0), "`{device}` is no device's name: at most 15 bytes");
        let open = || {
            let file = File::open(namespace)?;
            move_into_link_name_space(file.as_fd(), Some(LinkNameSpaceType::Network))?;
            Self::open_here(name)
        };
        // A thread of its own: it stays in the namespace, and the file in that in which it was opened.
        let opened = thread::scope(|scope| scope.spawn(open).join()).map_err(|_| anyhow!("a thread panicked"))?;
        opened.with_context(|| {
            format!(
                "cannot open {device} in {}; as root, make it with `ip tuntap add {device} mode tun` there",
                namespace.display()
            )
        })
    }

    fn open_here(name: &[u8]) -> io::Result<Self> {
        let nonblocking = OFlags::NONBLOCK.bits() as i32;
        let file = OpenOptions::new().read(true).write(true).custom_flags(nonblocking).open("/dev/net/tun")?;
        let mut request = Request { name: [0; NAME], flags: IFF_TUN | IFF_NO_PI, rest: [0; 22] };
        request.name[..name.len()].copy_from_slice(name);
        // SAFETY: TUNSETIFF reads and writes one ifreq, `Request` has its 40 bytes and layout, any bytes in it are
        // valid, and it lives until the call has returned.
        unsafe { ioctl(&file, Updater::<TUNSETIFF, Request>::new(&mut request)) }?;
        Ok(Self(file))
    }

    /// The next packet, if there is one.
    pub fn read(&self, into: &mut [u8]) -> io::Result<Option<usize>> {
        match rustix::io::read(&self.0, into) {
            Ok(read) => Ok(Some(read)),
            // A device that is down has no packets until it is up again.
            Err(Errno::AGAIN | Errno::INTR | Errno::IO) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Hands a packet to the device's namespace; whether it was taken. The network may drop what it does not take.
    pub fn write(&self, packet: &[u8]) -> bool {
        rustix::io::write(&self.0, packet).is_ok()
    }
}

impl AsFd for Tun {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_has_the_size_of_ifreq() {
        assert_eq!(size_of::<Request>(), 40);
        assert_eq!(TUNSETIFF, 0x4004_54ca);
    }

    #[test]
    fn failure_names_device_and_namespace() {
        let fails = |namespace: &str, device| format!("{:#}", Tun::open(Path::new(namespace), device).err().unwrap());
        assert!(fails("/nowhere/netns", "link0").contains("cannot open link0 in /nowhere/netns"));
        assert!(fails("/nowhere/netns", "a-name-that-is-too-long").contains("no device's name"));
    }
}
