//! How fast it is, on the first screen.

use ciphermeter_answer::words::decimals;

/// The unit of throughput.
pub(super) fn unit(moves_files: bool) -> &'static str {
    if moves_files { "MB/s" } else { "GB/s" }
}

/// A throughput of GB/s in that unit; `–` where there is none.
pub(super) fn rate_in(gb_per_s: Option<f64>, moves_files: bool) -> String {
    let scale = if moves_files { 1000.0 } else { 1.0 };
    match gb_per_s.map(|rate| rate * scale) {
        Some(rate) => format!("{:.*}", decimals(rate), rate),
        None => "–".into(),
    }
}
