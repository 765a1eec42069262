//! Measuring for another command: `ciphermeter run` as a process of its own, so that what it measures stands by itself in the store.

use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::args::StoreOption;
use crate::exit::{Exit, WithExit};
use crate::{folders, output};

/// Runs this binary with these arguments, its results into the store instead of onto the screen. `what` names the measurement in errors.
pub fn measure(arguments: &[String], option: &StoreOption, what: &str) -> Result<()> {
    let mut command = process::Command::new(folders::binary()?);
    command.args(arguments).arg("--store").arg(folders::store(option)?);
    match waited_for(command.stdout(process::Stdio::null()))?.code() {
        // What cannot be decided is said by the command that asked.
        Some(0 | 1 | 5) => Ok(()),
        Some(4) => {
            output::say("nothing of this can be measured here\n");
            Ok(())
        }
        code => {
            let exit = if code == Some(130) { Exit::Interrupted } else { Exit::Partial };
            let message = format!("the measurement of `{what}` did not end well; see above");
            Err(WithExit { exit, message }.into())
        }
    }
}

/// Runs a command to its end. A terminal sends Ctrl-C to it, too, and it ends in order; SIGTERM is passed on.
fn waited_for(command: &mut process::Command) -> Result<process::ExitStatus> {
    let (interrupted, terminated) = (Arc::<AtomicBool>::default(), Arc::<AtomicBool>::default());
    let handlers = [(SIGINT, interrupted), (SIGTERM, terminated.clone())]
        .map(|(signal, flag)| signal_hook::flag::register(signal, flag));
    let mut child = command.spawn().context("cannot start a measurement")?;
    let ended = loop {
        if let Some(ended) = child.try_wait().context("cannot wait for a measurement")? {
            break ended;
        }
        if terminated.swap(false, Ordering::SeqCst)
            && let Some(process) = i32::try_from(child.id()).ok().and_then(Pid::from_raw)
        {
            // It may have ended just now.
            let _ = kill_process(process, Signal::TERM);
        }
        thread::sleep(Duration::from_millis(50));
    };
    for handler in handlers {
        signal_hook::low_level::unregister(handler?);
    }
    Ok(ended)
}
