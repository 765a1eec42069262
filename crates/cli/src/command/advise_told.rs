//! An advice, printed or written, and how the command ends with it.

use std::path::Path;

use anyhow::{Context, Result};
use ciphermeter_core::quoted_path;
use ciphermeter_report::{Advice, advice_json, advice_screen};
use ciphermeter_terminal::{Exit, output};

use crate::args::AdviseOptions;
use crate::{new_file, run_output};

pub fn told(advice: &Advice, options: &AdviseOptions) -> Result<Exit> {
    let exit = match advice.is_answered() {
        _ if advice.has_wrong_output() => Exit::WrongOutput,
        true => Exit::Fine,
        false => Exit::Partial,
    };
    match &options.json {
        Some(to) if to == Path::new("-") => output::print(&advice_json(advice))?,
        to => {
            if let Some(to) = to {
                let context = || format!("cannot write {}: give another file", quoted_path(to));
                new_file::replace(to, |out| Ok(out.write_all(advice_json(advice).as_bytes())?))
                    .with_context(context)?;
            }
            let look = run_output::table_options(&options.look);
            output::print(&advice_screen(advice, options.verbose, look).text)?;
        }
    }
    Ok(exit)
}
