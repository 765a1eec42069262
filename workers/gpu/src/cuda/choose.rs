//! Which design of AES is fastest on the card at hand: each encrypts the same memory a few times.

use std::env;
use std::time::Instant;

use cudarc::driver::result;

use super::driver::{DeviceMemory, failed};
use super::kernels::{Design, Kernels, wait_for_all};

/// Sets the design, `tables` or `bitsliced`, instead of a trial.
const CHOICE: &str = "CIPHERMETER_CUDA_DESIGN";
/// The most memory that a trial takes: more than any cache of a card holds.
const TRIAL: u64 = 256 << 20;
/// How often each design is timed; the fastest counts, after one call that is not timed.
const TIMES: usize = 3;

/// The design that the environment names, or the fastest in a trial.
pub fn design(kernels: &Kernels) -> Result<Design, String> {
    let choice = env::var(CHOICE).ok().filter(|choice| !choice.is_empty());
    let wanted = |design: &&Design| choice.as_ref().is_none_or(|choice| design.path() == choice);
    let designs: Vec<Design> = [Design::Bitsliced, Design::Tables].iter().filter(wanted).copied().collect();
    if designs.is_empty() {
        return Err(format!("{CHOICE}={} names no design; give tables or bitsliced", choice.unwrap_or_default()));
    }
    if let [design] = designs[..] {
        return Ok(design);
    }
    let (free, _) = result::mem_get_info().map_err(|error| failed("asking the card", error))?;
    let bytes = TRIAL.min(free as u64 / 16) / 64 * 64;
    let full = |_| "the card's memory is full; end what else uses it".to_string();
    let (memory, keys) = (DeviceMemory::new(bytes).map_err(full)?, kernels.expand(&[0; 32]).map_err(full)?);
    let mut best = (designs[0], u128::MAX);
    for design in designs {
        let run = || {
            let start = Instant::now();
            kernels.counter_mode(design, &keys, 0, (memory.address, bytes), None)?;
            wait_for_all()?;
            Ok::<u128, String>(start.elapsed().as_nanos())
        };
        run()?;
        for _ in 0..TIMES {
            let ns = run()?;
            if ns < best.1 {
                best = (design, ns);
            }
        }
    }
    Ok(best.0)
}
