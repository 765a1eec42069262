//! Sockets that never wait for ever: a deadline until a peer has authenticated, a minimum rate once data flows.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};

/// Below this many bytes a second, over [`Times::window`], a data connection is closed.
pub const MINIMUM_RATE: u64 = 1024;

/// The longest that lines may take in all, however many there are.
pub(crate) const LONGEST: Duration = Duration::from_secs(2 * 3600);
/// How long an end that closes waits for the other's last message, or for the other to take its own.
pub(crate) const LAST_MESSAGE: Duration = Duration::from_secs(2);

/// How long the other end may take, and how often this one records progress. The defaults suit people and real
/// networks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Times {
    /// How long a stranger may take for the handshake and to authenticate.
    pub authentication: Duration,
    /// How long a message that is due may take.
    pub reply: Duration,
    /// The window over which the rate of a data connection is checked; also how long it may be silent, or missing.
    pub window: Duration,
    /// How often received data is made durable and recorded: after a crash at most this much is sent again.
    pub record: Duration,
    /// An end that has nothing else to say says in every such time that it lives.
    pub life: Duration,
}

impl Default for Times {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self {
            authentication: seconds(5),
            reply: seconds(60),
            window: seconds(30),
            record: seconds(1),
            life: seconds(1),
        }
    }
}

impl Times {
    /// The same, for a user with this `patience`: only the time for strangers stays, and is the minimum.
    pub(crate) fn within(self, patience: Duration) -> Self {
        let most = patience.max(self.authentication);
        Self { reply: self.reply.min(most), window: self.window.min(most), ..self }
    }

    /// How long lines of that many bytes may take in all: the minimum rate of a data connection applies to them, too.
    pub(crate) fn for_lines(&self, bytes: u64) -> Duration {
        (self.reply + Duration::from_secs(bytes / MINIMUM_RATE)).min(LONGEST.max(self.reply))
    }

    /// How long the end that connects waits for the handshake: the other one may be busy with a crowd of strangers.
    pub(crate) fn handshake(&self) -> Duration {
        (self.authentication * 4).min(self.reply)
    }
}

/// How long a reader that finds nothing leaves a data connection alone before it waits for more.
///
/// A reader that waits is woken by the next segment. If both ends are on one machine, the sending core does that; on a
/// virtual machine it takes tens of microseconds, in which the core would have sent as much again. After a lull there
/// is more to read at once, without a wake-up (docs/measurements/chunks.txt).
const EMPTY_READ_PAUSE: Duration = Duration::from_micros(20);

/// The other end is slower than the minimum rate.
#[derive(Debug, thiserror::Error)]
#[error("less than {0} bytes a second")]
pub(crate) struct TooSlow(pub(crate) u64);

/// A socket on which everything must be done before a deadline.
pub(crate) struct DeadlineSocket {
    pub(crate) socket: TcpStream,
    until: Option<Instant>,
}

impl DeadlineSocket {
    /// All reads and writes must finish within `time` from now.
    pub(crate) fn new(socket: TcpStream, time: Duration) -> Self {
        Self { socket, until: Some(Instant::now() + time) }
    }

    /// From now on everything must finish within `time`; `None`: no deadline.
    pub(crate) fn set_time_limit(&mut self, time: Option<Duration>) {
        self.until = time.map(|time| Instant::now() + time);
    }

    /// The first byte that arrives, left there to be read; `None` if the stream ends.
    pub(crate) fn peek(&self) -> io::Result<Option<u8>> {
        self.socket.set_read_timeout(self.left().map_err(as_timeout)?)?;
        let mut first = [0];
        Ok((self.socket.peek(&mut first).map_err(as_timeout)? > 0).then_some(first[0]))
    }

    /// The time that is left, as a socket's option needs it: never zero.
    fn left(&self) -> io::Result<Option<Duration>> {
        let Some(until) = self.until else { return Ok(None) };
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(Some(left)) }
    }
}

/// Without a deadline, a socket's own timeout reports `WouldBlock`; people understand `TimedOut`.
fn as_timeout(error: io::Error) -> io::Error {
    if is_timeout(&error) { io::Error::new(io::ErrorKind::TimedOut, "nothing came for too long") } else { error }
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

impl Read for DeadlineSocket {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.socket.set_read_timeout(self.left().map_err(as_timeout)?)?;
        self.socket.read(into).map_err(as_timeout)
    }
}

impl Write for DeadlineSocket {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        self.socket.set_write_timeout(self.left().map_err(as_timeout)?)?;
        self.socket.write(from).map_err(as_timeout)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The rate at which the other end moves bytes while this one waits for it: what this one does meanwhile does not count.
struct MinimumRate {
    window: Duration,
    /// Bytes a second.
    least: u64,
    waited: Duration,
    bytes: u64,
}

impl MinimumRate {
    const fn new(window: Duration) -> Self {
        Self { window, least: MINIMUM_RATE, waited: Duration::ZERO, bytes: 0 }
    }

    /// So many bytes took so long; fails if a window of such waits brought too few.
    fn add(&mut self, waited: Duration, bytes: usize) -> io::Result<()> {
        self.waited += waited;
        self.bytes += bytes as u64;
        if bytes == 0 || self.waited < self.window {
            return Ok(());
        }
        let due = (self.least as f64 * self.waited.as_secs_f64()) as u64;
        let moved = std::mem::take(&mut self.bytes);
        self.waited = Duration::ZERO;
        if moved < due { Err(io::Error::other(TooSlow(self.least))) } else { Ok(()) }
    }
}

/// The reading side of a data connection. It closes a connection that carries less than 1,024 bytes a second, or
/// nothing for a window. Public for the benchmark, whose ceiling reads as transfers do.
pub struct MinimumRateReader<'a> {
    socket: &'a TcpStream,
    rate: MinimumRate,
}

impl<'a> MinimumRateReader<'a> {
    /// Checks the rate over each `window`.
    pub fn new(socket: &'a TcpStream, window: Duration) -> io::Result<Self> {
        socket.set_read_timeout(Some(window))?;
        Ok(Self { socket, rate: MinimumRate::new(window) })
    }

    /// Checks only that something comes in each window: a stream is as slow as what produces it.
    pub(crate) fn without_rate(self) -> Self {
        Self { rate: MinimumRate { least: 0, ..self.rate }, ..self }
    }
}

impl Read for MinimumRateReader<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let began = Instant::now();
        let read = read(self.socket, into).map_err(as_timeout)?;
        self.rate.add(began.elapsed(), read)?;
        Ok(read)
    }
}

/// The writing side of a data connection. It gives up when the other end has taken nothing for a window, or less than
/// 1,024 bytes a second.
///
/// A socket's own timeout does not say that: a write that ends by it after it placed some of the bytes reports those,
/// whenever they went. Waiting in shorter turns bounds the mistake: a silent receiver waits only for so long until the
/// sender comes back, and both should notice a cut at about the same time.
///
/// A receiver that writes to a pipe may take nothing for longer, as long as its control channel is quiet.
pub(crate) struct StallWriter {
    pub(crate) socket: TcpStream,
    rate: MinimumRate,
    is_quiet: Option<Box<dyn Fn() -> bool>>,
}

/// In how many turns a window is waited for.
const TURNS: u32 = 8;

impl StallWriter {
    pub(crate) fn new(socket: TcpStream, window: Duration) -> io::Result<Self> {
        socket.set_write_timeout(Some(window / TURNS))?;
        Ok(Self { socket, rate: MinimumRate::new(window), is_quiet: None })
    }

    /// Waits for as long as the control channel is quiet.
    pub(crate) fn while_quiet(self, is_quiet: impl Fn() -> bool + 'static) -> Self {
        Self { is_quiet: Some(Box::new(is_quiet)), rate: MinimumRate { least: 0, ..self.rate }, ..self }
    }

    fn is_patient(&self, waited: Duration) -> bool {
        match &self.is_quiet {
            Some(is_quiet) => is_quiet(),
            None => waited < self.rate.window,
        }
    }
}

impl Write for StallWriter {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        let began = Instant::now();
        loop {
            match self.socket.write(from) {
                Err(error) if is_timeout(&error) && self.is_patient(began.elapsed()) => {}
                Err(error) => return Err(as_timeout(error)),
                Ok(written) => return self.rate.add(began.elapsed(), written).map(|()| written),
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Reads what is there, or what is there after a lull, or what comes next.
fn read(mut socket: &TcpStream, into: &mut [u8]) -> io::Result<usize> {
    let read_available = |into: &mut [u8]| match recv(socket, into, RecvFlags::DONTWAIT) {
        Err(Errno::WOULDBLOCK) => Ok(None),
        read => Ok::<_, io::Error>(Some(read?.0)),
    };
    if let Some(read) = read_available(into)? {
        return Ok(read);
    }
    thread::sleep(EMPTY_READ_PAUSE);
    match read_available(into)? {
        Some(read) => Ok(read),
        None => socket.read(into),
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    fn pair() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let local = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        (local, listener.accept().unwrap().0)
    }

    #[test]
    fn shortest_window_has_time_for_two_signs_of_life() {
        let times = Times::default().within(Duration::ZERO);
        assert!(2 * times.life < times.window);
    }

    #[test]
    fn deadline_holds_however_busy_the_other_end_is() {
        let (local, mut remote) = pair();
        let trickle = thread::spawn(move || {
            while remote.write_all(b"x").is_ok() {
                thread::sleep(Duration::from_millis(20))
            }
        });
        let mut timed = DeadlineSocket::new(local, Duration::from_millis(200));
        let error = io::copy(&mut timed, &mut io::sink()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        drop(timed);
        trickle.join().unwrap();
    }

    #[test]
    fn trickling_connection_is_closed() {
        let (local, mut remote) = pair();
        let trickle = thread::spawn(move || {
            while remote.write_all(b"x").is_ok() {
                thread::sleep(Duration::from_millis(20))
            }
        });
        let mut reader = MinimumRateReader::new(&local, Duration::from_millis(200)).unwrap();
        let error = Error::lost("reading", io::copy(&mut reader, &mut io::sink()).unwrap_err());
        assert!(matches!(error, Error::TooSlow(MINIMUM_RATE)), "{error}");
        drop(local);
        trickle.join().unwrap();
    }

    /// Takes what is on its way, then waits.
    fn take_slowly(mut from: TcpStream, pause: Duration) {
        let mut some = vec![0; 1 << 20];
        while from.read(&mut some).is_ok_and(|read| read > 0) {
            thread::sleep(pause);
        }
    }

    #[test]
    fn slow_end_is_waited_for() {
        let hour = Duration::from_secs(3600);
        let (local, remote) = pair();
        let turns = local.try_clone().unwrap();
        let mut writer = StallWriter::new(local, hour).unwrap();
        // Shorter than the pauses: it waits in many turns, and no busy machine makes them an hour.
        turns.set_write_timeout(Some(Duration::from_millis(1))).unwrap();
        drop(turns);
        let slow = thread::spawn(move || take_slowly(remote, Duration::from_millis(20)));
        writer.write_all(&vec![0; 16 << 20]).unwrap();
        assert!(writer.is_patient(hour - Duration::from_nanos(1)) && !writer.is_patient(hour));
        drop(writer);
        slow.join().unwrap();
    }

    #[test]
    fn end_that_takes_nothing_is_not_waited_for() {
        let (local, _remote) = pair();
        let mut writer = StallWriter::new(local, Duration::from_millis(400)).unwrap();
        let error = writer.write_all(&vec![0; 16 << 20]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }

    /// No clock: the waits are the test's own.
    #[test]
    fn rate_counts_only_what_was_waited_for_and_each_window_anew() {
        let second = Duration::from_secs(1);
        let mut rate = MinimumRate::new(10 * second);
        for _ in 0..3 {
            (0..9).for_each(|_| rate.add(second, 1).unwrap());
            rate.add(second, 10 * MINIMUM_RATE as usize).unwrap();
        }
        (0..9).for_each(|_| rate.add(second, 1).unwrap());
        assert!(rate.add(second, 1).is_err());
        let mut stream = MinimumRate { least: 0, ..MinimumRate::new(second) };
        stream.add(9 * second, 1).unwrap();
    }

    #[test]
    fn no_deadline_is_longer_than_a_users_patience_but_lines_may_take_longer_by_their_bytes() {
        let seconds = Duration::from_secs;
        for (patience, due) in [(0, 5), (5, 5), (20, 20), (60, 60), (600, 60)] {
            let times = Times::default().within(seconds(patience));
            assert_eq!((times.reply, times.for_lines(0)), (seconds(due), seconds(due)));
            assert_eq!((times.window, times.handshake()), (seconds(due.min(30)), seconds(due.min(20))));
            assert_eq!(times.for_lines(10 * MINIMUM_RATE), seconds(due + 10));
            assert_eq!(times.for_lines(u64::MAX), LONGEST);
        }
    }

    use crate::Error;
}
