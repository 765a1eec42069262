//! A study and what is stored of its measures: which run answers which claim, and how the claims stand.

use std::path::PathBuf;

use ciphermeter_core::option_words;

use crate::claim::Claim;
use crate::judge::{Judgement, judge};
use crate::question::Way;
use crate::rests::Rests;
use crate::run::{MeasuredRun, PassedOver};
use crate::study::{Measure, Study};
use crate::verdict::Verdict;

/// A study, and the runs of each of its measures, in their order.
pub struct Measured<'a> {
    /// The study.
    pub study: &'a Study,
    /// For each measure, its runs, the newest first: the first that answers a claim is the claim's.
    pub runs: Vec<Vec<MeasuredRun>>,
    /// The store that they are read from, where a user named it.
    pub store: Option<PathBuf>,
}

/// A claim with its judgements.
pub struct Judged<'a> {
    /// The claim.
    pub claim: &'a Claim,
    /// As the study compared: the claim's verdict.
    pub as_published: Answer<'a>,
    /// As it should be compared, where the study's file has such a comparison.
    pub proper: Option<Answer<'a>>,
}

/// A judgement, the run that it rests on, and those that were passed over for it.
pub struct Answer<'a> {
    /// The judgement.
    pub judgement: Judgement,
    /// The run; `None`: there is none.
    pub run: Option<&'a MeasuredRun>,
    /// Newer runs that measured its cells and gave no answer, the newest first.
    pub passed_over: Vec<PassedOver>,
}

/// Whether these runs of a measure answer all that its study asks of it, so that older ones need not be read.
pub fn is_answered(study: &Study, measure: &Measure, runs: &[MeasuredRun]) -> bool {
    let asked = study.claims.iter().flat_map(|claim| Way::ALL.map(|way| (claim, way)));
    let own = asked.filter(|(claim, way)| {
        let question = claim.question(*way);
        question.and_then(|question| study.measure(&question, *way)) == Some(measure)
    });
    let (special, usual): (Vec<_>, Vec<_>) = own.partition(|(claim, way)| claim.needs(*way).is_some());
    // What few machines have is not waited for beside others, but alone it is what the measure is for.
    let awaited = if usual.is_empty() { special } else { usual };
    let is_final = |(claim, way)| runs.iter().any(|run| judged_by(claim, way, run).is_final());
    awaited.into_iter().all(is_final)
}

/// The claim's judgement by one run; one whose machine lacks what the claim presupposes does not apply.
fn judged_by(claim: &Claim, way: Way, run: &MeasuredRun) -> Judgement {
    match claim.given.and_then(|given| given.lacks(&run.run)) {
        Some(_) => Judgement::without_pairs(Verdict::NotApplicable),
        None => judge(claim, way, Some(&run.records)),
    }
}

impl<'a> Judged<'a> {
    /// Its answers, one for each way that it has.
    pub(crate) fn answers(&self) -> impl Iterator<Item = (Way, &Answer<'a>)> {
        let proper = self.proper.iter().map(|answer| (Way::Proper, answer));
        std::iter::once((Way::AsPublished, &self.as_published)).chain(proper)
    }

    /// Why the claim is not about the machine of its run.
    pub(crate) fn lacks(&self) -> Option<&'static str> {
        self.claim.given?.lacks(&self.as_published.run?.run)
    }

    /// The claim's verdict.
    pub fn verdict(&self) -> Verdict {
        self.as_published.judgement.verdict
    }
}

impl<'a> Measured<'a> {
    /// Each claim with its judgements.
    pub fn judged(&self) -> Vec<Judged<'_>> {
        let judged = |claim: &'a Claim| Judged {
            claim,
            as_published: self.answer(claim, Way::AsPublished),
            proper: claim.proper.as_ref().map(|_| self.answer(claim, Way::Proper)),
        };
        self.study.claims.iter().map(judged).collect()
    }

    /// The runs that may answer a claim in one way, the newest first.
    pub(crate) fn runs_of(&self, claim: &Claim, way: Way) -> &[MeasuredRun] {
        let measure = claim.question(way).and_then(|question| self.study.measure(&question, way));
        let place = measure.and_then(|measure| self.study.measures.iter().position(|one| one == measure));
        place.and_then(|place| self.runs.get(place)).map_or(&[], Vec::as_slice)
    }

    fn answer(&self, claim: &Claim, way: Way) -> Answer<'_> {
        let runs = self.runs_of(claim, way);
        let (mut newest, mut passed_over) = (None, Vec::new());
        for run in runs {
            let judgement = judged_by(claim, way, run);
            if judgement.is_final() {
                return Answer { judgement, run: Some(run), passed_over };
            }
            passed_over.extend(PassedOver::of(run, &judgement.pairs));
            newest = newest.or(Some((run, judgement)));
        }
        let Some((run, judgement)) = newest else {
            return Answer { judgement: judge(claim, way, None), run: None, passed_over: Vec::new() };
        };
        // A run that has nothing of what few machines have is not what it rests on.
        let is_about_it = judgement.verdict != Verdict::NotTested || !judgement.pairs.is_empty();
        Answer { run: is_about_it.then_some(run), judgement, passed_over: Vec::new() }
    }

    /// A command about the store that its runs are read from, as a user types it.
    pub fn command(&self, words: &str) -> String {
        let store = self.store.as_ref().map_or(String::new(), |file| format!(" {}", option_words("--store", file)));
        format!("ciphermeter {words}{store}")
    }

    /// What its claims rest on, the verdicts alone or both ways.
    pub(crate) fn rests(&self, ways: &[Way]) -> Rests<'_> {
        let mut rests = Rests::default();
        for judged in self.judged() {
            let own = judged.answers().filter(|(way, _)| ways.contains(way));
            for (_, answer) in own {
                if let Some(run) = answer.run {
                    rests.add(run, &answer.judgement.pairs, &answer.passed_over);
                }
            }
        }
        rests
    }

    /// The runs that its verdicts rest on.
    pub fn used(&self) -> Vec<&MeasuredRun> {
        self.rests(&Way::ALL).used
    }

    /// What a reader must know of the verdicts, a sentence each: runs of other machines, newer runs without an answer, wrong output.
    pub fn cautions(&self) -> Vec<String> {
        self.rests(&Way::ALL).cautions()
    }

    /// How many claims have each verdict: `3 contradicted, 1 not tested here`.
    pub fn tally(&self) -> String {
        let judged = self.judged();
        let count = |verdict| judged.iter().filter(|judged| judged.verdict() == verdict).count();
        let counted = Verdict::ALL.map(|verdict| (count(verdict), verdict.as_str()));
        let words = counted.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}"));
        words.collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use ciphermeter_core::{Fact, Outcome, Record};

    use super::*;
    use crate::built_in::find;
    use crate::fixtures;

    fn verdict(measured: &Measured<'_>, id: &str) -> Verdict {
        measured.judged().into_iter().find(|judged| judged.claim.id == id).unwrap().verdict()
    }

    #[test]
    fn claim_about_another_sort_of_machine_does_not_apply() {
        let study = find("tcp-sockets").unwrap().unwrap();
        let claim = study.claims.iter().find(|claim| claim.id == "aes-faster").unwrap();
        let mut measured = fixtures::measured(&study, claim, Way::AsPublished, 2.0);
        for (features, expected) in [
            (Some("aes avx2"), Verdict::Supported),
            (Some("avx2"), Verdict::NotApplicable),
            // What is not known excludes nothing.
            (None, Verdict::Supported),
        ] {
            let fact = features.map(|features| Fact::present("features", features));
            measured.runs.iter_mut().flatten().for_each(|run| run.run.host = fact.iter().cloned().collect());
            assert_eq!(verdict(&measured, "aes-faster"), expected, "{features:?}");
        }
        let parallel = find("parallel").unwrap().unwrap();
        assert_eq!(
            verdict(&Measured { study: &parallel, runs: Vec::new(), store: None }, "energy"),
            Verdict::NotApplicable
        );
    }

    #[test]
    fn older_run_answers_where_the_newer_one_does_not() {
        let study = find("python-sizes").unwrap().unwrap();
        let claim = study.claims.iter().find(|claim| claim.id == "time-ratio").unwrap();
        let mut measured = fixtures::measured(&study, claim, Way::AsPublished, 2.7);
        let measure = &study.measures[0];
        assert!(!is_answered(&study, measure, &measured.runs[0]), "other claims are open");
        let mut special = study.clone();
        special.claims.retain(|other| other.id == claim.id);
        assert!(is_answered(&special, measure, &measured.runs[0]));
        special.claims[0].needs = Some("a rare machine".into());
        special.claims[0].proper = None;
        assert!(!is_answered(&special, measure, &[]), "its runs are looked for");
        measured.runs[0].insert(0, fixtures::run(9, "python-script", Vec::new()));
        assert_eq!(verdict(&measured, "time-ratio"), Verdict::Supported);
        let judged = measured.judged();
        let answer = judged.iter().find(|judged| judged.claim.id == "time-ratio").unwrap();
        assert_eq!(answer.as_published.run.unwrap().run.id, 1);
        assert_eq!(answer.as_published.passed_over, [], "the newer one measured none of its cells");
    }

    /// A study in which run 2 is newer than one that supports the claim, with these records of it.
    fn with_newer<'a>(study: &'a Study, id: &str, change: fn(&mut [Record])) -> Measured<'a> {
        let claim = study.claims.iter().find(|claim| claim.id == id).unwrap();
        let mut measured = fixtures::measured(study, claim, Way::AsPublished, 2.7);
        let mut records = fixtures::planted_for(&claim.question(Way::AsPublished).unwrap(), 0.1);
        change(&mut records);
        measured.runs[0].insert(0, fixtures::run(2, "python-script", records));
        measured
    }

    #[test]
    fn newer_run_of_too_few_forks_is_named() {
        let study = find("python-sizes").unwrap().unwrap();
        let measured = with_newer(&study, "time-ratio", |records| {
            records.iter_mut().filter_map(|record| record.summary.as_mut()).for_each(|summary| summary.forks = 5);
        });
        assert_eq!(verdict(&measured, "time-ratio"), Verdict::Supported);
        assert_eq!(measured.cautions(), ["Newer, but incomplete: run 2 (fewer than 6 undisturbed forks)."]);
        let sentences = measured.rests(&Way::ALL).sentences();
        assert!(sentences[0].starts_with("Here: runs 1, 2 on") && sentences[1].starts_with("Newer, "), "{sentences:?}");
        let gap = with_newer(&study, "time-ratio", |records| {
            records[0].outcome = Outcome::Failed { why: "it broke".into() };
        });
        assert_eq!(gap.cautions(), ["Newer, but incomplete: run 2 (cells are missing)."]);
    }

    #[test]
    fn library_with_wrong_output_is_named_without_control_characters() {
        let study = find("esp32").unwrap().unwrap();
        let claim = study.claims.iter().find(|claim| claim.id == "aes-instructions").unwrap();
        let mut measured = fixtures::measured(&study, claim, Way::AsPublished, 2.0);
        for record in measured.runs.iter_mut().flatten().flat_map(|run| &mut run.records) {
            record.cell.provider = "\u{1b}[2J".into();
            record.outcome = Outcome::WrongOutput { why: "a byte".into() };
        }
        let said = measured.cautions().concat();
        assert!(said.contains("Wrong output in run 1: \\u{1b}[2J ") && !said.contains(char::is_control), "{said}");
    }

    #[test]
    fn older_run_does_not_answer_instead_of_wrong_output() {
        let study = find("python-sizes").unwrap().unwrap();
        let measured = with_newer(&study, "time-ratio", |records| {
            records[1].outcome = Outcome::WrongOutput { why: "a byte".into() };
        });
        assert_eq!(verdict(&measured, "time-ratio"), Verdict::WrongOutput);
        assert!(measured.tally().contains("4 wrong output"), "{}", measured.tally());
        let said = measured.cautions();
        assert_eq!(
            said,
            ["Wrong output in run 2: study aes-256-cbc encrypt 10 MiB. Older runs do not answer instead."]
        );
        // Nor where one newer still measured too little.
        let mut short = with_newer(&study, "time-ratio", |records| {
            records.iter_mut().filter_map(|record| record.summary.as_mut()).for_each(|summary| summary.forks = 5);
        });
        let newest = short.runs[0].remove(0);
        short.runs[0].insert(
            0,
            MeasuredRun {
                records: Vec::clone(&measured.runs[0][0].records),
                ..fixtures::run(2, "python-script", Vec::new())
            },
        );
        short.runs[0]
            .insert(0, MeasuredRun { records: newest.records, ..fixtures::run(3, "python-script", Vec::new()) });
        assert_eq!(verdict(&short, "time-ratio"), Verdict::WrongOutput);
        // A newer run that is right ends it.
        let claim = study.claims.iter().find(|claim| claim.id == "time-ratio").unwrap();
        let right = fixtures::planted_for(&claim.question(Way::AsPublished).unwrap(), 2.7);
        short.runs[0].insert(0, fixtures::run(4, "python-script", right));
        assert_eq!(verdict(&short, "time-ratio"), Verdict::Supported);
    }
}
