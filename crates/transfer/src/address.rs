//! IPv6 addresses with a zone (RFC 4007), and what an address of a ticket leads to.
//!
//! A link-local address exists on every link, so the system takes it only with the interface that leads to its link.
//! Interfaces are named: `fe80::1%eth0`. The name means something on the machine alone that has the interface.

use std::io;
use std::net::{IpAddr, Ipv6Addr, SocketAddr, SocketAddrV6, ToSocketAddrs};

/// The longest name of an interface, in bytes (Linux, `IFNAMSIZ`).
const MAX_ZONE: usize = 15;

/// Why a text is no address of a machine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadAddress {
    /// Another text.
    #[error("write it like `192.168.1.5`, `192.168.1.5:4100`, `0.0.0.0`, `[::]:4100` or `[fe80::1%eth0]:4100`")]
    NotAnAddress,
    /// A link-local address without a zone.
    #[error("a link-local address needs the interface that leads to it: write it like `[{0}%eth0]`")]
    NoZone(Ipv6Addr),
    /// Another address with a zone.
    #[error("only a link-local address (fe80::…) has an interface after `%`")]
    NeedsNoZone,
    /// No interface of this machine has that name.
    #[error("this machine has no interface `{0}`: after `%`, write the one of this machine that leads to the address")]
    UnknownZone(String),
}

/// An IPv6 address and its zone, if it has one: `fe80::1%eth0`. Whether the interface exists is not checked.
pub(crate) fn with_zone(text: &str) -> Option<(Ipv6Addr, Option<&str>)> {
    let Some((address, zone)) = text.split_once('%') else { return Some((text.parse().ok()?, None)) };
    let is_name = zone.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_".contains(&byte));
    ((1..=MAX_ZONE).contains(&zone.len()) && is_name).then_some((address.parse().ok()?, Some(zone)))
}

/// An address to listen on, with a port or without (then 0), IPv6 in brackets or not.
pub fn listen_address(text: &str) -> Result<SocketAddr, BadAddress> {
    let inside = |text: &str| text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).map(str::to_owned);
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) if host.ends_with(']') || !host.contains(':') => {
            (host, port.parse().map_err(|_| BadAddress::NotAnAddress)?)
        }
        _ => (text, 0),
    };
    let host = inside(host).unwrap_or_else(|| host.to_owned());
    match host.parse() {
        Ok(IpAddr::V4(address)) => Ok((address, port).into()),
        _ => {
            let (address, zone) = with_zone(&host).ok_or(BadAddress::NotAnAddress)?;
            v6(address, zone, port)
        }
    }
}

/// The addresses that `HOST:PORT` of a ticket leads to.
///
/// # Errors
///
/// A name that cannot be resolved, and an interface that this machine lacks ([`BadAddress`]).
pub fn resolve(address: &str) -> io::Result<Vec<SocketAddr>> {
    let literal = address.rsplit_once("]:").and_then(|(host, port)| {
        let (address, zone) = with_zone(host.strip_prefix('[')?)?;
        Some((address, zone, port.parse().ok()?))
    });
    match literal {
        Some((address, zone, port)) => Ok(vec![v6(address, zone, port).map_err(io::Error::other)?]),
        None => Ok(address.to_socket_addrs()?.collect()),
    }
}

fn v6(address: Ipv6Addr, zone: Option<&str>, port: u16) -> Result<SocketAddr, BadAddress> {
    let scope = match zone {
        None if address.is_unicast_link_local() => return Err(BadAddress::NoZone(address)),
        None => 0,
        Some(_) if !address.is_unicast_link_local() => return Err(BadAddress::NeedsNoZone),
        Some(zone) => index(address, zone).ok_or_else(|| BadAddress::UnknownZone(zone.into()))?,
    };
    Ok(SocketAddrV6::new(address, port, 0, scope).into())
}

/// The number of an interface. The system's resolver knows it on all systems, and asks no server for such a text.
fn index(address: Ipv6Addr, zone: &str) -> Option<u32> {
    if let Ok(number) = zone.parse() {
        return Some(number);
    }
    let found = (format!("{address}%{zone}"), 0).to_socket_addrs().ok()?.next()?;
    match found {
        SocketAddr::V6(found) if found.scope_id() > 0 => Some(found.scope_id()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_to_listen_on_needs_no_port() {
        let read = |text| listen_address(text).map(|address| address.to_string());
        assert_eq!(read("127.0.0.1").unwrap(), "127.0.0.1:0");
        assert_eq!(read("0.0.0.0:4100").unwrap(), "0.0.0.0:4100");
        for (text, same) in [("[::1]", "[::1]:0"), ("::1", "[::1]:0"), ("::", "[::]:0"), ("[::]:4100", "[::]:4100")] {
            assert_eq!(read(text).unwrap(), same);
        }
        for wrong in ["localhost", "", "1.2.3.4:", "1.2.3.4:65536", "[::1", "[::1]:x", "::1%", "fe80::1%a/b", "[]"] {
            assert_eq!(read(wrong), Err(BadAddress::NotAnAddress), "{wrong}");
        }
    }

    #[test]
    fn zone_is_an_interface_of_this_machine() {
        let read = |text| listen_address(text).map(|address| address.to_string());
        assert_eq!(read("fe80::1%3").unwrap(), "[fe80::1%3]:0");
        assert_eq!(read("[fe80::1%3]:4100").unwrap(), "[fe80::1%3]:4100");
        assert_eq!(read("fe80::1%nosuch0"), Err(BadAddress::UnknownZone("nosuch0".into())));
        assert_eq!(read("[fe80::1]:4100"), Err(BadAddress::NoZone("fe80::1".parse().unwrap())));
        assert_eq!(read("::1%3"), Err(BadAddress::NeedsNoZone));
        #[cfg(target_os = "linux")]
        assert_eq!(read("fe80::1%lo").unwrap(), "[fe80::1%1]:0");
    }

    #[test]
    fn address_of_a_ticket_is_resolved_with_its_zone() {
        let resolved = |text: &str| resolve(text).map(|all| all[0].to_string()).map_err(|why| why.to_string());
        assert_eq!(resolved("127.0.0.1:9").unwrap(), "127.0.0.1:9");
        assert_eq!(resolved("[::1]:9").unwrap(), "[::1]:9");
        assert_eq!(resolved("[fe80::1%7]:9").unwrap(), "[fe80::1%7]:9");
        assert!(resolved("[fe80::1]:9").unwrap_err().contains("needs the interface"));
        assert!(resolved("[fe80::1%nosuch0]:9").unwrap_err().contains("no interface `nosuch0`"));
    }
}
