//! When a run tells others something: measured to its end by today's method, with a probe, and not disturbed too much.

use ciphermeter_answer::basis::Basis;
use ciphermeter_answer::measured::has_enough_forks;
use ciphermeter_core::{METHOD, Record, Run, RunStatus, method};

/// The most of its samples that other work may have disturbed. They are excluded; where most of them are, what is left over was hardly
/// undisturbed either.
const MOST_EXCLUDED: f64 = 0.5;
/// The least part of its cells that needs the forks of a figure.
const LEAST_FIGURES: f64 = 0.9;

/// Why a run tells others nothing; `None` if it does.
pub fn beyond_use(run: &Run, records: &[Record]) -> Option<String> {
    if run.plan.method != METHOD {
        let (own, now) = (method(run.plan.method), method(METHOD));
        return Some(format!("it was measured by {own}, and the table is of {now}: measure again"));
    }
    if run.status == RunStatus::Interrupted {
        return Some("it was interrupted: resume it with `ciphermeter run --resume`".into());
    }
    if records.iter().all(|record| record.limits().usual.is_none()) {
        return Some("it has no contention probe, so how much it was disturbed is not known: measure again".into());
    }
    let excluded = Basis::of(records, (0, 0)).excluded.unwrap_or(0.0);
    if excluded > MOST_EXCLUDED {
        let [percent, most] = [excluded, MOST_EXCLUDED].map(|share| format!("{:.1}", share * 100.0));
        return Some(format!(
            "other work disturbed {percent} % of its samples, and at most {most} % may be: measure on an idle machine"
        ));
    }
    let figures = records.iter().filter(|record| has_enough_forks(record)).count();
    if (figures as f64) < LEAST_FIGURES * records.len() as f64 {
        return Some(format!(
            "only {figures} of its {} cells have the forks that a figure takes: measure longer, with --budget",
            records.len()
        ));
    }
    None
}
