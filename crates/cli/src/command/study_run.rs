//! What `study run` measures: `ciphermeter run`, once for each measure, so that each stands by itself in the store.

use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use ciphermeter_study::Measure;
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::args::StoreOption;
use crate::exit::{Exit, WithExit};
use crate::{folders, output};

/// Measures each as `run` does.
pub fn run(measures: &[Measure], option: &StoreOption) -> Result<()> {
    let binary = folders::binary()?;
    for (number, measure) in (1..).zip(measures) {
        output::say(&output::wrapped(
            &format!(
                "{} of {}: {}. ciphermeter {}",
                number,
                measures.len(),
                measure.why,
                measure.arguments().join(" ")
            ),
            output::terminal_width(),
        ));
        let mut command = process::Command::new(&binary);
        command.args(measure.arguments()).arg("--store").arg(folders::store(option)?);
        // The page below says what it comes to.
        match waited_for(command.stdout(process::Stdio::null()))?.code() {
            // What cannot be decided is judged so.
            Some(0 | 1 | 5) => {}
            Some(4) => output::say("nothing of this can be measured here\n"),
            code => {
                let exit = if code == Some(130) { Exit::Interrupted } else { Exit::Partial };
                let message = format!("the measurement of `{}` did not end well; see above", measure.scenario);
                return Err(WithExit { exit, message }.into());
            }
        }
    }
    Ok(())
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
