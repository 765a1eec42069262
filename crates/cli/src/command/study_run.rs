//! What `study run` measures: `ciphermeter run`, once for each measure, so that each stands by itself in the store.

use anyhow::Result;
use ciphermeter_study::Measure;

use crate::args::StoreOption;
use crate::command::measuring::{Ended, NOTHING, measure as measure_into};
use crate::output;

/// Measures each as `run` does.
pub fn run(measures: &[Measure], option: &StoreOption) -> Result<()> {
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
        // The page below says what it comes to.
        if measure_into(&measure.arguments(), option, &measure.scenario)? == Ended::Nothing {
            output::say(&output::wrapped(NOTHING, output::terminal_width()));
        }
    }
    Ok(())
}
