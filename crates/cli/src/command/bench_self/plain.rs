//! What a worker adds of its own: each provider's timed loop against the same library's in a plain program of the same language,
//! which knows nothing of workers, both in turns on one CPU.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::rc::Rc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use ciphermeter_core::{Algorithm, Bytes, Cell, CellId, Form, Operation, Parameters};
use ciphermeter_host::cpus::{self, Pinning};
use ciphermeter_meter::{Clock, Processes, Source, Surveyed, SystemClock, Worker, survey};
use ciphermeter_protocol::Command;
use ciphermeter_stats::median;

use crate::args::{RunOptions, WorkersOption};
use crate::sources::{Wish, gather};
use crate::{folders, output, workers};

const PATIENCE: Duration = Duration::from_secs(20);
/// Turns of each.
const TURNS: usize = 41;
/// How long a turn lasts, at least one call.
const TURN: Duration = Duration::from_millis(10);
/// What each is called for before anything counts: a runtime may have to compile.
const WARM: Duration = Duration::from_millis(1500);
/// Algorithms, of which the first two that a provider has are tried: what all have, then what some have instead.
const WANTED: [Algorithm; 5] = [
    Algorithm::Aes256Gcm,
    Algorithm::ChaCha20Poly1305,
    Algorithm::XChaCha20Poly1305,
    Algorithm::Aes256Siv,
    Algorithm::Aes256GcmSiv,
];

/// Prints a line for each provider and algorithm.
pub fn plain(message: Bytes, options: &RunOptions) -> Result<()> {
    let pinning = cpus::pinning().context("there are no CPU masks here, so the two can't take turns on one CPU")?;
    let sources = gather(&Wish::everything(&options.workers))?.sources;
    let clock: Rc<dyn Clock> = Rc::new(SystemClock::start());
    output::print(&format!(
        "{message} messages, {TURNS} turns of {} ms each: time in the worker ÷ time in a plain program\n\
         {:<14} {:<19} {:<9} {:>7}  {}\n",
        TURN.as_millis(),
        "provider",
        "algorithm",
        "form",
        "median",
        "middle half of the turns"
    ))?;
    let mut launch = Processes::pinned()?;
    for source in sources.iter().filter(|source| source.provider != "ceiling") {
        let program = program(source, &options.workers)?;
        let (here, missing) = survey(std::slice::from_ref(source), &mut launch, &clock, PATIENCE);
        missing.iter().try_for_each(|missing| output::print(&format!("{}\n", missing.sentence())))?;
        for (surveyed, mut worker) in here {
            let Some(program) = &program else {
                output::print(&format!("{:<14} there is no plain program\n", source.name))?;
                continue;
            };
            for algorithm in WANTED.into_iter().filter(|wanted| surveyed.offer(*wanted).is_some()).take(2) {
                output::print(&compared(&surveyed, &mut worker, program, algorithm, message, pinning))?;
            }
        }
    }
    Ok(())
}

/// A line for the first form that the plain program has, too.
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
        // It may not have come so far.
        let _ = worker.release(CellId(1));
    }
    format!("{name:<14} {algorithm:<19} {why}\n")
}

fn line(provider: &str, algorithm: Algorithm, form: Form, mut turns: Vec<f64>) -> String {
    turns.sort_by(f64::total_cmp);
    let (low, high) = (turns[turns.len() / 4], turns[turns.len() * 3 / 4]);
    let middle = median(&mut turns).unwrap_or(f64::NAN);
    format!("{provider:<14} {algorithm:<19} {form:<9} {middle:>7.3}  {low:.3} to {high:.3}\n")
}

/// The plain program of a provider: that of its worker's folder; of the built-in ones, the example that the workspace builds beside
/// this binary.
fn program(source: &Source, option: &WorkersOption) -> Result<Option<Command>> {
    let hosts = |worker: &&workers::Foreign| worker.stands_in().is_none() && worker.providers().contains(&source.name);
    if let Some(worker) = workers::find(option)?.iter().find(hosts) {
        return Ok(worker.plain(&source.provider));
    }
    let example = folders::binary()?.with_file_name("examples").join("plain");
    let arguments = vec![source.provider.clone()];
    let command = Command { program: example.clone(), arguments, folder: None, environment: Vec::new() };
    Ok(example.is_file().then_some(command))
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
    if let Err(why) = worker.prepare(CellId(1), &cell, provider, 1, 0)? {
        bail!("{why}");
    }
    let mut plain = Plain::start(program, &cell, pinning.worker)?;
    let calls = |each: f64, time: Duration| ((time.as_nanos() as f64 / each) as u64).max(1);
    // The second of two rough looks: the first may be of a cold library.
    let rough = |_| worker.sample(CellId(1), 0, 2, TURN).map(|batch| batch.ns() as f64 / 2.0);
    let each = [(), ()].map(rough).into_iter().last().context("no sample")??;
    worker.sample(CellId(1), 0, calls(each, WARM), WARM)?;
    plain.calls(calls(each, WARM))?;
    let each = worker.sample(CellId(1), 0, calls(each, TURN), TURN)?.ns() as f64 / calls(each, TURN) as f64;
    let calls = calls(each, TURN);
    let mut ratios = Vec::with_capacity(TURNS);
    for _ in 0..TURNS {
        let inside = worker.sample(CellId(1), 0, calls, TURN)?.ns();
        let outside = plain.calls(calls)?;
        ratios.push(inside as f64 / outside.max(1) as f64);
    }
    worker.release(CellId(1))?;
    Ok(ratios)
}

/// A plain program that is running: a number of calls in, nanoseconds out.
struct Plain {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Plain {
    fn start(program: &Command, cell: &Cell, cpu: usize) -> Result<Self> {
        let shown = program.program.display();
        let mut command = std::process::Command::new(&program.program);
        let Cell { algorithm, operation, form, parameters, .. } = cell;
        let words = [algorithm.as_str(), operation.as_str(), form.as_str()];
        command.args(&program.arguments).args(words).arg(parameters.message().to_string());
        command.envs(program.environment.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        if let Some(folder) = &program.folder {
            command.current_dir(folder);
        }
        let spawned = cpus::with_mask(&[cpu], || command.spawn())?;
        let mut child = spawned.with_context(|| format!("{shown} does not start"))?;
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().context("the plain program has no output")?);
        Ok(Self { child, input, output })
    }

    fn calls(&mut self, calls: u64) -> Result<u64> {
        let said = || "its plain program does not do this".to_string();
        let input = self.input.as_mut().with_context(said)?;
        writeln!(input, "{calls}").and_then(|()| input.flush()).with_context(said)?;
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        line.trim().parse().ok().with_context(said)
    }
}

impl Drop for Plain {
    fn drop(&mut self) {
        // The end of its input ends it.
        self.input = None;
        let _ = self.child.wait();
    }
}
