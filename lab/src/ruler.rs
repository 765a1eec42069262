//! The ruler: `openssl speed` against a replica of its calls on the same libcrypto.
//!
//! Both run at once on one core and are compared in CPU time, so that every disturbance affects both. Beside the
//! replica, a complete seal is measured (another nonce, 13 bytes of aad, the tag fetched): the cost of a user's
//! message, which is not what `openssl speed` measures.

use std::time::Duration;

use anyhow::{Context, Result};
use ciphermeter_core::{Algorithm, Bytes};
use ciphermeter_host::cpus;
use ciphermeter_native::NativeError;
use ciphermeter_native::ruler::{Count, replica, whole_seal};

use crate::output::{print, print_line};
use crate::speed::Speed;

/// One window, in whole seconds.
const WINDOW: Duration = Duration::from_secs(2);

/// One way to count calls in a window.
type Counter = fn(Algorithm, usize, Duration) -> Result<Count, NativeError>;

/// Prints, for each algorithm and size, the ratios to `openssl speed`.
pub fn ruler(windows: u32) -> Result<()> {
    let pinning =
        cpus::pinning().context("this system has no CPU masks, so two programs cannot be bound to one core")?;
    cpus::pin(pinning.worker)?;
    print_line("CPU time per call ÷ that of `openssl speed`, both at once on one core: median (least to most)")?;
    print(&format!("{:<18} {:>7}  {:<24} {}\n", "algorithm", "bytes", "its own calls again", "a whole seal"))?;
    for algorithm in Algorithm::USUAL {
        for bytes in [16, 1 << 10, 16 << 10, 1 << 20] {
            let again = ratios(replica, algorithm, bytes, windows)?;
            let whole = ratios(whole_seal, algorithm, bytes, windows)?;
            print(&format!("{algorithm:<18} {:>7}  {again:<24} {whole}\n", Bytes(bytes as u64)))?;
        }
    }
    Ok(())
}

fn ratios(counter: Counter, algorithm: Algorithm, bytes: usize, windows: u32) -> Result<String> {
    let mut ratios = Vec::new();
    for _ in 0..windows {
        let speed = Speed::start(algorithm, bytes, WINDOW)?;
        let own = counter(algorithm, bytes, WINDOW).map_err(anyhow::Error::new);
        // Its output is read even if our own side failed, so that the child is waited for.
        let theirs = speed.finish();
        let own = own?;
        ratios.push(own.cpu_ns as f64 / own.calls.max(1) as f64 / theirs?);
    }
    ratios.sort_by(f64::total_cmp);
    let (least, most) = (ratios[0], ratios[ratios.len() - 1]);
    Ok(format!("{:.3} ({least:.3} to {most:.3})", ratios[ratios.len() / 2]))
}
