//! Asks a device everything: what it is, what it has, and the known answers.

use std::rc::Rc;

use ciphermeter_core::{CodeIn, Counts, Form};
use ciphermeter_meter::{Clock, MOST_BREAKS, SystemClock, Tally, Worker, known_answers, times_mean_nothing};
use ciphermeter_protocol::{Address, Describe, DeviceFacts, DeviceLines, Link, LinkError, MemoryUse, Offer, PipeLink};
use serde::Serialize;

use crate::devices::{DeviceSpec, Emulated, PATIENCE, Place};

#[derive(Debug, Serialize)]
pub struct Asked {
    /// As it was named.
    pub device: String,
    /// What came of it, or why nothing did.
    #[serde(flatten, serialize_with = "found_or_why")]
    pub found: Result<Found, String>,
}

fn found_or_why<S: serde::Serializer>(found: &Result<Found, String>, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Why<'a> {
        why: &'a str,
    }
    match found {
        Ok(found) => found.serialize(serializer),
        Err(why) => Why { why }.serialize(serializer),
    }
}

#[derive(Debug, Serialize)]
pub struct Found {
    pub board: String,
    pub worker: String,
    pub runtime: String,
    pub emulated: bool,
    /// What it counts; `None`: time.
    pub counts: Option<Counts>,
    /// The smallest step of its clock in ns, or of its counter.
    pub step: u64,
    pub clock_hz: Option<u64>,
    pub code_in: Option<CodeIn>,
    pub max_line: usize,
    pub max_message: Option<u64>,
    /// The most stack that was in use, in bytes.
    pub stack: Option<u64>,
    /// Free heap in bytes: before the known answers, after them, and the least since the device's start.
    pub heap_free_at_first: Option<u64>,
    pub heap_free: Option<u64>,
    pub heap_least_free: Option<u64>,
    /// The meter of current on its board.
    pub current_meter: Option<String>,
    pub offers: Vec<Checked>,
    /// What of it cannot be used, with the reason; what is not built, too.
    pub lacks: Vec<String>,
    /// Known answers that its worker found wrong itself.
    pub wrong: Vec<String>,
}

#[derive(Debug, Serialize)]
pub struct Checked {
    pub provider: String,
    pub version: String,
    pub algorithm: String,
    pub forms: Vec<Form>,
    pub path: String,
    /// The longest message that its image takes, in bytes.
    pub max_message: Option<u64>,
    /// Vectors that were sealed, opened or rejected as they must be, in all forms.
    pub right: usize,
    /// Vectors that it does not take, or that do not fit.
    pub unsupported: usize,
    pub wrong: Option<String>,
}

impl Checked {
    /// Why a run does not measure it, if nothing of it is wrong.
    fn lack(&self) -> Option<String> {
        let why = match (self.forms.is_empty(), self.right, &self.wrong) {
            (true, ..) => "it has none of the forms that are measured here",
            (false, 0, None) => {
                "not one known answer fits into its messages and lines, so nothing shows whether it is right"
            }
            _ => return None,
        };
        Some(format!("{} {}: {why}", self.provider, self.algorithm))
    }
}

impl Found {
    pub fn is_wrong(&self) -> bool {
        !self.wrong.is_empty() || self.offers.iter().any(|offer| offer.wrong.is_some())
    }

    /// Whether nothing of it can be measured.
    pub fn is_nothing(&self) -> bool {
        (self.emulated && self.counts.is_none()) || self.offers.iter().all(|offer| offer.right == 0)
    }
}

pub fn ask(spec: &DeviceSpec, place: Place<'_>, tell: &mut dyn FnMut(&str)) -> Asked {
    let found = match place {
        Place::Board(address) => ask_board(spec, address, tell),
        Place::Emulated(emulated) => ask_emulator(spec, emulated, tell),
    };
    Asked { device: spec.to_string(), found }
}

/// A board that is reset meanwhile is asked again from the beginning.
fn ask_board(spec: &DeviceSpec, address: &Address, tell: &mut dyn FnMut(&str)) -> Result<Found, String> {
    let mut lines = DeviceLines::default();
    let mut breaks = 0;
    loop {
        tell(&format!("{spec}: waiting for a worker …"));
        let link = lines.link(address).map_err(|error| error.to_string())?;
        match ask_worker(Box::new(link), None, &mut |what| tell(&format!("{spec}: {what}"))) {
            Ok(found) => return Ok(found),
            Err(error) if breaks < MOST_BREAKS - 1 && weight(&error) > 0 => breaks += weight(&error),
            Err(error) => return Err(format!("{spec}: {}", error.on_device())),
        }
    }
}

/// As how many breaks it counts; 0 if it would be the same after a reset. Silence costs so much time that it is endured twice alone.
fn weight(error: &LinkError) -> u32 {
    match error {
        LinkError::Lost | LinkError::BadLine { .. } | LinkError::Unasked | LinkError::Unsteady => 1,
        LinkError::TimedOut(_) | LinkError::Unread(_) => 2,
        _ => 0,
    }
}

/// Each provider has an image of its own.
fn ask_emulator(spec: &DeviceSpec, emulated: &Emulated, tell: &mut dyn FnMut(&str)) -> Result<Found, String> {
    if let Some(why) = emulated.worker.why_not_emulated(&emulated.device) {
        return Err(format!("{spec}: {why}"));
    }
    let (built, _) = emulated.providers();
    let mut whole: Option<Found> = None;
    let mut lacks = Vec::new();
    for provider in &built {
        let command = emulated.worker.emulator(&emulated.device, provider);
        let link = PipeLink::start(&command, std::process::Command::spawn);
        let asked = link.map_err(LinkError::from).and_then(|link| {
            ask_worker(Box::new(link.killed_at_once()), Some(provider), &mut |what| tell(&format!("{spec}: {what}")))
        });
        match (asked, &mut whole) {
            (Ok(found), None) => whole = Some(found),
            (Ok(found), Some(whole)) => whole.add(found),
            (Err(error), _) => lacks.push(format!("{provider}: its emulator failed: {error}")),
        }
    }
    lacks
        .extend(emulated.not_built().iter().map(|(names, remedy)| format!("{} not built: {remedy}", names.join(", "))));
    match whole {
        Some(mut whole) => {
            whole.lacks.extend(lacks);
            Ok(whole)
        }
        None => Err(format!("{spec}: {}", lacks.join("; "))),
    }
}

impl Found {
    /// Takes in what another image of the same device has.
    fn add(&mut self, other: Self) {
        self.offers.extend(other.offers);
        self.lacks.extend(other.lacks);
        self.wrong.extend(other.wrong);
        self.stack = self.stack.max(other.stack);
        self.max_message = self.max_message.min(other.max_message).or(self.max_message).or(other.max_message);
        self.max_line = self.max_line.min(other.max_line);
    }
}

/// Has a worker describe itself and give the known answers, of one provider or of all.
fn ask_worker(link: Box<dyn Link>, of: Option<&str>, tell: &mut dyn FnMut(&str)) -> Result<Found, LinkError> {
    let clock: Rc<dyn Clock> = Rc::new(SystemClock::start());
    let mut worker = Worker::new(link, clock, PATIENCE);
    let Describe { worker: name, runtime, device, offers, absent, wrong, .. } = worker.describe()?;
    let step = match device.counts {
        Some(_) => worker.counter()?.step,
        None => worker.clock()?.step_ns,
    };
    // A worker need not know how much memory it uses.
    let at_first = worker.memory(false).unwrap_or_default();
    let is_its = |provider: &str| of.is_none_or(|of| of == provider);
    let mut checked = Vec::new();
    for offer in offers.iter().filter(|offer| is_its(&offer.provider)) {
        tell(&format!("known answers of {} {} …", offer.provider, offer.algorithm));
        checked.push(Checked { max_message: device.max_message, ..check(&mut worker, offer)? });
    }
    let MemoryUse { stack, heap_free, heap_least_free, .. } = worker.memory(false).unwrap_or_default();
    let reasons = |list: Vec<(String, String)>| {
        list.into_iter().filter(|(provider, _)| is_its(provider)).map(|(provider, why)| format!("{provider}: {why}"))
    };
    let mut lacks: Vec<String> = times_mean_nothing(&device).map(|why| format!("{name}: {why}")).into_iter().collect();
    lacks.extend(reasons(absent));
    lacks.extend(checked.iter().filter_map(Checked::lack));
    let DeviceFacts { max_line, max_message, counts, emulated, board, clock_hz, code_in, current_meter, .. } = device;
    Ok(Found {
        board: board.unwrap_or_else(|| name.clone()),
        worker: name,
        runtime,
        emulated,
        counts,
        step,
        clock_hz,
        code_in,
        max_line,
        max_message,
        stack,
        heap_free_at_first: at_first.heap_free,
        heap_free,
        heap_least_free,
        current_meter,
        offers: checked,
        lacks,
        wrong: reasons(wrong).collect(),
    })
}

/// Has a provider give the known answers of an algorithm, in every form that messages in memory have.
fn check(worker: &mut Worker, offer: &Offer) -> Result<Checked, LinkError> {
    let (mut right, mut unsupported, mut wrong) = (0, 0, None);
    let forms: Vec<Form> = offer.forms.iter().copied().filter(|form| !form.is_split()).collect();
    for form in &forms {
        let (tally, why) = known_answers(worker, &offer.provider, offer.algorithm, *form)?;
        let Tally { sealed, opened, rejected, unsupported: passed_over } = tally;
        (right, unsupported) = (right + sealed + opened + rejected, unsupported + passed_over);
        wrong = wrong.or(why.map(|why| format!("{form}: {why}")));
    }
    Ok(Checked {
        provider: offer.provider.clone(),
        version: offer.version.clone(),
        algorithm: offer.algorithm.to_string(),
        forms,
        path: offer.path.clone(),
        max_message: None,
        right,
        unsupported,
        wrong,
    })
}
