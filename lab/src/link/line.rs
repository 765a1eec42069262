//! What becomes of a packet on one direction of a link, computed without a clock of its own.
//!
//! A packet is lost at random, or waits in a queue that drops what does not fit, goes out at the rate, and arrives after
//! the delay. There is no queue to look into: how long the line is still busy says how full it is.

use std::fmt;
use std::time::{Duration, Instant};

use ciphermeter_core::{Bytes, Seconds, Share};
use clap::Args;

/// The queue holds at least this: 100 full packets.
const LEAST_QUEUE: u64 = 100 * 1500;
/// And without a rate there is nothing to wait for, only a bound on memory.
const UNLIMITED_QUEUE: u64 = 256 << 20;

/// What a link does to packets, in each direction alike.
#[derive(Debug, Clone, Copy, Args)]
pub struct Shape {
    /// How long a packet is on its way, in each direction
    #[arg(long, value_name = "TIME", default_value = "0.01s")]
    pub delay: Seconds,
    /// Bytes a second, with the packets' headers; without it, as fast as this program
    #[arg(long, value_name = "SIZE")]
    pub rate: Option<Bytes>,
    /// What may wait for the line; without it, what a round trip carries, at least 100 packets
    #[arg(long, value_name = "SIZE", requires = "rate")]
    pub queue: Option<Bytes>,
    /// How many packets are lost at random, in each direction
    #[arg(long, value_name = "SHARE")]
    pub loss: Option<Share>,
}

impl Shape {
    fn queue(&self) -> u64 {
        let round_trip = |rate: Bytes| (rate.0 as f64 * 2.0 * self.delay.0) as u64;
        match (self.queue, self.rate) {
            (Some(queue), _) => queue.0,
            (None, Some(rate)) => round_trip(rate).max(LEAST_QUEUE),
            (None, None) => UNLIMITED_QUEUE,
        }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} each way", self.delay)?;
        if let Some(rate) = self.rate {
            write!(f, ", {rate}/s, a queue of {}", Bytes(self.queue()))?;
        }
        self.loss.map_or(Ok(()), |loss| write!(f, ", {loss} lost"))
    }
}

/// What becomes of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It is due then.
    Arrives(Instant),
    /// At random.
    Lost,
    /// The queue was full.
    Dropped,
}

/// One direction.
pub struct Line {
    shape: Shape,
    /// Until when the line is busy with packets that it took; `None` before the first.
    busy: Option<Instant>,
    random: fastrand::Rng,
}

impl Line {
    /// The same packets are lost with the same seed, if the same come.
    pub fn new(shape: Shape, seed: u64) -> Self {
        Self { shape, busy: None, random: fastrand::Rng::with_seed(seed) }
    }

    /// A packet of that many bytes comes. Packets arrive in the order in which they come.
    pub fn take(&mut self, bytes: usize, now: Instant) -> Fate {
        let free = self.busy.map_or(now, |busy| busy.max(now));
        let out = match self.shape.rate {
            None => now,
            Some(rate) => {
                let waiting = (free - now).as_secs_f64() * rate.0 as f64;
                if waiting + bytes as f64 > self.shape.queue() as f64 {
                    return Fate::Dropped;
                }
                free + Duration::from_secs_f64(bytes as f64 / rate.0 as f64)
            }
        };
        self.busy = Some(out);
        // A lost packet took its time on the line.
        match self.shape.loss {
            Some(loss) if self.random.f64() < loss.0 => Fate::Lost,
            _ => Fate::Arrives(out + self.shape.delay.duration()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(rate: Option<&str>, loss: Option<&str>) -> Shape {
        Shape {
            delay: "0.02s".parse().unwrap(),
            rate: rate.map(|rate| rate.parse().unwrap()),
            queue: None,
            loss: loss.map(|loss| loss.parse().unwrap()),
        }
    }

    fn after(now: Instant, milliseconds: u64) -> Fate {
        Fate::Arrives(now + Duration::from_millis(milliseconds))
    }

    #[test]
    fn packets_go_out_one_after_the_other_and_arrive_after_the_delay() {
        let (mut line, now) = (Line::new(shape(Some("1000000"), None), 1), Instant::now());
        assert_eq!([1000, 1000, 2000].map(|bytes| line.take(bytes, now)), [21, 22, 24].map(|at| after(now, at)));
        let later = now + Duration::from_millis(100);
        assert_eq!(line.take(1000, later), after(later, 21), "time that nobody used is not saved up");
    }

    #[test]
    fn without_a_rate_only_the_delay_counts() {
        let (mut line, now) = (Line::new(shape(None, None), 1), Instant::now());
        assert!((0..1000).all(|_| line.take(1500, now) == after(now, 20)));
    }

    #[test]
    fn full_queue_drops_until_the_line_has_sent_some() {
        let (mut line, now) = (Line::new(shape(Some("1000000"), None), 1), Instant::now());
        let taken = (0..1000).take_while(|_| line.take(1500, now) != Fate::Dropped).count();
        assert_eq!(taken, 100, "a round trip is less here");
        let later = now + Duration::from_micros(1500);
        assert!(line.take(1500, later) != Fate::Dropped && line.take(1500, later) == Fate::Dropped);
        let wide = Line::new(shape(Some("100MB"), None), 1);
        assert_eq!(wide.shape.queue(), 4_000_000);
    }

    #[test]
    fn same_seed_loses_the_same_share() {
        let lost = |seed| {
            let (mut line, now) = (Line::new(shape(None, Some("1%")), seed), Instant::now());
            (0..100_000).filter(|_| line.take(1500, now) == Fate::Lost).collect::<Vec<_>>()
        };
        let one = lost(1);
        assert!((900..1100).contains(&one.len()), "{}", one.len());
        assert!(one == lost(1) && one != lost(2));
    }

    #[test]
    fn says_what_it_does() {
        let shape = shape(Some("25MiB"), Some("0.5%"));
        assert_eq!(shape.to_string(), "0.02s each way, 25MiB/s, a queue of 1MiB, 0.5% lost");
    }
}
