//! Measuring for another command: `ciphermeter run` as a process of its own, so that what it
//! measures stands by itself in the store.
//!
//! Only the arguments say what is measured: the user's files of options and variables count for
//! where workers and the store are. What is set here to change the code of libraries is not set
//! there.

use std::os::unix::process::CommandExt;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use ciphermeter_core::Run;
use ciphermeter_store::Store;
use ciphermeter_terminal::{Exit, WithExit, output};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGTSTP};
use signal_hook::low_level::{emulate_default_handler, unregister};

use crate::args::StoreOption;
use crate::command::show::existing;
use crate::config::ONLY_PLACES;
use crate::interrupt::Taken;
use crate::{folders, switches};

/// What is said where a machine has nothing of what is to be measured.
pub const NOTHING: &str = "nothing of this can be measured here: `ciphermeter workers` lists what is missing and why";

/// The exit code of a measurement that was interrupted.
const INTERRUPTED: i32 = 130;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// It is in the store, whether it decides something or not.
    Measured,
    Nothing,
}

/// Runs this binary with these arguments, its results into the store instead of onto the screen. `what` names the measurement in errors.
pub fn measure(arguments: &[String], option: &StoreOption, what: &str) -> Result<Ended> {
    let mut command = process::Command::new(folders::binary()?);
    command.args(arguments).arg("--store").arg(folders::store(option)?);
    command.env(ONLY_PLACES, "1").env_remove("CIPHERMETER_BUDGET").env_remove("CIPHERMETER_PRECISION");
    if let Some(said) = switches::leave_out(&mut command) {
        output::tell(&said);
    }
    match waited_for(command.stdout(process::Stdio::null()))? {
        // What cannot be decided is said by the command that asked.
        Some(0 | 1 | 5) => Ok(Ended::Measured),
        Some(3) => {
            output::say("some output was wrong: those ciphers are left out\n");
            Ok(Ended::Measured)
        }
        Some(4) => Ok(Ended::Nothing),
        Some(INTERRUPTED) => Err(WithExit { exit: Exit::Interrupted, message: interrupted(option)? }.into()),
        _ => {
            let message = format!("the measurement of `{what}` did not end well; see above");
            Err(WithExit { exit: Exit::Partial, message }.into())
        }
    }
}

fn interrupted(option: &StoreOption) -> Result<String> {
    let last = |store: Store| -> Result<Option<Run>> { Ok(store.last_open()?.map(|run| store.head(run)).transpose()?) };
    Ok(match existing(option)?.map(last).transpose()?.flatten() {
        Some(run) => {
            let run = Run { store: folders::typed_store(option), ..run };
            format!("interrupted; what was measured is kept: `{}` continues it", run.resume())
        }
        None => "interrupted before anything was measured".into(),
    })
}

/// Runs a command to its end. Signals that end this process end the command, in its order: a group of its own keeps those of a terminal
/// from it, of which each would count twice. It stops with this process, and continues with it.
fn waited_for(command: &mut process::Command) -> Result<Option<i32>> {
    let _taken = Taken::new(&[SIGINT, SIGTERM, SIGHUP]).context("cannot heed signals")?;
    let signals = [(SIGINT, Signal::INT), (SIGTERM, Signal::TERM), (SIGHUP, Signal::TERM)];
    let flags = signals.map(|(number, passed_on)| (number, passed_on, Arc::<AtomicBool>::default()));
    let stop = Arc::<AtomicBool>::default();
    let every = flags.iter().map(|(number, _, flag)| (*number, flag)).chain([(SIGTSTP, &stop)]);
    let handlers: Vec<_> = every.map(|(number, flag)| signal_hook::flag::register(number, flag.clone())).collect();
    let mut child = command.process_group(0).spawn().context("cannot start a measurement")?;
    let process = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let mut is_interrupted = false;
    let ended = loop {
        if let Some(ended) = child.try_wait().context("cannot wait for a measurement")? {
            break ended;
        }
        for (_, signal, flag) in &flags {
            if flag.swap(false, Ordering::SeqCst) {
                is_interrupted = true;
                // It may have ended just now.
                let _ = process.map(|process| kill_process(process, *signal));
            }
        }
        if stop.swap(false, Ordering::SeqCst) {
            let _ = process.map(|group| kill_process_group(group, Signal::STOP));
            // Stands still here until the shell has it continue.
            emulate_default_handler(SIGTSTP)?;
            let _ = process.map(|group| kill_process_group(group, Signal::CONT));
        }
        thread::sleep(Duration::from_millis(50));
    };
    for handler in handlers {
        unregister(handler?);
    }
    // One that came before the command heeded signals ended it without a code.
    Ok(ended.code().or(is_interrupted.then_some(INTERRUPTED)))
}
