//! How long a worker may take.

use std::time::{Duration, Instant};

/// By when a request must be read and answered.
#[derive(Debug, Clone, Copy)]
pub struct Deadline {
    pub(crate) begun: Instant,
    pub(crate) patience: Duration,
}

impl Deadline {
    /// So long from now.
    pub fn after(patience: Duration) -> Self {
        Self { begun: Instant::now(), patience }
    }

    /// How long it was when it began.
    pub fn patience(self) -> Duration {
        self.patience
    }

    /// Whether it has passed.
    pub fn is_over(self) -> bool {
        self.begun.elapsed() >= self.patience
    }

    /// The earlier of this one and another that begins now.
    pub(crate) fn or_after(self, patience: Duration) -> Self {
        let left = self.patience.saturating_sub(self.begun.elapsed());
        Self::after(left.min(patience))
    }
}
