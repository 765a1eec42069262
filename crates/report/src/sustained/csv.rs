//! A sustained load as CSV, a line a step.
//!
//! | column | meaning |
//! | --- | --- |
//! | `time_s`, `seconds` | when the step ended, from the start; how long it was |
//! | `MB_per_s` | 10⁶ bytes a second that the receiver opened |
//! | `frequency_MHz` | mean over the CPUs that may be used |
//! | `temperature_C` | the hottest sensor that is the CPU's |
//! | `sender_cpu`, `receiver_cpu` | CPU time ÷ time of each process; 1 is one CPU |
//! | `steal_cpu`, `others_cpu` | taken by the hypervisor, and CPU time of everybody else, on all CPUs that may be used; 1 is one CPU |
//! | `sender_rss_MB`, `receiver_rss_MB` | resident memory, 10⁶ bytes |
//! | `falls` | how many falls that last lie before the step: 0 until throttling began |
//!
//! What the system doesn't tell is empty.

use std::io::{self, Write};

use ciphermeter_core::Record;
use ciphermeter_stats::falls;
use csv::Writer;

use super::course::course;
use crate::csv_error::unwrapped;

const COLUMNS: [&str; 12] = [
    "time_s",
    "seconds",
    "MB_per_s",
    "frequency_MHz",
    "temperature_C",
    "sender_cpu",
    "receiver_cpu",
    "steal_cpu",
    "others_cpu",
    "sender_rss_MB",
    "receiver_rss_MB",
    "falls",
];

/// Writes a header and one row for each step.
///
/// # Errors
/// Those of `out`.
pub(crate) fn write_course_csv(out: impl Write, records: &[Record]) -> io::Result<()> {
    let mut writer = Writer::from_writer(out);
    writer.write_record(COLUMNS).map_err(unwrapped)?;
    for record in records {
        let steps = course(record);
        let falls = falls(&steps.iter().map(|step| (step.rate * 1e6) as u64).collect::<Vec<_>>());
        for (k, step) in steps.iter().enumerate() {
            let number =
                |value: Option<f64>, places: usize| value.map(|value| format!("{value:.places$}")).unwrap_or_default();
            writer
                .write_record([
                    number(Some(step.end), 3),
                    number(Some(step.seconds), 3),
                    number(Some(step.rate), 3),
                    number(step.gigahertz.map(|gigahertz| gigahertz * 1e3), 0),
                    number(step.degrees, 1),
                    number(step.sender, 4),
                    number(step.receiver, 4),
                    number(step.steal, 4),
                    number(step.others, 4),
                    number(step.sender_rss, 3),
                    number(step.receiver_rss, 3),
                    falls.iter().filter(|place| **place <= k).count().to_string(),
                ])
                .map_err(unwrapped)?;
        }
    }
    writer.flush()
}
