//! A machine with a clock of its own. Its speed wanders, its neighbours interrupt, its wide vectors lower its clock.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::f64::consts::TAU;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ciphermeter_meter::Clock;

/// How the machine behaves.
#[derive(Debug, Clone, Copy, Default)]
pub struct Habits {
    /// Speed swings by this share (of its logarithm) within some seconds.
    pub drift: f64,
    /// Share of the samples that a neighbour interrupts, by half of their time.
    pub interrupted: f64,
    /// Standard deviation of each sample's own noise.
    pub noise: f64,
    /// So many times Student's t of two degrees of freedom is added to each sample's noise.
    pub tails: f64,
    /// For so many nanoseconds after wide vectors, everything else takes 1.3 × its time.
    pub low_clock_ns: f64,
    /// For the first half of every so many nanoseconds, somebody else uses the same physical core; 0: never.
    pub shared_ns: f64,
    /// Somebody else uses the same physical core for this share of the time, in stretches of so many nanoseconds in the mean.
    pub beside: Option<(f64, f64)>,
    /// So many nanoseconds, in the mean, does a process wait for a CPU before it answers; mostly less, and at times far more.
    pub waits: f64,
    /// After so many nanoseconds, everything takes so many times as long from then on.
    pub falls: Option<(f64, f64)>,
}

/// The simulated machine. Time passes only where something is done.
pub struct Machine {
    habits: Habits,
    now: Cell<f64>,
    low_until: Cell<f64>,
    /// Until when something uses the core that a sample left behind.
    pub left_until: Cell<f64>,
    /// Whether somebody else uses the core, and until when.
    beside: Cell<(bool, f64)>,
    /// When the user presses Ctrl-C, in nanoseconds.
    interrupt_at: f64,
    pub interrupted: AtomicBool,
    /// The warm-ups, in nanoseconds, that samples were requested with.
    pub warmups: RefCell<BTreeSet<u64>>,
    random: RefCell<fastrand::Rng>,
}

impl Clock for Machine {
    fn now(&self) -> Duration {
        Duration::from_nanos(self.now.get() as u64)
    }
}

impl Machine {
    pub fn new(habits: Habits, seed: u64) -> Self {
        Self {
            habits,
            now: Cell::new(0.0),
            low_until: Cell::new(0.0),
            left_until: Cell::new(0.0),
            beside: Cell::default(),
            interrupt_at: f64::INFINITY,
            interrupted: AtomicBool::new(false),
            warmups: RefCell::default(),
            random: RefCell::new(fastrand::Rng::with_seed(seed)),
        }
    }

    /// One whose user presses Ctrl-C after so many seconds.
    pub fn interrupted_after(self, seconds: f64) -> Self {
        Self { interrupt_at: seconds * 1e9, ..self }
    }

    /// Lets time pass.
    pub fn pass(&self, ns: f64) {
        self.now.set(self.now.get() + ns);
        self.interrupted.fetch_or(self.now.get() >= self.interrupt_at, Ordering::Relaxed);
    }

    /// Waits for a CPU.
    pub fn wait(&self) {
        if self.habits.waits > 0.0 {
            self.pass(-self.habits.waits * (1.0 - self.uniform()).ln());
        }
    }

    /// Does work that takes `ns` on an undisturbed machine; tells what it took here.
    pub fn work(&self, ns: f64, wide: bool) -> f64 {
        let began = self.now.get();
        let swing = (began / 3.1e9 * TAU).sin() + 0.5 * (began / 0.7e9 * TAU).sin();
        let mut noise = self.habits.noise * self.normal();
        if self.habits.tails > 0.0 {
            let square = (self.normal().powi(2) + self.normal().powi(2)) / 2.0;
            noise += self.habits.tails * self.normal() / square.sqrt().max(0.05);
        }
        let neighbour = if self.uniform() < self.habits.interrupted { 1.5 } else { 1.0 };
        let fallen = self.habits.falls.map_or(1.0, |(after, times)| if began < after { 1.0 } else { times });
        let undisturbed = ns * fallen * (self.habits.drift * swing + noise).exp() * neighbour;
        let low_left = (self.low_until.get() - began).max(0.0);
        // While the clock is low, 1.3 ns pass for each that the work would take.
        let took = if wide { undisturbed } else { undisturbed + 0.3 * undisturbed.min(low_left / 1.3) };
        self.pass(took);
        if wide {
            self.low_until.set(self.now.get() + self.habits.low_clock_ns);
        }
        took
    }

    /// Whether somebody else uses the same physical core just now.
    pub fn is_shared(&self) -> bool {
        let period = self.habits.shared_ns;
        let is_beside = period > 0.0 && self.now.get() % period < period / 2.0;
        is_beside || self.is_beside() || self.now.get() < self.left_until.get()
    }

    fn is_beside(&self) -> bool {
        let Some((share, mean)) = self.habits.beside else { return false };
        let (mut is_on, mut until) = self.beside.get();
        while until <= self.now.get() {
            is_on = !is_on;
            let mean = if is_on { mean } else { mean * (1.0 - share) / share };
            until += -mean * (1.0 - self.uniform()).ln();
        }
        self.beside.set((is_on, until));
        is_on
    }

    /// Leaves work behind on the core for so long.
    pub fn leave(&self, ns: f64) {
        self.left_until.set(self.now.get() + ns);
    }

    pub fn uniform(&self) -> f64 {
        self.random.borrow_mut().f64()
    }

    /// Normal with mean 0 and deviation 1 (Box and Muller).
    pub fn normal(&self) -> f64 {
        (-2.0 * (1.0 - self.uniform()).ln()).sqrt() * (TAU * self.uniform()).cos()
    }
}
