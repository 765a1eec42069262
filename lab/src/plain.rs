//! What a worker adds: the timed loop of one provider of each language compared with the same library's in a plain
//! program, in turns on one CPU.

use std::rc::Rc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use ciphermeter_core::{Algorithm, Bytes, Cell, CellId, Form, Operation, Parameters};
use ciphermeter_host::cpus::{self, Pinning};
use ciphermeter_meter::{Clock, Processes, Source, Surveyed, SystemClock, Worker, survey};
use ciphermeter_protocol::Command;
use ciphermeter_stats::median;

use crate::binary::Ciphermeter;
use crate::output::{print, print_line};
use crate::plain_program::PlainProgram;
use crate::{worker, workers};

const PATIENCE: Duration = Duration::from_secs(20);
/// Turns of each.
const TURNS: usize = 41;
/// How long a turn lasts, at least one call.
const TURN: Duration = Duration::from_millis(10);
/// How long each is called before anything counts: a runtime may have to compile.
const WARM: Duration = Duration::from_millis(1500);
/// Algorithms that are measured.
const WANTED: [Algorithm; 2] = Algorithm::USUAL;
/// The built-in provider whose plain program is an example of the workspace.
const BUILT_IN: &str = "ring";

/// A provider, and its plain program.
struct Pair {
    source: Source,
    program: Command,
}

/// Prints a line for each provider and algorithm.
pub fn plain(message: Bytes, ciphermeter: &Ciphermeter) -> Result<()> {
    let pinning = cpus::pinning().context("this system has no CPU masks, so the two cannot take turns on one CPU")?;
    let pairs = pairs(ciphermeter)?;
    print_line(&format!(
        "{message} messages, {TURNS} turns of {} ms each: time in the worker ÷ time in a plain program",
        TURN.as_millis()
    ))?;
    print(&format!(
        "{:<14} {:<19} {:<9} {:>7}  {}\n",
        "provider", "algorithm", "form", "median", "middle half of the turns"
    ))?;
    let clock: Rc<dyn Clock> = Rc::new(SystemClock::start());
    let mut launch = Processes::pinned()?;
    for Pair { source, program } in &pairs {
        let (here, missing) = survey(std::slice::from_ref(source), &mut launch, &clock, PATIENCE);
        missing.iter().try_for_each(|missing| print_line(&missing.note().to_string()))?;
        for (surveyed, mut worker) in here {
            for algorithm in WANTED {
                print_line(&compared(&surveyed, &mut worker, program, algorithm, message, pinning))?;
            }
        }
    }
    Ok(())
}

/// The provider of each language that has a plain program.
fn pairs(ciphermeter: &Ciphermeter) -> Result<Vec<Pair>> {
    let source = Source::new(BUILT_IN, BUILT_IN, ciphermeter.worker("native", BUILT_IN));
    let native = Pair { source, program: worker::command(ciphermeter.example("plain"), Vec::new()) };
    let workers = workers::built(ciphermeter.workers())?;
    let foreign = workers.iter().filter_map(|worker| {
        let (provider, program) = worker.plain()?;
        Some(Pair { source: Source::new(provider, provider, worker.command(provider)), program })
    });
    Ok(std::iter::once(native).chain(foreign).collect())
}

/// A line for the first form that the plain program also has.
fn compared(
    surveyed: &Surveyed,
    worker: &mut Worker,
    program: &Command,
    algorithm: Algorithm,
    message: Bytes,
    pinning: Pinning,
) -> String {
    let name = &surveyed.source.name;
    let mut why = "it has no form".to_string();
    for form in surveyed.offer(algorithm).into_iter().flat_map(|offer| &offer.forms) {
        match turns(surveyed, worker, program, algorithm, *form, message, pinning) {
            Ok(turns) => return line(name, algorithm, *form, turns),
            Err(error) => why = format!("{error:#}"),
        }
        // It may not have been prepared.
        let _ = worker.release(CellId(1));
    }
    format!("{name:<14} {algorithm:<19} {why}")
}

fn line(provider: &str, algorithm: Algorithm, form: Form, mut turns: Vec<f64>) -> String {
    turns.sort_by(f64::total_cmp);
    let (low, high) = (turns[turns.len() / 4], turns[turns.len() * 3 / 4]);
    let middle = median(&mut turns).unwrap_or(f64::NAN);
    format!("{provider:<14} {algorithm:<19} {form:<9} {middle:>7.3}  {low:.3} to {high:.3}")
}

/// Time in the worker ÷ time in the plain program, turn by turn.
fn turns(
    surveyed: &Surveyed,
    worker: &mut Worker,
    program: &Command,
    algorithm: Algorithm,
    form: Form,
    message: Bytes,
    pinning: Pinning,
) -> Result<Vec<f64>> {
    let provider = &surveyed.source.provider;
    let parameters = Parameters::message_cell(message.0, 0, 1);
    let cell = Cell { provider: provider.clone(), algorithm, operation: Operation::Seal, form, parameters };
    if let Err(why) = worker.prepare(CellId(1), &cell, provider, 1, 0, 1)? {
        bail!("{why}");
    }
    let mut plain = PlainProgram::start(program, &cell, pinning.worker)?;
    let calls = |each: f64, time: Duration| ((time.as_nanos() as f64 / each) as u64).max(1);
    // The second of two rough measurements: the library may be cold in the first.
    let rough = |_| worker.sample(CellId(1), 0, 2, None, TURN).map(|batch| batch.ns() as f64 / 2.0);
    let each = [(), ()].map(rough).into_iter().last().context("no sample")??;
    worker.sample(CellId(1), 0, calls(each, WARM), None, WARM)?;
    plain.calls(calls(each, WARM))?;
    let each = worker.sample(CellId(1), 0, calls(each, TURN), None, TURN)?.ns() as f64 / calls(each, TURN) as f64;
    let calls = calls(each, TURN);
    let mut ratios = Vec::with_capacity(TURNS);
    for _ in 0..TURNS {
        let inside = worker.sample(CellId(1), 0, calls, None, TURN)?.ns();
        let outside = plain.calls(calls)?;
        ratios.push(inside as f64 / outside.max(1) as f64);
    }
    worker.release(CellId(1))?;
    Ok(ratios)
}
