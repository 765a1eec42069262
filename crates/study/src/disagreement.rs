//! Why the studies disagree, as text: each factor with its sides, on this machine.

use crate::factor::Factors;
use crate::measured::MeasuredRun;
use crate::page::{Block, paragraph};
use crate::words::{capital, slower};

/// Why the studies disagree: each factor with what was measured here. `runs` are those of the factors' measures.
pub fn why_they_disagree(factors: &Factors, runs: &[Option<MeasuredRun>]) -> Vec<Block> {
    let mut page = vec![paragraph(0, "Why they disagree: one factor at a time, on this machine")];
    for factor in &factors.factors {
        page.push(paragraph(0, ""));
        page.push(paragraph(0, &format!("{} ({}): {}", capital(&factor.name), factor.studies.join(", "), factor.asks)));
        for side in &factor.sides {
            let run = factors.measure(side).and_then(|place| runs.get(place)?.as_ref());
            let pairs = run.map(|measured| side.pairs(&measured.records)).unwrap_or_default();
            let found = match &pairs[..] {
                [] => "not measured yet".to_owned(),
                [only] => slower(only),
                [lowest, .., highest] => {
                    format!("in {} pairs, from {} to {}", pairs.len(), slower(lowest), slower(highest))
                }
            };
            let elsewhere = run.filter(|run| run.elsewhere.is_some());
            let elsewhere =
                elsewhere.map_or(String::new(), |run| format!(" (run {} of another machine or method)", run.run.id));
            page.push(paragraph(2, &format!("{}{elsewhere}: {found}.", capital(&side.label))));
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unmeasured_factor_is_said_to_be_one() {
        let factors = crate::built_in::factors().unwrap();
        let page = why_they_disagree(&factors, &[]);
        let has = |text: &str| page.contains(&paragraph(2, text));
        assert!(has("Without them: not measured yet."), "{page:?}");
    }
}
