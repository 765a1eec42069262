//! CPU time and memory of this process during a transfer, sampled every 50 ms, as the study did. That shows the course,
//! not the sum: sums are read at both ends of the transfer.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use ciphermeter_host::usage;
use serde::{Deserialize, Serialize};

/// The time between two samples.
const STEP: Duration = Duration::from_millis(50);
/// The most samples in a reply.
const MAX_SAMPLES: usize = 1000;

/// CPU time and memory, one number a sample.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Course {
    /// CPU time since the previous sample, in microseconds.
    pub(crate) cpu_us: Vec<u64>,
    /// Resident memory, in KiB.
    pub(crate) rss_kib: Vec<u64>,
    /// The highest resident memory, in bytes.
    pub(crate) peak_rss: Option<u64>,
}

/// Samples until it is stopped.
pub(crate) struct Monitor {
    stop: Sender<()>,
    sampling: JoinHandle<Course>,
}

impl Monitor {
    pub(crate) fn start() -> Self {
        // Where that fails (on other systems), the peak is that of the process's life.
        let _ = usage::reset_peak();
        let (stop, stopped) = channel();
        let sampling = thread::spawn(move || {
            let mut course = Course::default();
            let mut before = usage::process_cpu();
            while stopped.recv_timeout(STEP) == Err(RecvTimeoutError::Timeout) {
                if course.cpu_us.len().max(course.rss_kib.len()) >= MAX_SAMPLES {
                    continue;
                }
                let now = usage::process_cpu();
                course.cpu_us.extend(now.zip(before).map(|(now, before)| (now - before).as_micros() as u64));
                course.rss_kib.extend(usage::memory().rss.map(|rss| rss >> 10));
                before = now;
            }
            course
        });
        Self { stop, sampling }
    }

    pub(crate) fn stop(self) -> Course {
        drop(self.stop);
        let mut course = self.sampling.join().unwrap_or_default();
        course.peak_rss = usage::memory().peak_rss;
        course
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn course_has_one_sample_a_step() {
        let monitor = Monitor::start();
        thread::sleep(3 * STEP);
        let course = monitor.stop();
        assert!(!course.cpu_us.is_empty());
        if cfg!(target_os = "linux") {
            assert_eq!(course.rss_kib.len(), course.cpu_us.len());
            assert!(course.peak_rss.unwrap() >> 10 >= course.rss_kib[0] / 2);
        }
        assert!(Monitor::start().stop().cpu_us.is_empty(), "a transfer shorter than a step has no samples");
    }
}
