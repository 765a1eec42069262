//! Counters of energy for a run: those that tell something within seconds, and what the machine draws before the load.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, bail};
use ciphermeter_core::{Fact, Kind, Note, Run};
use ciphermeter_host::current::Current;
use ciphermeter_host::energy::{MeterReading, Meters};

/// The idle machine is measured for this part of the budget at the most.
const IDLE: u32 = 4;
/// Looks at the idle machine, at the most.
const LOOKS: u32 = 3;

/// The counters of energy of a run that has use for them, and in its facts what the machine draws before the load. `device` has an
/// external meter.
pub fn meters(run: &mut Run, device: Option<&str>, interrupted: &AtomicBool) -> Result<Meters> {
    let what = match run.scenario.kind {
        Kind::Sustained => "the power of each second",
        Kind::Parallel => "the energy of each way",
        _ => return Ok(Meters { current: device.map(|place| current(run, place)).transpose()?, ..Meters::default() }),
    };
    let meters = find(device)?;
    if meters.found.is_empty() {
        note(run, format!("{what} isn't known: `ciphermeter doctor` says what would measure it"));
        return Ok(meters);
    }
    if let Some(device) = device {
        set(run, Fact::present("power meter", device));
    }
    idle(run, meters, interrupted)
}

/// Whether a meter has a board whose current it can read, of so many that are measured; runs of machines read its energy.
pub fn check_boards(place: &str, boards: usize) -> Result<()> {
    match boards {
        1 => Ok(()),
        0 => bail!(
            "--meter {place}: it measures machines in `run sustained` and `run parallel`, and in other runs the board that it \
             feeds; name that with --device"
        ),
        _ => bail!("--meter {place}: it feeds one board, and {boards} are measured; name one with --device"),
    }
}

/// What reads the current of the board that is measured.
fn current(run: &mut Run, place: &str) -> Result<Current> {
    let meter = Current::open(place).map_err(|why| anyhow!("--meter {place}: {why}"))?;
    set(run, Fact::present("current meter", place));
    Ok(meter)
}

/// What this machine has. An external meter that is named is there, or the run does not begin.
fn find(device: Option<&str>) -> Result<Meters> {
    let mut meters = Meters::find(device);
    let slow = meters.keep_fast();
    let Some(device) = device else { return Ok(meters) };
    if let Some(absent) = meters.absent.iter().find(|absent| absent.source == "serial") {
        bail!("--meter {device}: {}", absent.why);
    }
    if let Some(meter) = slow.iter().find(|meter| meter.is_external()) {
        bail!(
            "--meter {device}: its readings change every {:.1} s or less often, too seldom for figures of seconds; \
             set it to four readings a second or more, in finer steps",
            meter.period().as_secs_f64()
        );
    }
    Ok(meters)
}

/// Measures what the machine draws at rest.
fn idle(run: &mut Run, mut meters: Meters, interrupted: &AtomicBool) -> Result<Meters> {
    let (began, least, budget) = (Instant::now(), MeterReading::least(&meters), run.scenario.budget.duration());
    if least > budget / IDLE {
        let least = least.as_secs_f64();
        note(
            run,
            format!("what the idle machine draws isn't known: measuring it takes {least:.1} s; use a longer --budget"),
        );
        return Ok(meters);
    }
    let mut spent = Vec::new();
    for _ in 0..LOOKS {
        let before = MeterReading::at(&mut meters);
        sleep(least, interrupted);
        if interrupted.load(Ordering::Relaxed) {
            return Ok(meters);
        }
        spent = MeterReading::at(&mut meters).since(&before, &meters);
        // A meter that kept silent for a moment, or whose line came late, is looked at again where the budget has room.
        if spent.iter().all(|spent| spent.watts().is_ok()) || began.elapsed() + least > budget / IDLE {
            break;
        }
    }
    for spent in spent {
        let fact = format!("idle power of the {}", spent.covers);
        match spent.watts() {
            Ok((watts, half)) => set(run, Fact::present(&fact, format!("{watts:.3} W ± {half:.3} ({})", spent.name))),
            Err(why) => {
                note(run, format!("the {fact} isn't known: {why}"));
                set(run, Fact::absent(&fact, why));
            }
        }
    }
    Ok(meters)
}

fn sleep(time: Duration, interrupted: &AtomicBool) {
    let began = Instant::now();
    while began.elapsed() < time && !interrupted.load(Ordering::Relaxed) {
        thread::sleep(Duration::from_millis(20).min(time));
    }
}

/// A resumed run may have it already.
fn note(run: &mut Run, note: String) {
    let note = Note::other(note);
    if !run.notes.contains(&note) {
        run.notes.push(note);
    }
}

fn set(run: &mut Run, fact: Fact) {
    run.host.retain(|known| known.name != fact.name);
    run.host.push(fact);
}
