//! Where the local end connects to: the host that ssh itself reached, then the addresses that the remote end names.

use std::net::{IpAddr, Ipv6Addr, SocketAddr, TcpStream};
use std::time::Duration;

use ciphermeter_core::quoted;
use ciphermeter_transfer::{Error, MAX_ADDRESSES, is_address, resolve};

use super::login::Login;

/// How long an address may take to show that something still listens there.
const PROBE_TIME: Duration = Duration::from_secs(1);

/// The addresses to try in turn, for a remote end that names its own.
pub fn reachable(login: &Login, named: &[String]) -> Vec<String> {
    let port = named.first().and_then(|address| address.rsplit_once(':')).map(|(_, port)| port);
    let first = login.host_name().zip(port).map(|(host, port)| format!("{}:{port}", host_for_socket(&host)));
    let mut addresses: Vec<String> = first.into_iter().filter(|address| is_address(address)).collect();
    for address in named.iter().filter(|address| is_address(address)) {
        if !addresses.contains(address) {
            addresses.push(address.clone());
        }
    }
    addresses.truncate(MAX_ADDRESSES);
    addresses
}

/// A host as it stands before a port.
fn host_for_socket(host: &str) -> String {
    let (address, _interface) = host.split_once('%').unwrap_or((host, ""));
    if address.parse::<Ipv6Addr>().is_ok() { format!("[{host}]") } else { host.to_owned() }
}

/// Whether something listens at one of the addresses.
pub fn is_any_listening(addresses: &[String]) -> bool {
    let mut all = addresses.iter().filter_map(|address| resolve(address).ok()).flatten();
    all.any(|address| TcpStream::connect_timeout(&address, PROBE_TIME).is_ok())
}

/// What to say where ssh reached the other machine and the direct connection failed; `None` for any other error.
/// `by_hand` is what to run there without ssh.
pub fn tell_unreachable(error: &Error, login: &Login, by_hand: &str) -> Option<String> {
    let (tried, last) = match error {
        Error::NotBegun(error) => return tell_unreachable(error, login, by_hand),
        Error::Unreachable { address, why } => (format!("{address}: {why}"), Some(address.as_str())),
        Error::NoneLeads(tried) => (tried.to_string(), tried.addresses.last().map(|(address, _)| address.as_str())),
        _ => return None,
    };
    let host = quoted(&login.host);
    let for_itself = last.is_some_and(is_loopback).then_some(
        " The other end listens for its own machine only: ssh reached it there, or did not tell it an address (SSH_CONNECTION).",
    );
    Some(format!(
        "ssh reaches {host}, but the data needs a connection of its own, and that failed: tried {tried}.{} Open a port in the \
         firewall of {host} and name it with --port; or, where only ssh gets through, as over a ProxyJump, run {by_hand} there by hand, \
         with --listen and --host for an address that can be reached from here",
        for_itself.unwrap_or_default()
    ))
}

fn is_loopback(address: &str) -> bool {
    address.parse::<SocketAddr>().is_ok_and(|address| IpAddr::is_loopback(&address.ip()))
}
