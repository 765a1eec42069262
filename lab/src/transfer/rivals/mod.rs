//! Other programs that transfer a file over TCP: socat with TLS 1.3, ssh with cat; and iperf3, which encrypts nothing.

mod iperf;
pub mod process;
mod socat;
mod ssh;

use ciphermeter_core::Bytes;

use super::mover::{Found, Span, To};
use super::place::Place;
use iperf::Iperf;
use socat::Socat;
use ssh::Ssh;

/// The programs available here.
pub fn all(place: &Place, size: Bytes, to: To) -> Vec<Found<'static>> {
    let socat = ["TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"].map(|suite| {
        let name = if suite.contains("AES") { "socat TLS 1.3 aes-256-gcm" } else { "socat TLS 1.3 chacha20-poly1305" };
        Found::new(name, Span::Processes, Socat::new(place, suite))
    });
    let ssh = ["aes256-gcm@openssh.com", "chacha20-poly1305@openssh.com"].map(|cipher| {
        let name = if cipher.starts_with("aes") { "ssh cat aes256-gcm" } else { "ssh cat chacha20-poly1305" };
        Found::new(name, Span::Processes, Ssh::new(place, cipher))
    });
    let iperf = (to == To::Nowhere).then(|| Found::new("iperf3", Span::Bytes, Iperf::new(size)));
    socat.into_iter().chain(ssh).chain(iperf).collect()
}
