//! Ctrl-C and its kin.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};

use anyhow::Result;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag::{register, register_conditional_default, register_conditional_shutdown};

use crate::exit::{Exit, WithExit};

/// Whether the next signal ends a run at once.
static IS_SECOND: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// What becomes true when the user ends the run. The second signal ends the process at once: a user who asks twice does not want to wait
/// for the round. It waits only while a file is written, so that no half of it stays. A process has one run.
pub fn interruptible() -> Result<Arc<AtomicBool>> {
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        register_conditional_shutdown(signal, 130, IS_SECOND.clone())?;
        register(signal, IS_SECOND.clone())?;
        register(signal, interrupted.clone())?;
    }
    Ok(interrupted)
}

/// While one lives, signals that ask this process to end wait until what was begun is taken back: the writer asks [`Held::check`] often.
pub struct Held(&'static Signals);

/// What handlers read and write, of the whole process.
#[derive(Default)]
struct Signals {
    /// A signal came.
    came: Arc<AtomicBool>,
    /// Signals do what they do by default.
    free: Arc<AtomicBool>,
    /// How many hold them.
    holders: AtomicUsize,
}

impl Signals {
    /// Those of this process, whose handlers stay: what a handler was installed for can't be undone.
    fn of_process() -> io::Result<&'static Self> {
        static SIGNALS: OnceLock<Signals> = OnceLock::new();
        if let Some(signals) = SIGNALS.get() {
            return Ok(signals);
        }
        let signals = Self::default();
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            register_conditional_default(signal, signals.free.clone())?;
            register(signal, signals.came.clone())?;
        }
        Ok(SIGNALS.get_or_init(|| signals))
    }
}

impl Held {
    /// Holds them.
    ///
    /// # Errors
    /// The system takes no handler.
    pub fn new() -> io::Result<Self> {
        let signals = Signals::of_process()?;
        if signals.holders.fetch_add(1, Ordering::SeqCst) == 0 {
            signals.came.store(false, Ordering::SeqCst);
            signals.free.store(false, Ordering::SeqCst);
            IS_SECOND.store(false, Ordering::SeqCst);
        }
        Ok(Self(signals))
    }

    /// Whether to go on.
    ///
    /// # Errors
    /// A signal came.
    pub fn check(&self) -> Result<(), WithExit> {
        match self.0.came.load(Ordering::SeqCst) {
            true => Err(WithExit { exit: Exit::Interrupted, message: "interrupted: nothing was written".into() }),
            false => Ok(()),
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if self.0.holders.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.0.free.store(true, Ordering::SeqCst);
        }
    }
}
