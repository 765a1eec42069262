//! Where the local end connects to: the host that ssh itself reached, then the addresses that the remote end names.

use std::net::{IpAddr, SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::Result;
use ciphermeter_core::quoted;
use ciphermeter_terminal::{Exit, WithExit};
use ciphermeter_transfer::{Error, MAX_ADDRESSES, Ticket, is_address, resolve};

use super::failure::unexpected;
use super::login::Login;
use super::request::Answer;
use crate::ending;
use crate::words::bracketed;

/// How long an address may take to show that something still listens there.
const PROBE_TIME: Duration = Duration::from_secs(1);

/// The ticket that the remote end answered with; its addresses lead there from here.
pub fn ticket(answer: Answer, login: &Login) -> Result<Ticket> {
    let Answer::Ticket(ticket) = answer else { return Err(unexpected(login)) };
    let ticket: Ticket = ticket.parse().map_err(|_| unexpected(login))?;
    Ok(Ticket { addresses: reachable(login, &ticket.addresses), ..ticket })
}

/// The addresses to try in turn, for a remote end that names its own.
pub fn reachable(login: &Login, named: &[String]) -> Vec<String> {
    let port = named.first().and_then(|address| address.rsplit_once(':')).map(|(_, port)| port);
    let first = login.host_name().zip(port).map(|(host, port)| format!("{}:{port}", bracketed(&host)));
    let mut addresses: Vec<String> = first.into_iter().filter(|address| is_address(address)).collect();
    for address in named.iter().filter(|address| is_address(address)) {
        if !addresses.contains(address) {
            addresses.push(address.clone());
        }
    }
    addresses.truncate(MAX_ADDRESSES);
    addresses
}

/// Whether something listens at one of the addresses.
pub fn is_any_listening(addresses: &[String]) -> bool {
    let mut all = addresses.iter().filter_map(|address| resolve(address).ok()).flatten();
    all.any(|address| TcpStream::connect_timeout(&address, PROBE_TIME).is_ok())
}

/// An error of a transfer whose other end was started through ssh. Where ssh reached it and the
/// direct connection failed, it says so; `by_hand` is what to run there without ssh.
pub fn failed(error: &Error, login: &Login, by_hand: &str, remedy: Option<&str>) -> anyhow::Error {
    match unreachable(error, login, by_hand) {
        Some(message) => WithExit { exit: Exit::Partial, message }.into(),
        None => ending::failed(error, remedy),
    }
}

fn unreachable(error: &Error, login: &Login, by_hand: &str) -> Option<String> {
    let (tried, last) = match error {
        Error::NotBegun(error) => return unreachable(error, login, by_hand),
        Error::Unreachable { address, why } => (format!("{address}: {why}"), Some(address.as_str())),
        Error::NoneLeads(tried) => (tried.to_string(), tried.addresses.last().map(|(address, _)| address.as_str())),
        _ => return None,
    };
    let host = quoted(&login.host);
    let for_itself = match last.is_some_and(is_loopback) {
        true => {
            " The other end listens for its own machine only: ssh reached it there, or did not tell it an address (SSH_CONNECTION)."
        }
        false => "",
    };
    Some(format!(
        "ssh reaches {host}, but the data needs a connection of its own, and that failed: tried {tried}.{for_itself} Open a port in the \
         firewall of {host} and name it with --port; or, where only ssh gets through, as over a ProxyJump, run {by_hand} there by hand, \
         with --listen and --host for an address that can be reached from here"
    ))
}

fn is_loopback(address: &str) -> bool {
    address.parse::<SocketAddr>().is_ok_and(|address| IpAddr::is_loopback(&address.ip()))
}
