//! CPU time and memory of this process during a transfer, sampled every 50 ms, as the study did. That shows the course,
//! not the sum: sums are read at both ends of the transfer.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use ciphermeter_host::usage;
use serde::{Deserialize, Serialize};

/// The time between two samples of a transfer.
pub(crate) const STEP: Duration = Duration::from_millis(50);
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
    sampling: JoinHandle<()>,
    course: Arc<Mutex<Course>>,
}

impl Monitor {
    /// One sample every `step`.
    pub(crate) fn start(step: Duration) -> Self {
        // Where that fails (on other systems), the peak is that of the process's life.
        let _ = usage::reset_peak();
        let (stop, stopped) = channel();
        let course = Arc::default();
        let shared = Arc::clone(&course);
        let sampling = thread::spawn(move || {
            let mut before = usage::process_cpu();
            while stopped.recv_timeout(step) == Err(RecvTimeoutError::Timeout) {
                let mut course = lock(&shared);
                if course.cpu_us.len().max(course.rss_kib.len()) >= MAX_SAMPLES {
                    continue;
                }
                let now = usage::process_cpu();
                course.cpu_us.extend(now.zip(before).map(|(now, before)| (now - before).as_micros() as u64));
                course.rss_kib.extend(usage::memory().rss.map(|rss| rss >> 10));
                before = now;
            }
        });
        Self { stop, sampling, course }
    }

    pub(crate) fn stop(self) -> Course {
        drop(self.stop);
        let _ = self.sampling.join();
        let mut course = std::mem::take(&mut *lock(&self.course));
        course.peak_rss = usage::memory().peak_rss;
        course
    }
}

/// Each sample is whole, whatever panicked.
fn lock(course: &Mutex<Course>) -> MutexGuard<'_, Course> {
    course.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn course_has_one_sample_a_step() {
        let monitor = Monitor::start(Duration::from_millis(1));
        while lock(&monitor.course).cpu_us.is_empty() {
            thread::sleep(Duration::from_millis(1));
        }
        let course = monitor.stop();
        if cfg!(target_os = "linux") {
            assert_eq!(course.rss_kib.len(), course.cpu_us.len());
            assert!(course.peak_rss.unwrap() >> 10 >= course.rss_kib[0] / 2);
        }
        // An hour, which no busy machine makes out of a moment.
        let short = Monitor::start(Duration::from_secs(3600)).stop();
        assert!(short.cpu_us.is_empty(), "a transfer shorter than a step has no samples");
    }
}
