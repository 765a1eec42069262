//! Real pairs through the built binary.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Error, Result};
use ciphermeter_native::libcrypto_file;
use ciphermeter_store::Store;
use serde::Deserialize;

use super::residuals::{Forks, Kind, Line, Raised};
use super::setting::Setting;
use crate::binary::Ciphermeter;

/// The provider of pairs that are not libcryptos, and the algorithm that is slowed.
const PROVIDER: &str = "aws-lc";
const SLOWED: &str = "aes-256-gcm";

/// Measures a pair, and comes back with what is kept of it.
pub fn measure(number: usize, kind: Kind, setting: &Setting, ciphermeter: &Ciphermeter) -> Result<Line> {
    let folder = tempfile::Builder::new().prefix("pair-").tempdir_in(ciphermeter.path(""))?;
    let path = |name: &str| folder.path().join(name);
    let file = match kind {
        Kind::Libcrypto => libcrypto_file().map_err(Error::msg)?,
        Kind::Ciphermeter | Kind::Worker => ciphermeter.binary().to_owned(),
    };
    let name = if kind == Kind::Libcrypto { "libcrypto.so.3" } else { "ciphermeter" };
    let [old, new] = ["old", "new"].map(|side| copied(&file, &path(side), name, &format!("{side} of pair {number}")));
    let [mut old, mut new] = [old?, new?].map(|file| file.display().to_string());
    let mut arguments: Vec<String> = Vec::new();
    if kind == Kind::Worker {
        for side in [&mut old, &mut new] {
            *side = shlex::try_join([side.as_str(), "worker", "native", "--provider", PROVIDER])?;
        }
        if let Some(share) = setting.planted {
            new = format!("{new} --slowed {share} --only {SLOWED}");
        }
    } else if kind == Kind::Ciphermeter {
        arguments = vec!["--provider".into(), PROVIDER.into()];
    }
    let (json, store) = (path("guard.json"), path("runs.db"));
    let mut command = ciphermeter.command();
    command.arg("guard").args([&old, &new]).args(arguments).arg("--json").arg(&json).arg("--store").arg(&store);
    command.args(["--quiet", "--budget", &setting.budget.to_string()]);
    let (code, seconds) = run(command.stdout(Stdio::null()), limit(setting))?;
    let planted = setting.planted.map(|share| share.to_string());
    let Some(decided) = fs::read(&json).ok().and_then(|text| serde_json::from_slice::<Decided>(&text).ok()) else {
        return Ok(Line { kind, planted, code, seconds, alarms: Vec::new(), first: None });
    };
    let raised = |alarm: Alarm| {
        let cell = format!("{} {} {}", alarm.algorithm, alarm.operation, alarm.parameters);
        Raised { cell, algorithm: alarm.algorithm, standing: alarm.standing }
    };
    let first = decided.measurements.first().map(|first| first.run.id).context("the guard wrote no measurement")?;
    let (_, records) = Store::open_read_only(&store)?.load(first)?;
    let alarms = decided.alarms.into_iter().map(raised).collect();
    Ok(Line { kind, planted, code, seconds, alarms, first: Some(Forks::of(&records)) })
}

/// A copy with other bytes behind its end, which no loader reads.
fn copied(file: &Path, folder: &Path, name: &str, behind: &str) -> Result<PathBuf> {
    fs::create_dir(folder)?;
    let copy = folder.join(name);
    let cannot = || format!("cannot copy {} to {}", file.display(), copy.display());
    fs::copy(file, &copy).with_context(cannot)?;
    let mut out = fs::File::options().append(true).open(&copy).with_context(cannot)?;
    out.write_all(behind.as_bytes()).with_context(cannot)?;
    Ok(copy)
}

/// Twice what both measurements may take, and the time to verify.
fn limit(setting: &Setting) -> Duration {
    setting.budget.duration() * 4 + Duration::from_secs(120)
}

/// Runs it to its end, or ends it; its exit code and the seconds that it took.
fn run(command: &mut std::process::Command, limit: Duration) -> Result<(Option<i32>, f64)> {
    let began = Instant::now();
    let mut child = command.spawn().context("the guard did not start")?;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok((status.code(), began.elapsed().as_secs_f64()));
        }
        if began.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            return Ok((None, began.elapsed().as_secs_f64()));
        }
        thread::sleep(Duration::from_millis(200));
    }
}

/// What is read of the guard's document.
#[derive(Deserialize)]
struct Decided {
    alarms: Vec<Alarm>,
    measurements: Vec<Measurement>,
}

#[derive(Deserialize)]
struct Alarm {
    algorithm: String,
    operation: String,
    parameters: serde_json::Value,
    standing: String,
}

#[derive(Deserialize)]
struct Measurement {
    run: Head,
}

#[derive(Deserialize)]
struct Head {
    id: i64,
}
