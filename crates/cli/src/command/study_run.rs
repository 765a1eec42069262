//! What `study run` measures: `ciphermeter run`, once for each measure, so that each stands by itself in the store.

use anyhow::Result;
use ciphermeter_core::{Seconds, escaped, shell_word};
use ciphermeter_study::Measure;
use ciphermeter_terminal::output;

use crate::args::StoreOption;
use crate::command::measuring::{Ended, NOTHING, measure as measure_into};

/// Measures each as `run` does, but for those that need what few machines have; for at most `budget` each, where it is given.
pub fn run(measures: &[Measure], budget: Option<Seconds>, option: &StoreOption) -> Result<()> {
    for (number, measure) in (1..).zip(measures) {
        if let Some(needs) = &measure.needs {
            let text = format!("{number} of {}: left out, it needs {}", measures.len(), escaped(needs));
            output::tell(&text);
            continue;
        }
        let measure = &Measure { budget: budget.unwrap_or(measure.budget), ..measure.clone() };
        output::tell(&format!(
            "{} of {}: {}. `ciphermeter {}`",
            number,
            measures.len(),
            escaped(&measure.why),
            measure.arguments().iter().map(shell_word).collect::<Vec<_>>().join(" ")
        ));
        // The page below says what it comes to.
        if measure_into(&measure.arguments(), option, &measure.scenario)? == Ended::Nothing {
            output::tell(NOTHING);
        }
    }
    Ok(())
}
