//! Why a run that was made for a claim has no pair of its cells: more runs of the same kind would have none either.

use crate::judge::pairs;
use crate::question::{Pick, Question};
use crate::run::MeasuredRun;

/// The newest run, and what it lacks; `None` where it has a pair, or there is no run.
pub(crate) fn pairless(question: &Question<'_>, runs: &[MeasuredRun]) -> Option<(i64, &'static str)> {
    let newest = runs.first()?;
    let has = |pick: &Pick| newest.records.iter().any(|record| pick.takes(record));
    let what = match (has(question.left), has(question.right)) {
        (false, false) => "no cell of either side",
        (false, true) => "no cell of the left side",
        (true, false) => "no cell of the right side",
        (true, true) if pairs(question.left, question.right, &newest.records, question.expect).is_empty() => {
            "no left and right cell that agree in what the sides leave open"
        }
        _ => return None,
    };
    Some((newest.run.id, what))
}

#[cfg(test)]
mod tests {
    use ciphermeter_core::{Form, Operation};

    use super::*;
    use crate::built_in::find;
    use crate::fixtures;
    use crate::question::Way;

    #[test]
    fn missing_side_is_named() {
        let study = find("python-sizes").unwrap().unwrap();
        let claim = study.claims.iter().find(|claim| claim.id == "time-ratio").unwrap();
        let question = claim.question(Way::AsPublished).unwrap();
        let run = fixtures::run(7, "python-sizes", fixtures::planted_for(&question, 2.7));
        let runs = [run];
        assert_eq!(pairless(&question, &runs), None);
        assert_eq!(pairless(&question, &[]), None);
        let other = Pick { operation: Some(Operation::KeySetup), ..question.left.clone() };
        let lacks = |left, right| pairless(&Question { left, right, ..question }, &runs);
        assert_eq!(lacks(&other, question.right), Some((7, "no cell of the left side")));
        assert_eq!(lacks(question.left, &other), Some((7, "no cell of the right side")));
        assert_eq!(lacks(&other, &other), Some((7, "no cell of either side")));
    }

    #[test]
    fn sides_that_agree_in_nothing_are_no_pair() {
        let study = find("python-sizes").unwrap().unwrap();
        let claim = study.claims.iter().find(|claim| claim.id == "time-ratio").unwrap();
        let question = claim.question(Way::AsPublished).unwrap();
        let mut run = fixtures::run(7, "python-sizes", fixtures::planted_for(&question, 2.7));
        let right = question.right.algorithm;
        for record in run.records.iter_mut().filter(|record| Some(record.cell.algorithm) == right) {
            record.cell.form = if record.cell.form == Form::Fresh { Form::Into } else { Form::Fresh };
        }
        let open = |pick: &Pick| Pick { form: None, ..pick.clone() };
        let (left, right) = (open(question.left), open(question.right));
        let (_, lacks) = pairless(&Question { left: &left, right: &right, ..question }, &[run]).unwrap();
        assert_eq!(lacks, "no left and right cell that agree in what the sides leave open");
    }
}
