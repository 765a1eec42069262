//! Whose requests are counted together, so that nobody keeps the server from others: those of one address.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use axum::extract::ConnectInfo;
use axum::http::{HeaderMap, Request};
use tower_governor::GovernorError;
use tower_governor::key_extractor::KeyExtractor;

/// What a proxy says of the addresses that a request came through: each proxy appends the one that it got it from.
const FORWARDED_FOR: &str = "x-forwarded-for";

/// The client's address: the other end of the connection, or what the proxy in front says of it.
#[derive(Debug, Clone, Copy)]
pub struct Client {
    /// Whether a proxy of the operator's stands in front.
    pub is_behind_proxy: bool,
}

impl KeyExtractor for Client {
    type Key = IpAddr;

    fn extract<T>(&self, request: &Request<T>) -> Result<IpAddr, GovernorError> {
        let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| peer.ip());
        let address = if self.is_behind_proxy { forwarded_for(request.headers()).or(peer) } else { peer };
        address.map(network).ok_or(GovernorError::UnableToExtractKey)
    }
}

/// The last entry, which the proxy itself wrote: whoever asks may have sent the others.
fn forwarded_for(headers: &HeaderMap) -> Option<IpAddr> {
    let last = headers.get_all(FORWARDED_FOR).iter().next_back()?.to_str().ok()?;
    last.rsplit(',').next()?.trim().parse().ok()
}

/// Of IPv6, the part that a provider gives one customer.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX)).into(),
        address @ IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn last_entry_is_the_clients_address() {
        let of = |values: &[&str]| {
            let values = values.iter().map(|value| HeaderValue::from_str(value).unwrap());
            forwarded_for(&values.map(|value| (FORWARDED_FOR.parse().unwrap(), value)).collect())
        };
        let address = |text: &str| Some(text.parse().unwrap());
        assert_eq!(of(&["192.0.2.7"]), address("192.0.2.7"));
        assert_eq!(of(&["10.0.0.1, 192.0.2.7"]), address("192.0.2.7"));
        assert_eq!(of(&["10.0.0.1", "2001:db8::7"]), address("2001:db8::7"));
        assert_eq!([of(&[]), of(&["unknown"]), of(&["192.0.2.7, "])], [None; 3]);
    }

    #[test]
    fn addresses_of_one_network_are_one_client() {
        let network = |text: &str| network(text.parse().unwrap()).to_string();
        assert_eq!(network("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
        assert_eq!((network("192.0.2.7"), network("::ffff:192.0.2.7")), ("192.0.2.7".into(), "192.0.2.7".into()));
    }
}
