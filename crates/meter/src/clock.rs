//! The harness's clock, behind a trait so that the method can be tested on a machine whose time is simulated.

use std::time::{Duration, Instant};

/// Tells the time since some fixed moment.
pub trait Clock {
    /// Never goes back.
    fn now(&self) -> Duration;
}

/// The system's monotonic clock.
pub struct SystemClock(Instant);

impl SystemClock {
    /// Starts at zero now.
    pub fn start() -> Self {
        Self(Instant::now())
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}
