//! Moving files: against what else there is, how much memory for how large a file, and many small ones.
//!
//! All take turns, each a process on both sides over loopback, on the same file in the page cache (workers have their own copy). What isn't
//! installed is named and left out.

mod ours;
mod place;
mod rivals;
mod table;
mod workers;

use std::fmt;
use std::time::Duration;

use anyhow::Result;
use ciphermeter_core::Bytes;
use ciphermeter_stats::median;

use crate::args::WorkersOption;
use crate::output;
use ours::{Moved, Ours};
use place::Place;
use table::Entry;

/// Where bytes go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum To {
    Nowhere,
    File,
}

impl fmt::Display for To {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nowhere => "thrown away",
            Self::File => "to a file",
        })
    }
}

/// From when to when a mover's turns last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Span {
    /// From the start of the sending process to the receipt; of programs without a receipt, to the end of both processes.
    Processes,
    /// Between processes that run, from the moment when data might flow to the receipt: the handshake is apart.
    Bytes,
}

/// How long a turn took.
#[derive(Debug, Clone, Copy)]
struct Took {
    time: Duration,
    /// Of that, inside the sender's cipher, where it is known.
    seal: Option<Duration>,
}

impl From<Duration> for Took {
    fn from(time: Duration) -> Self {
        Self { time, seal: None }
    }
}

/// A way of moving the file.
trait Mover {
    /// Moves it once.
    fn move_file(&mut self, place: &Place, to: To) -> Result<Took>;
}

/// A mover, or why there is none.
struct Found {
    name: String,
    span: Span,
    mover: Result<Box<dyn Mover>>,
}

impl Found {
    fn new(name: &str, span: Span, mover: Result<impl Mover + 'static>) -> Self {
        Self { name: name.into(), span, mover: mover.map(|mover| Box::new(mover) as Box<dyn Mover>) }
    }
}

/// Prints all three parts.
pub fn transfer(size: Bytes, rounds: u32, sparse: Bytes, option: &WorkersOption) -> Result<()> {
    let place = Place::new(size)?;
    compared(&place, size, rounds, option)?;
    memory(&place, sparse)?;
    small(&place, rounds)
}

fn compared(place: &Place, size: Bytes, rounds: u32, option: &WorkersOption) -> Result<()> {
    let (mut entries, mut missing) = (Vec::new(), Vec::new());
    for to in [To::Nowhere, To::File] {
        let ours = ["aes-256-gcm", "chacha20-poly1305"];
        let ours = ours.map(|suite| Found::new(&format!("ciphermeter {suite}"), Span::Processes, Ok(Ours::new(suite))));
        let all = ours.into_iter().chain(workers::all(size, to, option)).chain(rivals::all(place, size, to));
        for Found { name, span, mover } in all {
            match mover {
                Ok(mover) => entries.push(Entry { name, to, span, mover, turns: Vec::new() }),
                Err(why) => missing.push(format!("{name}, {to}, is left out: {why:#}\n")),
            }
        }
    }
    output::print(&missing.concat())?;
    let mut generator = fastrand::Rng::with_seed(1);
    for round in 0..=rounds {
        let mut order: Vec<usize> = (0..entries.len()).collect();
        generator.shuffle(&mut order);
        for number in order {
            place.prepare()?;
            entries[number].turn(place)?;
        }
        if round == 0 {
            // The first of each touched its files and libraries for the first time.
            entries.iter_mut().for_each(|entry| entry.turns.clear());
        }
    }
    output::print(&format!("{size} over loopback, {rounds} rounds in turns\n"))?;
    output::print(&table::all(&entries, size))
}

/// The same memory for a small and for a huge file, which is sparse: its zeros are read and sealed like other bytes.
fn memory(place: &Place, sparse: Bytes) -> Result<()> {
    let mut text = String::from("\nmemory at most            sender    receiver\n");
    for size in [Bytes(50 << 20), sparse] {
        let file = place.sparse(size)?;
        let Moved { memory, peer_memory, .. } = Ours::new("aes-256-gcm").move_this(place, &file, To::Nowhere)?;
        let mib =
            |bytes: Option<u64>| bytes.map_or("unknown".into(), |bytes| format!("{:.1} MiB", bytes as f64 / 1048576.0));
        text += &format!("{:<20} {:>11} {:>11}\n", format!("{size} thrown away"), mib(memory), mib(peer_memory));
    }
    output::print(&text)
}

fn small(place: &Place, rounds: u32) -> Result<()> {
    let (files, each) = (1000, Bytes(10 << 10));
    let folder = place.small(files, each)?;
    let mut turns: [Vec<f64>; 3] = [const { Vec::new() }; 3];
    for _ in 0..rounds {
        place.prepare()?;
        let moved = Ours::new("aes-256-gcm").move_this(place, &folder, To::File)?;
        for (turns, took) in turns.iter_mut().zip([moved.handshake, moved.authentic, moved.durable]) {
            turns.push(took.as_secs_f64() * 1e3);
        }
    }
    let [handshake, authentic, durable] = turns.map(|mut turns| median(&mut turns).unwrap_or(f64::NAN));
    output::print(&format!(
        "\n{files} files of {each}, medians of {rounds}:\nhandshake {handshake:.1} ms, authentic after {authentic:.0} ms, on disk under their \
         names after {durable:.0} ms\n"
    ))
}

/// How long a worker may take for one request before it is given up.
const PATIENCE: Duration = Duration::from_secs(300);
