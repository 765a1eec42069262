//! Streams of unknown length, and one file, from pipe to pipe.

use std::fs::{self, File};
use std::io::{self, Read, Write, pipe};
use std::os::unix::fs::FileExt;
use std::thread;
use std::time::Duration;

use crate::common::tampering_proxy::{Frames, TamperingProxy};
use crate::common::{FixedAnswer, Receiving, bytes, plain, receive_options, receiving_for, send_options, send_paths};
use ciphermeter_transfer::{
    Error, FrameKind, Progress, ReceiveOptions, Receiver, Report, SendOptions, Ticket, Times, send_stream,
};

/// A receiver that writes to a pipe, and what comes out of that.
fn receiving(options: ReceiveOptions) -> (Receiving, thread::JoinHandle<Vec<u8>>) {
    let (mut from, to) = pipe().unwrap();
    let receiver = Receiver::listen_for_pipe(options, to).unwrap();
    let read = thread::spawn(move || {
        let mut all = Vec::new();
        from.read_to_end(&mut all).unwrap();
        all
    });
    (receiving_for(receiver, FixedAnswer(true)), read)
}

fn sends(ticket: &Ticket, input: impl Read + Send + 'static) -> Result<Report, Error> {
    send_stream(ticket, input, &send_options(), &Progress::default())
}

/// An input that yields these portions, each after a pause, then fails or ends.
struct Portions {
    bytes: Vec<u8>,
    sizes: Vec<usize>,
    pause: Duration,
    fails: bool,
}

impl Read for Portions {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        thread::sleep(self.pause);
        let size = self.sizes.pop().unwrap_or(usize::MAX).min(into.len()).min(self.bytes.len());
        if size == 0 && self.fails {
            return Err(io::Error::other("the input broke"));
        }
        into[..size].copy_from_slice(&self.bytes[..size]);
        self.bytes.drain(..size);
        Ok(size)
    }
}

fn at_once(bytes: &[u8]) -> io::Cursor<Vec<u8>> {
    io::Cursor::new(bytes.to_vec())
}

fn is_incomplete(received: Result<Report, Error>) -> String {
    let error = received.expect_err("an error");
    assert!(matches!(error, Error::Incomplete(_)) && !error.may_resume(), "{error:?}");
    assert!(error.to_string().ends_with("the stream is incomplete: do not use what was written"), "{error}");
    error.to_string()
}

#[test]
fn stream_arrives_whole() {
    for size in [0, 1, 65_536, 1 << 20, (1 << 20) + 1, 30_000_000] {
        let all = bytes(size);
        let (receiving, read) = receiving(receive_options(None));
        let sent = sends(&receiving.ticket, at_once(&all)).unwrap();
        let received = receiving.ended().unwrap();
        for report in [&sent, &received] {
            assert!(report.stream && report.piped && report.streams == 1, "{report:?}");
            assert_eq!((report.files, report.bytes), (1, size as u64));
        }
        assert!(read.join().unwrap() == all, "{size}");
    }
}

#[test]
fn portions_of_any_size_arrive_in_order() {
    let all = bytes(9_000_000);
    let mut state = 7_u32;
    let sizes = (0..200).map(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        1 + (state >> (12 + state % 16)) as usize % 90_000
    });
    let input = Portions { bytes: all.clone(), sizes: sizes.collect(), pause: Duration::ZERO, fails: false };
    let (receiving, read) = receiving(receive_options(None));
    sends(&receiving.ticket, input).unwrap();
    receiving.ended().unwrap();
    assert!(read.join().unwrap() == all);
}

/// Each pause is longer than the window in which a file must bring bytes.
#[test]
fn producer_and_consumer_may_pause() {
    let [window, life, pause] = [2000, 100, 3000].map(Duration::from_millis);
    let times = Times { window, life, ..Times::default() };
    let options = SendOptions { times, ..send_options() };
    let input = Portions { bytes: vec![5], sizes: vec![1], pause, fails: false };
    let (slow, read) = receiving(ReceiveOptions { times, ..receive_options(None) });
    let slow_producer = thread::spawn({
        let options = options.clone();
        move || {
            send_stream(&slow.ticket, input, &options, &Progress::default()).unwrap();
            slow.ended().unwrap();
            assert_eq!(read.join().unwrap(), [5]);
        }
    });
    let all = bytes(24 << 20);
    let (mut from, to) = pipe().unwrap();
    let receiver = Receiver::listen_for_pipe(ReceiveOptions { times, ..receive_options(None) }, to).unwrap();
    let slow = receiving_for(receiver, FixedAnswer(true));
    let read = thread::spawn(move || {
        thread::sleep(pause);
        let mut all = Vec::new();
        from.read_to_end(&mut all).map(|_| all)
    });
    send_stream(&slow.ticket, at_once(&all), &options, &Progress::default()).unwrap();
    slow.ended().unwrap();
    assert!(read.join().unwrap().unwrap() == all);
    slow_producer.join().unwrap();
}

#[test]
fn byte_does_not_wait_for_others() {
    let (mut from, to) = pipe().unwrap();
    let (input, mut produced) = pipe().unwrap();
    let receiver = Receiver::listen_for_pipe(receive_options(None), to).unwrap();
    let receiving = receiving_for(receiver, FixedAnswer(true));
    let ticket = receiving.ticket.clone();
    let sender = thread::spawn(move || sends(&ticket, input));
    for byte in 0..5 {
        produced.write_all(&[byte]).unwrap();
        let mut came = [9];
        // It hangs if the byte waits for the next one.
        from.read_exact(&mut came).unwrap();
        assert_eq!(came, [byte]);
    }
    drop(produced);
    sender.join().unwrap().unwrap();
    receiving.ended().unwrap();
}

#[test]
fn failing_input_ends_both_ends_with_its_reason() {
    let input = Portions { bytes: bytes(100_000), sizes: Vec::new(), pause: Duration::ZERO, fails: true };
    let (receiving, read) = receiving(receive_options(None));
    let error = sends(&receiving.ticket, input).unwrap_err().to_string();
    assert!(error.contains("the input broke") && error.contains("not resumed"), "{error}");
    let error = is_incomplete(receiving.ended());
    assert!(error.contains("what it sends cannot be read to its end: the input broke"), "{error}");
    // The reason may overtake the bytes.
    assert!(bytes(100_000).starts_with(&read.join().unwrap()));
}

#[test]
fn closed_output_ends_both_ends() {
    let (from, to) = pipe().unwrap();
    drop(from);
    let receiver = Receiver::listen_for_pipe(receive_options(None), to).unwrap();
    let receiving = receiving_for(receiver, FixedAnswer(true));
    let error = sends(&receiving.ticket, io::repeat(7)).unwrap_err().to_string();
    assert!(error.contains("the program that reads from the receiver has ended"), "{error}");
    assert!(is_incomplete(receiving.ended()).contains("standard output was closed"));
}

/// Sends 300,000 bytes in one piece through a network that does this with the frames.
fn tampered(tamper: impl Fn(&mut Frames) + Send + Sync + 'static) -> (String, Vec<u8>) {
    let (receiving, read) = receiving(receive_options(None));
    let proxy = TamperingProxy::before(receiving.address, 1, move |_, all| tamper(&mut all[0]));
    let ticket = Ticket { addresses: vec![proxy.address.to_string()], ..receiving.ticket.clone() };
    let sent = sends(&ticket, at_once(&bytes(300_000)));
    assert!(matches!(sent, Err(Error::StreamEnded(_))), "{sent:?}");
    let error = is_incomplete(receiving.ended());
    (error, read.join().unwrap())
}

#[test]
fn stream_without_its_authentic_end_is_no_success() {
    let kind = |frame: &[u8]| frame[0];
    let (error, written) = tampered(move |frames| {
        assert_eq!(kind(frames.last().unwrap()), FrameKind::End as u8);
        frames.pop();
    });
    assert!(error.contains("connection was lost") && written == bytes(300_000), "{error}");
    let (error, _) = tampered(|frames| *frames.last_mut().unwrap().last_mut().unwrap() ^= 1);
    assert!(error.contains("a frame failed authentication"), "{error}");
    let (error, _) = tampered(|frames| frames.push(vec![3, 0, 0, 0, 16]));
    assert!(error.contains("after the stream's end"), "{error}");
    // The first byte of a chunk: nothing of that chunk may come out.
    let (error, written) = tampered(|frames| {
        let data = frames.iter_mut().skip(1).find(|frame| frame[0] == FrameKind::Data as u8).unwrap();
        data[5] ^= 1;
    });
    assert!(error.contains("a frame failed authentication") && written.is_empty(), "{error}");
    // In the middle of a piece.
    let (error, written) = tampered(|frames| frames.truncate(3));
    assert!(error.contains("connection was lost") && written.len() < 300_000, "{error}");
}

#[test]
fn cut_stream_is_not_waited_for() {
    // It would wait longer than a test may take.
    let (receiving, _) = receiving(ReceiveOptions { patience: Duration::from_secs(3600), ..receive_options(None) });
    let proxy = TamperingProxy::before(receiving.address, 1, |_, all| all[0].truncate(2));
    let ticket = Ticket { addresses: vec![proxy.address.to_string()], ..receiving.ticket.clone() };
    sends(&ticket, at_once(&bytes(100_000))).unwrap_err();
    is_incomplete(receiving.ended());
}

#[test]
fn stream_is_refused_where_files_go() {
    let folder = tempfile::tempdir().unwrap();
    for into in [Some(folder.path()), None] {
        let receiving = crate::common::receiving(receive_options(into), true);
        let error = sends(&receiving.ticket, at_once(b"text")).unwrap_err();
        assert!(matches!(plain(error), Error::Refused(why) if why.to_string().contains("ciphermeter recv - > FILE")));
        assert!(plain(receiving.ended().unwrap_err()).to_string().contains("the sender pipes a stream"));
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn one_file_goes_to_a_pipe_with_its_holes() {
    let folder = tempfile::tempdir().unwrap();
    let states = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let file = File::create(&path).unwrap();
    file.write_all_at(&bytes(3_000_000), 40 << 20).unwrap();
    file.set_len((60 << 20) + 5).unwrap();
    let (receiving, read) = receiving(receive_options(None));
    let options = SendOptions { streams: 4, states: Some(states.path().into()), ..send_options() };
    let sent = send_paths(&receiving.ticket, std::slice::from_ref(&path), &options).unwrap();
    let received = receiving.ended().unwrap();
    assert!(sent.piped && !sent.stream && received.piped && !received.stream);
    assert_eq!((sent.streams, sent.bytes), (1, received.bytes));
    assert!(read.join().unwrap() == fs::read(path).unwrap());
    assert_eq!(fs::read_dir(states.path()).unwrap().count(), 0, "there is nothing to resume");
}

#[test]
fn folder_or_several_files_are_refused_by_a_pipe() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a", "b"] {
        fs::write(folder.path().join(name), name).unwrap();
    }
    for paths in [vec![folder.path().to_owned()], vec![folder.path().join("a"), folder.path().join("b")]] {
        let (receiving, read) = receiving(receive_options(None));
        let error = send_paths(&receiving.ticket, &paths, &send_options()).unwrap_err();
        assert!(matches!(plain(error), Error::Refused(why) if why.to_string().contains("one stream or one file")));
        assert!(plain(receiving.ended().unwrap_err()).to_string().contains("one stream or one file"));
        assert!(read.join().unwrap().is_empty());
    }
}

#[test]
fn file_that_changes_on_its_way_to_a_pipe_is_no_success() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    // More than what lies between a sender and a pipe that nobody reads.
    fs::write(&path, bytes(64 << 20)).unwrap();
    let (mut from, to) = pipe().unwrap();
    let receiving = receiving_for(Receiver::listen_for_pipe(receive_options(None), to).unwrap(), FixedAnswer(true));
    let changing = path.clone();
    let read = thread::spawn(move || {
        from.read_exact(&mut [0]).unwrap();
        File::options().append(true).open(changing).unwrap().write_all(b"more").unwrap();
        io::copy(&mut from, &mut io::sink()).unwrap();
    });
    send_paths(&receiving.ticket, &[path], &send_options()).unwrap_err();
    read.join().unwrap();
    assert!(is_incomplete(receiving.ended()).contains("it changed while it was being sent"));
}

#[test]
fn declined_stream_writes_nothing() {
    let (mut from, to) = pipe().unwrap();
    let receiver = Receiver::listen_for_pipe(receive_options(None), to).unwrap();
    let receiving = receiving_for(receiver, FixedAnswer(false));
    assert!(matches!(plain(sends(&receiving.ticket, at_once(b"text")).unwrap_err()), Error::Refused(_)));
    assert!(matches!(receiving.ended(), Err(Error::Declined)));
    let mut all = Vec::new();
    from.read_to_end(&mut all).unwrap();
    assert!(all.is_empty());
}
