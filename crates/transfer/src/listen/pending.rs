//! Connections that have not authenticated: how many there may be, and which of them gives way to a new one.
//!
//! Promises: a new connection always gets a place at once, so a crowd of idle connections keeps no sender out. No
//! source fills more than half of the places, and connections from an admitted sender's address give way only to others
//! from that address.

use std::collections::HashMap;
use std::net::{IpAddr, Shutdown, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};

/// The most unauthenticated connections at once.
pub const MAX_PENDING: usize = 64;
/// The most of them from one source: more than a sender opens at once, which is 16 data connections and a control channel.
pub const MAX_OF_SOURCE: usize = 32;

/// Where connections come from: an IPv4 address, or the /64 of an IPv6 address, which one machine usually has to
/// itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Source(u128);

impl From<IpAddr> for Source {
    fn from(address: IpAddr) -> Self {
        match address.to_canonical() {
            // No /64 looks like these: their lower half is zero.
            IpAddr::V4(address) => Self(address.to_ipv6_mapped().to_bits()),
            IpAddr::V6(address) => Self(address.to_bits() >> 64 << 64),
        }
    }
}

/// All pending connections, the oldest first.
#[derive(Default)]
pub(crate) struct PendingConnections(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    next: u64,
    pending: Vec<Pending>,
    /// Where an admitted sender is.
    admitted: Option<Source>,
}

struct Pending {
    number: u64,
    source: Source,
    /// To cut the connection; `None` where the system gave no second handle.
    socket: Option<TcpStream>,
}

/// A slot among the pending connections, freed when dropped.
pub(crate) struct PendingSlot {
    connections: Arc<PendingConnections>,
    number: u64,
}

impl PendingConnections {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Records that a sender from there was admitted.
    pub(crate) fn admit(&self, source: Source) {
        self.inner().admitted = Some(source);
    }

    /// Gives a new connection a place, cutting another one if none is free. The calls must come in the order of the
    /// connections: a place that a stranger's thread took late would cut a sender that came after the stranger.
    pub(crate) fn take_slot(self: &Arc<Self>, source: Source, socket: &TcpStream) -> PendingSlot {
        let mut inner = self.inner();
        if let Some(victim) = inner.victim(source) {
            let gone = inner.pending.remove(victim);
            if let Some(socket) = gone.socket {
                let _ = socket.shutdown(Shutdown::Both);
            }
        }
        let number = inner.next;
        inner.next += 1;
        inner.pending.push(Pending { number, source, socket: socket.try_clone().ok() });
        drop(inner);
        PendingSlot { connections: self.clone(), number }
    }
}

impl Inner {
    /// Removes the place of this number; returns whether it existed.
    fn release(&mut self, number: u64) -> bool {
        let before = self.pending.len();
        self.pending.retain(|pending| pending.number != number);
        self.pending.len() < before
    }

    /// The connection that gives way to a new one from `new`, as its index in the list.
    fn victim(&self, new: Source) -> Option<usize> {
        let mut counts: HashMap<Source, usize> = HashMap::new();
        for pending in &self.pending {
            *counts.entry(pending.source).or_default() += 1;
        }
        let source_to_cut = if counts.get(&new).is_some_and(|count| *count >= MAX_OF_SOURCE) {
            new
        } else if self.pending.len() >= MAX_PENDING {
            let others = counts.into_iter().filter(|(source, _)| Some(*source) != self.admitted);
            others.max_by_key(|(_, count)| *count)?.0
        } else {
            return None;
        };
        self.pending.iter().position(|pending| pending.source == source_to_cut)
    }
}

impl PendingSlot {
    /// Frees the place. Returns whether the connection still had it: one that gave way is cut, and must not use up a
    /// token.
    pub(crate) fn release(self) -> bool {
        self.connections.inner().release(self.number)
    }
}

impl Drop for PendingSlot {
    fn drop(&mut self) {
        self.connections.inner().release(self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Source {
        text.parse::<IpAddr>().unwrap().into()
    }

    fn pending(counts: &[(&str, usize)]) -> Inner {
        let sources = counts.iter().flat_map(|(text, count)| std::iter::repeat_n(source(text), *count));
        let pending = sources.zip(0..).map(|(source, number)| Pending { number, source, socket: None });
        Inner { pending: pending.collect(), ..Inner::default() }
    }

    #[test]
    fn source_is_one_machine() {
        assert_eq!(source("::ffff:127.0.0.1"), source("127.0.0.1"));
        assert_ne!(source("127.0.0.2"), source("127.0.0.1"));
        assert_eq!(source("2001:db8::1"), source("2001:db8::ffff:1"));
        assert_ne!(source("2001:db8:0:1::1"), source("2001:db8::1"));
    }

    #[test]
    fn crowded_source_loses_its_own_oldest_connection() {
        assert_eq!(pending(&[("10.0.0.1", 31)]).victim(source("10.0.0.1")), None);
        let connections = pending(&[("10.0.0.2", 5), ("10.0.0.1", 32)]);
        assert_eq!(connections.victim(source("10.0.0.1")), Some(5));
        assert_eq!(connections.victim(source("10.0.0.2")), None);
    }

    #[test]
    fn full_crowd_loses_the_oldest_of_the_largest_unadmitted_source() {
        let mut connections = pending(&[("10.0.0.1", 30), ("10.0.0.2", 20), ("10.0.0.3", 14)]);
        assert_eq!(connections.victim(source("10.0.0.4")), Some(0));
        connections.admitted = Some(source("10.0.0.1"));
        assert_eq!(connections.victim(source("10.0.0.4")), Some(30));
    }

    #[test]
    fn new_connection_always_gets_a_place() {
        let connections = Arc::new(PendingConnections::default());
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let socket = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let slots: Vec<_> = (0..300).map(|number| connections.take_slot(Source(number % 7), &socket)).collect();
        assert_eq!(connections.inner().pending.len(), MAX_PENDING);
        let released = slots.into_iter().map(PendingSlot::release).filter(|released| *released).count();
        assert_eq!(released, MAX_PENDING, "the others know that they gave way");
        assert!(connections.inner().pending.is_empty());
    }
}
