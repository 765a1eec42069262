//! One message split among threads, compared with what else could be done on as many CPUs: independent processes, OpenMP, memory
//! alone, files.
//!
//! The two sides of a comparison have their own processes, take turns, and change who begins. A figure is a rate divided by a rate of
//! the same turn.

use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use ciphermeter_core::{Algorithm, Bytes, Form, Metric, Operation, Rotation};
use ciphermeter_host::cpus;
use ciphermeter_protocol::{Command, Prepare, Reply};
use ciphermeter_stats::median;

use crate::binary::Ciphermeter;
use crate::output::print_line;
use crate::worker::Worker;
use crate::workers;

/// How long a worker may take: it fills gigabytes, and writes them.
const PATIENCE: Duration = Duration::from_secs(120);
/// How long a turn of either side lasts, at least one call.
const TURN: f64 = 0.4;
/// Bytes of XOR's key.
const KEY: u64 = 32;

/// Processes that work at the same time, each with one cell.
struct Side {
    workers: Vec<Worker>,
    /// Bytes of message of one process's call.
    bytes: u64,
    calls: u64,
}

/// A cell without its size.
#[derive(Clone, Copy)]
struct Way {
    provider: &'static str,
    algorithm: Algorithm,
    form: Form,
    threads: usize,
    /// Independent processes of one thread instead, which share the bytes.
    apart: bool,
}

/// Prints a line for each comparison.
pub fn split(message: Bytes, turns: u32, ciphermeter: &Ciphermeter) -> Result<()> {
    let cpus = cpus::spread();
    print_line(&format!(
        "{message} of message, {} CPUs, {turns} turns of {TURN} s each: GB/s ÷ GB/s, median and middle half of the turns, then both in GB/s",
        cpus.len()
    ))?;
    for (what, [above, below]) in comparisons(cpus.len()) {
        let line = match compared([above, below], message.0, turns, &cpus, ciphermeter) {
            Ok(rates) => line(what, &rates),
            Err(error) => format!("{what:<39} {error:#}"),
        };
        print_line(&line)?;
    }
    Ok(())
}

/// What is divided by what.
fn comparisons(all: usize) -> Vec<(&'static str, [Way; 2])> {
    let way = |provider, algorithm, form, threads| Way { provider, algorithm, form, threads, apart: false };
    let aes = |provider, form, threads| way(provider, Algorithm::Aes256Ctr, form, threads);
    let ceiling = |algorithm, form, threads| way("ceiling", algorithm, form, threads);
    let threads = aes("openssl", Form::Static, all);
    let xor = |provider, threads| way(provider, Algorithm::Xor, Form::Static, threads);
    let memory = |threads| ceiling(Algorithm::ReadModifyWrite, Form::Static, threads);
    vec![
        ("AES: threads ÷ independent processes", [threads, Way { apart: true, ..threads }]),
        ("AES: dynamic ÷ threads", [aes("openssl", Form::Dynamic, all), threads]),
        ("AES: threads ÷ memory in place", [threads, memory(all)]),
        ("AES: openmp ÷ threads", [aes("openmp", Form::Static, all), threads]),
        ("XOR: openmp ÷ threads", [xor("openmp", all), xor("ceiling", all)]),
        ("XOR: threads ÷ memory in place", [xor("ceiling", all), memory(all)]),
        ("XOR: 1 thread ÷ memory in place", [xor("ceiling", 1), memory(1)]),
        ("AES: mapped files ÷ memory", [aes("openssl", Form::Mapped, all), threads]),
        ("AES: files read and written ÷ memory", [aes("openssl", Form::Buffered, all), threads]),
        ("AES: direct I/O ÷ memory", [aes("openssl", Form::Direct, all), threads]),
        (
            "AES: files read and written ÷ copied",
            [aes("openssl", Form::Buffered, all), ceiling(Algorithm::Memcpy, Form::Buffered, all)],
        ),
    ]
}

/// The rates of both sides in GB/s, turn by turn.
fn compared(
    ways: [Way; 2],
    message: u64,
    turns: u32,
    cpus: &[usize],
    ciphermeter: &Ciphermeter,
) -> Result<Vec<[f64; 2]>> {
    let [above, below] = ways.map(|way| Side::start(way, message, cpus, ciphermeter));
    let mut sides = [above?, below?];
    let mut rates = Vec::new();
    for turn in 0..turns {
        let mut both = [0.0; 2];
        let first = (turn % 2) as usize;
        for side in [first, 1 - first] {
            both[side] = sides[side].turn()?;
        }
        rates.push(both);
    }
    Ok(rates)
}

impl Side {
    /// Starts its processes, and finds out how many calls fill a turn.
    fn start(way: Way, message: u64, cpus: &[usize], ciphermeter: &Ciphermeter) -> Result<Self> {
        let command = command(way.provider, ciphermeter)?;
        let masks: Vec<&[usize]> = if way.apart { cpus.chunks(1).collect() } else { vec![cpus] };
        let bytes = message / masks.len() as u64;
        let threads = if way.apart { 1 } else { way.threads as u64 };
        let prepare = Prepare {
            cell: 1,
            provider: way.provider.into(),
            algorithm: way.algorithm,
            operation: Operation::Encrypt,
            form: way.form,
            message: bytes,
            aad: 0,
            threads,
            seed: 1,
            offset: 0,
            key: KEY,
            instances: 1,
            rotation: Rotation::NONE,
        };
        let worker = |mask: &&[usize]| cpus::with_mask(mask, || Worker::start(&command, prepare.clone(), PATIENCE))?;
        let workers = masks.iter().map(worker).collect::<Result<Vec<_>>>()?;
        let mut side = Self { workers, bytes, calls: 1 };
        // The second of two rough measurements: memory may be cold in the first.
        side.turn()?;
        let each = message as f64 / 1e9 / side.turn()?;
        side.calls = ((TURN / each).round() as u64).max(1);
        Ok(side)
    }

    /// The sum of the processes' rates in GB/s.
    fn turn(&mut self) -> Result<f64> {
        let (bytes, calls) = (self.bytes, self.calls);
        thread::scope(|scope| {
            let sample = |worker: &mut Worker| match worker.sample(calls)? {
                Reply::Sample { counted, .. } => counted.count(Metric::NS).context("the worker counted no time"),
                _ => bail!("the worker gave no sample"),
            };
            let running: Vec<_> = self.workers.iter_mut().map(|worker| scope.spawn(move || sample(worker))).collect();
            let mut sum = 0.0;
            for thread in running {
                let ns = thread.join().map_err(|_| anyhow!("a thread that waits for a worker panicked"))??;
                sum += (bytes * calls) as f64 / ns as f64;
            }
            Ok(sum)
        })
    }
}

fn command(provider: &str, ciphermeter: &Ciphermeter) -> Result<Command> {
    if ciphermeter_native::PROVIDERS.contains(&provider) {
        return Ok(ciphermeter.worker("native", provider));
    }
    let workers = workers::built(ciphermeter.workers())?;
    let worker = workers.iter().find(|worker| worker.providers.iter().any(|name| name == provider));
    let worker = worker.with_context(|| format!("{provider} is not built; `make` builds it"))?;
    Ok(worker.command(provider))
}

fn line(what: &str, rates: &[[f64; 2]]) -> String {
    let mut ratios: Vec<f64> = rates.iter().map(|[above, below]| above / below).collect();
    ratios.sort_by(f64::total_cmp);
    let (low, high) = (ratios[ratios.len() / 4], ratios[ratios.len() * 3 / 4]);
    let middle = median(&mut ratios).unwrap_or(f64::NAN);
    let [above, below] =
        [0, 1].map(|side| median(&mut rates.iter().map(|both| both[side]).collect::<Vec<_>>()).unwrap_or(f64::NAN));
    format!("{what:<39} {middle:>5.3}  {low:.3} to {high:.3}  {above:>5.1} {below:>5.1}")
}
