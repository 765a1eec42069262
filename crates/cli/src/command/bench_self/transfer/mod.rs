//! Moving files: against what else there is, how much memory for how large a file, and many small ones.
//!
//! All take turns, each a process on both sides over loopback, on the same file in the page cache. A turn's time is from the start of the
//! sending process to the receipt; of programs without a receipt, to the end of both. What isn't installed is named and left out.

mod ours;
mod place;
mod rivals;

use std::time::Duration;

use anyhow::Result;
use ciphermeter_core::Bytes;
use ciphermeter_stats::median;

use crate::output;
use ours::{Moved, Ours};
use place::Place;
use rivals::Rival;

/// Where bytes go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum To {
    Nowhere,
    File,
}

/// Prints all three parts.
pub fn transfer(size: Bytes, rounds: u32, sparse: Bytes) -> Result<()> {
    let place = Place::new(size)?;
    compared(&place, size, rounds)?;
    memory(&place, sparse)?;
    small(&place, rounds)
}

/// One way of moving the file, and its turns in seconds.
struct Entry {
    name: String,
    to: To,
    way: Way,
    turns: Vec<f64>,
}

enum Way {
    Ours(Ours),
    Rival(Box<dyn Rival>),
}

impl Entry {
    fn turn(&mut self, place: &Place) -> Result<()> {
        let took = match &mut self.way {
            Way::Ours(ours) => ours.move_file(place, &place.file, self.to)?.until_authentic,
            Way::Rival(rival) => rival.move_file(place, self.to)?,
        };
        self.turns.push(took.as_secs_f64());
        Ok(())
    }
}

fn compared(place: &Place, size: Bytes, rounds: u32) -> Result<()> {
    let mut entries = Vec::new();
    let mut missing = Vec::new();
    for to in [To::Nowhere, To::File] {
        for suite in ["aes-256-gcm", "chacha20-poly1305"] {
            let name = format!("ciphermeter {suite}");
            entries.push(Entry { name, to, way: Way::Ours(Ours::new(suite)), turns: Vec::new() });
        }
        for (name, rival) in rivals::all(place) {
            match rival {
                Ok(rival) => entries.push(Entry { name, to, way: Way::Rival(rival), turns: Vec::new() }),
                Err(why) if to == To::Nowhere => missing.push(format!("{name} is left out: {why:#}\n")),
                Err(_) => {}
            }
        }
    }
    for (name, rival) in rivals::bare(place, size) {
        match rival {
            Ok(rival) => entries.push(Entry { name, to: To::Nowhere, way: Way::Rival(rival), turns: Vec::new() }),
            Err(why) => missing.push(format!("{name} is left out: {why:#}\n")),
        }
    }
    output::print(&missing.concat())?;
    let mut generator = fastrand::Rng::with_seed(1);
    for round in 0..=rounds {
        let mut order: Vec<usize> = (0..entries.len()).collect();
        generator.shuffle(&mut order);
        for number in order {
            entries[number].turn(place)?;
        }
        if round == 0 {
            // The first of each touched its files and libraries for the first time.
            entries.iter_mut().for_each(|entry| entry.turns.clear());
        }
    }
    output::print(&table(&entries, size, rounds))
}

fn table(entries: &[Entry], size: Bytes, rounds: u32) -> String {
    let mut text = format!("{size}, {rounds} rounds in turns; each a process on both sides, until the receipt\n");
    for to in [To::Nowhere, To::File] {
        let title = if to == To::Nowhere { "thrown away" } else { "to a file" };
        text += &format!("{title:<32} {:>7}  {:<15} ciphermeter AES is\n", "MiB/s", "middle half");
        let Some(first) = entries.iter().find(|entry| entry.to == to) else { continue };
        for entry in entries.iter().filter(|entry| entry.to == to) {
            let rate = |time: f64| size.0 as f64 / time / f64::from(1 << 20);
            let mut sorted = entry.turns.clone();
            sorted.sort_by(f64::total_cmp);
            let (fast, slow) = (sorted[sorted.len() / 4], sorted[sorted.len() * 3 / 4]);
            let middle = median(&mut sorted).unwrap_or(f64::NAN);
            // Round by round: what slows the machine down slows both.
            let mut ratios: Vec<f64> = entry.turns.iter().zip(&first.turns).map(|(other, ours)| other / ours).collect();
            let ratio = median(&mut ratios).unwrap_or(f64::NAN);
            let range = format!("{:.0} to {:.0}", rate(slow), rate(fast));
            text += &format!("{:<32} {:>7.0}  {range:<15} {ratio:.2}×\n", entry.name, rate(middle));
        }
    }
    text
}

/// The same memory for a small and for a huge file, which is sparse: its zeros are read and sealed like other bytes.
fn memory(place: &Place, sparse: Bytes) -> Result<()> {
    let mut text = String::from("\nmemory at most            sender    receiver\n");
    for size in [Bytes(50 << 20), sparse] {
        let file = place.sparse(size)?;
        let Moved { memory, peer_memory, .. } = Ours::new("aes-256-gcm").move_file(place, &file, To::Nowhere)?;
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
        let moved = Ours::new("aes-256-gcm").move_file(place, &folder, To::File)?;
        for (turns, took) in turns.iter_mut().zip([moved.handshake, moved.authentic, moved.durable]) {
            turns.push(took.as_secs_f64() * 1e3);
        }
    }
    let [handshake, authentic, durable] = turns.map(|mut turns| median(&mut turns).unwrap_or(f64::NAN));
    output::print(&format!(
        "\n{files} files of {each}, medians of {rounds}: handshake {handshake:.1} ms, authentic after {authentic:.0} ms, on disk under their \
         names after {durable:.0} ms\n"
    ))
}

/// How long anything of this may take before it is given up.
const PATIENCE: Duration = Duration::from_secs(300);
