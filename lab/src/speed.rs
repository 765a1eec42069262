//! `openssl speed`: one cipher and one size in one window, read from the machine-readable output of `-mr`.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use ciphermeter_core::Algorithm;

/// A running `openssl speed`.
pub struct Speed(Child);

impl Speed {
    /// Starts it; a window has whole seconds.
    pub fn start(algorithm: Algorithm, bytes: usize, window: Duration) -> Result<Self> {
        let seconds = window.as_secs().to_string();
        let child = Command::new("openssl")
            .args(["speed", "-mr", "-seconds", &seconds, "-bytes", &bytes.to_string(), "-evp", algorithm.as_str()])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        Ok(Self(child.context("`openssl speed` did not start; install the package openssl")?))
    }

    /// Waits for its end; returns the nanoseconds of CPU time of one call.
    pub fn finish(self) -> Result<f64> {
        let output = self.0.wait_with_output().context("`openssl speed` failed")?;
        ns_per_call(&(String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout)))
    }
}

/// From the line `+R:<calls>:<name>:<seconds of CPU time>`.
fn ns_per_call(text: &str) -> Result<f64> {
    let read = |line: &str| {
        let mut fields = line.strip_prefix("+R:")?.split(':');
        let calls: f64 = fields.next()?.parse().ok()?;
        let seconds: f64 = fields.next_back()?.trim().parse().ok()?;
        (calls > 0.0 && seconds > 0.0).then_some(seconds * 1e9 / calls)
    };
    match text.lines().find_map(read) {
        Some(ns) => Ok(ns),
        None => bail!("`openssl speed` printed no result: {}", text.lines().next_back().unwrap_or("nothing at all")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As printed by OpenSSL 3.0.19.
    #[test]
    fn reads_calls_and_seconds() {
        let text =
            "+DT:AES-256-GCM:2:16384\n+R:1170213:AES-256-GCM:1.950000\n+H:16384\n+F:22:AES-256-GCM:9832270587.49\n";
        let ns = ns_per_call(text).unwrap();
        assert!((ns - 1666.36).abs() < 0.01, "{ns}");
    }

    #[test]
    fn missing_result_names_the_last_line() {
        for (text, words) in [
            ("", "nothing at all"),
            ("+DT:x\nspeed: x is an unknown cipher", "unknown cipher"),
            ("+R:0:AES-256-GCM:2.0", "no result"),
            ("+R:17", "no result"),
        ] {
            let error = ns_per_call(text).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }
}
