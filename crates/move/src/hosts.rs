//! Under which addresses a sender finds this machine.

use std::net::{IpAddr, SocketAddr};

use anyhow::{Context, Result};
use if_addrs::Interface;

use crate::words::bracketed;

/// The most addresses of each kind: each makes the ticket longer.
const MOST: usize = 4;

/// The hosts under which a sender may find this listening machine: those that the user gave, or its addresses.
pub fn hosts(given: &[String], listening: SocketAddr) -> Result<Vec<String>> {
    if !given.is_empty() {
        return Ok(given.to_vec());
    }
    if !listening.ip().is_unspecified() {
        return Ok(vec![written(listening.ip(), zone(listening))]);
    }
    let interfaces = if_addrs::get_if_addrs().context("cannot read this machine's addresses; give them with --host")?;
    let found = reachable(&interfaces, listening.is_ipv6());
    let loopback = if listening.is_ipv6() { "[::1]" } else { "127.0.0.1" };
    Ok(if found.is_empty() { vec![loopback.into()] } else { found })
}

/// The interface of this machine that a link-local address belongs to: its name, or its number, which is a valid zone,
/// too.
pub fn zone(address: SocketAddr) -> Option<String> {
    let SocketAddr::V6(address) = address else { return None };
    let number = address.scope_id();
    (number > 0).then(|| name(number).unwrap_or_else(|| number.to_string()))
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn name(number: u32) -> Option<String> {
    use rustix::net::{AddressFamily, SocketType, netdevice, socket};
    let any = socket(AddressFamily::INET6, SocketType::DGRAM, None).ok()?;
    netdevice::index_to_name(any, number).ok()
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn name(_number: u32) -> Option<String> {
    None
}

/// Addresses that mean something on other machines. A socket on `::` takes senders over IPv4, too.
fn reachable(interfaces: &[Interface], is_ipv6: bool) -> Vec<String> {
    let other = interfaces.iter().filter(|interface| !interface.is_loopback() && !interface.is_link_local());
    let addresses: Vec<IpAddr> = other.map(Interface::ip).collect();
    let v4 = addresses.iter().filter(|address| address.is_ipv4()).take(MOST);
    let v6 = addresses.iter().filter(|address| address.is_ipv6() && is_ipv6).take(MOST);
    v4.chain(v6).map(|address| written(*address, None)).collect()
}

fn written(address: IpAddr, zone: Option<String>) -> String {
    bracketed(&zone.map_or_else(|| address.to_string(), |zone| format!("{address}%{zone}")))
}

#[cfg(test)]
mod tests {
    use if_addrs::{IfAddr, IfOperStatus, Ifv4Addr, Ifv6Addr};

    use super::*;

    fn interface(address: &str) -> Interface {
        let addr = match address.parse().unwrap() {
            IpAddr::V4(ip) => {
                IfAddr::V4(Ifv4Addr { ip, netmask: [255, 0, 0, 0].into(), prefixlen: 8, broadcast: None })
            }
            IpAddr::V6(ip) => IfAddr::V6(Ifv6Addr { ip, netmask: ip, prefixlen: 64, broadcast: None }),
        };
        Interface { name: "eth0".into(), addr, index: Some(2), oper_status: IfOperStatus::Up, is_p2p: false }
    }

    #[test]
    fn both_families_are_named_where_both_are_listened_on() {
        let all = ["127.0.0.1", "10.0.0.1", "10.0.0.2", "::1", "fe80::1", "2001:db8::1"].map(interface);
        assert_eq!(reachable(&all, false), ["10.0.0.1", "10.0.0.2"]);
        assert_eq!(reachable(&all, true), ["10.0.0.1", "10.0.0.2", "[2001:db8::1]"]);
        let many: Vec<_> = (1..9).map(|number| interface(&format!("10.0.0.{number}"))).chain(all).collect();
        assert_eq!(reachable(&many, true).len(), 5, "many of one kind leave room for the other");
    }

    #[test]
    fn address_that_is_listened_on_is_written_as_a_ticket_needs_it() {
        let hosts = |listening: &str| hosts(&[], listening.parse().unwrap()).unwrap();
        assert_eq!(hosts("127.0.0.1:9"), ["127.0.0.1"]);
        assert_eq!(hosts("[::1]:9"), ["[::1]"]);
        assert_eq!(hosts("[fe80::1%999]:9"), ["[fe80::1%999]"]);
        #[cfg(target_os = "linux")]
        assert_eq!(hosts("[fe80::1%1]:9"), ["[fe80::1%lo]"]);
    }
}
