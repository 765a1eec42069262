//! WireGuard, in the kernel: the frames of `ceiling` through its tunnel from one network namespace to another, beside the
//! same pair of devices bare (`tcp-plain`).
//!
//! The receiving process makes both namespaces. They have no names, so they and all that is in them go with that
//! process, even if it is killed; and nothing of it is on this machine's own network.

use std::net::IpAddr;
use std::path::Path;

use ciphermeter_transfer::SourceFile;

use super::tcp;
use crate::error::Error;
use crate::provider::{Provider, ReceiveFile, Received, Sent};

/// Whether this machine can make the tunnel; looking makes nothing.
pub(super) fn probe() -> Result<(), Error> {
    system::probe()
}

/// The tunnel, or the way beneath it.
pub(crate) struct Wireguard {
    sealed: bool,
    /// In the receiving process, from its first transfer on.
    way: std::cell::OnceCell<system::Way>,
}

impl Wireguard {
    pub(crate) fn new(sealed: bool) -> Self {
        Self { sealed, way: std::cell::OnceCell::new() }
    }
}

impl Provider for Wireguard {
    /// The address has the sender's namespace before it.
    fn listen(&self, at: IpAddr, into: Option<&Path>) -> Result<(String, ReceiveFile), Error> {
        if !at.is_loopback() {
            return Err(Error::local("WireGuard is measured within one machine"));
        }
        let way = match self.way.get() {
            Some(way) => way,
            None => {
                let way = system::Way::new(self.sealed)?;
                self.way.get_or_init(|| way)
            }
        };
        let (address, listener) = way.listen()?;
        let receiving = tcp::receive(listener, into);
        // The kernel's own threads open, so the CPU time of this process would say too little.
        let receiving: ReceiveFile = Box::new(move || Ok(Received { cpu: None, ..receiving()? }));
        Ok((address, receiving))
    }

    fn send(&self, file: &SourceFile, address: &str) -> Result<Sent, Error> {
        Ok(Sent { cpu: None, ..tcp::send(file, || system::connect(address))? })
    }
}

#[cfg(target_os = "linux")]
mod system {
    use std::fs::File;
    use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
    use std::os::fd::AsRawFd;
    use std::thread;

    use nix::errno::Errno;
    use nix::sched::{CloneFlags, setns, unshare};
    use zeroize::Zeroizing;

    use crate::error::Error;
    use crate::providers::receipts::lost;
    use crate::system::{is_root, needs_module, run};

    /// The two ends' addresses on the bare devices, and within the tunnel.
    const BARE: [Ipv4Addr; 2] = [Ipv4Addr::new(10, 0, 0, 1), Ipv4Addr::new(10, 0, 0, 2)];
    const WITHIN: [Ipv4Addr; 2] = [Ipv4Addr::new(10, 0, 1, 1), Ipv4Addr::new(10, 0, 1, 2)];
    /// The port of either end's WireGuard, within its own namespace.
    const PORT: u16 = 51820;

    pub(super) fn probe() -> Result<(), Error> {
        is_root("network namespaces")?;
        run("ip", &["-Version"], b"")?;
        run("wg", &["--version"], b"")
            .map_err(|_| Error::local("there is no program wg here: install wireguard-tools"))?;
        needs_module("wireguard", "WireGuard")
    }

    /// Two namespaces, the sender's and the receiver's, joined by a pair of devices.
    pub(super) struct Way {
        namespaces: [File; 2],
        receiver: Ipv4Addr,
    }

    impl Way {
        pub(super) fn new(sealed: bool) -> Result<Self, Error> {
            let way =
                Self { namespaces: [namespace()?, namespace()?], receiver: if sealed { WITHIN[1] } else { BARE[1] } };
            let far = path(&way.namespaces[1]);
            within(&way.namespaces[0], || {
                ip(&["link", "add", "bare", "type", "veth", "peer", "name", "bare", "netns", &far])
            })?;
            let keys = if sealed { Some([Keys::new()?, Keys::new()?]) } else { None };
            for end in [0, 1] {
                within(&way.namespaces[end], || {
                    up("bare", BARE[end])?;
                    keys.as_ref().map_or(Ok(()), |keys| tunnel(end, &keys[end].private, &keys[1 - end].public))
                })?;
            }
            Ok(way)
        }

        /// Where the receiver listens, and how the sender gets there.
        pub(super) fn listen(&self) -> Result<(String, TcpListener), Error> {
            let [sender, receiver] = &self.namespaces;
            let listener = within(receiver, || TcpListener::bind((self.receiver, 0)).map_err(lost))?;
            let address = listener.local_addr().map_err(lost)?;
            Ok((format!("{} {address}", path(sender)), listener))
        }
    }

    pub(super) fn connect(address: &str) -> Result<TcpStream, Error> {
        let odd = || Error::local("no address within a namespace");
        let (namespace, address) = address.split_once(' ').ok_or_else(odd)?;
        let address: SocketAddr = address.parse().map_err(|_| odd())?;
        let namespace = File::open(namespace).map_err(lost)?;
        within(&namespace, || TcpStream::connect(address).map_err(lost))
    }

    /// How other processes find it.
    fn path(namespace: &File) -> String {
        format!("/proc/{}/fd/{}", std::process::id(), namespace.as_raw_fd())
    }

    fn refused(why: Errno) -> Error {
        Error::local(format!("cannot make a network namespace: {why}"))
    }

    /// A new one, with nothing but a loopback device in it.
    fn namespace() -> Result<File, Error> {
        alone(|| {
            unshare(CloneFlags::CLONE_NEWNET).map_err(refused)?;
            File::open("/proc/thread-self/ns/net").map_err(lost)
        })
    }

    /// Does something inside a namespace. Sockets stay where they were made, and programs are where they were started.
    fn within<T: Send>(namespace: &File, what: impl FnOnce() -> Result<T, Error> + Send) -> Result<T, Error> {
        alone(|| {
            setns(namespace, CloneFlags::CLONE_NEWNET).map_err(refused)?;
            what()
        })
    }

    /// In a thread of its own, whose namespace goes with it.
    fn alone<T: Send>(what: impl FnOnce() -> Result<T, Error> + Send) -> Result<T, Error> {
        let done = thread::scope(|scope| scope.spawn(what).join());
        done.unwrap_or_else(|_| Err(Error::local("a thread ended too early")))
    }

    fn ip(arguments: &[&str]) -> Result<(), Error> {
        run("ip", arguments, b"").map(drop)
    }

    fn up(device: &str, address: Ipv4Addr) -> Result<(), Error> {
        ip(&["address", "add", &format!("{address}/24"), "dev", device])?;
        ip(&["link", "set", device, "up"])
    }

    /// A key pair of one run, which protects random bytes.
    struct Keys {
        private: Zeroizing<String>,
        public: String,
    }

    impl Keys {
        fn new() -> Result<Self, Error> {
            let private = Zeroizing::new(run("wg", &["genkey"], b"")?);
            let public = run("wg", &["pubkey"], private.as_bytes())?;
            Ok(Self { private, public })
        }
    }

    fn tunnel(end: usize, private: &str, other: &str) -> Result<(), Error> {
        let (port, endpoint) = (PORT.to_string(), format!("{}:{PORT}", BARE[1 - end]));
        let allowed = format!("{}/32", WITHIN[1 - end]);
        ip(&["link", "add", "wg", "type", "wireguard"])?;
        let own = ["set", "wg", "listen-port", &port, "private-key", "/proc/self/fd/0"];
        let peer = ["peer", other, "endpoint", &endpoint, "allowed-ips", &allowed];
        run("wg", &[&own[..], &peer].concat(), private.as_bytes())?;
        up("wg", WITHIN[end])
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::net::{TcpListener, TcpStream};

    use crate::error::Error;

    pub(super) struct Way;

    pub(super) fn probe() -> Result<(), Error> {
        Err(Error::local("this system's kernel has no network namespaces; Linux has"))
    }

    impl Way {
        pub(super) fn new(_: bool) -> Result<Self, Error> {
            probe().map(|()| Self)
        }

        pub(super) fn listen(&self) -> Result<(String, TcpListener), Error> {
            Err(Error::local("there is no namespace"))
        }
    }

    pub(super) fn connect(_: &str) -> Result<TcpStream, Error> {
        Err(Error::local("there is no namespace"))
    }
}
