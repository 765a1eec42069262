//! Connecting to the addresses that a ticket names. The first that proves to be the receiver is taken.
//!
//! Promises: whatever answers at one address, or does not, keeps the sender from no other. An address has a short head
//! start before the next one is tried beside it, so silent ones cost a moment each and not their time limits.

use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use crate::Error;
use crate::address::resolve;
use crate::tried::Tried;

/// The head start of an address that has not failed yet (RFC 8305, section 5, recommends the same).
const HEAD_START: Duration = Duration::from_millis(250);
/// The most addresses of one name that are tried.
const MAX_OF_NAME: usize = 4;

/// The first address at which `prove` succeeds, and what it returned. Each has `time` to accept the connection; `prove`
/// limits its own. With one address its error is returned, with several a list of all errors.
pub(crate) fn connect<T: Send + 'static>(
    addresses: &[String],
    time: Duration,
    prove: impl Fn(TcpStream, SocketAddr) -> Result<T, Error> + Send + Sync + 'static,
) -> Result<(T, SocketAddr), Error> {
    let (events, incoming) = channel();
    let race = Arc::new(Race { time, prove, open: Mutex::default(), events });
    for (number, address) in addresses.iter().enumerate() {
        race.resolve(number, address);
    }
    let won = run(&race, addresses, &incoming);
    race.end();
    won
}

/// What all attempts share.
struct Race<T, P> {
    time: Duration,
    prove: P,
    open: Mutex<OpenSockets>,
    events: Sender<Event<T>>,
}

/// Connections that have not proven anything yet.
#[derive(Default)]
struct OpenSockets {
    is_over: bool,
    sockets: Vec<(SocketAddr, TcpStream)>,
}

/// News of the address with that number.
enum Event<T> {
    Resolved(usize, io::Result<Vec<SocketAddr>>),
    Ended(usize, SocketAddr, Result<T, Error>),
}

fn run<T, P>(
    race: &Arc<Race<T, P>>,
    addresses: &[String],
    incoming: &Receiver<Event<T>>,
) -> Result<(T, SocketAddr), Error>
where
    T: Send + 'static,
    P: Fn(TcpStream, SocketAddr) -> Result<T, Error> + Send + Sync + 'static,
{
    let mut errors: Vec<Option<Error>> = addresses.iter().map(|_| None).collect();
    let (mut waiting, mut due) = (VecDeque::new(), Instant::now());
    // Names that are being resolved, and addresses that are being tried.
    let mut open = addresses.len();
    loop {
        if due <= Instant::now()
            && let Some((number, to)) = waiting.pop_front()
        {
            race.clone().start(number, &addresses[number], to);
            open += 1;
            due = Instant::now() + HEAD_START;
            continue;
        }
        let event = match waiting.is_empty() {
            true if open == 0 => return Err(failed(addresses, errors)),
            true => incoming.recv().ok(),
            false => incoming.recv_timeout(due.saturating_duration_since(Instant::now())).ok(),
        };
        open -= usize::from(event.is_some());
        match event {
            None => {}
            Some(Event::Resolved(number, Ok(found))) if !found.is_empty() => {
                waiting.extend(found.into_iter().take(MAX_OF_NAME).map(|to| (number, to)));
            }
            Some(Event::Resolved(number, found)) => {
                let why = found.err().unwrap_or_else(|| io::Error::other("the name has no address"));
                errors[number] = Some(unreachable(&addresses[number], why));
            }
            Some(Event::Ended(_, at, Ok(proven))) => return Ok((proven, at)),
            Some(Event::Ended(number, _, Err(error))) => {
                due = Instant::now();
                // What something answered says more than that nothing did.
                match &errors[number] {
                    Some(before) if !matches!(before, Error::Unreachable { .. }) => {}
                    _ => errors[number] = Some(error),
                }
            }
        }
    }
}

impl<T, P> Race<T, P>
where
    T: Send + 'static,
    P: Fn(TcpStream, SocketAddr) -> Result<T, Error> + Send + Sync + 'static,
{
    /// Finds out what an address leads to. Only a name takes time, so the others keep their order.
    fn resolve(&self, number: usize, address: &str) {
        let (events, address) = (self.events.clone(), address.to_owned());
        let is_name = !address.starts_with('[') && address.parse::<SocketAddr>().is_err();
        let resolving = move || {
            let _ = events.send(Event::Resolved(number, resolve(&address)));
        };
        if is_name {
            thread::spawn(resolving);
        } else {
            resolving();
        }
    }

    /// Tries an address in a thread, which may outlive the race: the system connects as long as it likes.
    fn start(self: Arc<Self>, number: usize, address: &str, to: SocketAddr) {
        let address = address.to_owned();
        thread::spawn(move || {
            // Without an end of it, the race would have none.
            let ended = catch_unwind(AssertUnwindSafe(|| self.attempt(&address, to))).unwrap_or(Err(Error::Cut));
            let _ = self.events.send(Event::Ended(number, to, ended));
        });
    }

    fn attempt(&self, address: &str, to: SocketAddr) -> Result<T, Error> {
        let socket = TcpStream::connect_timeout(&to, self.time).map_err(|why| unreachable(address, why))?;
        if is_its_own_peer(&socket) {
            return Err(unreachable(address, ErrorKind::ConnectionRefused.into()));
        }
        self.register(&socket, to);
        let proven = (self.prove)(socket, to);
        self.open().sockets.retain(|(of, _)| *of != to);
        proven
    }

    fn open(&self) -> MutexGuard<'_, OpenSockets> {
        self.open.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Registers a connection to be cut when the race ends, at once if it has ended.
    fn register(&self, socket: &TcpStream, to: SocketAddr) {
        let mut open = self.open();
        if open.is_over {
            let _ = socket.shutdown(Shutdown::Both);
        }
        open.sockets.extend(socket.try_clone().map(|socket| (to, socket)));
    }

    /// Cuts the connections that have not proven anything: they would take places at a receiver.
    fn end(&self) {
        let mut open = self.open();
        open.is_over = true;
        for (_, socket) in open.sockets.drain(..) {
            let _ = socket.shutdown(Shutdown::Both);
        }
    }
}

fn unreachable(address: &str, why: io::Error) -> Error {
    Error::Unreachable { address: address.into(), why }
}

/// The only address's error, or a list of all.
fn failed(addresses: &[String], errors: Vec<Option<Error>>) -> Error {
    let no_address = |address: &String| unreachable(address, io::Error::other("it has no address"));
    let mut errors: Vec<Error> = errors
        .into_iter()
        .zip(addresses)
        .map(|(error, address)| error.unwrap_or_else(|| no_address(address)))
        .collect();
    if errors.len() == 1
        && let Some(error) = errors.pop()
    {
        return error;
    }
    let may_pass = errors.iter().any(Error::is_lost);
    let tried = addresses.iter().cloned().zip(errors.iter().map(short));
    Error::NoneLeads(Tried { addresses: tried.collect(), may_pass })
}

/// The reason in a few words.
fn short(error: &Error) -> String {
    let word = match error {
        Error::Unreachable { why, .. } => match why.kind() {
            ErrorKind::ConnectionRefused => "refused",
            ErrorKind::TimedOut => "timed out",
            _ => return why.to_string(),
        },
        Error::Lost { why, .. } if why.kind() == ErrorKind::TimedOut => "connected, but nothing came",
        Error::Lost { .. } | Error::GreetingCut { .. } => "closed the connection",
        Error::WrongKey(_) => "another key than the ticket's",
        Error::OtherVersion { .. } => "another version of the transfer format",
        Error::NoHybrid { .. } | Error::Tls { .. } => "another program",
        error => return error.to_string(),
    };
    word.into()
}

/// Whether both ends of a connection are the same socket. TCP allows it, and it happens on loopback: the system may
/// choose as the sender's own port the very port on which nothing listens yet. That socket would then occupy the
/// receiver's port.
fn is_its_own_peer(socket: &TcpStream) -> bool {
    matches!((socket.local_addr(), socket.peer_addr()), (Ok(local), Ok(peer)) if local == peer)
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use rustix::net::{AddressFamily, SocketType, bind, connect as connect_socket, getsockname, socket};

    use super::*;

    #[test]
    fn connection_to_itself_is_rejected() {
        let socket = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
        bind(&socket, &SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        connect_socket(&socket, &getsockname(&socket).unwrap()).unwrap();
        assert!(is_its_own_peer(&TcpStream::from(socket)));

        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        assert!(!is_its_own_peer(&TcpStream::connect(listener.local_addr().unwrap()).unwrap()));
    }

    /// Listeners, and an address at which none listens.
    fn listeners<const N: usize>() -> ([TcpListener; N], Vec<String>) {
        let listeners = std::array::from_fn(|_| TcpListener::bind("127.0.0.1:0").unwrap());
        let addresses = listeners.iter().map(|listener: &TcpListener| listener.local_addr().unwrap().to_string());
        let addresses = std::iter::once("127.0.0.1:1".into()).chain(addresses).collect();
        (listeners, addresses)
    }

    /// Longer than a test may take: none waits until it is over.
    const TIME: Duration = Duration::from_secs(3600);

    #[test]
    fn first_address_that_proves_itself_is_taken() {
        let (listeners, addresses) = listeners::<3>();
        let [silent, _, wanted] = listeners.each_ref().map(|listener| listener.local_addr().unwrap());
        let (_, at) = connect(&addresses, TIME, move |socket, at| match at {
            at if at == wanted => Ok(()),
            // Silent, until it is cut.
            at if at == silent => {
                let _ = io::copy(&mut &socket, &mut io::sink());
                Err(Error::Cut)
            }
            at => Err(Error::WrongKey(at.to_string())),
        })
        .unwrap();
        assert_eq!(at, wanted);
    }

    #[test]
    fn every_address_is_named_with_its_reason() {
        let (_listeners, addresses) = listeners::<2>();
        let wrong = addresses[1].clone();
        let error = connect(&addresses, TIME, move |_, at| match at.to_string() {
            at if at == wrong => Err::<(), _>(Error::WrongKey(at)),
            peer => Err(Error::Tls { peer, why: rustls::Error::HandshakeNotComplete }),
        })
        .unwrap_err();
        let text = error.to_string();
        assert!(text.contains("(127.0.0.1:1: refused; 127.0.0.1:"), "{text}");
        assert!(text.contains(": another key than the ticket's; 127") && text.contains(": another program)"), "{text}");
        assert!(error.is_lost(), "the refusal may pass");
    }

    #[test]
    fn error_of_the_only_address_is_its_own() {
        let refused = connect(&["127.0.0.1:1".into()], TIME, |_, _| Ok(())).unwrap_err();
        assert!(refused.to_string().starts_with("cannot connect to 127.0.0.1:1: "), "{refused}");
        let (_listeners, addresses) = listeners::<1>();
        let wrong = connect(&addresses[1..], TIME, |_, at| Err::<(), _>(Error::WrongKey(at.to_string())));
        assert!(matches!(wrong.unwrap_err(), Error::WrongKey(_)));
    }
}
