//! What the real pairs come to.

use std::collections::BTreeMap;

use anyhow::Result;

use super::residuals::Line;
use crate::output::print_line;

/// Prints how the pairs ended, by what was planted.
pub fn print(lines: &[Line]) -> Result<()> {
    let mut by_planted = BTreeMap::<Option<&str>, Vec<&Line>>::new();
    for line in lines {
        by_planted.entry(line.planted.as_deref()).or_default().push(line);
    }
    for (planted, lines) in by_planted {
        let count = |is: &dyn Fn(&Line) -> bool| lines.iter().filter(|line| is(line)).count();
        let raised = count(&|line| !line.alarms.is_empty());
        let confirmed = count(&|line| line.confirmed().next().is_some());
        let (fine, open) = (count(&|line| line.code == Some(0)), count(&|line| line.code == Some(5)));
        let (all, other) = (lines.len(), lines.len() - confirmed - fine - open);
        let longest = lines.iter().map(|line| line.seconds).fold(0.0, f64::max);
        print_line(&match planted {
            None => format!(
                "{all} real pairs that did not change: {confirmed} false alarms ({raised} raised one at first), {fine} ended with 0, \
                 {open} with 5, {other} otherwise; the longest took {longest:.0} s"
            ),
            Some(share) => {
                let right = count(&|line| {
                    line.confirmed().next().is_some() && line.confirmed().all(|alarm| alarm.algorithm == "aes-256-gcm")
                });
                format!("{all} real pairs with {share} planted in aes-256-gcm: found in {right}, and nowhere else")
            }
        })?;
    }
    Ok(())
}
