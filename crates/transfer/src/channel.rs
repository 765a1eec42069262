//! The control channel: lines of JSON over TLS, bounded in length and in time.

use std::io::{self, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::ops::DerefMut;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};
use rustls::pki_types::ServerName;
use rustls::{ClientConnection, CommonState, ConnectionCommon, ServerConnection, SideData, StreamOwned};
use serde::Serialize;
use serde::de::DeserializeOwned;
use socket2::{SockRef, TcpKeepalive};
use zeroize::{Zeroize, Zeroizing};

use crate::Error;
use crate::hello::{Attempt, TransferId};
use crate::identity::{Identity, NAME};
use crate::key::{AttemptKeys, DATA_LABEL, Exported, Opener, Transcribing, Transcript};
use crate::message::{MAX_MESSAGE, parse_message, read_line, write_message};
use crate::ticket::KeyHash;
use crate::timed::{DeadlineSocket, Times};
use crate::tls::{self, ALPN, ALPN_BEFORE};

/// Lines are buffered until this many bytes are queued.
const FLUSH_BYTES: usize = 16 * 1024;

/// One end of a control channel.
pub struct Channel {
    tls: BufReader<Tls>,
    queued: Zeroizing<Vec<u8>>,
    bytes_received: u64,
    transcript: Option<Transcribing>,
    many: Option<ManyLines>,
    waker: Option<Arc<Waker>>,
}

/// Lines whose number only their sender knows: the more there are, the longer they may take.
struct ManyLines {
    times: Times,
    began: Instant,
    bytes: u64,
}

/// TLS on either side of the handshake.
enum Tls {
    /// Of the end that connected.
    Client(Box<StreamOwned<ClientConnection, DeadlineSocket>>),
    /// Of the end that listens.
    Server(Box<StreamOwned<ServerConnection, DeadlineSocket>>),
}

/// The same expression for both sides.
macro_rules! either {
    ($tls:expr, $side:ident => $do:expr) => {
        match $tls {
            Tls::Client($side) => $do,
            Tls::Server($side) => $do,
        }
    };
}

impl Tls {
    fn common(&self) -> &CommonState {
        either!(self, tls => &tls.conn)
    }

    fn socket(&self) -> &DeadlineSocket {
        either!(self, tls => &tls.sock)
    }

    fn socket_mut(&mut self) -> &mut DeadlineSocket {
        either!(self, tls => &mut tls.sock)
    }
}

impl Read for Tls {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        either!(self, tls => tls.read(into))
    }
}

impl Write for Tls {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        either!(self, tls => tls.write(from))
    }

    fn flush(&mut self) -> io::Result<()> {
        either!(self, tls => tls.flush())
    }
}

impl Channel {
    /// Connects: completes a handshake with the owner of that key, within `time` from now.
    pub fn connect(socket: TcpStream, key: KeyHash, time: Duration) -> Result<Self, Error> {
        let peer = socket.peer_addr().map_or_else(|_| "the other end".into(), |peer| peer.to_string());
        let name = ServerName::try_from(NAME).expect("a name");
        let connection = ClientConnection::new(tls::client(key, ALPN)?, name)
            .map_err(|why| Error::Tls { peer: peer.clone(), why })?;
        let tls = complete_handshake(StreamOwned::new(connection, DeadlineSocket::new(socket, time)), &[ALPN], &peer)?;
        Ok(Self::over(Tls::Client(Box::new(tls))))
    }

    /// Listens: completes a handshake with any peer, within the socket's time limit, which applies until
    /// [`Channel::set_time_limit`].
    pub fn accept(timed: DeadlineSocket, identity: &Identity) -> Result<Self, Error> {
        let peer = timed.socket.peer_addr().map_or_else(|_| "the other end".into(), |peer| peer.to_string());
        let [before, earlier] = ALPN_BEFORE;
        let alpn = [ALPN, before, earlier];
        let connection = ServerConnection::new(tls::server(identity, &alpn)?)
            .map_err(|why| Error::Tls { peer: peer.clone(), why })?;
        let tls = complete_handshake(StreamOwned::new(connection, timed), &alpn, &peer)?;
        Ok(Self::over(Tls::Server(Box::new(tls))))
    }

    fn over(tls: Tls) -> Self {
        let transcript = Some(Transcribing::new());
        // A vector that grows would leave secrets behind in memory that it has given back.
        let queued = Zeroizing::new(Vec::with_capacity(FLUSH_BYTES + MAX_MESSAGE));
        Self { tls: BufReader::new(tls), queued, bytes_received: 0, transcript, many: None, waker: None }
    }

    /// The other end's address.
    pub fn peer(&self) -> Result<SocketAddr, Error> {
        self.tls.get_ref().socket().socket.peer_addr().map_err(|why| Error::lost("looking at a connection", why))
    }

    /// Whether the other end speaks this version of the wire format; if not, it must be refused.
    pub fn is_current(&self) -> bool {
        self.tls.get_ref().common().alpn_protocol() == Some(ALPN)
    }

    /// The key exchange and the cipher suite of the handshake, by their names in the TLS registry.
    pub fn agreed(&self) -> String {
        let connection = self.tls.get_ref().common();
        let exchange = connection.negotiated_key_exchange_group().map(|group| format!("{:?}", group.name()));
        let suite = connection.negotiated_cipher_suite().map(|suite| format!("{:?}", suite.suite()));
        [exchange, suite].into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    /// Bytes of all lines received so far.
    pub fn bytes_received(&self) -> u64 {
        self.bytes_received
    }

    /// Sets the time limit for what follows; `None`: no limit.
    pub fn set_time_limit(&mut self, time: Option<Duration>) {
        self.many = None;
        self.tls.get_mut().socket_mut().set_time_limit(time);
    }

    /// What follows are many lines, to send or to receive, which must go at the minimum rate of a data connection.
    pub(crate) fn expect_many_lines(&mut self, times: Times) {
        self.many = Some(ManyLines { times, began: Instant::now(), bytes: 0 });
    }

    /// Counts bytes of lines, and limits the time for the next ones.
    fn count_lines(&mut self, bytes: usize) {
        let Some(many) = &mut self.many else { return };
        many.bytes += bytes as u64;
        let left = many.times.for_lines(many.bytes).saturating_sub(many.began.elapsed());
        self.tls.get_mut().socket_mut().set_time_limit(Some(left));
    }

    /// That the other end is gone shows within `time`, even while nothing is due.
    pub(crate) fn notice_loss_within(&self, time: Duration) -> Result<(), Error> {
        let set = keep_alive(&self.tls.get_ref().socket().socket, time);
        set.map_err(|why| Error::lost("preparing a connection", why))
    }

    /// Queues a message; [`Self::flush`] sends it at the latest.
    pub fn send(&mut self, message: &impl Serialize) -> Result<(), Error> {
        let before = self.queued.len();
        write_message(message, &mut self.queued)?;
        if let Some(transcript) = &mut self.transcript {
            transcript.add(&self.queued[before..]);
        }
        if self.queued.len() >= FLUSH_BYTES { self.flush() } else { Ok(()) }
    }

    /// Sends everything that is queued.
    pub fn flush(&mut self) -> Result<(), Error> {
        self.count_lines(self.queued.len());
        let tls = self.tls.get_mut();
        let sent = tls.write_all(&self.queued).and_then(|()| tls.flush());
        self.queued.as_mut_slice().zeroize();
        self.queued.clear();
        sent.map_err(|error| Error::lost("sending to the other end", error))
    }

    /// The other end's next message. A line that is too long is refused before it is stored.
    pub fn receive<T: DeserializeOwned>(&mut self) -> Result<T, Error> {
        let mut line = Zeroizing::new(Vec::new());
        self.count_lines(0);
        read_line(&mut self.tls, &mut line)?;
        self.count_lines(line.len());
        self.bytes_received += line.len() as u64;
        if let Some(transcript) = &mut self.transcript {
            transcript.add(&line);
        }
        parse_message(&line)
    }

    /// The hash of all lines so far, in the order in which they were sent and received. It can be taken once.
    ///
    /// # Panics
    /// On the second call.
    pub fn transcript(&mut self) -> Transcript {
        self.transcript.take().expect("one transcript a channel").finish()
    }

    /// The secrets of this attempt, known to both ends and to no other party. `opener` is the end that opens its data
    /// connections: the one that connected.
    pub fn keys(&self, transfer: TransferId, attempt: Attempt, opener: Opener) -> Result<AttemptKeys, Error> {
        let export = |label| {
            let context = AttemptKeys::context(transfer, attempt);
            let mut secret = Zeroizing::new([0; 32]);
            let exported = either!(self.tls.get_ref(), tls => {
                tls.conn.export_keying_material(&mut *secret, label, Some(&context))
            });
            exported.map_err(|why| Error::Tls { peer: "the other end".into(), why })?;
            Ok::<_, Error>(Exported::new(*secret))
        };
        Ok(AttemptKeys { transfer, attempt, data: export(DATA_LABEL)?, hello: export(opener.hello_label())? })
    }

    /// A second handle of the socket, to end a wait in [`Self::receive`] from another thread.
    pub fn waker(&self) -> Result<Waker, Error> {
        let socket = self.tls.get_ref().socket().socket.try_clone();
        socket.map(Waker).map_err(|why| Error::lost("sharing a socket", why))
    }

    /// The same for as long as this channel lives: the handle keeps no connection open that its owner has dropped.
    pub(crate) fn weak_waker(&mut self) -> Weak<Waker> {
        if self.waker.is_none() {
            self.waker = self.waker().ok().map(Arc::new);
        }
        self.waker.as_ref().map_or_else(Weak::new, Arc::downgrade)
    }
}

/// Completes a handshake within the socket's time limit, with a peer that names one of these protocols.
pub(crate) fn complete_handshake<C, S>(
    mut tls: StreamOwned<C, DeadlineSocket>,
    alpn: &[&[u8]],
    peer: &str,
) -> Result<StreamOwned<C, DeadlineSocket>, Error>
where
    C: DerefMut<Target = ConnectionCommon<S>>,
    S: SideData,
{
    let lost = |why| Error::lost("performing the handshake", why);
    tls.sock.socket.set_nodelay(true).map_err(lost)?;
    keep_alive(&tls.sock.socket, Times::default().reply).map_err(lost)?;
    while tls.conn.is_handshaking() {
        tls.conn.complete_io(&mut tls.sock).map_err(|error| match error.get_ref().and_then(|e| e.downcast_ref()) {
            Some(why) => tls::failed(peer, why),
            None => lost(error),
        })?;
    }
    // rustls refuses a wrong protocol, but accepts a peer that names none.
    match tls.conn.alpn_protocol() {
        Some(named) if alpn.contains(&named) => Ok(tls),
        _ => Err(tls::failed(peer, &rustls::Error::NoApplicationProtocol)),
    }
}

/// Has the system ask whether the other end is there, so that a wait without a deadline ends, too, when it is gone for so
/// long.
fn keep_alive(socket: &TcpStream, time: Duration) -> io::Result<()> {
    let least = Duration::from_secs(1);
    let interval = (time / 10).max(least);
    let alive = TcpKeepalive::new().with_time((time / 2).max(least)).with_interval(interval).with_retries(5);
    SockRef::from(socket).set_tcp_keepalive(&alive)
}

/// Ends a wait for the other end from another thread.
pub struct Waker(TcpStream);

impl Waker {
    /// The pending read fails; buffered messages can still be sent.
    pub fn wake(&self) {
        let _ = self.0.shutdown(Shutdown::Read);
    }

    /// Whether the other end is there and has said nothing that is not read yet. A peer that has vanished is noticed by
    /// TCP's keepalive.
    pub fn is_quiet(&self) -> bool {
        recv(&self.0, &mut [0_u8; 1], RecvFlags::PEEK | RecvFlags::DONTWAIT) == Err(Errno::AGAIN)
    }

    /// Ends both directions.
    pub fn cut(&self) {
        let _ = self.0.shutdown(Shutdown::Both);
    }
}
