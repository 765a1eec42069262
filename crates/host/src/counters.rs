//! Core cycles and instructions of the calling thread, where the CPU counts them and the kernel lets this process read that
//! (`man 2 perf_event_open`). They count in user space alone, which is what every user may ask for.
//!
//! Ticks of a time-stamp counter are not cycles and never stand in for them: where nothing counts, the reason is said.

use std::time::Duration;

use ciphermeter_core::Fact;

#[cfg(target_os = "linux")]
pub use linux::Counters;

/// What a pair of counters shows at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    cycles: u64,
    instructions: u64,
    /// How long they should have counted, and how long they did: the kernel divides few counters among many that ask.
    enabled: Duration,
    running: Duration,
}

/// Cycles and instructions of a stretch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stretch {
    /// Core cycles.
    pub cycles: u64,
    /// Instructions retired.
    pub instructions: u64,
}

impl Reading {
    /// Since an earlier reading; `None` if they did not count all the time: no extrapolation is a count.
    pub fn since(&self, earlier: &Self) -> Option<Stretch> {
        let whole = self.enabled.checked_sub(earlier.enabled)? == self.running.checked_sub(earlier.running)?;
        let cycles = self.cycles.checked_sub(earlier.cycles)?;
        let instructions = self.instructions.checked_sub(earlier.instructions)?;
        (whole && cycles > 0).then_some(Stretch { cycles, instructions })
    }
}

/// Whether samples will have cycles.
pub fn fact() -> Fact {
    match Counters::open() {
        Ok(_) => Fact::present("counters", "cycles and instructions, in user space"),
        Err(why) => Fact::absent("counters", why),
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::io;

    use perf_event::events::{Event, Hardware};
    use perf_event::{Builder, Counter, Group};

    use super::Reading;
    use crate::tree::Tree;

    /// Two counters of the thread that opened them.
    pub struct Counters {
        group: Group,
        cycles: Counter,
        instructions: Counter,
    }

    impl Counters {
        /// Counting from now on.
        ///
        /// # Errors
        /// Why nothing counts here, in words.
        pub fn open() -> Result<Self, String> {
            Self::of(Hardware::CPU_CYCLES, Hardware::INSTRUCTIONS).map_err(|error| reason(&error, &Tree::live()))
        }

        fn of(cycles: impl Event, instructions: impl Event) -> io::Result<Self> {
            let mut group = Group::builder().build_group()?;
            let cycles = Builder::new(cycles).build_with_group(&mut group)?;
            let instructions = Builder::new(instructions).build_with_group(&mut group)?;
            group.enable()?;
            Ok(Self { group, cycles, instructions })
        }

        /// What they show now; `None` if the kernel does not say.
        pub fn read(&mut self) -> Option<Reading> {
            let data = self.group.read().ok()?;
            Some(Reading {
                cycles: data.get(&self.cycles)?.value(),
                instructions: data.get(&self.instructions)?.value(),
                enabled: data.time_enabled()?,
                running: data.time_running()?,
            })
        }
    }

    fn reason(error: &io::Error, tree: &Tree) -> String {
        let paranoid = tree.text("proc/sys/kernel/perf_event_paranoid").unwrap_or_default();
        match error.kind() {
            io::ErrorKind::PermissionDenied => format!(
                "the kernel refuses it (perf_event_paranoid is {}); `sudo sysctl kernel.perf_event_paranoid=2` allows it",
                paranoid.trim()
            ),
            io::ErrorKind::NotFound => "no counter of cycles here, as in most virtual machines".into(),
            io::ErrorKind::Unsupported => "the kernel has no perf_event_open".into(),
            _ => format!("perf_event_open failed: {error}"),
        }
    }

    #[cfg(test)]
    mod tests {
        use perf_event::events::Software;

        use super::*;
        use crate::samples;

        /// Software events count everywhere, so they play the hardware's.
        #[test]
        fn a_stretch_is_counted() {
            let Ok(mut counters) = Counters::of(Software::TASK_CLOCK, Software::PAGE_FAULTS) else {
                println!("skipped: this kernel lets nothing be counted");
                return;
            };
            let before = counters.read().expect("a reading");
            let pages = std::hint::black_box(vec![1_u8; 8 << 20]);
            let after = counters.read().expect("a reading");
            let stretch = after.since(&before).expect("counted all the time");
            assert!(stretch.cycles > 0 && stretch.instructions > 0, "{stretch:?} for {} bytes", pages.len());
            assert!(stretch.instructions <= (8 << 20) / 4096 + 100, "{stretch:?}");
        }

        #[test]
        fn reasons_say_what_to_do() {
            let said = |kind| reason(&io::Error::from(kind), &samples::server());
            assert!(said(io::ErrorKind::NotFound).contains("virtual machines"));
            assert!(said(io::ErrorKind::PermissionDenied).contains("sudo sysctl kernel.perf_event_paranoid=2"));
            assert!(said(io::ErrorKind::Unsupported).contains("no perf_event_open"));
        }
    }
}

/// Nothing is counted on this system.
#[cfg(not(target_os = "linux"))]
pub struct Counters(());

#[cfg(not(target_os = "linux"))]
impl Counters {
    /// There are none.
    ///
    /// # Errors
    /// Always.
    pub fn open() -> Result<Self, String> {
        Err("cycles are counted on Linux only".into())
    }

    /// Nothing.
    pub fn read(&mut self) -> Option<Reading> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stretch_that_was_not_counted_throughout_is_none() {
        let at = |cycles, ms: [u64; 2]| Reading {
            cycles,
            instructions: 3 * cycles,
            enabled: Duration::from_millis(ms[0]),
            running: Duration::from_millis(ms[1]),
        };
        let before = at(1000, [10, 8]);
        assert_eq!(at(5000, [12, 10]).since(&before), Some(Stretch { cycles: 4000, instructions: 12_000 }));
        assert_eq!(at(5000, [12, 9]).since(&before), None, "another program had the counter meanwhile");
        assert_eq!(at(1000, [12, 10]).since(&before), None, "a counter that stands still counts nothing");
        assert_eq!(at(900, [12, 10]).since(&before), None);
    }
}
