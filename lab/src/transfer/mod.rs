//! Transferring files: compared with other programs and with `dd`, memory by the size of the file, and many small files.
//!
//! All take turns, each a process on both sides over loopback, with the same file in the page cache (workers have their
//! own copy). What is not installed is named and omitted.

mod disk;
mod entry;
mod mover;
mod ours;
mod place;
mod rivals;
mod table;
mod workers;

use anyhow::Result;
use ciphermeter_core::Bytes;
use ciphermeter_stats::median;

use crate::binary::Ciphermeter;
use crate::output::{print, print_line};
use entry::Entry;
use mover::{Found, Span, To};
use ours::{Moved, Ours};
use place::Place;

/// Prints all four parts.
pub fn transfer(size: Bytes, rounds: u32, sparse: Bytes, ciphermeter: &Ciphermeter) -> Result<()> {
    let place = Place::new(size)?;
    compared(&place, size, rounds, ciphermeter)?;
    disk::disk(&place, size, rounds, ciphermeter)?;
    memory(&place, sparse, ciphermeter)?;
    small(&place, rounds, ciphermeter)
}

fn compared(place: &Place, size: Bytes, rounds: u32, ciphermeter: &Ciphermeter) -> Result<()> {
    let mut entries = entries(place, size, ciphermeter)?;
    turns(&mut entries, place, rounds)?;
    print(&format!("{size} over loopback, {rounds} rounds in turns\n"))?;
    print(&table::all(&entries, size))
}

/// All entries available here; the reasons for missing ones are printed.
fn entries<'a>(place: &Place, size: Bytes, ciphermeter: &'a Ciphermeter) -> Result<Vec<Entry<'a>>> {
    let mut entries = Vec::new();
    for to in [To::Nowhere, To::File] {
        let ours = ["aes-256-gcm", "chacha20-poly1305"].map(|suite| {
            let ours = Ours::new(ciphermeter, suite);
            Found::new(&format!("ciphermeter {suite}"), Span::Processes, Ok(ours))
        });
        let all = ours.into_iter().chain(workers::all(size, to, ciphermeter)).chain(rivals::all(place, size, to));
        for Found { name, span, mover } in all {
            match mover {
                Ok(mover) => entries.push(Entry { name, to, span, mover, turns: Vec::new() }),
                Err(why) => print_line(&format!("excluded: {name}, {to}: {why:#}"))?,
            }
        }
    }
    Ok(entries)
}

/// Every entry once a round, each round in its own order.
///
/// Not with hyperfine: it makes all turns of one command before those of the next, so a machine whose speed drifts
/// favours one of them, and its figures cannot be paired round by round.
fn turns(entries: &mut [Entry], place: &Place, rounds: u32) -> Result<()> {
    let mut generator = fastrand::Rng::with_seed(1);
    for round in 0..=rounds {
        let mut order: Vec<usize> = (0..entries.len()).collect();
        generator.shuffle(&mut order);
        for number in order {
            place.prepare()?;
            entries[number].turn(place)?;
        }
        if round == 0 {
            // In the first turn each used its files and libraries for the first time.
            entries.iter_mut().for_each(|entry| entry.turns.clear());
        }
    }
    Ok(())
}

/// Memory for a small and for a huge file, which is sparse in holes too short to be skipped: they are read and
/// sealed like other bytes.
fn memory(place: &Place, sparse: Bytes, ciphermeter: &Ciphermeter) -> Result<()> {
    let mib =
        |bytes: Option<u64>| bytes.map_or("unknown".into(), |bytes| format!("{:.1} MiB", bytes as f64 / 1048576.0));
    let mut text = String::from("\nmemory at most            sender    receiver\n");
    for size in [Bytes(50 << 20), sparse] {
        let file = place.sparse(size)?;
        let ours = Ours::new(ciphermeter, "aes-256-gcm");
        let Moved { memory, peer_memory, .. } = ours.move_this(place, &file, To::Nowhere)?;
        text += &format!("{:<20} {:>11} {:>11}\n", format!("{size} discarded"), mib(memory), mib(peer_memory));
    }
    print(&text)
}

fn small(place: &Place, rounds: u32, ciphermeter: &Ciphermeter) -> Result<()> {
    let (files, each) = (1000, Bytes(10 << 10));
    let folder = place.small(files, each)?;
    let mut turns: [Vec<f64>; 3] = [const { Vec::new() }; 3];
    for _ in 0..rounds {
        place.prepare()?;
        let moved = Ours::new(ciphermeter, "aes-256-gcm").move_this(place, &folder, To::File)?;
        for (turns, took) in turns.iter_mut().zip([moved.handshake, moved.authentic, moved.durable]) {
            turns.push(took.as_secs_f64() * 1e3);
        }
    }
    let [handshake, authentic, durable] = turns.map(|mut turns| median(&mut turns).unwrap_or(f64::NAN));
    print(&format!("\n{files} files of {each}, medians of {rounds}:\n"))?;
    print_line(&format!(
        "handshake {handshake:.1} ms, authentic after {authentic:.0} ms, on disk under their names after {durable:.0} ms"
    ))
}
