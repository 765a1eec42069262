//! What moved from one run of a machine to the next, and why: the library, the method, the machine, or nothing that is known.
//!
//! Ratios to the run's reference are looked at, never times alone. A step is found by [`ciphermeter_stats::steps`]; what changed at that
//! moment explains it. The order of the questions is that of what is known best: a method has a number, a library a version and a hash, a
//! machine its facts. What moves beside cells whose code stayed the same, or beside the ceilings, is the machine's, too.

use std::collections::BTreeMap;

use ciphermeter_core::{Fact, Provenance, Record, method};
pub use ciphermeter_stats::LEAST_VALUES as LEAST_RUNS;
use ciphermeter_stats::{Known, Step, steps, variance_of};
use serde::{Deserialize, Serialize};

use crate::regression::begun;
use crate::same_machine::lasting_changes;
use crate::words::listed;

/// Quantiles of the normal distribution on either side of 95 %.
const WIDTH: f64 = 2.0 * 1.959_964;
/// No ratio is known better than this.
const LEAST_ERROR: f64 = 5e-5;
/// Fewer cells with the same code tell nothing about the machine.
const LEAST_CONTROLS: usize = 3;
/// Runs on either side of a step that must have another state of the machine.
const BESIDE: usize = 2;

/// A run, as far as its neighbours are compared with it.
#[derive(Debug, Clone)]
pub struct Visit {
    /// The number of its method.
    pub method: u32,
    /// The facts of its machine.
    pub host: Vec<Fact>,
    /// What people say to have changed between the run before and this one.
    pub marks: Vec<String>,
}

/// A cell's figure in one run.
#[derive(Debug, Clone)]
pub struct Figure {
    /// The place of the run among all.
    pub run: usize,
    /// Time ÷ time of the reference: the estimate, and its 95 % interval.
    pub ratio: [f64; 3],
    /// The code that was measured.
    pub code: Code,
    /// The reference's code.
    pub reference: Code,
}

/// A cell's figures to one reference, in the order of runs.
#[derive(Debug, Clone)]
pub struct Series {
    /// A number of its reference, the same for all cells with that reference.
    pub reference: usize,
    /// Whether it is what the silicon allows, rather than a library.
    pub is_ceiling: bool,
    /// The figures.
    pub figures: Vec<Figure>,
}

/// What is known of the code of a cell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Code {
    /// Version, file, code path and runtime of the library, in words.
    pub library: String,
    /// The beginning of the hash of the worker's program; empty where there is none.
    pub program: String,
}

impl Code {
    /// The code of a record.
    pub fn of(record: &Record) -> Self {
        record.provenance.as_ref().map(Self::of_provenance).unwrap_or_default()
    }

    fn of_provenance(from: &Provenance) -> Self {
        let file = from.sha256.as_deref().map(|hash| format!("file {}", begun(hash)));
        let words = [Some(from.version.clone()), file, Some(from.path.clone()), Some(from.runtime.clone())];
        let library = words.into_iter().flatten().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(", ");
        Self { library, program: from.program.as_deref().map(begun).unwrap_or_default().into() }
    }
}

/// What a movement is put down to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Cause {
    /// The way of measuring is another one, or our own program is.
    Method,
    /// The library of the cell or of its reference is another one.
    Library,
    /// A fact of the machine is another one, or other cells moved with it.
    Machine,
    /// Nothing that is known changed.
    Unexplained,
}

impl Cause {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Method => "method",
            Self::Library => "library",
            Self::Machine => "machine",
            Self::Unexplained => "unexplained",
        }
    }
}

/// A cell that moved.
#[derive(Debug, Clone)]
pub struct Movement {
    /// The place of its series.
    pub series: usize,
    /// The place of the last run before it.
    pub before: usize,
    /// The place of the first run after it.
    pub run: usize,
    /// Time after ÷ time before, both to the reference, and its 95 % interval.
    pub change: [f64; 3],
    /// Standard errors that it is away from none.
    pub errors: f64,
    /// Runs that show the level after it. One alone has to be confirmed.
    pub runs: usize,
    /// What it is put down to.
    pub cause: Cause,
    /// That in words.
    pub reason: String,
}

/// The movements of a machine's cells. Runs are those of one machine and one scenario, in the order of time.
pub fn movements(runs: &[Visit], all: &[Series]) -> Vec<Movement> {
    let known: Vec<Vec<Known>> = all.iter().map(Series::known).collect();
    let between = variance_of(&known);
    let found: Vec<Vec<Step>> = known.iter().map(|series| steps(series, between)).collect();
    let beside = Beside::of(all, &found);
    let each = all.iter().zip(&found).enumerate().flat_map(|(place, (series, steps))| {
        let beside = &beside;
        let starts = std::iter::once(0).chain(steps.iter().map(|step| step.at));
        starts.zip(steps).map(move |(start, step)| series.movement(place, (start, step), runs, beside))
    });
    each.collect()
}

impl Series {
    fn known(&self) -> Vec<Known> {
        let known = |figure: &Figure| {
            let [mid, low, high] = figure.ratio.map(f64::ln);
            Known { mid, error: ((high - low) / WIDTH).max(LEAST_ERROR) }
        };
        self.figures.iter().map(known).collect()
    }

    /// `start` is the first figure of the level before the step.
    fn movement(&self, place: usize, (start, step): (usize, &Step), runs: &[Visit], beside: &Beside) -> Movement {
        let (before, after) = (&self.figures[step.at - 1], &self.figures[step.at]);
        let half = WIDTH / 2.0 * step.error;
        let (cause, reason) = self.explained((start, step), runs, beside);
        Movement {
            series: place,
            before: before.run,
            run: after.run,
            change: [step.size, step.size - half, step.size + half].map(f64::exp),
            errors: step.size.abs() / step.error.max(f64::MIN_POSITIVE),
            runs: step.values,
            cause,
            reason,
        }
    }
}

impl Series {
    fn explained(&self, (start, step): (usize, &Step), runs: &[Visit], beside: &Beside) -> (Cause, String) {
        let levels = [start, step.at + step.values];
        let mut places: Vec<usize> = (step.between[0]..=step.between[1]).collect();
        places.sort_by_key(|place| place.abs_diff(step.at));
        if let Some(found) = places.iter().find_map(|place| self.changed(*place, levels, runs)) {
            return found;
        }
        let (before, after) = (&self.figures[step.at - 1], &self.figures[step.at]);
        if let Some(reason) = beside.reason((after.run, self.reference), step.size > 0.0) {
            return (Cause::Machine, reason);
        }
        if before.code.program != after.code.program || before.reference.program != after.reference.program {
            return (Cause::Method, "another build of the worker with the same library".into());
        }
        (Cause::Unexplained, unexplained(step.values))
    }

    /// What is known to have changed just before the figure at a place between two levels, which begin and end at `levels`.
    fn changed(&self, place: usize, [start, end]: [usize; 2], runs: &[Visit]) -> Option<(Cause, String)> {
        let (before, after) = (&self.figures[place - 1], &self.figures[place]);
        let (then, now) = (&runs[before.run], &runs[after.run]);
        if then.method != now.method {
            return Some((Cause::Method, format!("{} → {}", method(then.method), method(now.method))));
        }
        if before.code.library != after.code.library {
            return Some((Cause::Library, format!("{} → {}", before.code.library, after.code.library)));
        }
        if before.reference.library != after.reference.library {
            let [old, new] = [&before.reference.library, &after.reference.library];
            return Some((Cause::Library, format!("the reference's: {old} → {new}")));
        }
        let hosts = |figures: &mut dyn Iterator<Item = &Figure>| -> Vec<&[Fact]> {
            figures.take(BESIDE).map(|figure| runs[figure.run].host.as_slice()).collect()
        };
        let before_it = hosts(&mut self.figures[start.min(place - 1)..place].iter().rev());
        let after_it = hosts(&mut self.figures[place..end.max(place + 1)].iter());
        let changes = lasting_changes(&before_it, &after_it);
        if !changes.is_empty() {
            return Some((Cause::Machine, listed(&changes)));
        }
        let marks: Vec<String> = runs[before.run + 1..=after.run].iter().flat_map(|run| run.marks.clone()).collect();
        (!marks.is_empty()).then(|| (Cause::Machine, listed(&marks)))
    }
}

fn unexplained(runs: usize) -> String {
    match runs {
        1 => "to be confirmed: measure once more".into(),
        _ => format!("{runs} runs show it, and nothing that is known changed"),
    }
}

/// What cells with unchanged code did at each run, by their reference.
#[derive(Default)]
struct Beside(BTreeMap<(usize, usize), Controls>);

/// Cells whose code is that of the run before.
#[derive(Debug, Default)]
struct Controls {
    all: usize,
    /// How many became faster and slower.
    moved: [usize; 2],
    /// Whether a ceiling became faster and slower.
    has_ceiling: [bool; 2],
}

impl Beside {
    fn of(all: &[Series], found: &[Vec<Step>]) -> Self {
        let mut beside = Self::default();
        for (series, steps) in all.iter().zip(found) {
            for (place, two) in series.figures.windows(2).enumerate() {
                if two[0].code != two[1].code || two[0].reference != two[1].reference {
                    continue;
                }
                let controls = beside.0.entry((two[1].run, series.reference)).or_default();
                controls.all += 1;
                if let Some(step) = steps.iter().find(|step| step.at == place + 1) {
                    let is_slower = usize::from(step.size > 0.0);
                    controls.moved[is_slower] += 1;
                    controls.has_ceiling[is_slower] |= series.is_ceiling;
                }
            }
        }
        beside
    }

    /// Why it is the machine that moved, if it is; the cell itself is one of those that moved.
    fn reason(&self, at: (usize, usize), is_slower: bool) -> Option<String> {
        let controls = self.0.get(&at)?;
        let (moved, all) = (controls.moved[usize::from(is_slower)], controls.all);
        if moved > LEAST_CONTROLS && moved * 2 > all {
            let way = if is_slower { "faster" } else { "slower" };
            return Some(format!(
                "{moved} of {all} cells with the same code and reference moved the same way, as a {way} reference makes them"
            ));
        }
        controls.has_ceiling[usize::from(is_slower)]
            .then(|| "what the CPU itself does in the same rounds moved, too".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(library: &str, program: &str) -> Code {
        Code { library: library.into(), program: program.into() }
    }

    fn visits(count: usize) -> Vec<Visit> {
        let host = vec![Fact::present("kernel", "Linux 6.1")];
        (0..count).map(|_| Visit { method: 7, host: host.clone(), marks: Vec::new() }).collect()
    }

    /// A cell in so many runs, `change` times as slow from run `at` on.
    fn series(runs: usize, at: usize, change: f64) -> Series {
        let reference = 0;
        let figure = |run: usize| {
            let noise = 1.0 + 0.001 * ((run * 7 % 5) as f64 - 2.0) / 2.0;
            let mid = noise * if run < at { 1.5 } else { 1.5 * change };
            let ratio = [mid, mid * 0.997, mid * 1.003];
            Figure { run, ratio, code: code("3.0.17", "a"), reference: code("1.0", "a") }
        };
        Series { reference, is_ceiling: false, figures: (0..runs).map(figure).collect() }
    }

    fn only(runs: &[Visit], all: &[Series]) -> Movement {
        let mut found = movements(runs, all);
        assert_eq!(found.len(), 1, "{found:?}");
        found.remove(0)
    }

    #[test]
    fn each_movement_has_its_cause() {
        let moved = series(20, 12, 1.05);
        let plain = only(&visits(20), std::slice::from_ref(&moved));
        assert_eq!((plain.before, plain.run, plain.runs, plain.cause), (11, 12, 8, Cause::Unexplained));
        assert!((plain.change[0] - 1.05).abs() < 0.003 && plain.change[1] > 1.045 && plain.errors > 20.0, "{plain:?}");

        let mut newer = moved.clone();
        newer.figures[12..].iter_mut().for_each(|figure| figure.code = code("3.0.20", "a"));
        let library = only(&visits(20), &[newer]);
        assert_eq!((library.cause, library.reason.as_str()), (Cause::Library, "3.0.17 → 3.0.20"));

        let mut reference = moved.clone();
        reference.figures[12..].iter_mut().for_each(|figure| figure.reference = code("1.1", "a"));
        assert_eq!(only(&visits(20), &[reference]).reason, "the reference's: 1.0 → 1.1");

        let mut kernel = visits(20);
        kernel[12..].iter_mut().for_each(|run| run.host = vec![Fact::present("kernel", "Linux 6.9")]);
        let machine = only(&kernel, std::slice::from_ref(&moved));
        assert_eq!((machine.cause, machine.reason.as_str()), (Cause::Machine, "kernel Linux 6.1 ≠ Linux 6.9"));

        let mut marked = visits(20);
        marked[12].marks.push("new power supply".into());
        assert_eq!(only(&marked, std::slice::from_ref(&moved)).reason, "new power supply");

        let mut other = visits(20);
        other[12..].iter_mut().for_each(|run| run.method = 8);
        assert_eq!(only(&other, std::slice::from_ref(&moved)).cause, Cause::Method);

        let mut build = moved;
        build.figures[12..].iter_mut().for_each(|figure| figure.code = code("3.0.17", "b"));
        assert_eq!(only(&visits(20), &[build]).cause, Cause::Method);
    }

    #[test]
    fn state_of_one_run_alone_explains_nothing() {
        let moved = series(20, 12, 1.05);
        for odd in [11, 12] {
            let mut runs = visits(20);
            runs[odd].host = vec![Fact::present("kernel", "Linux 6.9")];
            assert_eq!(only(&runs, std::slice::from_ref(&moved)).cause, Cause::Unexplained, "run {odd}");
        }
    }

    #[test]
    fn library_that_changed_one_run_beside_a_step_explains_it_where_noise_hides_its_place() {
        let changed_at = |at: usize, middle: Option<f64>| {
            let mut moved = series(20, 12, 1.02);
            moved.figures[at..].iter_mut().for_each(|figure| figure.code = code("3.0.20", "a"));
            if let Some(middle) = middle {
                moved.figures[12].ratio = [middle, middle * 0.997, middle * 1.003];
            }
            only(&visits(20), &[moved]).cause
        };
        assert_eq!(changed_at(13, Some(1.515)), Cause::Library, "run 12 may be of either level");
        assert_eq!(changed_at(13, None), Cause::Unexplained, "run 12 is surely slower, with the older library");
    }

    #[test]
    fn what_most_cells_do_is_the_machine_s() {
        let mut all: Vec<Series> = (0..6).map(|_| series(20, 12, 1.05)).collect();
        all.push(series(20, 20, 1.0));
        let found = movements(&visits(20), &all);
        assert_eq!(found.len(), 6);
        assert!(found.iter().all(|movement| movement.cause == Cause::Machine), "{found:?}");
        assert_eq!(
            found[0].reason,
            "6 of 7 cells with the same code and reference moved the same way, as a faster reference makes them"
        );

        let mut ceiling = series(20, 12, 1.05);
        ceiling.is_ceiling = true;
        let found = movements(&visits(20), &[series(20, 12, 1.05), ceiling]);
        assert!(found.iter().all(|movement| movement.cause == Cause::Machine), "{found:?}");
    }

    #[test]
    fn latest_run_alone_is_to_be_confirmed() {
        let latest = only(&visits(13), &[series(13, 12, 1.05)]);
        assert_eq!((latest.runs, latest.reason.as_str()), (1, "to be confirmed: measure once more"));
        assert!(movements(&visits(13), &[series(13, 13, 1.0)]).is_empty());
    }
}
