//! A device: a board on a serial line or on the network, or an emulated core, whose worker measures there.

use serde::{Deserialize, Serialize};

use crate::Metric;
use crate::word::words;

words! {
    /// What a device counts instead of time.
    Counts, "count" {
        /// Instructions that were executed.
        Instructions = "instructions",
        /// Cycles of the core.
        Cycles = "cycles",
    }
}

words! {
    /// In which memory code lies.
    CodeIn, "memory" {
        /// Flash, through whatever cache or wait states it has.
        Flash = "flash",
        /// RAM.
        Ram = "ram",
    }
}

impl Counts {
    /// The metric of its samples.
    pub const fn metric(self) -> Metric {
        match self {
            Self::Instructions => Metric::INSTRUCTIONS,
            Self::Cycles => Metric::CYCLES,
        }
    }
}

/// The device on which a figure was measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Device {
    /// Its name in the run: behind the `@` of its providers.
    pub name: String,
    /// What it is, for people.
    pub board: String,
    /// What its samples count; `None`: time.
    pub counts: Option<Counts>,
    /// Whether an emulator runs it. Then its counts are no times, and its times are none of a device.
    pub emulated: bool,
    /// The CPU's clock in hertz, where it says so.
    pub clock_hz: Option<u64>,
    /// Where the measured code lies, where it says so.
    pub code_in: Option<CodeIn>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn device_is_stored_in_words() {
        let device = Device {
            name: "cortex-m4".into(),
            board: "QEMU mps2-an386".into(),
            counts: Some(Counts::Instructions),
            emulated: true,
            clock_hz: None,
            code_in: Some(CodeIn::Flash),
        };
        let text = serde_json::to_string(&device).unwrap();
        assert_eq!(
            text,
            r#"{"name":"cortex-m4","board":"QEMU mps2-an386","counts":"instructions","emulated":true,"clock_hz":null,"code_in":"flash"}"#
        );
        assert_eq!(serde_json::from_str::<Device>(&text).unwrap(), device);
    }

    #[test]
    fn what_is_counted_is_a_metric_of_calls() {
        for counts in Counts::ALL {
            let metric = counts.metric();
            assert_eq!(metric.name(), counts.as_str());
            assert!(metric.is_per_call() && Metric::OF_SAMPLES.contains(&metric));
        }
    }
}
