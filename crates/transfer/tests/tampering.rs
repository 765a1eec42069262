//! An attacker changes data connections on the way: no file ever appears with wrong bytes.

use std::fs;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::common::tampering_proxy::{Frames, TamperingProxy};
use crate::common::{bytes, names, receive_options, receiving, run_cases, send_options, send_paths, short_times};
use ciphermeter_transfer::{
    CHUNK, Error, FrameReader, HEADER, HELLO, ReceiveOptions, Report, SendOptions, Suite, Times,
};

/// Bytes of the files that are sent: two chunks, two chunks of the same lengths, one, none.
const FILES: [(&str, usize); 4] = [("a", CHUNK + 1000), ("b", CHUNK + 1000), ("c", 500), ("d", 0)];
/// The frames of one stream: the hello; head, two chunks; head, two chunks; head, chunk; head, empty chunk; end.
const FRAMES: usize = 12;
/// What two streams send: two files of the same length, each so short that it is one piece, so that what is exchanged fits.
const FILES_OF_TWO: [(&str, usize); 4] = [("a", CHUNK / 2 - 1000), ("b", CHUNK / 2 - 1000), ("c", 500), ("d", 0)];
/// The frames of two streams together: a hello and an end of each; of four pieces a head and a chunk each.
const FRAMES_OF_TWO: usize = 12;

/// The result of a transfer: the report of the attempt that succeeded, or both ends' errors.
type BothEnds = Result<Report, Box<(Error, Error)>>;

/// Sends the files past an attacker that changes the first attempt, and checks that nothing wrong appears.
fn send_past_proxy(
    what: &str,
    streams: u16,
    suite: Suite,
    tamper: impl Fn(&mut [Frames]) + Send + Sync + 'static,
) -> BothEnds {
    send_past_attacker(what, streams, suite, (1, patient()), tamper)
}

/// A connection that isn't missing may be as late as a busy machine makes it.
fn patient() -> Times {
    let hour = Duration::from_secs(3600);
    Times { authentication: hour, window: hour, ..Times::default() }
}

/// The same with an attacker that changes so many attempts, and a receiver that waits so long.
fn send_past_attacker(
    what: &str,
    streams: u16,
    suite: Suite,
    (attempts, times): (u32, Times),
    tamper: impl Fn(&mut [Frames]) + Send + Sync + 'static,
) -> BothEnds {
    let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let content = |name: &str, size| [name.as_bytes(), &bytes(size)[name.len().min(size)..]].concat();
    let files = if streams == 1 { FILES } else { FILES_OF_TWO };
    let contents = files.map(|(name, size)| (name, if size > 0 { content(name, size) } else { Vec::new() }));
    let write = |(name, content): &(&str, Vec<u8>)| {
        let path = from.path().join(name);
        fs::write(&path, content).unwrap();
        path
    };
    let paths: Vec<PathBuf> = contents.iter().map(write).collect();
    let receiving = receiving(ReceiveOptions { times, ..receive_options(Some(to.path())) }, true);
    let tampering_proxy = TamperingProxy::before(receiving.address, streams.into(), move |attempt, all| {
        if attempt <= attempts {
            tamper(all);
        }
    });
    let mut ticket = receiving.ticket.clone();
    ticket.addresses = vec![tampering_proxy.address.to_string()];
    let patience = Duration::from_secs(10);
    // Two streams are slowed down, so that both get some work.
    let limit = (streams > 1).then_some(2 << 20);
    let options = SendOptions { streams, limit, wanted: Some(suite), patience, ..send_options() };
    let sent = send_paths(&ticket, &paths, &options);
    // The sender has finished; a receiver that still waits for it ends after its patience.
    let received = receiving.ended();
    let there: Vec<String> = names(to.path()).into_iter().filter(|name| !name.starts_with(".ciphermeter-")).collect();
    for (name, content) in &contents {
        let path = to.path().join(name);
        assert!(!path.exists() || fs::read(&path).unwrap() == *content, "{what}: {name} is wrong");
    }
    match (sent, received) {
        (Ok(sent), Ok(received)) => {
            assert_eq!((there.len(), sent.files, received.files), (4, 4, 4), "{what}");
            assert_eq!(sent.attempt, received.attempt, "{what}");
            Ok(sent)
        }
        (Err(sent), Err(received)) => {
            assert!(there.is_empty(), "{what}: {there:?} in spite of {received}");
            let text = format!("{sent} {received}");
            assert!(!text.contains("please report"), "{what}: {text}");
            Err(Box::new((sent, received)))
        }
        (sent, received) => panic!("{what}: the ends disagree: {sent:?}, {received:?}"),
    }
}

/// The same with two streams whose first pieces have the same length. On a busy machine one of them may take all of those: then all is
/// sent again, untouched.
fn send_in_two_streams(
    what: &str,
    suite: Suite,
    tamper: impl Fn(&mut [Frames]) + Clone + Send + Sync + 'static,
) -> BothEnds {
    for _ in 0..20 {
        let is_split = Arc::new(AtomicBool::new(false));
        let (seen, tamper) = (is_split.clone(), tamper.clone());
        let ended = send_past_proxy(what, 2, suite, move |all| {
            // Hello, head, chunk and end at least.
            if all.len() == 2 && all.iter().all(|frames| frames.len() > 3) && all[0][2].len() == all[1][2].len() {
                seen.store(true, Ordering::Relaxed);
                tamper(all);
            }
        });
        if is_split.load(Ordering::Relaxed) {
            return ended;
        }
    }
    panic!("{what}: in twenty transfers one stream took all");
}

/// Both suites in turn.
fn suite(number: usize) -> Suite {
    Suite::ALL[number % 2]
}

/// The change is noticed: the attempt failed, for good or until the next.
fn assert_noticed(what: &str, ended: &BothEnds) {
    match ended {
        Ok(report) => assert!(report.attempt > 1, "{what}: not noticed"),
        Err(errors) => {
            let received = &errors.1;
            let expected = matches!(received, Error::Forged | Error::Frame(_) | Error::Message(_));
            assert!(expected, "{what}: {received}");
        }
    }
}

#[test]
fn untouched_transfer_succeeds_at_once() {
    let alone = |all: &mut [Frames]| assert_eq!((all.len(), all[0].len()), (1, FRAMES));
    assert_eq!(send_past_proxy("untouched", 1, suite(0), alone).unwrap().attempt, 1);
    let two = |all: &mut [Frames]| assert_eq!(all.iter().map(Vec::len).sum::<usize>(), FRAMES_OF_TWO);
    assert_eq!(send_in_two_streams("untouched", suite(0), two).unwrap().attempt, 1);
}

#[test]
fn flipped_bit_in_a_frame_is_noticed() {
    // All of the header, and of the sealed text the first byte, one within, the tag's first and the last.
    let header = (0..HEADER * 8).map(|bit| (bit / 8, bit % 8));
    let mut cases = Vec::new();
    for frame in 1..FRAMES {
        cases.extend(header.clone().map(|(byte, bit)| (frame, byte, bit)));
        for byte in [HEADER, HEADER + 7, usize::MAX - 15, usize::MAX] {
            cases.push((frame, byte, byte % 8));
        }
    }
    run_cases(cases.into_iter().enumerate().collect(), |(number, (frame, byte, bit))| {
        let what = format!("bit {bit} of byte {byte} of frame {frame}");
        let ended = send_past_proxy(&what, 1, suite(number), move |all| {
            let frame = &mut all[0][frame];
            // The tag is counted from the end.
            let byte = if byte > 1 << 32 { frame.len() - 1 - (usize::MAX - byte) } else { byte };
            frame[byte] ^= 1 << bit;
        });
        assert_noticed(&what, &ended);
    });
}

#[test]
fn flipped_bit_in_a_hello_is_noticed() {
    // A connection that is not admitted is a missing one: the next attempt succeeds.
    run_cases((0..HELLO).step_by(3).chain([4, 5]).collect(), |byte| {
        let what = format!("hello's byte {byte}");
        let ended = send_past_attacker(&what, 1, suite(byte), (1, short_times()), move |all| {
            all[0][0][byte] ^= 1 << (byte % 8)
        });
        // On a busy machine an untouched one may be late, too.
        assert!(ended.unwrap().attempt >= 2);
    });
}

#[test]
fn frames_cannot_be_dropped_repeated_or_swapped() {
    type Change = (&'static str, fn(&mut Frames, usize));
    const CHANGES: [Change; 4] = [
        ("dropped", |frames, at| drop(frames.remove(at))),
        ("repeated", |frames, at| frames.insert(at, frames[at].clone())),
        ("swapped with the next", |frames, at| {
            let next = (at + 1) % FRAMES;
            frames.swap(at, next.max(1));
        }),
        ("moved to the front", |frames, at| {
            let frame = frames.remove(at);
            frames.insert(if at == 1 { 2 } else { 1 }, frame);
        }),
    ];
    let cases = (1..FRAMES).flat_map(|frame| CHANGES.into_iter().map(move |change| (frame, change)));
    run_cases(cases.enumerate().collect(), |(number, (frame, (how, change)))| {
        let what = format!("frame {frame} {how}");
        let ended = send_past_proxy(&what, 1, suite(number), move |all| change(&mut all[0], frame));
        assert_noticed(&what, &ended);
    });
}

/// Frames of `a` and `b` have the same lengths and the same places in their pieces.
#[test]
fn frames_of_another_file_do_not_open() {
    let cases = vec![
        ("heads", vec![(1, 4)]),
        ("first chunks", vec![(2, 5)]),
        ("last chunks", vec![(3, 6)]),
        ("whole pieces", vec![(1, 4), (2, 5), (3, 6)]),
        ("contents of pieces", vec![(2, 5), (3, 6)]),
    ];
    run_cases(cases.into_iter().enumerate().collect(), |(number, (what, swaps))| {
        let ended = send_past_proxy(what, 1, suite(number), move |all| {
            for (a, b) in &swaps {
                assert_eq!(all[0][*a].len(), all[0][*b].len());
                all[0].swap(*a, *b);
            }
        });
        assert_eq!(ended.unwrap_or_else(|why| panic!("{what}: {why:?}")).attempt, 2, "{what}");
    });
}

/// A line that flips bits, or an attacker that guesses: three attempts are forgiven, the fourth is not.
#[test]
fn damage_that_lasts_ends_the_transfer() {
    let cases = vec![(1, Some(2)), (3, Some(4)), (4, None)];
    run_cases(cases.into_iter().enumerate().collect(), |(number, (attempts, arrives))| {
        let what = format!("{attempts} attempts changed");
        let ended = send_past_attacker(&what, 1, suite(number), (attempts, patient()), |all| {
            let last = all[0][2].len() - 1;
            all[0][2][last] ^= 1;
        });
        match arrives {
            Some(attempt) => {
                assert_eq!(ended.unwrap_or_else(|why| panic!("{what}: {why:?}")).attempt, attempt, "{what}")
            }
            None => assert!(
                matches!(ended.as_ref().map_err(|errors| &**errors), Err((Error::BrokeOff(_), Error::Forged))),
                "{what}: {ended:?}"
            ),
        }
    });
}

#[test]
fn frames_of_another_stream_do_not_open() {
    type Change = (&'static str, fn(&mut Frames, &mut Frames));
    let changes: Vec<Change> = vec![
        ("heads", |a, b| std::mem::swap(&mut a[1], &mut b[1])),
        ("first chunks", |a, b| std::mem::swap(&mut a[2], &mut b[2])),
        ("ends", |a, b| std::mem::swap(a.last_mut().unwrap(), b.last_mut().unwrap())),
        ("the hellos", |a, b| std::mem::swap(&mut a[0], &mut b[0])),
        ("a piece moved", |a, b| {
            let piece: Vec<_> = a.drain(1..3).collect();
            b.splice(1..1, piece);
        }),
    ];
    run_cases(changes.into_iter().enumerate().collect(), |(number, (what, change))| {
        let ended = send_in_two_streams(what, suite(number), move |all| {
            let [a, b] = all else { panic!("two streams") };
            change(a, b);
        });
        assert_noticed(what, &ended);
    });
}

#[test]
fn truncated_stream_is_sent_again() {
    let mut cases = Vec::new();
    for frame in 1..FRAMES {
        cases.extend([(frame, 0), (frame, 1), (frame, HEADER), (frame, HEADER + 15)]);
    }
    cases.extend([(0, 0), (0, 3), (0, HELLO - 1)]);
    run_cases(cases, |(frame, within)| {
        let what = format!("cut {within} bytes into frame {frame}");
        // Without its whole hello it is missing, as another may be then on a busy machine.
        let is_missing = frame == 0;
        let times = if is_missing { short_times() } else { patient() };
        let ended = send_past_attacker(&what, 1, suite(frame), (1, times), move |all| {
            all[0].truncate(frame + 1);
            all[0][frame].truncate(within);
        });
        let attempt = ended.unwrap_or_else(|why| panic!("{what}: {why:?}")).attempt;
        assert!(attempt == 2 || is_missing && attempt > 2, "{what}: {attempt}");
    });
}

#[test]
fn data_after_the_end_is_refused() {
    let after: [&[u8]; 4] = [&[0], &[3, 0, 0, 0, 16], &[0xff; 100], &[2, 0, 0, 0, 16]];
    for (number, after) in after.into_iter().enumerate() {
        let ended = send_past_attacker("more after the end", 1, suite(number), (4, patient()), move |all| {
            all[0].push(after.to_vec())
        });
        let received = &ended.unwrap_err().1;
        assert!(matches!(received, Error::Frame("data after the stream's end")), "{received}");
    }
}

const LENGTHS: [u32; 4] = [0, 15, CHUNK as u32 + 17, u32::MAX];

#[test]
fn impossible_lengths_are_refused() {
    let cases = (1..FRAMES).flat_map(|frame| LENGTHS.map(|length| (frame, length))).collect();
    run_cases(cases, |(frame, length)| {
        let what = format!("length {length} in frame {frame}");
        let ended = send_past_attacker(&what, 1, suite(frame), (4, patient()), move |all| {
            // What came before is not sent again.
            let frame = frame.min(all[0].len() - 1);
            all[0][frame][1..HEADER].copy_from_slice(&length.to_be_bytes());
        });
        match ended {
            // All that was before the last frames is here, so the next attempt may have none to change.
            Ok(report) => assert!(frame >= FRAMES - 2 && report.attempt > 1, "{length} in frame {frame}"),
            Err(errors) => assert!(matches!(errors.1, Error::Frame(_)), "{length} in frame {frame}: {}", errors.1),
        }
    });
}

/// An endless sender that counts the bytes taken from it.
struct Counting {
    header: [u8; HEADER],
    taken: usize,
}

impl Read for Counting {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        into.fill(0);
        if self.taken == 0 {
            into[..HEADER].copy_from_slice(&self.header);
        }
        self.taken += into.len();
        Ok(into.len())
    }
}

#[test]
fn impossible_length_is_refused_before_its_bytes_are_read() {
    for length in LENGTHS {
        let [a, b, c, d] = length.to_be_bytes();
        let mut counting = Counting { header: [2, a, b, c, d], taken: 0 };
        let mut reader = FrameReader::new(&mut counting);
        assert!(matches!(reader.header(), Err(Error::Frame(_))));
        drop(reader);
        assert!(counting.taken <= 64 * 1024, "{length}: {} bytes", counting.taken);
    }
}
