//! A study and what is stored of its measures: which run answers which claim, and how the claims stand.

use ciphermeter_core::{Record, Run};

use crate::claim::Claim;
use crate::judge::{Judgement, Verdict, judge};
use crate::question::Way;
use crate::study::{Measure, Study};
use crate::words::{OTHERS, run_numbers};

/// A study, and the runs of each of its measures, in their order.
pub struct Measured<'a> {
    /// The study.
    pub study: &'a Study,
    /// For each measure, its runs, the newest first: the first that answers a claim is the claim's.
    pub runs: Vec<Vec<MeasuredRun>>,
}

/// A run of one of a study's measures.
pub struct MeasuredRun {
    /// The run.
    pub run: Run,
    /// Its records.
    pub records: Vec<Record>,
    /// Why it is not of this machine, or not measured as this build does, if so.
    pub elsewhere: Option<String>,
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

/// A judgement, and the run that it rests on.
pub struct Answer<'a> {
    /// The judgement.
    pub judgement: Judgement,
    /// The run; `None`: there is none.
    pub run: Option<&'a MeasuredRun>,
}

/// Whether these runs of a measure answer all that its study asks of it, so that older ones need not be read.
pub fn is_answered(study: &Study, measure: &Measure, runs: &[MeasuredRun]) -> bool {
    let asked = study.claims.iter().flat_map(|claim| Way::ALL.map(|way| (claim, way)));
    let own = asked.filter(|(claim, way)| {
        let question = claim.question(*way);
        question.and_then(|question| study.measure(&question, *way)) == Some(measure)
    });
    own.filter(|(claim, way)| claim.needs(*way).is_none())
        .all(|(claim, way)| runs.iter().any(|run| judged_by(claim, way, run).verdict.is_answer()))
}

/// The claim's judgement by one run; one whose machine lacks what the claim presupposes does not apply.
fn judged_by(claim: &Claim, way: Way, run: &MeasuredRun) -> Judgement {
    match claim.given.and_then(|given| given.lacks(&run.run)) {
        Some(_) => Judgement::without_pairs(Verdict::NotApplicable),
        None => judge(claim, way, Some(&run.records)),
    }
}

impl Judged<'_> {
    /// Its answers, one for each way that it has.
    pub(crate) fn answers(&self) -> impl Iterator<Item = (Way, &Answer<'_>)> {
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

    fn answer(&self, claim: &Claim, way: Way) -> Answer<'_> {
        let measure = claim.question(way).and_then(|question| self.study.measure(&question, way));
        let place = measure.and_then(|measure| self.study.measures.iter().position(|one| one == measure));
        let runs = place.and_then(|place| self.runs.get(place)).map_or(&[][..], Vec::as_slice);
        let mut answers = runs.iter().map(|run| Answer { judgement: judged_by(claim, way, run), run: Some(run) });
        let Some(newest) = answers.next() else { return Answer { judgement: judge(claim, way, None), run: None } };
        let best = match newest.judgement.verdict.is_answer() {
            true => newest,
            false => answers.find(|answer| answer.judgement.verdict.is_answer()).unwrap_or(newest),
        };
        // A run that has nothing of what few machines have is not what it rests on.
        let is_about_it = best.judgement.verdict != Verdict::NotTested || !best.judgement.pairs.is_empty();
        Answer { run: best.run.filter(|_| is_about_it), judgement: best.judgement }
    }

    /// The runs on which its claims rest, each once, in the order of the measures.
    pub fn used(&self) -> Vec<&MeasuredRun> {
        let mut used: Vec<&MeasuredRun> = Vec::new();
        for Judged { as_published, proper, .. } in self.judged() {
            let answers = std::iter::once(as_published).chain(proper);
            for run in answers.filter_map(|answer| answer.run) {
                if !used.iter().any(|known| known.run.id == run.run.id) {
                    used.push(run);
                }
            }
        }
        used.sort_by_key(|run| run.run.id);
        used
    }

    /// Which of its runs are of another machine, if any.
    pub fn of_other_machines(&self) -> Option<String> {
        let used = self.used();
        let ids: Vec<_> = used.iter().filter(|run| run.elsewhere.is_some()).map(|run| run.run.id).collect();
        (!ids.is_empty()).then(|| format!("{OTHERS}: {}.", run_numbers(&ids)))
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
    use ciphermeter_core::Fact;

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
        assert_eq!(verdict(&Measured { study: &parallel, runs: Vec::new() }, "energy"), Verdict::NotApplicable);
    }

    #[test]
    fn older_run_answers_where_the_newer_one_does_not() {
        let study = find("python-sizes").unwrap().unwrap();
        let claim = study.claims.iter().find(|claim| claim.id == "time-ratio").unwrap();
        let mut measured = fixtures::measured(&study, claim, Way::AsPublished, 2.7);
        let measure = &study.measures[0];
        assert!(!is_answered(&study, measure, &measured.runs[0]), "other claims are open");
        measured.runs[0].insert(0, fixtures::run(9, "python-sizes", Vec::new()));
        assert_eq!(verdict(&measured, "time-ratio"), Verdict::Supported);
        let judged = measured.judged();
        let answer = judged.iter().find(|judged| judged.claim.id == "time-ratio").unwrap();
        assert_eq!(answer.as_published.run.unwrap().run.id, 1);
    }
}
