//! `run` of kind sustained: one load for minutes, looked at every second, committed step by step.

use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, bail};
use ciphermeter_core::{
    Cell, CellId, Fact, Form, Metric, Operation, Outcome, Parameters, Provenance, Run, RunStatus, Sample, Scenario,
    Setup,
};
use ciphermeter_host::gauges::{self, Gauges};
use ciphermeter_host::usage;
use ciphermeter_meter::{End, Progress};
use ciphermeter_stats::LEAST_STEPS;
use ciphermeter_store::Store;
use ciphermeter_transfer::{Choice, Rate, Suite, choose};
use ciphermeter_transfer_worker::{Error, Snapshot, Sustained, version};

use crate::args::RunOptions;
use crate::exit::{Exit, WithExit};
use crate::interrupt::interruptible;
use crate::progress::Line;
use crate::{folders, transfer};

/// Between two looks.
const STEP: Duration = Duration::from_secs(1);
/// How long to wait for the first bytes.
const PATIENCE: Duration = Duration::from_secs(20);
/// How often an interrupt is looked for.
const BLINK: Duration = Duration::from_millis(50);

/// Sees that a scenario of this kind can be what is asked for.
pub fn check(scenario: &Scenario, options: &RunOptions) -> Result<()> {
    if !options.transfer {
        bail!("say which load is to be sustained: --transfer moves files");
    }
    // What a file or the environment keeps for other runs is skipped.
    let unfit = ["against", "worker", "openssl", "cpu", "peer", "precision"];
    if let Some(flag) = unfit.iter().find(|flag| options.is_given(flag)) {
        bail!("a sustained load is one and has nothing beside it: leave --{flag} out");
    }
    if !scenario.takes_provider("ciphermeter") {
        bail!("files are moved by `ciphermeter` only: leave --provider out");
    }
    let (budget, least) = (scenario.budget, LEAST_STEPS);
    if budget.0 < least as f64 {
        bail!("{budget} are too short to tell a fall from noise: give --budget {least}s or more, better minutes");
    }
    Ok(())
}

/// The suite among those that the scenario lists: the one that `send` and `recv` would take.
fn suite(run: &Run) -> Result<Choice> {
    let algorithms = run.scenario.cells.iter().flat_map(|block| &block.algorithms);
    let listed: Vec<Suite> = algorithms.filter_map(|algorithm| algorithm.as_str().parse().ok()).collect();
    let wanted = if let [one] = listed[..] { Some(one) } else { None };
    let rates: Vec<Rate> = transfer::rates()?.into_iter().filter(|rate| listed.contains(&rate.suite)).collect();
    choose(&rates, &rates, wanted)
        .ok_or_else(|| anyhow!("files move with aes-256-gcm or chacha20-poly1305: give one of them as --algorithm"))
}

/// Measures into the store, whose lock is held; comes back with the run's number there.
pub fn measure(store: &Store, mut run: Run, options: &RunOptions) -> Result<(i64, End)> {
    let choice = suite(&run)?;
    run.notes.push(format!("{} was taken, because {}", choice.suite, choice.why));
    let interrupted = interruptible()?;
    let line = Line::new(options.quiet);
    let gauges = Gauges::live();
    let is_known = |fact: &Fact| fact.name == "frequency" && fact.why.is_some();
    // A machine may tell between which frequencies it moves and not where it is.
    if let Some(why) = gauges.no_frequency.as_ref().filter(|_| !run.host.iter().any(is_known)) {
        run.notes.push(format!("the frequency of each second isn't known: {why}"));
    }
    let cell = cell(&run, choice.suite, gauges.cpus());
    let file = cell.parameters.message();
    let transfers = Sustained::start(choice.suite, run.seed, file, receiver(choice.suite)?);
    let mut load = Load { transfers: transfers.map_err(nothing)?, gauges };
    let first = load.first(&interrupted).map_err(nothing)?;
    let id = store.begin(&run, &[cell])?;
    store.set_provenance(id, CellId(0), &provenance())?;
    store.begin_fork(id, 0, 0)?;
    let budget = run.scenario.budget.duration();
    let ended = load.follow(first, budget, &interrupted, |step, sample, rate| {
        line.show(&progress(step, budget, rate));
        Ok(store.commit_round(id, 0, step, &[sample])?)
    });
    line.clear();
    // The file and the other process go away before anybody reads the page.
    drop(load);
    close(store, id, run.notes, ended?)
}

/// How following a load ended.
struct Followed {
    steps: u32,
    interrupted: bool,
    failed: Option<String>,
}

fn close(store: &Store, id: i64, mut notes: Vec<String>, followed: Followed) -> Result<(i64, End)> {
    let Followed { steps, interrupted, failed } = followed;
    let status = match (&failed, interrupted) {
        (_, true) => RunStatus::Interrupted,
        (Some(_), _) => RunStatus::Partial,
        _ => RunStatus::Complete,
    };
    store.end_fork(id, 0, status == RunStatus::Complete)?;
    let outcome = match &failed {
        Some(why) if steps == 0 => Outcome::Failed { why: why.clone() },
        _ => Outcome::Measured,
    };
    store.set_outcome(id, CellId(0), &outcome)?;
    notes.extend(failed.map(|why| format!("it ended after {steps} seconds: {why}")));
    store.finish(id, status, &notes)?;
    Ok((id, End { status, wrong_output: false, measured: steps > 0 }))
}

fn nothing(error: Error) -> anyhow::Error {
    let (exit, message) = match error {
        Error::Transfer(ciphermeter_transfer::Error::Interrupted) => {
            (Exit::Interrupted, "interrupted before the first byte".to_owned())
        }
        error => (Exit::Nothing, format!("no file could be moved: {error}")),
    };
    WithExit { exit, message }.into()
}

fn cell(run: &Run, suite: Suite, cpus: usize) -> Cell {
    let file = run.scenario.cells.iter().flat_map(|block| &block.messages).next().map_or(0, |bytes| bytes.0);
    Cell {
        provider: "ciphermeter".into(),
        algorithm: suite.algorithm(),
        operation: Operation::Transfer,
        form: Form::Discard,
        parameters: Parameters::transfer_cell(file, u32::try_from(cpus).unwrap_or(u32::MAX)),
    }
}

fn provenance() -> Provenance {
    Provenance {
        worker: "transfer".into(),
        runtime: format!("ciphermeter {}", env!("CARGO_PKG_VERSION")),
        version: version("ciphermeter").into(),
        path: "unknown".into(),
        setup: Setup::Outside,
        library: None,
        sha256: None,
        program: None,
    }
}

fn receiver(suite: Suite) -> Result<Command> {
    let mut command = Command::new(folders::binary()?);
    command.args(["worker", "transfer", "--receive", "--steadily", suite.algorithm().as_str()]);
    Ok(command)
}

fn progress(step: u32, budget: Duration, rate: f64) -> Progress {
    let left = budget.saturating_sub(STEP * (step + 1));
    Progress {
        stage: "moving files",
        what: format!("{rate:.0} MB/s"),
        fork: 0,
        rounds: 0,
        done: (1.0 - left.as_secs_f64() / budget.as_secs_f64()).clamp(0.0, 1.0),
        left,
    }
}

/// The load and what is seen of it.
struct Load {
    transfers: Sustained,
    gauges: Gauges,
}

/// Everything at one moment.
#[derive(Clone, Copy)]
struct Seen {
    there: Snapshot,
    here_cpu: Option<Duration>,
    host: gauges::Look,
}

impl Load {
    fn look(&mut self) -> Result<Seen, Error> {
        let there = self.transfers.snapshot()?;
        Ok(Seen { there, here_cpu: usage::process_cpu(), host: self.gauges.look() })
    }

    /// The moment from which on bytes arrive.
    fn first(&mut self, interrupted: &AtomicBool) -> Result<Seen, Error> {
        let began = Instant::now();
        loop {
            let seen = self.look();
            // A terminal's Ctrl-C ends the receiver, too, which is no failure.
            if interrupted.load(Ordering::Relaxed) {
                return Err(ciphermeter_transfer::Error::Interrupted.into());
            }
            let seen = seen?;
            if seen.there.bytes > 0 {
                return Ok(seen);
            }
            if began.elapsed() > PATIENCE {
                return Err(ciphermeter_transfer::Error::NobodyCame(format!("{} s", PATIENCE.as_secs())).into());
            }
            std::thread::sleep(BLINK / 10);
        }
    }

    /// Looks every second until the time is up, the user ends it or it breaks; `step` keeps each.
    fn follow(
        &mut self,
        first: Seen,
        budget: Duration,
        interrupted: &AtomicBool,
        mut step: impl FnMut(u32, Sample, f64) -> Result<()>,
    ) -> Result<Followed> {
        let began = Instant::now();
        let mut before = first;
        let mut steps = 0;
        while STEP * (steps + 1) <= budget {
            while let Some(left) = (STEP * (steps + 1)).checked_sub(began.elapsed()).filter(|left| !left.is_zero()) {
                if interrupted.load(Ordering::Relaxed) {
                    return Ok(Followed { steps, interrupted: true, failed: None });
                }
                std::thread::sleep(left.min(BLINK));
            }
            let seen = match self.look() {
                Ok(seen) => seen,
                Err(error) => {
                    let interrupted = interrupted.load(Ordering::Relaxed);
                    return Ok(Followed { steps, interrupted, failed: (!interrupted).then(|| error.to_string()) });
                }
            };
            let sample = sample(&before, &seen);
            let rate = sample.count(Metric::Bytes).unwrap_or(0) as f64 * 1e3 / sample.ns().max(1) as f64;
            step(steps, sample, rate)?;
            before = seen;
            steps += 1;
        }
        Ok(Followed { steps, interrupted: false, failed: None })
    }
}

/// What came on top from one moment to the next.
fn sample(before: &Seen, now: &Seen) -> Sample {
    let ns = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    let more = |before: Option<u64>, now: Option<u64>| Some(now?.saturating_sub(before?));
    let here = more(before.here_cpu.map(ns), now.here_cpu.map(ns));
    let there = more(before.there.cpu_ns, now.there.cpu_ns);
    let share = |of: fn(&gauges::Shares) -> Duration| {
        let at = |seen: &Seen| seen.host.shares.as_ref().map(of).map(ns);
        more(at(before), at(now))
    };
    let others = share(|shares| shares.busy).zip(here).zip(there);
    let counts = [
        (Metric::Ns, Some(now.there.ns.saturating_sub(before.there.ns))),
        (Metric::Bytes, Some(now.there.bytes.saturating_sub(before.there.bytes))),
        (Metric::CpuNs, here),
        (Metric::PeerCpuNs, there),
        (Metric::Rss, usage::memory().rss),
        (Metric::PeerRss, now.there.rss),
        (Metric::Frequency, now.host.frequency),
        (Metric::Temperature, now.host.temperature),
        (Metric::Steal, share(|shares| shares.steal)),
        (Metric::Others, others.map(|((busy, here), there)| busy.saturating_sub(here).saturating_sub(there))),
    ];
    let counts = counts.into_iter().filter_map(|(metric, count)| Some((metric, count?))).collect();
    Sample { cell: CellId(0), after: None, turn: 0, iterations: 1, counts, series: Vec::new() }
}
