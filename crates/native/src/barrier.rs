//! How the threads of a cell go through a sample together: in steps that all begin at once.
//!
//! A step begins once every thread has arrived. The last to arrive decides what it is: another batch of the warm-up,
//! which all do alike, then a moment for reading CPU clocks, then the timed calls. No thread waits for a missing one:
//! if a [`Participant`] is dropped before its end, by a failed call, by a panic or by the end of its thread, the
//! barrier breaks up, and all others leave at their next step.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use ciphermeter_protocol::WarmUp;

use crate::clock::{self, Elapsed};
use crate::single_thread_cell::{Sampled, take_numbers};

/// How often a waiting thread looks before it yields its CPU to others, possibly to the thread that it waits for: after
/// a few tens of microseconds.
const LOOKS: u32 = 1024;

/// One sample of several threads.
pub struct Barrier {
    size: u64,
    /// How many have arrived, over all steps.
    arrived: AtomicU64,
    /// How many steps have begun.
    begun: AtomicU64,
    broken: AtomicBool,
    /// The step that has begun, as in [`Step`]. Without iterations, it is the moment to read CPU clocks. Each reading
    /// costs a system call: it must not be in the timed stretch, nor before a long wait.
    first: AtomicU64,
    count: AtomicU64,
    timed: AtomicBool,
    /// Only the last to arrive takes it, so no thread waits for it in a timed stretch.
    lead: Mutex<Lead>,
}

/// State that only the last to arrive uses.
struct Lead {
    warm_up: WarmUp,
    /// The last iteration that was handed out.
    last: u64,
    /// The number of timed calls.
    iterations: u64,
    /// Whether the warm-up is over, and the CPU clocks are being read.
    warm: bool,
    /// When the step began.
    start: Instant,
}

/// What all threads do now: `count` iterations from `first` on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    pub first: u64,
    pub count: u64,
    pub timed: bool,
}

/// The result of one thread's timed calls.
#[derive(Debug, Clone, Copy)]
pub struct ThreadTiming {
    /// When they ended.
    pub at: Instant,
    /// The CPU time that they took.
    pub cpu_ns: u64,
}

/// The barrier broke up, because another thread left.
#[derive(Debug, PartialEq, Eq)]
pub struct Broken;

impl Barrier {
    /// For `size` threads that time `iterations` calls each after a warm-up; `last` is the last iteration that was
    /// done.
    pub fn new(size: usize, last: u64, warmup_ns: u64, iterations: u64) -> Arc<Self> {
        let lead = Lead { warm_up: WarmUp::new(warmup_ns), last, iterations, warm: false, start: Instant::now() };
        Arc::new(Self {
            size: size as u64,
            arrived: AtomicU64::new(0),
            begun: AtomicU64::new(0),
            broken: AtomicBool::new(false),
            first: AtomicU64::new(0),
            count: AtomicU64::new(0),
            timed: AtomicBool::new(false),
            lead: Mutex::new(lead),
        })
    }

    /// One thread's part in it. Each thread must get one.
    pub fn participant(self: &Arc<Self>) -> Participant {
        Participant { barrier: Arc::clone(self), steps: 0, cpu_ns: None, ended: false }
    }

    /// The last iteration that was handed out.
    pub fn last(&self) -> u64 {
        self.lead().last
    }

    /// The result of the timed calls; `first` is the first iteration of the warm-up.
    pub fn sampled(&self, timings: &[ThreadTiming], first: u64) -> Sampled {
        let lead = self.lead();
        let longest = timings.iter().map(|timing| timing.at.saturating_duration_since(lead.start)).max();
        let ns = clock::nanoseconds(longest.unwrap_or_default());
        let cpu_ns = timings.iter().map(|timing| timing.cpu_ns).sum();
        Sampled { elapsed: Elapsed { ns, cpu_ns }, beside: Vec::new(), first, last: lead.last }
    }

    /// Called by the last to arrive, while the others wait.
    fn begin(&self) {
        let mut lead = self.lead();
        let lead = &mut *lead;
        if self.begun.load(Ordering::Relaxed) > 0 && !lead.warm {
            lead.warm_up.record(clock::nanoseconds(lead.start.elapsed()));
        }
        let timed = lead.warm;
        let batch = lead.warm_up.batch();
        let count = batch.unwrap_or(if timed { lead.iterations } else { 0 });
        lead.warm = batch.is_none();
        self.first.store(take_numbers(&mut lead.last, count), Ordering::Relaxed);
        self.count.store(count, Ordering::Relaxed);
        self.timed.store(timed, Ordering::Relaxed);
        lead.start = Instant::now();
        self.begun.fetch_add(1, Ordering::Release);
    }

    fn lead(&self) -> MutexGuard<'_, Lead> {
        // Nothing panics while it is locked; if anything did, the sample would be abandoned anyway.
        self.lead.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A thread that takes part in a barrier.
pub struct Participant {
    barrier: Arc<Barrier>,
    steps: u64,
    /// The thread's CPU time before its timed calls, once these are next.
    cpu_ns: Option<u64>,
    ended: bool,
}

impl Participant {
    /// Waits until all have arrived, and returns what to do then.
    pub fn next(&mut self) -> Result<Step, Broken> {
        let step = self.arrive()?;
        if step.count > 0 {
            return Ok(step);
        }
        self.cpu_ns = Some(clock::thread_cpu_ns());
        self.arrive()
    }

    /// Waits until all are here, within a step: between two iterations that all do together.
    pub fn meet(&mut self) -> Result<(), Broken> {
        if self.check_in() {
            self.barrier.begun.fetch_add(1, Ordering::Release);
        }
        self.wait(|_| {})
    }

    fn arrive(&mut self) -> Result<Step, Broken> {
        if self.check_in() {
            self.barrier.begin();
        }
        // A long wait before the timed calls does not count as theirs.
        self.wait(|participant| participant.cpu_ns = participant.cpu_ns.map(|_| clock::thread_cpu_ns()))?;
        let barrier = &*self.barrier;
        Ok(Step {
            first: barrier.first.load(Ordering::Relaxed),
            count: barrier.count.load(Ordering::Relaxed),
            timed: barrier.timed.load(Ordering::Relaxed),
        })
    }

    /// Whether the thread is the last to come.
    fn check_in(&mut self) -> bool {
        self.steps += 1;
        self.barrier.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.steps * self.barrier.size
    }

    /// Waits for the last to come. It spins, because a thread that sleeps wakes some microseconds late.
    fn wait(&mut self, mut between: impl FnMut(&mut Self)) -> Result<(), Broken> {
        let mut looks = 0;
        while self.barrier.begun.load(Ordering::Acquire) < self.steps {
            if self.barrier.broken.load(Ordering::Relaxed) {
                return Err(Broken);
            }
            looks += 1;
            if looks % LOOKS == 0 {
                thread::yield_now();
                between(self);
            }
            spin_loop();
        }
        Ok(())
    }

    /// The timed calls are done.
    pub fn end(mut self) -> ThreadTiming {
        let at = Instant::now();
        self.ended = true;
        let before = self.cpu_ns.unwrap_or(u64::MAX);
        ThreadTiming { at, cpu_ns: clock::thread_cpu_ns().saturating_sub(before) }
    }
}

impl Drop for Participant {
    fn drop(&mut self) {
        if !self.ended {
            self.barrier.broken.store(true, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::time::Duration;

    use super::*;

    /// The steps of each thread, until `leave` returns true for it, and whether it came to the end.
    fn meet(size: usize, warmup_ns: u64, leave: impl Fn(usize, Step) -> bool + Sync) -> Vec<(Vec<Step>, bool)> {
        let barrier = Barrier::new(size, 0, warmup_ns, 5);
        let go = |thread: usize, mut participant: Participant| {
            let mut steps = Vec::new();
            loop {
                let Ok(step) = participant.next() else { return (steps, false) };
                steps.push(step);
                if leave(thread, step) {
                    return (steps, false);
                }
                if step.timed {
                    participant.end();
                    return (steps, true);
                }
                thread::sleep(Duration::from_micros(20 * step.count));
            }
        };
        thread::scope(|scope| {
            let threads = (0..size).map(|thread| {
                let (go, participant) = (&go, barrier.participant());
                scope.spawn(move || catch_unwind(AssertUnwindSafe(|| go(thread, participant))).unwrap_or_default())
            });
            let threads: Vec<_> = threads.collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        })
    }

    #[test]
    fn all_threads_do_the_same_steps() {
        for size in [1, 2, 5] {
            let done = meet(size, 50_000_000, |_, _| false);
            assert!(done.iter().all(|(steps, ended)| *ended && *steps == done[0].0), "{done:?}");
            let steps = &done[0].0;
            // On a busy machine the first batch may take all of the warm-up.
            let follow = steps.windows(2).all(|pair| pair[0].first + pair[0].count == pair[1].first && !pair[0].timed);
            assert!(steps.len() >= 2 && steps[0].first == 1 && follow, "{steps:?}");
            assert_eq!(steps.last().map(|step| (step.count, step.timed)), Some((5, true)));
        }
        assert_eq!(meet(2, 0, |_, _| false)[0].0, [Step { first: 1, count: 5, timed: true }]);
    }

    #[test]
    fn no_thread_waits_for_one_that_left_or_panicked() {
        let none_ended = |done: &[(Vec<Step>, bool)]| done.iter().all(|(_, ended)| !ended);
        let left = meet(3, 50_000_000, |thread, _| thread == 1);
        assert!(none_ended(&left), "{left:?}");
        let panicked = meet(3, 50_000_000, |thread, _| if thread == 2 { panic!("out of luck") } else { false });
        assert!(none_ended(&panicked), "{panicked:?}");
        let timed = meet(3, 0, |thread, step| thread == 0 && step.timed);
        assert!(!timed[0].1, "{timed:?}");
    }

    #[test]
    fn no_thread_waits_for_one_that_never_came() {
        let barrier = Barrier::new(2, 0, 0, 1);
        let mut here = barrier.participant();
        drop(barrier.participant());
        assert_eq!(here.next(), Err(Broken));
    }
}
