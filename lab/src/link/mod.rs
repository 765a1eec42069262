//! A link between two network namespaces with a delay, a rate, a queue and loss, for tests of transfers.
//!
//! `tc netem` does the same inside the kernel, where the kernel has it; many guests' kernels have not. Here a TUN device
//! in each namespace hands its packets to this process, which gives them to the other device when they are due. Nothing
//! else of the machine is touched, and whoever made the namespaces and the devices removes them.

mod forward;
mod line;
mod tun;

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use anyhow::{Result, anyhow, bail};

use crate::output::print_line;
use forward::{Counts, forward};
use line::Line;
pub use line::Shape;
use tun::Tun;

/// Where `ip netns` keeps the namespaces that it names.
const NAMESPACES: &str = "/run/netns";

/// Forwards packets between `device` in one namespace and `device` in the other until standard input ends: whoever
/// started it cannot leave it behind. Then prints what became of them.
pub fn link(namespaces: &[String], device: &str, shape: &Shape, seed: u64) -> Result<()> {
    let [one, other] = namespaces else { bail!("a link has two ends") };
    let open = |name: &str| Tun::open(&Path::new(NAMESPACES).join(name), device);
    let (one, other) = (open(one)?, open(other)?);
    let over = AtomicBool::new(false);
    // The two directions lose different packets, and each the same ones again with the same seed.
    let lines = [seed.wrapping_mul(2), seed.wrapping_mul(2) + 1].map(|seed| Line::new(*shape, seed));
    print_line(&format!("up: {shape}, seed {seed}"))?;
    let [there, back] = lines;
    let counts = thread::scope(|scope| {
        let there = scope.spawn(|| forward(&one, &other, there, &over));
        let back = scope.spawn(|| forward(&other, &one, back, &over));
        // An error counts as the end, too.
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
        over.store(true, Ordering::Relaxed);
        [there.join(), back.join()]
    });
    for (direction, counts) in ["there", "back"].into_iter().zip(counts) {
        let Counts { arrived, lost, dropped } = counts.map_err(|_| anyhow!("a direction panicked"))??;
        print_line(&format!("{direction}: {arrived} packets arrived, {lost} lost, {dropped} dropped by the queue"))?;
    }
    Ok(())
}
