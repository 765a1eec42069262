//! How fast the workers' CPU ran, as far as the system says: read after each round, when the last call was just made.

use ciphermeter_host::cpus;
use ciphermeter_host::gauges::Gauges;

/// The frequencies that were seen.
pub struct Speeds {
    /// `None` where the system reports no frequency.
    gauges: Option<Gauges>,
    /// In kHz, the lowest and the highest.
    seen: Option<(u64, u64)>,
}

impl Speeds {
    /// Of the CPU on which workers run.
    pub fn of_worker() -> Self {
        let gauges = cpus::pinning().map(|pinning| Gauges::of_cpu(pinning.worker));
        Self { gauges: gauges.filter(|gauges| gauges.no_frequency.is_none()), seen: None }
    }

    /// Reads it once.
    pub fn read(&mut self) {
        if let Some(kilohertz) = self.gauges.as_ref().and_then(Gauges::frequency) {
            self.see(kilohertz);
        }
    }

    fn see(&mut self, kilohertz: u64) {
        let (least, most) = self.seen.unwrap_or((kilohertz, kilohertz));
        self.seen = Some((least.min(kilohertz), most.max(kilohertz)));
    }

    /// What was seen, in words.
    pub fn note(&self) -> Option<String> {
        let gigahertz = |kilohertz: u64| format!("{:.2}", kilohertz as f64 / 1e6);
        let (least, most) = self.seen?;
        let range = match (gigahertz(least), gigahertz(most)) {
            (least, most) if least == most => least,
            (least, most) => format!("{least} to {most}"),
        };
        Some(format!("the workers' CPU ran at {range} GHz, read after each round"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_and_the_highest_are_said() {
        let mut speeds = Speeds { gauges: None, seen: None };
        speeds.read();
        assert_eq!(speeds.note(), None, "nothing is said where nothing was read");
        speeds.see(3_400_000);
        assert_eq!(speeds.note().unwrap(), "the workers' CPU ran at 3.40 GHz, read after each round");
        speeds.see(2_100_000);
        speeds.see(3_900_000);
        assert_eq!(speeds.note().unwrap(), "the workers' CPU ran at 2.10 to 3.90 GHz, read after each round");
    }
}
