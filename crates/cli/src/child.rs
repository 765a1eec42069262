//! A command that runs as a child to its end, and ends with this process.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGTSTP};
use signal_hook::low_level::{emulate_default_handler, unregister};

use crate::interrupt::Taken;

/// How it ended.
pub struct Ended {
    pub status: ExitStatus,
    pub is_interrupted: bool,
}

/// Which processes get the signals that end this one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Heir {
    /// The child, which ends what it started.
    Process,
    /// All that it started, too: a compiler's driver leaves the compiler behind.
    Group,
}

/// Runs a command to its end, and calls `tick` meanwhile. Signals that end this process end the command, in its order: a group of its own
/// keeps those of a terminal from it, of which each would count twice. It stops with this process, and continues with it.
pub fn run(command: &mut Command, heir: Heir, mut tick: impl FnMut()) -> io::Result<Ended> {
    let _taken = Taken::new(&[SIGINT, SIGTERM, SIGHUP])?;
    let signals = [(SIGINT, Signal::INT), (SIGTERM, Signal::TERM), (SIGHUP, Signal::TERM)];
    let flags = signals.map(|(number, passed_on)| (number, passed_on, Arc::<AtomicBool>::default()));
    let stop = Arc::<AtomicBool>::default();
    let every = flags.iter().map(|(number, _, flag)| (*number, flag)).chain([(SIGTSTP, &stop)]);
    let handlers: Vec<_> = every.map(|(number, flag)| signal_hook::flag::register(number, flag.clone())).collect();
    let mut child = command.process_group(0).spawn()?;
    let process = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    // It may have ended just now.
    let signal_all = |signal| process.is_some_and(|group| kill_process_group(group, signal).is_ok());
    let mut is_interrupted = false;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        for (_, signal, flag) in &flags {
            if flag.swap(false, Ordering::SeqCst) {
                is_interrupted = true;
                match heir {
                    Heir::Process => process.is_some_and(|process| kill_process(process, *signal).is_ok()),
                    Heir::Group => signal_all(*signal),
                };
            }
        }
        if stop.swap(false, Ordering::SeqCst) {
            signal_all(Signal::STOP);
            // Stands still here until the shell has it continue.
            emulate_default_handler(SIGTSTP)?;
            signal_all(Signal::CONT);
        }
        tick();
        thread::sleep(Duration::from_millis(50));
    };
    if is_interrupted && heir == Heir::Group {
        signal_all(Signal::KILL);
    }
    for handler in handlers {
        unregister(handler?);
    }
    Ok(Ended { status, is_interrupted })
}
