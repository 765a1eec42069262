//! Apple's power sensors, through `macmon pipe` (<https://github.com/vladkens/macmon>), which needs no root: JSON lines with watts.

use std::env;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use ciphermeter_core::quoted_path;
use serde_json::Value;

use super::counter::{Count, Counter, Covers, Found};
use super::integral::Said;
use super::lines::Lines;

/// Milliseconds between its lines.
const INTERVAL: &str = "200";
/// How long it may take to its third line.
const PATIENCE: Duration = Duration::from_secs(5);

/// The program in `PATH`, on a Mac.
pub(super) fn program() -> Result<PathBuf, String> {
    if !cfg!(target_os = "macos") {
        return Err(format!("macmon reads the sensors of Macs; this is {}", env::consts::OS));
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&path).map(|folder| folder.join("macmon")).find(|file| file.is_file());
    found.ok_or_else(|| "macmon is not installed; `brew install macmon` enables it".to_string())
}

/// The chip's power, summed up.
pub(super) fn find(program: Result<PathBuf, String>) -> Found {
    let program = program?;
    let mut command = Command::new(&program);
    command.args(["pipe", "--interval", INTERVAL]);
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let mut child = child.map_err(|error| format!("{} does not start: {error}", quoted_path(&program)))?;
    let Some(lines) = child.stdout.take() else { return Err("macmon has no output".into()) };
    let macmon = Macmon { child, lines: Lines::follow(lines, read) };
    match macmon.lines.period(PATIENCE) {
        Some(_) => Ok(vec![Box::new(macmon)]),
        None => Err("macmon sent no `all_power` within 5 s: `macmon pipe -s 2` shows what it sends".into()),
    }
}

/// `all_power` of a line: CPU, GPU and neural engine, in watts.
fn read(line: &str) -> Option<Said> {
    serde_json::from_str::<Value>(line).ok()?.get("all_power")?.as_f64().map(Said::Watts)
}

struct Macmon {
    child: Child,
    lines: Lines,
}

impl Counter for Macmon {
    fn name(&self) -> String {
        "macmon: all_power".into()
    }

    fn subject(&self) -> String {
        "macmon".into()
    }

    fn covers(&self) -> Covers {
        Covers::Chip
    }

    fn microjoules(&mut self) -> Result<u64, String> {
        self.count().map(|count| count.microjoules)
    }

    fn count(&mut self) -> Result<Count, String> {
        self.lines.count()
    }

    fn updates(&mut self) -> Result<u64, String> {
        Ok(self.lines.updates())
    }

    fn remedy(&self) -> &'static str {
        "`macmon pipe -s 2` shows what it sends"
    }
}

impl Drop for Macmon {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// A line of macmon 0.6, from its readme.
    const LINE: &str = r#"{"timestamp":"2025-02-24T20:38:15.427569+00:00","temp":{"cpu_temp_avg":43.73614,"gpu_temp_avg":36.95167},
        "ecpu_usage":[1181,0.082656614],"cpu_power":0.20486385,"gpu_power":0.017451683,"ane_power":0.0,"all_power":0.22231553,
        "sys_power":5.876533,"ram_power":0.11635789}"#;

    fn fake(folder: &tempfile::TempDir, script: &str) -> Result<PathBuf, String> {
        let program = folder.path().join("macmon");
        fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        Ok(program)
    }

    #[test]
    fn line_of_macmon_is_read() {
        assert_eq!(read(LINE), Some(Said::Watts(0.22231553)));
        for wrong in ["", "{}", "{\"all_power\":\"1\"}", "[1"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn power_of_a_running_macmon_is_summed_up() {
        let folder = tempfile::tempdir().unwrap();
        let script =
            "test \"$*\" = 'pipe --interval 200' || exit 1\nwhile echo '{\"all_power\": 20.0}'; do sleep 0.02; done";
        let mut found = find(fake(&folder, script)).unwrap();
        assert_eq!((found[0].name().as_str(), found[0].covers()), ("macmon: all_power", Covers::Chip));
        // On a busy machine no line may come for a while, which is an error then.
        while !found[0].microjoules().is_ok_and(|sum| sum >= 1_000_000) {
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn missing_or_silent_macmon_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let why = |program| find(program).map(|_| ()).unwrap_err();
        assert!(why(fake(&folder, "exit 0")).starts_with("macmon sent no `all_power` within 5 s"));
        assert!(why(Ok(folder.path().join("none"))).contains("does not start"));
        if !cfg!(target_os = "macos") {
            assert!(why(program()).starts_with("macmon reads the sensors of Macs"));
        }
    }
}
