//! Ctrl-C and its kin.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Result;

/// What becomes true when the user ends the run. The second signal ends the process at once: a user who asks twice does not want to wait
/// for the round.
pub fn interruptible() -> Result<Arc<AtomicBool>> {
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::flag::register_conditional_shutdown(signal, 130, interrupted.clone())?;
        signal_hook::flag::register(signal, interrupted.clone())?;
    }
    Ok(interrupted)
}
