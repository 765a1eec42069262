//! What the contention probe hears: our own workers before it, and a neighbour that is there or not.
//!
//! The probe must hear other work on its physical core, and nothing of ours. Each look follows samples of another worker on the
//! same CPU, as in a run, with warm-ups of several lengths before it. Looks of all sorts are taken in shuffled order, so that a
//! real neighbour disturbs all alike.

use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use ciphermeter_core::{Algorithm, Cell, CellId, Form, Operation, Parameters};
use ciphermeter_host::cpus;
use ciphermeter_meter::{Clock, Processes, Source, Surveyed, SystemClock, Worker, survey};
use ciphermeter_stats::{median, undisturbed_limit};

use crate::binary::Ciphermeter;
use crate::output::{print, print_line};
use crate::workers;

const PATIENCE: Duration = Duration::from_secs(20);
const CELL: CellId = CellId(1);
/// The provider that has the probe, beside the ceilings.
const PROBE: &str = "ceiling";
/// Warm-ups before a look, in nanoseconds.
const WARMUPS: [u64; 4] = [0, 60_000, 120_000, 250_000];
/// What a look measures, as in a run.
const LOOK: Duration = Duration::from_micros(60);
/// A sample, as in a run.
const SAMPLE: Duration = Duration::from_micros(300);
/// The message of the samples and of the probe's calls.
const MESSAGE: u64 = 1024;

/// A worker, its cell, and how many calls fill what is asked of it.
struct Ready {
    name: String,
    worker: Worker,
    calls: u64,
    lasts: Duration,
}

/// What runs before a look: how many samples of which worker.
struct Before {
    worker: Option<usize>,
    samples: usize,
}

/// Prints a table without a neighbour, and one with a neighbour on the other CPU.
pub fn neighbour(looks: u32, ciphermeter: &Ciphermeter) -> Result<()> {
    let pinning = cpus::pinning().context("this system has no CPU masks, so nothing shares the probe's CPU")?;
    let mut launch = Processes::pinned()?;
    let native = |provider: &str| Source::new(provider, provider, ciphermeter.worker("native", provider));
    let mut probe = ready(&native(PROBE), Algorithm::Probe, LOOK, &mut launch)?;
    let mut others = vec![ready(&native("openssl"), Algorithm::Aes256Gcm, SAMPLE, &mut launch)?];
    for worker in workers::built(ciphermeter.workers())? {
        let Some(provider) = worker.providers.first() else { continue };
        let source = Source::new(provider, provider, worker.command(provider));
        match ready(&source, Algorithm::Aes256Gcm, SAMPLE, &mut launch) {
            Ok(ready) => others.push(ready),
            Err(error) => print_line(&format!("{provider} is left out: {error:#}"))?,
        }
    }
    print_line(&format!(
        "share of {looks} looks over the limit, and the median of a call in ns, by what ran just before on CPU {} and by warm-up",
        pinning.worker
    ))?;
    table("nothing else runs here", looks, &mut probe, &mut others)?;
    if pinning.shared {
        return print_line("no second CPU, so no neighbour");
    }
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| spin(pinning.harness, &over));
        let printed = table(&format!("with a neighbour on CPU {}", pinning.harness), looks, &mut probe, &mut others);
        over.store(true, Ordering::Relaxed);
        printed
    })
}

/// Keeps a CPU's integer units busy.
fn spin(cpu: usize, over: &AtomicBool) {
    // Without the mask it spins wherever it is put, which is on some other CPU, too.
    let _ = cpus::pin(cpu);
    let mut chains = [1_u64, 2, 3, 4, 5, 6, 7, 8];
    while !over.load(Ordering::Relaxed) {
        for _ in 0..1000 {
            chains.iter_mut().for_each(|chain| *chain = chain.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
        }
        std::hint::black_box(&mut chains);
    }
}

/// Starts a worker and prepares its cell.
fn ready(source: &Source, algorithm: Algorithm, lasts: Duration, launch: &mut Processes) -> Result<Ready> {
    let clock: Rc<dyn Clock> = Rc::new(SystemClock::start());
    let (mut here, missing) = survey(std::slice::from_ref(source), launch, &clock, PATIENCE);
    let Some((surveyed, mut worker)) = here.pop() else {
        bail!("{}", missing.first().map_or("it did not answer".into(), |missing| missing.note().to_string()));
    };
    let cell = cell(&surveyed, algorithm)?;
    if let Err(why) = worker.prepare(CELL, &cell, &source.provider, 1, 0, 1)? {
        bail!("{why}");
    }
    let mut calls = 1;
    // Some warm a runtime up; the last ones count.
    for _ in 0..50 {
        let each = worker.sample(CELL, 0, calls, None, lasts)?.ns().max(1) / calls;
        calls = (lasts.as_nanos() as u64 / each.max(1)).clamp(1, 1 << 20);
    }
    Ok(Ready { name: source.name.clone(), worker, calls, lasts })
}

fn cell(surveyed: &Surveyed, algorithm: Algorithm) -> Result<Cell> {
    let offer = surveyed.offer(algorithm).with_context(|| format!("it has no {algorithm}"))?;
    let operation = if algorithm == Algorithm::Probe { Operation::Encrypt } else { Operation::Seal };
    let form = if algorithm == Algorithm::Probe { Some(Form::InPlace) } else { offer.forms.iter().next().copied() };
    let form = form.context("it has no form")?;
    let parameters = Parameters::message_cell(MESSAGE, 0, 1);
    Ok(Cell { provider: surveyed.source.provider.clone(), algorithm, operation, form, parameters })
}

impl Ready {
    /// Nanoseconds of a call.
    fn sample(&mut self, warmup_ns: u64) -> Result<f64> {
        Ok(self.worker.sample(CELL, warmup_ns, self.calls, None, self.lasts)?.ns() as f64 / self.calls as f64)
    }
}

fn table(title: &str, looks: u32, probe: &mut Ready, others: &mut [Ready]) -> Result<()> {
    let mut befores = vec![Before { worker: None, samples: 0 }];
    befores
        .extend((0..others.len()).flat_map(|worker| [1, 2, 5].map(|samples| Before { worker: Some(worker), samples })));
    let mut sorts: Vec<(usize, usize)> =
        (0..befores.len()).flat_map(|row| (0..WARMUPS.len()).map(move |w| (row, w))).collect();
    let mut seen = vec![vec![Vec::new(); WARMUPS.len()]; befores.len()];
    let mut random = fastrand::Rng::with_seed(1);
    for _ in 0..looks {
        random.shuffle(&mut sorts);
        for (row, warmup) in &sorts {
            let Before { worker, samples } = befores[*row];
            match worker {
                // As long as five samples would take, with nothing in it.
                None => thread::sleep(5 * SAMPLE),
                Some(worker) => (0..samples).try_for_each(|_| others[worker].sample(0).map(drop))?,
            }
            seen[*row][*warmup].push(probe.sample(WARMUPS[*warmup])?);
        }
    }
    print_line(title)?;
    let heads = WARMUPS.map(|ns| format!("{:>13}", format!("{} µs", ns / 1000))).concat();
    print(&format!("  {:<20}{heads}\n", "before"))?;
    // A run has one length of warm-up, so each has its own limit.
    let picoseconds = |ns: f64| (ns * 1000.0) as u64;
    let limits =
        (0..WARMUPS.len()).map(|w| undisturbed_limit(seen.iter().flat_map(|row| &row[w]).map(|ns| picoseconds(*ns))));
    let limits: Vec<u64> = limits.collect::<Option<_>>().context("no look was taken")?;
    for (before, row) in befores.iter().zip(&mut seen) {
        let name = match before.worker {
            None => "nothing".into(),
            Some(worker) => format!("{} x {}", before.samples, others[worker].name),
        };
        let columns = row.iter_mut().zip(&limits).map(|(readings, limit)| {
            let over = readings.iter().filter(|ns| picoseconds(**ns) > *limit).count();
            let share = 100.0 * over as f64 / readings.len().max(1) as f64;
            format!("{:>13}", format!("{share:.0} % {:.0}", median(readings).unwrap_or(f64::NAN)))
        });
        print(&format!("  {name:<20}{}\n", columns.collect::<String>()))?;
    }
    Ok(())
}
