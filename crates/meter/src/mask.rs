//! A CPU that lacks instructions, on one that has them: which providers do without, and the proof.
//!
//! A provider is kept from instructions by its library's own switch, thrown in the environment of its process. What it says is not
//! enough: a code path must tell that the instructions are gone, or, where the library tells none, a call must take longer than
//! without the switch, both timed in turns. An algorithm that can't be proven to do without is left out; one that has no use for
//! the instructions anyway stays, switch or not.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;

use ciphermeter_core::{Algorithm, Cell, CellId, Mask, Note, Operation, Parameters};
use ciphermeter_protocol::{LinkError, Offer};
use ciphermeter_stats::median;

use crate::launch::{Reach, Switch};
use crate::{Affinity, Clock, Launch, Missing, Source, Surveyed, Worker};

/// The message that is timed for the proof, in bytes: long enough that setting up says nothing.
const MESSAGE: u64 = 16 * 1024;
/// How long one sample takes, and how many there are of each.
const SAMPLE: Duration = Duration::from_millis(2);
const SAMPLES: usize = 9;
/// What a runtime that compiles is called for before.
const COMPILED: Duration = Duration::from_millis(500);
/// So many times as long proves that instructions are gone: neighbours and clocks alone don't do that to a median of turns.
const SLOWER: f64 = 1.15;
/// The provider that shows the CPU's limits.
const CEILING: &str = "ceiling";
/// The number of the cell that is timed.
const CELL: CellId = CellId(0);

/// What is here under a mask, and sentences on who obeyed, who has no use for the instructions, and who is left out.
pub struct Masked {
    pub here: Vec<(Surveyed, Worker)>,
    pub notes: Vec<Note>,
}

/// Keeps what is proven to do without the mask's instructions, of what is `wanted` of a provider.
pub fn keep_masked(
    here: Vec<(Surveyed, Worker)>,
    wanted: impl Fn(&str, Algorithm) -> bool,
    mask: Mask,
    launch: &mut dyn Launch,
    clock: &Rc<dyn Clock>,
    patience: Duration,
) -> Masked {
    let mut masked = Masked { here: Vec::new(), notes: Vec::new() };
    for (mut surveyed, mut worker) in here {
        let mut trial = Trial { mask, launch, clock, patience, without: None };
        let mut verdicts = Vec::new();
        surveyed.offers.retain(|offer| {
            // The probe isn't measured, it watches.
            if offer.algorithm == Algorithm::Probe {
                return true;
            }
            if !wanted(&surveyed.source.name, offer.algorithm) {
                return false;
            }
            let verdict = trial.judge(&surveyed.source, &mut worker, offer);
            let stays = !matches!(verdict, Verdict::Out(_));
            verdicts.push((offer.algorithm, verdict));
            stays
        });
        masked.notes.extend(notes(&surveyed.source.name, mask, &verdicts));
        if !surveyed.offers.is_empty() {
            masked.here.push((surveyed, worker));
        }
    }
    masked
}

/// The sources that run only with their switch not thrown, as if they had none: a library that doesn't know its switch in this
/// version is still there for what needs no switch. The reason is what it said.
pub fn without_switch(sources: &[Source], missing: &mut Vec<Missing>) -> Vec<Source> {
    let mut again = Vec::new();
    for source in sources {
        let Switch::Thrown { without } = &source.switch else { continue };
        let Some(place) = missing.iter().position(|missing| missing.name == source.name) else { continue };
        let Missing { why, .. } = missing.remove(place);
        again.push(Source {
            reach: Reach::Command(without.clone()),
            switch: Switch::Missing { why },
            ..source.clone()
        });
    }
    again
}

/// What became of one algorithm under the mask.
enum Verdict {
    /// It never used the instructions.
    Unconcerned,
    /// Its code path changed.
    Path { before: String, now: String },
    /// It takes so many times as long.
    Slower(f64),
    /// It is left out.
    Out(String),
}

struct Trial<'t> {
    mask: Mask,
    launch: &'t mut dyn Launch,
    clock: &'t Rc<dyn Clock>,
    patience: Duration,
    /// The same worker with its switch not thrown, once it is needed.
    without: Option<(Vec<Offer>, Worker)>,
}

impl Trial<'_> {
    fn judge(&mut self, source: &Source, worker: &mut Worker, offer: &Offer) -> Verdict {
        if source.provider == CEILING {
            return Verdict::Out("ceilings show this CPU as it is".into());
        }
        let uses = self.mask.is_used_by(&offer.path);
        if !self.mask.concerns(offer.algorithm) {
            return Verdict::Unconcerned;
        }
        match (&source.switch, uses) {
            (Switch::Thrown { .. }, Some(true)) => {
                Verdict::Out(format!("its code path is still {}, although its switch is set", offer.path))
            }
            (Switch::Thrown { without }, _) => {
                let plain = Source { reach: Reach::Command(without.clone()), ..source.clone() };
                self.compare(&plain, worker, offer).unwrap_or_else(|error| Verdict::Out(error.to_string()))
            }
            (_, Some(false)) => Verdict::Unconcerned,
            (Switch::Missing { why }, _) => Verdict::Out(why.clone()),
            (Switch::Untouched, _) => Verdict::Out("it has no switch".into()),
        }
    }

    /// Holds a worker whose switch is thrown against the same one without.
    fn compare(&mut self, plain: &Source, worker: &mut Worker, offer: &Offer) -> Result<Verdict, LinkError> {
        if self.without.is_none() {
            let link = self.launch.launch(plain, Affinity::OneCpu)?;
            let mut other = Worker::new(link, self.clock.clone(), self.patience);
            let described = other.describe()?;
            other.clock()?;
            self.without = Some((described.offers, other));
        }
        let Some((offers, other)) = &mut self.without else { return Ok(Verdict::Unconcerned) };
        let before = offers.iter().find(|other| other.algorithm == offer.algorithm && other.provider == plain.provider);
        let before = before.map_or("unknown", |offer| &offer.path).to_string();
        match (self.mask.is_used_by(&before), self.mask.is_used_by(&offer.path)) {
            // What it never used can't be taken away, whatever it tells of its path now.
            (Some(false), _) => return Ok(Verdict::Unconcerned),
            (Some(true), Some(false)) => return Ok(Verdict::Path { before, now: offer.path.clone() }),
            _ => {}
        }
        let times = times_as_long(worker, other, offer, &plain.provider)?;
        Ok(match times {
            times if times >= SLOWER => Verdict::Slower(times),
            times => Verdict::Out(format!("its switch has no effect: calls take {times:.2}× as long with it")),
        })
    }
}

/// How many times as long a call takes the one worker as the other, both in turns.
fn times_as_long(one: &mut Worker, other: &mut Worker, offer: &Offer, provider: &str) -> Result<f64, LinkError> {
    let operation = if offer.algorithm.has(Operation::Seal) { Operation::Seal } else { Operation::Encrypt };
    let form = *offer.forms.first().ok_or_else(|| LinkError::Implausible("it offers no form".into()))?;
    let parameters = Parameters::message_cell(MESSAGE, 0, 1);
    let cell = Cell { provider: provider.into(), algorithm: offer.algorithm, operation, form, parameters };
    let mut iterations = 1;
    for worker in [&mut *one, &mut *other] {
        worker.prepare(CELL, &cell, provider, 0, 0, 1)?.map_err(LinkError::Reported)?;
        let warmup = if worker.compiles() { COMPILED } else { SAMPLE };
        let batch = worker.sample(CELL, warmup.as_nanos() as u64, 4, None, warmup)?;
        iterations = iterations.max(SAMPLE.as_nanos() as u64 * 4 / batch.ns().max(1));
    }
    let mut ratios = Vec::with_capacity(SAMPLES);
    for _ in 0..SAMPLES {
        let each =
            |worker: &mut Worker| Ok::<_, LinkError>(worker.sample(CELL, 0, iterations, None, SAMPLE * 20)?.ns());
        let (with, without) = (each(one)?, each(other)?);
        ratios.push(with as f64 / without.max(1) as f64);
    }
    one.release(CELL)?;
    other.release(CELL)?;
    median(&mut ratios).ok_or_else(|| LinkError::Implausible("it gave no samples".into()))
}

/// One sentence for each way in which algorithms of a provider ended, with their names.
fn notes(name: &str, mask: Mask, verdicts: &[(Algorithm, Verdict)]) -> Vec<Note> {
    let told = verdicts.iter().filter_map(|(algorithm, verdict)| match verdict {
        Verdict::Unconcerned => None,
        Verdict::Path { before, now } => Some(format!("{algorithm} went from {before} to {now}")),
        Verdict::Slower(times) => Some(format!("{algorithm} takes {times:.1} times as long")),
        Verdict::Out(_) => None,
    });
    let told: Vec<_> = told.collect();
    let mut notes = Vec::new();
    if !told.is_empty() {
        let text = format!("{name} does without {}: {}", mask.instructions(), told.join(", "));
        notes.push(Note::masked(name, text));
    }
    let reasons: BTreeSet<&str> = verdicts
        .iter()
        .filter_map(|(_, verdict)| if let Verdict::Out(why) = verdict { Some(why.as_str()) } else { None })
        .collect();
    for reason in reasons {
        let of = verdicts.iter().filter(|(_, verdict)| matches!(verdict, Verdict::Out(why) if why == reason));
        let algorithms: Vec<_> = of.map(|(algorithm, _)| algorithm.as_str()).collect();
        let text = format!("{name}: {} excluded under --cpu {mask}: {reason}", algorithms.join(", "));
        notes.push(Note::excluded(&[name], text));
    }
    notes
}
