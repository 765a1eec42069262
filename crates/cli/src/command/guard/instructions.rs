//! Instructions of the calls that became slower, by the CPU's counters, else by valgrind.

use ciphermeter_core::{Against, Cell, Record};
use ciphermeter_meter::{Callgrind, Source, refuse_runtime};
use ciphermeter_report::{Counter, Explained, Guarded, Instructions, SideCount};
use ciphermeter_terminal::{output, subcommand};

use super::measured::Measured;
use crate::args::GuardOptions;
use crate::interrupt::interruptible;
use crate::pair::Pair;

/// Confirmed alarms that are explained, the worst: valgrind takes some fifteen seconds for each.
const MOST: usize = 3;
/// Both sides get the same inputs, and each call of this command, too.
const SEED: u64 = 42;

/// Says of confirmed alarms how many instructions their calls take on both sides.
pub fn explain(options: &GuardOptions, guarded: &mut Guarded, again: &Measured, pair: &Pair) {
    let mut cells: Vec<Cell> = guarded.confirmed().map(|alarm| alarm.cell.clone()).collect();
    cells.truncate(MOST);
    let mut sources = None;
    for cell in cells {
        let explained = match Instructions::of_counters(&cell, &again.records) {
            Some(counted) => Explained::Counted(counted),
            None => {
                let sources = sources.get_or_insert_with(|| {
                    if !options.quiet {
                        output::say("counting the instructions of what is slower\n");
                    }
                    pair.sources(&options.spot.provider, options.patience.duration())
                        .map(|sources| sources.sources)
                        .unwrap_or_default()
                });
                by_callgrind(&cell, &again.records, sources).map_or_else(Explained::Unknown, Explained::Counted)
            }
        };
        if let Some(alarm) = guarded.alarms.iter_mut().find(|alarm| alarm.cell == cell) {
            alarm.explained = Some(explained);
        }
    }
}

fn by_callgrind(cell: &Cell, records: &[Record], sources: &[Source]) -> Result<Instructions, String> {
    let own = records.iter().find(|record| record.cell == *cell).and_then(|record| record.provenance.as_ref());
    own.map_or(Ok(()), |from| refuse_runtime(&from.runtime))?;
    let program = subcommand::in_path("valgrind")
        .ok_or("this machine has no counters, and valgrind, which counts without them, is not installed")?;
    // What was decided is written even if the user, or a job's end, does not wait for the count.
    let interrupted = interruptible().map_err(|error| error.to_string())?;
    let callgrind = Callgrind::new(program).interruptible(interrupted);
    let of = |provider: String| {
        let source = sources.iter().find(|source| source.name == provider).ok_or("its worker is gone")?;
        let cell = Cell { provider, ..cell.clone() };
        let record = records.iter().find(|record| record.cell == cell).ok_or("it was not measured again")?;
        let call_ns = record.summary.as_ref().map_or(1e6, |summary| summary.range.mid);
        let counted = callgrind.count(source, &cell, call_ns, SEED)?;
        Ok::<_, String>(SideCount::new(record, counted.instructions, &counted.path))
    };
    let (old, new) = (of(Against::old(&cell.provider))?, of(cell.provider.clone())?);
    Ok(Instructions { by: Counter::Callgrind, old, new })
}
