//! How the fastest way of encrypting a message stands to the others: which are surely slower, which are equal, and which the run
//! cannot tell apart from it.

use ciphermeter_core::{Record, Run};
use ciphermeter_estimate::{self as estimate, Comparison, Ratio, Side, Thresholds, behind_fastest};

use super::way::{SplitMessage, Way, is_on_card, is_software, name, provider};
use crate::basis;
use crate::words::{digits, few, ratio_columns, size};

/// So many ways are named; of more, their number.
const MOST_NAMED: usize = 2;

/// A message's fastest way, and the verdict on each other one.
pub struct Fastest<'a> {
    /// The message.
    pub message: &'a SplitMessage<'a>,
    best: &'a Way<'a>,
    others: Vec<(&'a Way<'a>, Comparison)>,
}

impl<'a> Fastest<'a> {
    /// `None` where nothing was measured. All verdicts hold at once, whichever way is the fastest. A
    /// processor that plays a card is not chosen, and neither is a card whose memory holds the message
    /// already: these are compared with nothing unless they are alone.
    pub fn of(message: &'a SplitMessage<'a>) -> Option<Self> {
        let ways: Vec<&Way> = message.ways.iter().filter(|way| starts_in_host_memory(way)).collect();
        let ways = if ways.is_empty() { message.ways.iter().collect() } else { ways };
        let logs = |one: usize, other: usize| estimate::logs(ways[one].record, ways[other].record);
        // Within rounds, another way may surely be faster than the one of the highest median.
        let passes = |way: usize, best: usize| {
            Comparison::of_logs(&logs(way, best), Thresholds::of(ways.len() - 1)).faster() == Some(Side::Second)
        };
        let is_passed = |best: &usize| (0..ways.len()).any(|way| passes(way, *best));
        let best = (0..ways.len()).find(|way| !is_passed(way)).or((!ways.is_empty()).then_some(0))?;
        let behind = behind_fastest(ways.len(), best, 1, logs);
        let beside = |way: usize| {
            let known = behind[way].filter(|_| logs(way, best).are_enough());
            Comparison::of(known.map(|behind| behind.ratio))
        };
        let others = (0..ways.len()).filter(|way| *way != best).map(|way| (ways[way], beside(way))).collect();
        Some(Self { message, best: ways[best], others })
    }

    /// Whether it is known what more than one thread is good for: no way of one thread is left that cannot be told apart from one of
    /// several, or from a card.
    pub fn is_answered(&self) -> bool {
        let open: Vec<&Record> = self.unsettled().map(|way| way.record).chain([self.best.record]).collect();
        open.len() < 2 || open.iter().all(|record| is_alone(record)) || !open.iter().any(|record| is_alone(record))
    }

    /// The way that no other surely passes, of these the one of the highest median.
    pub fn best(&self) -> &'a Way<'a> {
        self.best
    }

    /// The other ways, each with the fastest beside it.
    pub fn others(&self) -> impl Iterator<Item = (&Way<'a>, Comparison)> {
        self.others.iter().map(|(way, comparison)| (*way, *comparison))
    }

    /// How another way compares.
    pub fn verdict(&self, way: &Way) -> Option<Comparison> {
        self.others.iter().find(|(other, _)| other.record.id == way.record.id).map(|(_, verdict)| *verdict)
    }

    /// `AES-256-CTR, 1 GB: 5.68 GB/s by aws-lc, 2 threads: 1.97× ±1.2 % vs one thread. Equally fast: openssl, 2 threads.`
    pub fn sentence(&self) -> String {
        let (message, best) = (self.message, self.best);
        let what = format!("{}, {}", message.title(), size(message.bytes));
        if !self.is_answered() {
            return format!("{what}: no answer yet. {}", self.undecided());
        }
        let gain =
            best.gain.as_ref().and_then(|gain| gained(gain.speed_up)).map(|gain| format!(": {gain} vs one thread"));
        let equal: Vec<&Way> = self.those(|verdict| matches!(verdict, Comparison::Equal(_))).collect();
        let unsettled: Vec<&Way> = self.unsettled().collect();
        let also = |title: &str, ways: &[&Way]| {
            let names: Vec<String> = ways.iter().map(|way| name(way.record)).collect();
            if names.is_empty() {
                String::new()
            } else {
                format!(" {title}: {}.", few(&names, MOST_NAMED, "other ways"))
            }
        };
        format!(
            "{what}: {} GB/s by {}{}.{}{}{}",
            digits(best.rate),
            name(best.record),
            gain.unwrap_or_default(),
            also("Equally fast", &equal),
            also("Not distinguished from it yet", &unsettled),
            self.without_copies().unwrap_or_default(),
        )
    }

    /// ` If the card's memory holds the message already: 350 GB/s by cuda.` where that is faster, and not the answer itself.
    fn without_copies(&self) -> Option<String> {
        let on_card = |way: &&Way| is_on_card(&way.record.cell) && !is_software(way.record);
        let way = self.message.ways.iter().find(on_card).filter(|way| way.rate > self.best.rate)?;
        let (rate, provider) = (digits(way.rate), provider(&way.record.cell));
        Some(format!(" If the card's memory holds the message already: {rate} GB/s by {provider}."))
    }

    /// `One thread (4.07 GB/s by openmp) and openmp, 2 threads (6.49 GB/s) cannot be told apart.`
    fn undecided(&self) -> String {
        let open: Vec<&Way> = std::iter::once(self.best).chain(self.unsettled()).collect();
        let fastest = |alone: bool| open.iter().find(|way| is_alone(way.record) == alone);
        let (Some(one), Some(more)) = (fastest(true), fastest(false)) else { return String::new() };
        format!(
            "One thread ({} GB/s by {}) and {} ({} GB/s) cannot be told apart.",
            digits(one.rate),
            provider(&one.record.cell),
            name(more.record),
            digits(more.rate)
        )
    }

    fn unsettled(&self) -> impl Iterator<Item = &'a Way<'a>> {
        self.those(|verdict| matches!(verdict, Comparison::Unknown(_)))
    }

    fn those(&self, test: fn(&Comparison) -> bool) -> impl Iterator<Item = &'a Way<'a>> {
        self.others.iter().filter(move |(_, verdict)| test(verdict)).map(|(way, _)| *way)
    }
}

/// Whether it begins with the message in the host's memory, on silicon that isn't played by other silicon.
fn starts_in_host_memory(way: &Way) -> bool {
    !is_software(way.record) && !is_on_card(&way.record.cell)
}

/// The ways of ciphers that have no answer.
pub(super) fn open(all: &[Fastest]) -> Vec<Record> {
    let open = all.iter().filter(|fastest| !fastest.is_answered()).flat_map(|fastest| &fastest.message.ways);
    open.map(|way| way.record.clone()).collect()
}

/// What to try where a cipher has no answer.
pub(super) fn advice(run: &Run, all: &[Fastest]) -> Option<String> {
    let open = open(all);
    (!open.is_empty()).then(|| basis::no_answer(run, &open, basis::most_forks(&open)))
}

/// `1.97× ±1.2 %`, `1.40× to 3.10×`; `None` where a wide interval does not leave out 1.
fn gained(speed_up: Ratio) -> Option<String> {
    let is_known = speed_up.range().is_some() && (!speed_up.is_wide() || speed_up.excludes_one());
    let (times, interval) = ratio_columns(speed_up);
    is_known.then(|| format!("{times} {interval}"))
}

fn is_alone(record: &Record) -> bool {
    record.cell.parameters.threads() == 1 && !record.cell.form.is_of_card()
}
