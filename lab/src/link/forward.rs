//! One direction of a link: from a device through the line to the other device.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::thread::set_current_timer_slack;

use super::line::{Fate, Line};
use super::tun::Tun;

/// The largest packet that a device may have: a TUN device's MTU is at most 65,535.
const PACKET: usize = 65_535;
/// Packets read before those that are due get their turn.
const BATCH: usize = 64;
/// How soon the end is noticed.
const LONGEST_WAIT: Duration = Duration::from_millis(50);

/// What became of the packets.
#[derive(Debug, Default, Clone, Copy)]
pub struct Counts {
    pub arrived: u64,
    pub lost: u64,
    pub dropped: u64,
}

/// Forwards packets until it is over. What is on its way then is gone, as if a cable had been pulled.
pub fn forward(from: &Tun, to: &Tun, line: Line, over: &AtomicBool) -> Result<Counts> {
    // A sleep ends as much too late as the slack allows, by default 50 µs.
    let _ = set_current_timer_slack(std::num::NonZeroU64::new(1_000));
    let mut direction = Direction { line, way: VecDeque::new(), spare: Vec::new(), counts: Counts::default() };
    let mut packet = vec![0; PACKET];
    while !over.load(Ordering::Relaxed) {
        direction.take_in(from, &mut packet)?;
        direction.hand_over(to);
        direction.wait(from)?;
    }
    Ok(direction.counts)
}

struct Direction {
    line: Line,
    /// Packets on their way, the next to arrive first.
    way: VecDeque<(Instant, Vec<u8>)>,
    /// Buffers of packets that arrived, to be used again.
    spare: Vec<Vec<u8>>,
    counts: Counts,
}

impl Direction {
    fn take_in(&mut self, from: &Tun, packet: &mut [u8]) -> Result<()> {
        for _ in 0..BATCH {
            let Some(bytes) = from.read(packet).context("a device cannot be read")? else { break };
            match self.line.take(bytes, Instant::now()) {
                Fate::Arrives(due) => {
                    let mut kept = self.spare.pop().unwrap_or_default();
                    kept.clear();
                    kept.extend_from_slice(&packet[..bytes]);
                    self.way.push_back((due, kept));
                }
                Fate::Lost => self.counts.lost += 1,
                Fate::Dropped => self.counts.dropped += 1,
            }
        }
        Ok(())
    }

    fn hand_over(&mut self, to: &Tun) {
        let now = Instant::now();
        while self.way.front().is_some_and(|(due, _)| *due <= now) {
            let Some((_, packet)) = self.way.pop_front() else { break };
            if to.write(&packet) {
                self.counts.arrived += 1;
            } else {
                self.counts.dropped += 1;
            }
            self.spare.push(packet);
        }
    }

    /// Until a packet comes or is due.
    fn wait(&self, from: &Tun) -> Result<()> {
        let due = self.way.front().map(|(due, _)| due.saturating_duration_since(Instant::now()));
        let wait = due.unwrap_or(LONGEST_WAIT).min(LONGEST_WAIT);
        let wait = Timespec { tv_sec: 0, tv_nsec: i64::from(wait.subsec_nanos()) };
        match poll(&mut [PollFd::new(from, PollFlags::IN)], Some(&wait)) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error).context("waiting for packets failed"),
        }
    }
}
