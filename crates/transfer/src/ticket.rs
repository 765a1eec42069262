//! The ticket: what a sender must know of a receiver, in one word that can be copied.
//!
//! `cm1.KEY@HOST:PORT[,HOST:PORT…]`, where KEY is the base64 (RFC 4648, section 5, without padding) of 48 bytes: the
//! SHA-256 of the receiver's public key, as SubjectPublicKeyInfo in DER, and the token. It is a secret until it is used.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use zeroize::Zeroizing;

use crate::address::with_zone;
use crate::secret::Token;

/// What a ticket begins with.
const MARK: &str = "cm1.";
/// The longest ticket, in bytes.
const MAX: usize = 1024;
/// The most addresses of a ticket.
pub const MAX_ADDRESSES: usize = 8;

/// The SHA-256 of a public key, as SubjectPublicKeyInfo in DER.
pub type KeyHash = [u8; 32];

/// What a sender must know of a receiver.
#[derive(Debug, Clone, PartialEq)]
pub struct Ticket {
    /// The hash of the key that the receiver proves to have.
    pub key: KeyHash,
    /// The token that the sender proves to know.
    pub token: Token,
    /// Where the receiver listens: `HOST:PORT`, 1 to [`MAX_ADDRESSES`] of them, to be tried in turn.
    pub addresses: Vec<String>,
}

/// A word that is not a valid ticket.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a ticket: {0}; copy the whole line that begins with `{MARK}` from the receiver")]
pub struct BadTicket(&'static str);

impl Ticket {
    /// Whether a word is meant as a ticket, valid or not.
    pub fn looks_like(word: &str) -> bool {
        word.starts_with(MARK)
    }
}

impl fmt::Display for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut bytes = Zeroizing::new([0; 48]);
        bytes[..32].copy_from_slice(&self.key);
        bytes[32..].copy_from_slice(self.token.expose());
        let key = Zeroizing::new(URL_SAFE_NO_PAD.encode(*bytes));
        write!(f, "{MARK}{}@{}", *key, self.addresses.join(","))
    }
}

impl FromStr for Ticket {
    type Err = BadTicket;

    fn from_str(word: &str) -> Result<Self, BadTicket> {
        let word = word.trim();
        if word.len() > MAX {
            return Err(BadTicket("it is too long"));
        }
        let rest = word.strip_prefix(MARK).ok_or(BadTicket("it begins differently"))?;
        let (key, addresses) = rest.split_once('@').ok_or(BadTicket("it has no address"))?;
        let mut bytes = Zeroizing::new([0; 48]);
        match URL_SAFE_NO_PAD.decode_slice(key, &mut *bytes) {
            Ok(48) => {}
            _ => return Err(BadTicket("its key is truncated or mistyped")),
        }
        let addresses: Vec<_> = addresses.split(',').map(str::to_owned).collect();
        if addresses.len() > MAX_ADDRESSES {
            return Err(BadTicket("it has too many addresses"));
        }
        if !addresses.iter().all(|address| is_address(address)) {
            return Err(BadTicket("its address is not HOST:PORT"));
        }
        let (key, token) = bytes.split_at(32);
        Ok(Self {
            key: key.try_into().expect("32 of 48 bytes"),
            token: Token::new(token.try_into().expect("16 of 48 bytes")),
            addresses,
        })
    }
}

/// `HOST:PORT`, the host a name, an IPv4 address or an IPv6 address in brackets, of which a link-local one has a zone.
pub fn is_address(text: &str) -> bool {
    let Some((host, port)) = text.rsplit_once(':') else { return false };
    let name = |host: &str| host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_".contains(&byte));
    let host_is_right = match host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        Some(inside) => with_zone(inside).is_some(),
        None => !host.is_empty() && name(host),
    };
    host_is_right && !port.starts_with('+') && port.parse::<u16>().is_ok_and(|port| port > 0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ticket(addresses: &[&str]) -> Ticket {
        let addresses = addresses.iter().map(|address| address.to_string()).collect();
        Ticket { key: [0xab; 32], token: Token::new([0xcd; 16]), addresses }
    }

    #[test]
    fn printed_ticket_parses_to_the_same() {
        for addresses in [&["127.0.0.1:4100"][..], &["[::1]:1", "host.example:65535"], &["[fe80::1%br-lan.7]:9"]] {
            let ticket = ticket(addresses);
            assert_eq!(ticket.to_string().parse(), Ok(ticket));
        }
    }

    #[test]
    fn common_ticket_fits_a_line_and_a_double_click() {
        let text = ticket(&["192.168.100.200:40404"]).to_string();
        assert!(text.len() < 92 && !text.contains([' ', '"', '\'', '$', '&', ';']), "{text}");
    }

    #[test]
    fn error_names_what_is_wrong() {
        let good = ticket(&["127.0.0.1:4100"]).to_string();
        let wrong = |text: String| text.parse::<Ticket>().unwrap_err().0;
        assert_eq!(wrong(good[1..].into()), "it begins differently");
        assert_eq!(wrong(good.replace('@', "")), "it has no address");
        assert_eq!(wrong(good.replacen('q', "", 1)), "its key is truncated or mistyped");
        assert_eq!(wrong(good.replacen('q', "=", 1)), "its key is truncated or mistyped");
        assert_eq!(wrong(good.replace(":4100", "")), "its address is not HOST:PORT");
        assert_eq!(wrong(good.replace("4100", "0")), "its address is not HOST:PORT");
        assert_eq!(wrong(good.replace("4100", "+41")), "its address is not HOST:PORT");
        assert_eq!(wrong(good.replace("127", "\u{1b}[2J")), "its address is not HOST:PORT");
        for host in ["[]", "[::1", "[host]", "[::1%]", "[fe80::1%eth/0]", "[fe80::1%an-interface-name]", "::1"] {
            assert_eq!(wrong(good.replace("127.0.0.1", host)), "its address is not HOST:PORT", "{host}");
        }
        assert_eq!(wrong(format!("{good}{}", ",h:1".repeat(8))), "it has too many addresses");
        assert_eq!(wrong(good + &"0".repeat(MAX)), "it is too long");
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "(cm1\\.)?[A-Za-z0-9_@:.,\\[\\]-]{0,120}|.{0,200}") {
            let _ = text.parse::<Ticket>();
        }
    }
}
