//! What layouts do to one cell: its time by where the stack, the texts, the nonce and the key lie, and how far off a process is that has
//! one layout, as callers have, from its own mean over layouts.

use std::rc::Rc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use ciphermeter_core::{Algorithm, Cell, CellId, Layout, Operation, Parameters};
use ciphermeter_meter::{Clock, Processes, Source, SystemClock, Worker, survey};
use ciphermeter_stats::median;

use crate::binary::Ciphermeter;
use crate::output::print_line;

const PATIENCE: Duration = Duration::from_secs(20);
const CELL: CellId = CellId(1);
/// A sample, and the warm-up before it.
const SAMPLE: Duration = Duration::from_micros(200);
const WARM_UP: u64 = 60_000;
/// Objects of the key.
const INSTANCES: u8 = 4;
/// Samples of each process: each position of the stack a few times.
const SAMPLES: usize = 6 * 64;

/// What is measured.
pub struct Subject<'a> {
    pub provider: &'a str,
    pub algorithm: Algorithm,
    pub operation: Operation,
    pub message: u64,
}

/// One process's cell.
struct Ready {
    worker: Worker,
    calls: u64,
}

/// A time of a call in ns, and where everything lay.
type Placed = (Layout, f64);
/// Some layouts, and what to call them.
type Places<'a> = (&'a str, &'a dyn Fn(&Layout) -> bool);

/// Prints a line for each part of a layout, then the spread between processes.
pub fn layout(subject: &Subject<'_>, processes: u32, ciphermeter: &Ciphermeter) -> Result<()> {
    let source = Source::new(subject.provider, subject.provider, ciphermeter.worker("native", subject.provider));
    let Subject { provider, algorithm, operation, message } = subject;
    print_line(&format!(
        "{provider} {algorithm} {operation}, {message} B, {processes} processes; medians in ns a call"
    ))?;
    let mut random = fastrand::Rng::with_seed(1);
    let (mut drawn, mut off) = (Vec::new(), Vec::new());
    for _ in 0..processes {
        let mut ready = ready(&source, subject)?;
        let (mut own_drawn, mut own_fixed): (Vec<Placed>, Vec<f64>) = (Vec::new(), Vec::new());
        for _ in 0..SAMPLES {
            // In turns, so that a neighbour disturbs both alike.
            let layout = draw(&mut random);
            own_drawn.push((layout, ready.sample(layout)?));
            own_fixed.push(ready.sample(own_drawn[0].0)?);
        }
        let moved = median(&mut own_drawn.iter().map(|(_, ns)| ns.ln()).collect::<Vec<_>>());
        let fixed = median(&mut own_fixed.iter().map(|ns| ns.ln()).collect::<Vec<_>>());
        // In one process and in turns, so that neither its code's place nor a slow hour is in it.
        off.extend(fixed.zip(moved).map(|(fixed, moved)| fixed - moved));
        drawn.extend(own_drawn);
    }
    let line = |name: &str, places: &[Places<'_>]| {
        let figure = |(label, is_there): &Places<'_>| {
            let mut times: Vec<f64> = drawn.iter().filter(|(layout, _)| is_there(layout)).map(|(_, ns)| *ns).collect();
            format!("{label} {:.1}", median(&mut times).unwrap_or(f64::NAN))
        };
        print_line(&format!("  {name:<16}{}", places.iter().map(figure).collect::<Vec<_>>().join("   ")))
    };
    line(
        "stack, by line",
        &[
            ("0:", &|layout| layout.stack % 64 == 0),
            ("16:", &|layout| layout.stack % 64 == 16),
            ("32:", &|layout| layout.stack % 64 == 32),
            ("48:", &|layout| layout.stack % 64 == 48),
        ],
    )?;
    line(
        "texts, by line",
        &[
            ("0:", &|layout| layout.offset % 64 == 0),
            ("16, 32, 48:", &|layout| layout.is_aligned() && layout.offset % 64 != 0),
            ("not aligned:", &|layout| !layout.is_aligned()),
        ],
    )?;
    line(
        "nonce and texts",
        &[
            ("same place:", &|layout| layout.nonce / 64 == layout.offset / 64),
            ("apart:", &|layout| layout.nonce / 64 != layout.offset / 64),
        ],
    )?;
    line(
        "key's object",
        &[
            ("1st:", &|layout| layout.instance == 0),
            ("2nd:", &|layout| layout.instance == 1),
            ("3rd:", &|layout| layout.instance == 2),
            ("4th:", &|layout| layout.instance == 3),
        ],
    )?;
    print_line(&format!(
        "  a process with one layout is {:.2} % off its mean over layouts (root mean square), at most {:.2} %",
        100.0 * (off.iter().map(|off| off * off).sum::<f64>() / off.len().max(1) as f64).sqrt(),
        100.0 * off.iter().fold(0.0_f64, |most, off| most.max(off.abs()))
    ))
}

/// Any layout, as likely as any other; texts are aligned in four of five.
fn draw(random: &mut fastrand::Rng) -> Layout {
    let aligned = Layout::ALIGNED * random.u16(0..Layout::PAGE / Layout::ALIGNED);
    let offset = if random.u8(0..5) == 0 { aligned + random.u16(1..Layout::ALIGNED) } else { aligned };
    let sixteens = |random: &mut fastrand::Rng, end: u16| 16 * random.u16(0..end / 16);
    Layout {
        stack: sixteens(random, Layout::STACK),
        offset,
        nonce: sixteens(random, Layout::PAGE),
        instance: random.u8(0..INSTANCES),
    }
}

fn ready(source: &Source, subject: &Subject<'_>) -> Result<Ready> {
    let clock: Rc<dyn Clock> = Rc::new(SystemClock::start());
    let (mut here, missing) = survey(std::slice::from_ref(source), &mut Processes::pinned()?, &clock, PATIENCE);
    let Some((surveyed, mut worker)) = here.pop() else {
        bail!("{}", missing.first().map_or("it did not answer".into(), |missing| missing.note().to_string()));
    };
    let Subject { provider, algorithm, operation, message } = *subject;
    let offer = surveyed.offer(algorithm).with_context(|| format!("{provider} has no {algorithm}"))?;
    let form = offer.forms.iter().next().copied().context("it has no form")?;
    let parameters = Parameters::message_cell(message, 0, 1);
    let cell = Cell { provider: provider.into(), algorithm, operation, form, parameters };
    if let Err(why) = worker.prepare(CELL, &cell, provider, 1, 0, INSTANCES)? {
        bail!("{why}");
    }
    let mut calls = 1;
    for _ in 0..20 {
        let each = worker.sample(CELL, 0, calls, None, SAMPLE)?.ns().max(1) / calls;
        calls = (SAMPLE.as_nanos() as u64 / each.max(1)).clamp(1, 1 << 20);
    }
    Ok(Ready { worker, calls })
}

impl Ready {
    /// Nanoseconds of a call.
    fn sample(&mut self, layout: Layout) -> Result<f64> {
        let batch = self.worker.sample(CELL, WARM_UP, self.calls, Some(layout), SAMPLE)?;
        Ok(batch.ns() as f64 / self.calls as f64)
    }
}
