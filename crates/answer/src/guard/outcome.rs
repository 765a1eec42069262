//! What both measurements come to.

use ciphermeter_core::{Against, Cell, Record, Share};
use ciphermeter_estimate::{self as estimate, Comparison, Ratio, Unknown};
use ciphermeter_stats::Effect;
use serde::Serialize;

use super::alarm::{Alarm, Standing, Weighed, weigh};
use crate::regression::{Finding, Lost, Stored, Verdict, against, worst_first};

/// The verdict on a change, after an alarm was measured again.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Guarded {
    /// Only what is confirmed is slower here. Cells that were measured again have the figures of then, which nothing selected.
    #[serde(skip)]
    pub verdict: Verdict,
    /// What the first measurement called slower, and whether it stands.
    pub alarms: Vec<Alarm>,
    /// A larger slowdown must be ruled out.
    pub may_hide: Share,
}

/// The verdict on the first measurement and on that of its alarms; `None` of a run that compares nothing with an older side.
pub fn guarded(first: Stored, again: Option<Stored>, may_hide: Share) -> Option<Guarded> {
    let mut verdict = against(first.run, first.records)?;
    // A slowdown between the two is not excluded, and the sentences say how large it may be.
    verdict.must_resolve = false;
    let slower = verdict.cells.iter().filter(|compared| compared.is_slower());
    let slower: Vec<(Cell, Ratio)> = slower.map(|compared| (compared.cell.clone(), compared.ratio)).collect();
    let effect = |(cell, _): &(Cell, Ratio)| again.map_or([None; 2], |again| measured(cell, again));
    let weighed = weigh(&slower.iter().map(effect).collect::<Vec<_>>(), verdict.threshold.0);
    let alarm = |((cell, first), weighed): ((Cell, Ratio), Weighed)| {
        let is_open = weighed.standing == Standing::NotMeasured;
        let unmeasured = is_open.then(|| unmeasured(&cell, again));
        Alarm { cell, first, weighed, explained: None, unmeasured }
    };
    let alarms: Vec<Alarm> = slower.into_iter().zip(weighed).map(alarm).collect();
    settle(&mut verdict, &alarms);
    if let Some(again) = again {
        let gone = again.records.iter().filter(|record| alarms.iter().any(|alarm| alarm.cell == record.cell));
        let lost = gone.filter_map(|record| Some(Lost::new(record, record.in_words()?)));
        verdict.lost.extend(lost.collect::<Vec<_>>());
    }
    Some(Guarded { verdict, alarms, may_hide })
}

/// Why a cell has no second figures.
fn unmeasured(cell: &Cell, again: Option<Stored>) -> String {
    let Some(again) = again else { return "there was no second measurement".into() };
    let of = |(side, provider): (&str, String)| {
        let wanted = Cell { provider, ..cell.clone() };
        match again.records.iter().find(|record| record.cell == wanted) {
            Some(record) => record.in_words().map(|why| format!("{side}: {why}")),
            None => Some(format!("{side}: it does not offer that any more")),
        }
    };
    let (old, control) = (Against::old(&cell.provider), Against::control(&cell.provider));
    let sides = [("NEW", cell.provider.clone()), ("OLD", old), ("the second OLD", control)];
    sides.into_iter().find_map(of).unwrap_or_else(|| "it has too few undisturbed forks; use a longer --budget".into())
}

/// New ÷ old, and a copy of old ÷ old, as the second measurement has them.
fn measured(cell: &Cell, again: Stored) -> [Option<Effect>; 2] {
    let find = |provider: String| {
        let wanted = Cell { provider, ..cell.clone() };
        again.records.iter().find(|record| record.cell == wanted)
    };
    let effect =
        |one: Option<&Record>, old: Option<&Record>| estimate::logs(one?, old?).effect().filter(Effect::is_enough);
    let old = find(Against::old(&cell.provider));
    [effect(find(cell.provider.clone()), old), effect(find(Against::control(&cell.provider)), old)]
}

/// Gives cells that raised an alarm what the second measurement found of them.
fn settle(verdict: &mut Verdict, alarms: &[Alarm]) {
    for alarm in alarms {
        let Some(compared) = verdict.cells.iter_mut().find(|compared| compared.cell == alarm.cell) else { continue };
        compared.ratio = alarm.weighed.again.unwrap_or(alarm.first);
        compared.comparison = match alarm.weighed.standing {
            Standing::Confirmed => Comparison::First(compared.ratio),
            _ => Comparison::Unknown(Unknown::Wide(compared.ratio)),
        };
    }
    verdict.cells = worst_first(std::mem::take(&mut verdict.cells));
    verdict.slower = verdict.cells.iter().filter(|compared| compared.is_slower()).count();
}

impl Guarded {
    /// Those that stand.
    pub fn confirmed(&self) -> impl Iterator<Item = &Alarm> {
        self.alarms.iter().filter(|alarm| alarm.weighed.standing == Standing::Confirmed)
    }

    /// Those that do not.
    pub fn unconfirmed(&self) -> impl Iterator<Item = &Alarm> {
        self.alarms.iter().filter(|alarm| alarm.weighed.standing != Standing::Confirmed)
    }

    /// Whether a slowdown may hide that must be ruled out.
    pub fn hides_too_much(&self) -> bool {
        !self.verdict.cells.is_empty() && self.verdict.could_hide() > self.may_hide.0
    }

    /// What it comes to, for an exit code: an alarm that was neither confirmed nor refuted leaves the question open, and so does what may hide
    /// too much.
    pub fn finding(&self) -> Finding {
        let is_open = self.alarms.iter().any(|alarm| alarm.weighed.standing.is_open());
        match self.verdict.finding() {
            Finding::Fine if is_open || self.hides_too_much() => Finding::Partial,
            finding => finding,
        }
    }
}

#[cfg(test)]
mod tests {
    use ciphermeter_core::{Against, Algorithm, Operation, Outcome, Run};

    use super::*;
    use crate::fixtures;

    const GCM: Algorithm = Algorithm::Aes256Gcm;
    const CHACHA: Algorithm = Algorithm::ChaCha20Poly1305;

    fn run() -> Run {
        let (mut run, _) = fixtures::run();
        run.against = Some(Against { old: "libcrypto.so.3".into(), threshold: Share(0.003), may_hide: None });
        run
    }

    /// A measurement of two cells, each with the times of old, new and, where there is one, of the control.
    fn measured(times: &[(Algorithm, f64, f64, Option<f64>)]) -> Vec<Record> {
        let made = times.iter().flat_map(|(algorithm, old, new, control)| {
            let cell = |provider, ns| fixtures::cell(provider, *algorithm, Operation::Seal, 1024, ns);
            let control = control.map(|ns| cell("openssl@control", ns));
            [cell("openssl", *new), cell("openssl@old", *old)].into_iter().chain(control).collect::<Vec<_>>()
        });
        fixtures::records(&made.collect::<Vec<_>>(), 12)
    }

    fn outcome(first: &[Record], again: Option<&[Record]>) -> Guarded {
        let run = run();
        let stored = |records| Stored { run: &run, records };
        guarded(stored(first), again.map(stored), Share(0.05)).expect("a verdict")
    }

    #[test]
    fn nothing_slower_needs_no_second_measurement() {
        let guarded = outcome(&measured(&[(GCM, 300.0, 300.0, None), (CHACHA, 500.0, 490.0, None)]), None);
        assert_eq!((guarded.alarms.len(), guarded.finding()), (0, Finding::Fine));
        assert_eq!(guarded.verdict.faster, 1);
    }

    #[test]
    fn alarm_that_stands_is_a_regression_with_the_figures_of_the_second_measurement() {
        let first = measured(&[(GCM, 300.0, 330.0, None), (CHACHA, 500.0, 500.0, None)]);
        let again = measured(&[(GCM, 300.0, 324.0, Some(300.0))]);
        let guarded = outcome(&first, Some(&again));
        assert_eq!((guarded.finding(), guarded.verdict.slower, guarded.confirmed().count()), (Finding::Slower, 1, 1));
        assert!((guarded.verdict.cells[0].ratio.mid - 1.08).abs() < 0.003, "{:?}", guarded.verdict.cells[0]);
        assert!((guarded.alarms[0].first.mid - 1.10).abs() < 0.003);
    }

    #[test]
    fn alarm_that_does_not_stand_is_none() {
        let first = measured(&[(GCM, 300.0, 330.0, None), (CHACHA, 500.0, 500.0, None)]);
        for (times, standing) in
            [((300.0, Some(300.0)), Standing::NotSlower), ((330.0, Some(331.0)), Standing::ControlDiffers)]
        {
            let again = measured(&[(GCM, 300.0, times.0, times.1)]);
            let guarded = outcome(&first, Some(&again));
            assert_eq!(guarded.alarms[0].weighed.standing, standing);
            assert_eq!((guarded.verdict.slower, guarded.unconfirmed().count()), (0, 1));
            assert_ne!(guarded.finding(), Finding::Slower);
        }
    }

    #[test]
    fn alarm_that_was_not_measured_again_leaves_the_question_open() {
        let first = measured(&[(GCM, 300.0, 330.0, None)]);
        assert_eq!(outcome(&first, None).finding(), Finding::Partial);
        let uncontrolled = measured(&[(GCM, 300.0, 330.0, None)]);
        let guarded = outcome(&first, Some(&uncontrolled));
        assert_eq!((guarded.alarms[0].weighed.standing, guarded.finding()), (Standing::NotMeasured, Finding::Partial));
    }

    #[test]
    fn alarm_whose_control_is_too_wide_leaves_the_question_open() {
        let first = measured(&[(GCM, 300.0, 330.0, None), (CHACHA, 500.0, 500.0, None)]);
        let mut again = measured(&[(GCM, 300.0, 303.0, Some(300.0))]);
        let control = again.iter_mut().find(|record| record.cell.provider == "openssl@control").expect("a control");
        for (place, fork) in (0..).zip(&mut control.forks) {
            let counts = fork.samples.iter_mut().flat_map(|sample| &mut sample.counts);
            counts.for_each(|(_, count)| *count = *count * (980 + 4 * place) / 1000);
        }
        let guarded = outcome(&first, Some(&again));
        assert_eq!(
            (guarded.alarms[0].weighed.standing, guarded.finding()),
            (Standing::ControlTooWide, Finding::Partial)
        );
    }

    #[test]
    fn wrong_output_is_graver_than_slow_whichever_measurement_found_it() {
        let first = measured(&[(GCM, 300.0, 330.0, None)]);
        let mut again = measured(&[(GCM, 300.0, 330.0, Some(300.0))]);
        let new = again.iter_mut().find(|record| record.cell.provider == "openssl").expect("a cell");
        new.outcome = Outcome::WrongOutput { why: "expected 00, came 01".into() };
        assert_eq!(outcome(&first, Some(&again)).finding(), Finding::WrongOutput);
    }

    #[test]
    fn confirmed_slowdown_is_not_called_inconclusive() {
        let first = measured(&[(GCM, 300.0, 330.0, None), (CHACHA, 500.0, 500.0, None)]);
        let again = measured(&[(GCM, 300.0, 330.0, Some(300.0))]);
        let run = run();
        let stored = |records| Stored { run: &run, records };
        let guarded = guarded(stored(&first), Some(stored(&again)), Share(0.0001)).expect("a verdict");
        let text = crate::guard::sentences(&guarded, None).join(" ");
        assert!(guarded.hides_too_much() && guarded.finding() == Finding::Slower);
        assert!(text.contains("In the others, a slowdown of") && !text.contains("Inconclusive"), "{text}");
    }

    #[test]
    fn slowdown_that_must_be_ruled_out_and_is_not_is_no_success() {
        let run = run();
        let records = measured(&[(GCM, 300.0, 300.3, None)]);
        let stored = Stored { run: &run, records: &records };
        let finding = |may_hide| guarded(stored, None, Share(may_hide)).expect("a verdict").finding();
        assert_eq!((finding(0.05), finding(0.0005)), (Finding::Fine, Finding::Partial));
    }
}
