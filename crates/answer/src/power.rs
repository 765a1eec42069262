//! What the machine draws at rest, as the run noted it before its load.

use ciphermeter_core::Run;

/// Watts of the idle `CPU`, `chip`, `GPU` or `machine`.
pub fn idle(run: &Run, of: &str) -> Option<f64> {
    run.fact(&format!("idle power of the {of}"))?.split(' ').next()?.parse().ok()
}
