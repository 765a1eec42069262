//! Where series of runs step: the server's rule, ruptures' PELT and Apache Otava on the same planted series.
//!
//! Each value is a log-ratio of a run: a level, the noise of a cell known to ±0.3 %, and what runs differ by. Python is started once and
//! reads the series line by line.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail};
use ciphermeter_stats::{Known, steps};
use fastrand::Rng;

use crate::output::{print, print_line};

const RIVALS: &str = include_str!("steps.py");
/// The standard error of a cell known to ±0.3 % (95 %).
const ERROR: f64 = 0.003 / 1.96;
/// What runs differ by, a standard deviation.
const BETWEEN: f64 = 0.0015;
const STEP: f64 = 0.01;
const RUNS: usize = 100;
/// Runs before a step, and after it.
const BEFORE: usize = 20;
const AFTER: usize = 5;
const OURS: &str = "ciphermeter";

/// Prints how many unchanged series have a step, and in how many a step of 1 % is found.
pub fn run(series: u32, seed: u64, python: &str) -> Result<()> {
    let mut rivals = Rivals::start(python)?;
    let mut random = Rng::with_seed(seed);
    let [mut alarms, mut found]: [BTreeMap<String, u32>; 2] = Default::default();
    for _ in 0..series {
        let unchanged = planted(RUNS, RUNS, &mut random);
        count(&mut alarms, rivals.all(&unchanged)?, |places| !places.is_empty());
        let stepped = planted(BEFORE + AFTER, BEFORE, &mut random);
        count(&mut found, rivals.all(&stepped)?, |places| places.iter().any(|place| place.abs_diff(BEFORE) <= 1));
    }
    rivals.end()?;
    print_line(&format!("{series} series each; cells known to ±0.3 %, runs differ by {:.2} %", BETWEEN * 100.0))?;
    print(&format!("{:<14} {:>27}  {:>29}\n", "", "a step in 100 unchanged runs", "1 % found within 5 runs of 20"))?;
    for (name, alarms) in &alarms {
        let share = |count: u32| format!("{:.1} %", f64::from(count) / f64::from(series) * 100.0);
        print(&format!("{name:<14} {:>28}  {:>29}\n", share(*alarms), share(found[name])))?;
    }
    if alarms.len() == 1 {
        print_line("Neither rival is here: python3 -m pip install ruptures apache-otava, or name another --python.")?;
    }
    Ok(())
}

fn count(counts: &mut BTreeMap<String, u32>, places: BTreeMap<String, Vec<usize>>, is: impl Fn(&[usize]) -> bool) {
    for (name, places) in places {
        *counts.entry(name).or_default() += u32::from(is(&places));
    }
}

/// A series that is 1 % higher from run `at` on.
fn planted(runs: usize, at: usize, random: &mut Rng) -> Vec<Known> {
    let value = |run| {
        let level = if run < at { 0.0 } else { STEP };
        Known { mid: 0.4 + level + ERROR * normal(random) + BETWEEN * normal(random), error: ERROR }
    };
    (0..runs).map(value).collect()
}

/// A draw of the normal distribution (Box and Muller, 1958).
fn normal(random: &mut Rng) -> f64 {
    let (radius, angle) = ((-2.0 * (1.0 - random.f64()).ln()).sqrt(), std::f64::consts::TAU * random.f64());
    radius * angle.cos()
}

/// Python, with the rivals that it has.
struct Rivals {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Rivals {
    fn start(python: &str) -> Result<Self> {
        let mut command = Command::new(python);
        command.args(["-c", RIVALS]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().with_context(|| format!("cannot start {python}; name another --python"))?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let (input, output) = input.zip(output).context("no pipes to Python")?;
        Ok(Self { child, input, output: BufReader::new(output) })
    }

    /// Where each rival and the server's rule find a step that two runs or more show.
    fn all(&mut self, series: &[Known]) -> Result<BTreeMap<String, Vec<usize>>> {
        let values: Vec<f64> = series.iter().map(|known| known.mid).collect();
        writeln!(self.input, "{}", serde_json::to_string(&values)?).context("Python ended")?;
        let mut line = String::new();
        if self.output.read_line(&mut line)? == 0 {
            bail!("Python ended: it needs numpy");
        }
        let mut places: BTreeMap<String, Vec<usize>> = serde_json::from_str(&line)?;
        let own = steps(series, None).iter().filter(|step| step.values > 1).map(|step| step.at).collect();
        places.insert(OURS.into(), own);
        Ok(places)
    }

    fn end(mut self) -> Result<()> {
        drop(self.input);
        self.child.wait()?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planted_series_have_their_step() {
        let series = planted(4000, 2000, &mut Rng::with_seed(7));
        let mean = |part: &[Known]| part.iter().map(|known| known.mid).sum::<f64>() / part.len() as f64;
        assert!((mean(&series[2000..]) - mean(&series[..2000]) - STEP).abs() < 0.0005);
    }
}
