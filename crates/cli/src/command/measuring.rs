//! Measuring for another command: `ciphermeter run` as a process of its own, so that what it
//! measures stands by itself in the store.
//!
//! Only the arguments say what is measured: the user's files of options and variables count for
//! where workers and the store are. What is set here to change the code of libraries is not set
//! there.

use std::process;

use anyhow::{Context, Result};
use ciphermeter_core::Run;
use ciphermeter_store::Store;
use ciphermeter_terminal::{Exit, WithExit, output};

use crate::args::StoreOption;
use crate::child::{self, Heir};
use crate::command::show::existing;
use crate::config::ONLY_PLACES;
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
    let ended = child::run(command.stdout(process::Stdio::null()), Heir::Process, || {});
    let ended = ended.context("cannot start a measurement")?;
    // A signal that came before it heeded signals ended it without a code.
    match ended.status.code().or(ended.is_interrupted.then_some(INTERRUPTED)) {
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
