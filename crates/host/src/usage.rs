//! What this process uses, and what other work took from the worker's CPU meanwhile.

use std::io;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use crate::{memory as meminfo, tree::Tree};

/// CPU time of the calling thread, user and system together.
pub fn thread_cpu() -> Option<Duration> {
    clock(ClockId::ThreadCPUTime)
}

/// CPU time of this process, all its threads, user and system together.
pub fn process_cpu() -> Option<Duration> {
    clock(ClockId::ProcessCPUTime)
}

fn clock(id: ClockId) -> Option<Duration> {
    Duration::try_from(clock_gettime(id)).ok()
}

/// Memory of this process in bytes, `None` where the system does not report it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory {
    /// Resident now.
    pub rss: Option<u64>,
    /// The highest resident size.
    pub peak_rss: Option<u64>,
}

/// This process's memory, from `/proc/self/status`.
pub fn memory() -> Memory {
    let text = Tree::live().text("proc/self/status").unwrap_or_default();
    Memory { rss: meminfo::kibibytes(&text, "VmRSS"), peak_rss: meminfo::kibibytes(&text, "VmHWM") }
}

/// Resets the peak of this process's resident size to the present size (`man 5 proc_pid_clear_refs`).
pub fn reset_peak() -> io::Result<()> {
    std::fs::write("/proc/self/clear_refs", "5")
}

/// Bytes that can be allocated without swapping, within the machine and this process's control group.
pub fn available_memory() -> Option<u64> {
    meminfo::available(&Tree::live())
}

/// What other work took from one CPU since boot, in ticks, and the machine's context switches.
///
/// From `/proc/stat` (`man 5 proc_stat`). Two readings make a measurement: see [`Interference::since`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interference {
    /// The CPU that the ticks belong to: the worker's.
    pub cpu: usize,
    /// Ticks in which the hypervisor ran other machines.
    pub steal: u64,
    /// Ticks in interrupts.
    pub irq: u64,
    /// Ticks in softirqs, the deferred work of interrupts.
    pub softirq: u64,
    /// All ticks, idle ones too.
    pub total: u64,
    /// Context switches of the whole machine.
    pub context_switches: u64,
    /// Ticks in a second, mostly 100.
    pub ticks_per_second: u64,
}

impl Interference {
    /// The increase since an earlier reading. The kernel's counters may step back a little; that counts as 0.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            steal: self.steal.saturating_sub(earlier.steal),
            irq: self.irq.saturating_sub(earlier.irq),
            softirq: self.softirq.saturating_sub(earlier.softirq),
            total: self.total.saturating_sub(earlier.total),
            context_switches: self.context_switches.saturating_sub(earlier.context_switches),
            ..*self
        }
    }

    /// The time that was taken: steal, interrupts and softirqs.
    pub fn taken(&self) -> Duration {
        let ticks = self.steal.saturating_add(self.irq).saturating_add(self.softirq);
        Duration::from_nanos(ticks.saturating_mul(1_000_000_000 / self.ticks_per_second.max(1)))
    }
}

/// The interference on a CPU; `None` where there is no `/proc/stat`, as on Android.
pub(crate) fn interference_on(tree: &Tree, cpu: usize) -> Option<Interference> {
    parse(&tree.text("proc/stat").ok()?, cpu, rustix::param::clock_ticks_per_second())
}

/// A line is `cpu3 user nice system idle iowait irq softirq steal guest guest_nice`.
fn parse(text: &str, cpu: usize, ticks_per_second: u64) -> Option<Interference> {
    let values = |name: &str| {
        text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')).map(|rest| {
            rest.split_whitespace().map_while(|value| value.parse::<u64>().ok()).take(16).collect::<Vec<u64>>()
        })
    };
    let ticks = values(&format!("cpu{cpu}"))?;
    // The guests' ticks are in user and nice already.
    let total = ticks.iter().take(8).fold(0, |sum: u64, ticks| sum.saturating_add(*ticks));
    Some(Interference {
        cpu,
        irq: *ticks.get(5)?,
        softirq: *ticks.get(6)?,
        steal: *ticks.get(7)?,
        total,
        context_switches: *values("ctxt")?.first()?,
        ticks_per_second,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn line_of_the_cpu_is_read() {
        let seen = parse(samples::STAT_GUEST, 1, 100).unwrap();
        assert_eq!((seen.steal, seen.irq, seen.softirq), (2600, 3, 66));
        assert_eq!(seen.total, 16978 + 3870 + 120140 + 606 + 3 + 66 + 2600);
        assert_eq!(seen.context_switches, 664151);
        assert_eq!(seen.taken(), Duration::from_millis(26_690));
        assert_eq!(parse(samples::STAT_GUEST, 11, 100), None);
        assert_eq!(parse("cpu0 1 2 3\nctxt 1\n", 0, 100), None);
    }

    #[test]
    fn counter_that_steps_back_counts_as_0() {
        let earlier = parse(samples::STAT_GUEST, 1, 100).unwrap();
        let later = Interference { steal: earlier.steal - 1, irq: earlier.irq + 4, ..earlier };
        let between = later.since(&earlier);
        assert_eq!((between.steal, between.irq, between.total, between.cpu), (0, 4, 0, 1));
    }

    #[test]
    fn usage_of_this_process_is_not_0() {
        let before = thread_cpu().unwrap();
        let busy = std::hint::black_box((0..2_000_000_u64).fold(0, |sum: u64, i| std::hint::black_box(sum ^ i)));
        assert!(thread_cpu().unwrap() > before, "{busy}");
        assert!(process_cpu().unwrap() >= thread_cpu().unwrap() / 2);
        if cfg!(target_os = "linux") {
            let memory = memory();
            assert!(memory.rss.unwrap() > 0 && memory.peak_rss.unwrap() >= memory.rss.unwrap() / 2);
            assert!(available_memory().unwrap() > 0);
        }
    }
}
