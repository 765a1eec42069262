//! iperf3, which encrypts nothing: the limit of TCP alone, read from its report in JSON.

use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use ciphermeter_core::Bytes;
use serde::Deserialize;

use super::process::{Running, free_port, installed, wait_for};
use crate::transfer::mover::{Mover, To, Took};
use crate::transfer::place::Place;

/// Bytes of a full frame of ours (crates/transfer/WIRE.md): a header of 5, a chunk of 262,144, a tag of 16.
const FRAME: u64 = 5 + 262_144 + 16;

/// One stream, from this machine to itself.
pub struct Iperf {
    program: String,
    size: Bytes,
}

impl Iperf {
    pub fn new(size: Bytes) -> Result<Self> {
        Ok(Self { program: installed("iperf3")?, size })
    }
}

impl Mover for Iperf {
    /// The time that it reports: it waits a second before it ends.
    fn move_file(&mut self, _: &Place, _: To) -> Result<Took> {
        let port = free_port()?.to_string();
        let mut server = Command::new(&self.program);
        server.args(["-s", "-1", "-B", "127.0.0.1", "-p", &port]).stdout(Stdio::null()).stderr(Stdio::null());
        let server = Running(server.spawn()?);
        wait_for(port.parse()?)?;
        let mut client = Command::new(&self.program);
        client.args(["-J", "-i", "0", "-c", "127.0.0.1", "-p", &port]);
        client.args(["-n", &self.size.0.to_string(), "-l", &FRAME.to_string()]);
        let output = client.stdin(Stdio::null()).output()?;
        let rate = bits_per_second(&output.stdout)?;
        server.ended()?;
        Ok(Duration::from_secs_f64(self.size.0 as f64 * 8.0 / rate).into())
    }
}

/// The used part of what `iperf3 -J` prints: a report, or an error.
#[derive(Deserialize)]
struct Report {
    error: Option<String>,
    #[serde(default)]
    end: End,
}

#[derive(Default, Deserialize)]
struct End {
    sum_received: Option<Sum>,
}

#[derive(Deserialize)]
struct Sum {
    bits_per_second: f64,
}

/// The rate at which the receiver got the bytes.
fn bits_per_second(json: &[u8]) -> Result<f64> {
    let report: Report = serde_json::from_slice(json).context("iperf3 printed no JSON")?;
    if let Some(error) = report.error {
        bail!("iperf3 reports: {error}");
    }
    let rate = report.end.sum_received.map(|sum| sum.bits_per_second);
    rate.filter(|rate| *rate > 0.0).context("iperf3 reports no rate of its receiver")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shortened output of iperf3 3.12.
    #[test]
    fn reads_the_receivers_rate() {
        let json = br#"{"start": {"version": "iperf 3.12"}, "intervals": [], "end": {"streams": [],
            "sum_sent": {"start": 0, "end": 0.2, "seconds": 0.2, "bytes": 524484608, "bits_per_second": 2.1e10},
            "sum_received": {"start": 0, "seconds": 0.21, "bytes": 524484608, "bits_per_second": 19980366019.0}}}"#;
        assert_eq!(bits_per_second(json).unwrap(), 19_980_366_019.0);
    }

    #[test]
    fn error_of_iperf3_is_reported() {
        for (json, words) in [
            (&br#"{"end": {}, "error": "unable to connect to server: Connection refused"}"#[..], "Connection refused"),
            (br#"{"end": {}}"#, "no rate"),
            (br#"{"end": {"sum_received": {"bits_per_second": 0}}}"#, "no rate"),
            (b"iperf3: usage", "no JSON"),
        ] {
            let error = format!("{:#}", bits_per_second(json).unwrap_err());
            assert!(error.contains(words), "{error}");
        }
    }
}
