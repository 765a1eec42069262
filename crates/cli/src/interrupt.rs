//! Ctrl-C and its kin.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};

use anyhow::Result;
use ciphermeter_terminal::{Exit, WithExit};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag::{register, register_conditional_default, register_conditional_shutdown};

/// Whether the next signal ends a run at once.
static IS_SECOND: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Makes a failed write of a file that outgrows its limit, which takes back what was begun; by default it would end the process.
pub fn outlive_file_limits() -> io::Result<()> {
    register(SIGXFSZ, Arc::default()).map(drop)
}

/// What becomes true when the user ends the run. The second signal ends the process at once: a user who asks twice does not want to wait
/// for the round. It waits only while a file is written, so that no half of it stays. All runs of a process share it.
pub fn interruptible() -> Result<Arc<AtomicBool>> {
    const ENDING: [i32; 2] = [SIGINT, SIGTERM];
    static INTERRUPTED: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    if let Some(interrupted) = INTERRUPTED.get() {
        return Ok(interrupted.clone());
    }
    // Never given back.
    std::mem::forget(Taken::new(&ENDING)?);
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in ENDING {
        register_conditional_shutdown(signal, 130, IS_SECOND.clone())?;
        register(signal, IS_SECOND.clone())?;
        register(signal, interrupted.clone())?;
    }
    Ok(INTERRUPTED.get_or_init(|| interrupted).clone())
}

/// While one lives, these signals do nothing but what its owner has registered for them.
pub struct Taken(&'static [i32]);

impl Taken {
    pub fn new(signals: &'static [i32]) -> io::Result<Self> {
        Signals::of_process()?.own(signals, |owners| owners.fetch_add(1, Ordering::SeqCst));
        Ok(Self(signals))
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        if let Ok(signals) = Signals::of_process() {
            signals.own(self.0, |owners| owners.fetch_sub(1, Ordering::SeqCst));
        }
    }
}

/// While one lives, signals that ask this process to end wait until what was begun is taken back: the writer asks [`Held::check`] often.
pub struct Held(&'static Signals);

/// What handlers read and write, of the whole process.
#[derive(Default)]
struct Signals {
    came: Arc<AtomicBool>,
    /// How many files are being written, each of which holds all signals.
    holders: AtomicUsize,
    each: [Signalled; ALL.len()],
}

/// All that ask this process to end.
const ALL: [i32; 3] = [SIGINT, SIGTERM, SIGHUP];

#[derive(Default)]
struct Signalled {
    /// It does what it does by default.
    is_free: Arc<AtomicBool>,
    /// How many have handlers of their own for it.
    owners: AtomicUsize,
}

impl Signals {
    /// Those of this process, whose handlers stay: what a handler was installed for can't be undone.
    fn of_process() -> io::Result<&'static Self> {
        static SIGNALS: OnceLock<Signals> = OnceLock::new();
        if let Some(signals) = SIGNALS.get() {
            return Ok(signals);
        }
        let signals = Self::default();
        for (signal, one) in ALL.into_iter().zip(&signals.each) {
            one.is_free.store(true, Ordering::SeqCst);
            register_conditional_default(signal, one.is_free.clone())?;
            register(signal, signals.came.clone())?;
        }
        Ok(SIGNALS.get_or_init(|| signals))
    }

    /// Changes the owners of these signals.
    fn own(&self, signals: &[i32], change: impl Fn(&AtomicUsize) -> usize) {
        for (_, one) in ALL.iter().zip(&self.each).filter(|(signal, _)| signals.contains(signal)) {
            change(&one.owners);
        }
        self.settle();
    }

    /// A signal is free while nobody holds or owns it.
    fn settle(&self) {
        let is_held = self.holders.load(Ordering::SeqCst) > 0;
        for one in &self.each {
            one.is_free.store(!is_held && one.owners.load(Ordering::SeqCst) == 0, Ordering::SeqCst);
        }
    }
}

impl Held {
    pub fn new() -> io::Result<Self> {
        let signals = Signals::of_process()?;
        if signals.holders.fetch_add(1, Ordering::SeqCst) == 0 {
            signals.came.store(false, Ordering::SeqCst);
            IS_SECOND.store(false, Ordering::SeqCst);
        }
        signals.settle();
        Ok(Self(signals))
    }

    /// Fails once a signal came.
    pub fn check(&self) -> Result<(), WithExit> {
        match self.0.came.load(Ordering::SeqCst) {
            true => Err(WithExit { exit: Exit::Interrupted, message: "interrupted: nothing was written".into() }),
            false => Ok(()),
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.holders.fetch_sub(1, Ordering::SeqCst);
        self.0.settle();
    }
}
