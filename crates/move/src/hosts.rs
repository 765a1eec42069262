//! Under which addresses a sender finds this machine.

use std::collections::HashSet;
use std::net::{IpAddr, SocketAddr, UdpSocket};

use anyhow::{Context, Result, bail};
use ciphermeter_transfer::MAX_ADDRESSES;
use if_addrs::Interface;

use crate::words::bracketed;

/// The hosts under which a sender may find this listening machine: as many as a ticket may name.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Hosts {
    pub named: Vec<String>,
    /// Other addresses of this machine.
    pub left_out: Vec<String>,
}

/// Those that the user gave, or this machine's addresses.
pub fn hosts(given: &[String], listening: SocketAddr) -> Result<Hosts> {
    if given.len() > MAX_ADDRESSES {
        bail!("--host: a ticket names at most {MAX_ADDRESSES} hosts; leave {} out", given.len() - MAX_ADDRESSES);
    }
    let alone = |host: String| Ok(Hosts { named: vec![host], left_out: Vec::new() });
    if !given.is_empty() {
        return Ok(Hosts { named: given.to_vec(), left_out: Vec::new() });
    }
    if !listening.ip().is_unspecified() {
        return alone(written(listening.ip(), zone(listening)));
    }
    let interfaces = if_addrs::get_if_addrs().context("cannot read this machine's addresses; give them with --host")?;
    let mut named = reachable(&interfaces, &default_sources(), listening.is_ipv6());
    if named.is_empty() {
        return alone(if listening.is_ipv6() { "[::1]" } else { "127.0.0.1" }.into());
    }
    let left_out = named.split_off(MAX_ADDRESSES.min(named.len()));
    Ok(Hosts { named, left_out })
}

impl Hosts {
    /// What to say of those that are left out.
    pub fn note(&self) -> Option<String> {
        let shown = &self.left_out[..self.left_out.len().min(SHOWN)];
        let more = match self.left_out.len() - shown.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        (!shown.is_empty()).then(|| {
            format!(
                "note: the ticket has room for {MAX_ADDRESSES} addresses and lacks {}{more}; name those that the sender reaches with --host",
                shown.join(", ")
            )
        })
    }
}

/// So many addresses are shown that a ticket lacks.
const SHOWN: usize = 4;

/// The addresses from which this machine reaches others by its default routes, as the system chooses them. Nothing is sent.
fn default_sources() -> Vec<IpAddr> {
    // For documentation only (RFC 5737, RFC 3849), so no other route leads there.
    let others = [("0.0.0.0:0", "192.0.2.1:9"), ("[::]:0", "[2001:db8::1]:9")];
    let source = |(any, other): &(&str, &str)| {
        let socket = UdpSocket::bind(any).ok()?;
        socket.connect(other).ok()?;
        Some(socket.local_addr().ok()?.ip())
    };
    others.iter().filter_map(source).collect()
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

/// Addresses that mean something on other machines: those of the default routes first, then others of their interfaces, then
/// those of others, such as bridges; of both kinds in turn. A socket on `::` takes senders over IPv4, too.
fn reachable(interfaces: &[Interface], default: &[IpAddr], is_ipv6: bool) -> Vec<String> {
    let is_meant = |interface: &&Interface| {
        !interface.is_loopback() && !interface.is_link_local() && (is_ipv6 || interface.ip().is_ipv4())
    };
    let of_default = interfaces.iter().filter(|interface| default.contains(&interface.ip()));
    let cards: Vec<&str> = of_default.map(|interface| interface.name.as_str()).collect();
    let mut all: Vec<&Interface> = interfaces.iter().filter(is_meant).collect();
    all.sort_by_key(|of| (!default.contains(&of.ip()), !cards.contains(&of.name.as_str())));
    let mut seen = HashSet::new();
    all.retain(|of| seen.insert(of.ip()));
    let mut ranked = Vec::new();
    for (place, of) in all.iter().enumerate() {
        let of_kind = all[..place].iter().filter(|before| before.ip().is_ipv4() == of.ip().is_ipv4());
        ranked.push((of_kind.count(), of.ip().is_ipv6(), of.ip()));
    }
    ranked.sort();
    ranked.into_iter().map(|(_, _, address)| written(address, None)).collect()
}

fn written(address: IpAddr, zone: Option<String>) -> String {
    bracketed(&zone.map_or_else(|| address.to_string(), |zone| format!("{address}%{zone}")))
}

#[cfg(test)]
mod tests {
    use if_addrs::{IfAddr, IfOperStatus, Ifv4Addr, Ifv6Addr};

    use super::*;

    fn interface(address: &str) -> Interface {
        of("eth0", address)
    }

    fn of(name: &str, address: &str) -> Interface {
        let addr = match address.parse().unwrap() {
            IpAddr::V4(ip) => {
                IfAddr::V4(Ifv4Addr { ip, netmask: [255, 0, 0, 0].into(), prefixlen: 8, broadcast: None })
            }
            IpAddr::V6(ip) => IfAddr::V6(Ifv6Addr { ip, netmask: ip, prefixlen: 64, broadcast: None }),
        };
        Interface { name: name.into(), addr, index: Some(2), oper_status: IfOperStatus::Up, is_p2p: false }
    }

    #[test]
    fn both_families_are_named_where_both_are_listened_on() {
        let all = ["127.0.0.1", "10.0.0.1", "10.0.0.2", "::1", "fe80::1", "2001:db8::1"].map(interface);
        assert_eq!(reachable(&all, &[], false), ["10.0.0.1", "10.0.0.2"]);
        assert_eq!(reachable(&all, &[], true), ["10.0.0.1", "[2001:db8::1]", "10.0.0.2"]);
        let many: Vec<_> = (3..30).map(|number| interface(&format!("10.0.0.{number}"))).chain(all).collect();
        assert_eq!(reachable(&many, &[], true)[1], "[2001:db8::1]", "many of one kind leave room for the other");
    }

    /// Bridges of containers and virtual machines come before the card in the system's list.
    #[test]
    fn the_default_routes_address_comes_first() {
        let bridge = |number: u8| of(&format!("br{number}"), &format!("172.{number}.0.1"));
        let bridges = || (17..29).map(bridge);
        let card = || [of("eth0", "192.168.1.9"), of("eth0", "192.168.1.7"), of("eth0", "2001:db8::7")];
        let first = |all: &[Interface], default: &[&str], count: usize| {
            let default: Vec<IpAddr> = default.iter().map(|address| address.parse().unwrap()).collect();
            reachable(all, &default, true).into_iter().take(count).collect::<Vec<_>>()
        };
        let all: Vec<_> = bridges().chain(card()).collect();
        let both = ["192.168.1.7", "2001:db8::7"];
        assert_eq!(first(&all, &both, 4), ["192.168.1.7", "[2001:db8::7]", "192.168.1.9", "172.17.0.1"]);
        // By IPv6 alone.
        assert_eq!(first(&all, &both[1..], 3), ["192.168.1.9", "[2001:db8::7]", "192.168.1.7"]);
        // A tunnel has the route, and the card's addresses are no better than a bridge's.
        let tunnel: Vec<_> = bridges().take(4).chain([of("tun0", "10.8.0.2")]).chain(card()).collect();
        assert_eq!(first(&tunnel, &["10.8.0.2"], 1), ["10.8.0.2"]);
        assert_eq!(reachable(&tunnel, &[], true).len(), 8, "none is lost");
        // No route, or one from an address that is none of these: the system's order.
        assert_eq!(first(&all, &[], 1), first(&all, &["127.0.0.1"], 1));
        assert_eq!(first(&all, &[], 3), ["172.17.0.1", "[2001:db8::7]", "172.18.0.1"]);
        // The same address once more is the same place.
        let twice: Vec<_> = card().into_iter().chain(card()).collect();
        assert_eq!(first(&twice, &both, 9), ["192.168.1.7", "[2001:db8::7]", "192.168.1.9"]);
    }

    #[test]
    fn what_a_ticket_has_no_room_for_is_said() {
        let names = |count: usize| (0..count).map(|number| format!("h{number}")).collect::<Vec<_>>();
        assert_eq!(Hosts { named: names(8), left_out: Vec::new() }.note(), None);
        let said = Hosts { named: names(8), left_out: names(6) }.note().unwrap();
        assert!(said.contains("lacks h0, h1, h2, h3 and 2 more; name"), "{said}");
        let any: SocketAddr = "0.0.0.0:9".parse().unwrap();
        assert_eq!(hosts(&names(8), any).unwrap().named, names(8));
        assert!(hosts(&names(9), any).unwrap_err().to_string().contains("at most 8 hosts; leave 1 out"));
    }

    #[test]
    fn address_that_is_listened_on_is_written_as_a_ticket_needs_it() {
        let hosts = |listening: &str| hosts(&[], listening.parse().unwrap()).unwrap().named;
        assert_eq!(hosts("127.0.0.1:9"), ["127.0.0.1"]);
        assert_eq!(hosts("[::1]:9"), ["[::1]"]);
        assert_eq!(hosts("[fe80::1%999]:9"), ["[fe80::1%999]"]);
        #[cfg(target_os = "linux")]
        assert_eq!(hosts("[fe80::1%1]:9"), ["[fe80::1%lo]"]);
    }
}
