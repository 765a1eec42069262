//! What `openssl speed` shows here, counted in a process of its own: the library that it opens may be any file.

use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use ciphermeter_core::{Algorithm, Fact, Kind, Operation, Run, escaped};
use ciphermeter_native::openssl_speed::{ALGORITHMS, Shown, shown};

use crate::folders;

/// The size at which a run notes what `openssl speed` shows: there it misleads, and messages are common.
const NOTED: usize = 1024;
/// The counts of a run's note, 40 ms each.
const TURNS: usize = 5;
/// In a shorter run, the note would take too large a share of the time.
const LEAST_BUDGET_S: u64 = 10;

/// The counts as the worker's process prints them, a line each: algorithm, bytes, both times in ns.
pub fn lines(sizes: &[usize], turns: usize) -> Result<String> {
    let line =
        |cell: Shown| format!("{} {} {:.3} {:.3}\n", cell.algorithm, cell.message_bytes, cell.shown_ns, cell.seal_ns);
    Ok(shown(sizes, turns)?.into_iter().map(line).collect())
}

/// Counts in a process of its own.
pub fn counted(sizes: &[usize], turns: usize) -> Result<Vec<Shown>> {
    let sizes: Vec<_> = sizes.iter().map(ToString::to_string).collect();
    let mut command = Command::new(folders::binary()?);
    command.args(["worker", "speed", "--message", &sizes.join(","), "--turns", &turns.to_string()]);
    let output = command.output().context("cannot start this binary again")?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.trim_start_matches("ciphermeter: ").lines().next().unwrap_or_default();
        bail!("{}", if said.is_empty() { output.status.to_string() } else { escaped(said) });
    }
    let text = String::from_utf8(output.stdout)?;
    let cells = text.lines().map(read).collect::<Option<Vec<_>>>().context("the counts cannot be read")?;
    ensure!(cells.len() == 2 * sizes.len(), "the counts are incomplete");
    Ok(cells)
}

fn read(line: &str) -> Option<Shown> {
    let mut words = line.split(' ');
    let algorithm: Algorithm = words.next()?.parse().ok()?;
    let message_bytes = words.next()?.parse().ok()?;
    let mut time = || words.next()?.parse().ok().filter(|ns: &f64| ns.is_finite() && *ns > 0.0);
    Some(Shown { algorithm, message_bytes, shown_ns: time()?, seal_ns: time()? })
}

/// The notes of a run that compares both ciphers with the system's OpenSSL, one for each cipher; of others none.
pub fn facts(run: &Run) -> Vec<Fact> {
    let name = |algorithm: Algorithm| format!("openssl-speed-{algorithm}");
    if !compares(run) {
        return Vec::new();
    }
    match counted(&[NOTED], TURNS) {
        Ok(cells) => {
            let value = |cell: &Shown| format!("{:.2} GB/s at 1 KiB", NOTED as f64 / cell.shown_ns);
            cells.iter().map(|cell| Fact::present(&name(cell.algorithm), value(cell))).collect()
        }
        Err(error) => ALGORITHMS.map(|algorithm| Fact::absent(&name(algorithm), format!("{error:#}"))).into(),
    }
}

fn compares(run: &Run) -> bool {
    let scenario = &run.scenario;
    let seals = |algorithm| {
        let cells = scenario.cells_for("openssl", algorithm, 1);
        cells.iter().any(|cell| cell.operation == Operation::Seal)
    };
    scenario.kind != Kind::Sustained
        && run.mask.is_none()
        && run.against.is_none()
        && scenario.copies.is_none()
        && scenario.budget.duration().as_secs() >= LEAST_BUDGET_S
        && ALGORITHMS.into_iter().all(seals)
}

/// GB/s with three digits.
pub fn gb_per_s(bytes: usize, ns: f64) -> String {
    let rate = bytes as f64 / ns;
    let decimals = if rate < 1.0 { 3 } else { 2 };
    format!("{rate:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_says_anything_else_is_refused() {
        let line = "aes-256-gcm 1024 501.250 812.000";
        let cell = read(line).unwrap();
        assert_eq!((cell.algorithm, cell.message_bytes), (Algorithm::Aes256Gcm, 1024));
        assert_eq!((cell.shown_ns, cell.seal_ns), (501.25, 812.0));
        for wrong in ["", "aes-256-gcm", "aes-256-gcm 1024 501", "aes-256-gcm 1024 0 1", "aes 16 1 1", "xor 1 NaN 1"] {
            assert!(read(wrong).is_none(), "{wrong}");
        }
    }
}
