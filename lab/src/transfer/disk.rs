//! To a disk, until the bytes are there: compared with `dd` and the same sync.

use std::process::Command;
use std::time::Instant;

use anyhow::Result;
use ciphermeter_core::Bytes;
use ciphermeter_stats::median;

use super::mover::To;
use super::ours::Ours;
use super::place::Place;
use super::rivals::process::{done, installed};
use crate::binary::Ciphermeter;
use crate::output::print;

/// Prints the times of both in turns: whole processes, from the start to the end of the sync.
pub fn disk(place: &Place, size: Bytes, rounds: u32, ciphermeter: &Ciphermeter) -> Result<()> {
    let dd = installed("dd")?;
    let ours = Ours::new(ciphermeter, "aes-256-gcm");
    let (mut copies, mut transfers) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        place.prepare()?;
        copies.push(copy(&dd, place)?);
        place.prepare()?;
        transfers.push(ours.move_this(place, &place.file, To::File)?.until_durable.as_secs_f64());
    }
    let mut ratios: Vec<f64> = copies.iter().zip(&transfers).map(|(copy, transfer)| copy / transfer).collect();
    ratios.sort_by(f64::total_cmp);
    let rate = |turns: &mut [f64]| size.0 as f64 / f64::from(1 << 20) / median(turns).unwrap_or(f64::NAN);
    print(&format!(
        "\n{size} until they are on the disk, medians of {rounds} rounds in turns:\n\
         dd bs=1M conv=fsync {:.0} MiB/s, ciphermeter {:.0} MiB/s; ratio {:.2}, from {:.2} to {:.2}\n",
        rate(&mut copies),
        rate(&mut transfers),
        ratios[ratios.len() / 2],
        ratios[0],
        ratios[ratios.len() - 1],
    ))
}

fn copy(dd: &str, place: &Place) -> Result<f64> {
    let mut command = Command::new(dd);
    command.arg(format!("if={}", place.file.display())).arg(format!("of={}", place.into().join("big").display()));
    let began = Instant::now();
    done(command.args(["bs=1M", "conv=fsync", "status=none"]))?;
    Ok(began.elapsed().as_secs_f64())
}
