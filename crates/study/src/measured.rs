//! A study and what is stored of its measures: which run answers which claim, and how the claims stand.

use ciphermeter_core::{Record, Run};

use crate::claim::Claim;
use crate::judge::{Judgement, Verdict, judge};
use crate::question::Way;
use crate::study::Study;
use crate::words::{OTHERS, run_numbers};

/// A study, and a run of each of its measures, in their order.
pub struct Measured<'a> {
    /// The study.
    pub study: &'a Study,
    /// For each measure: its run, if there is one.
    pub runs: Vec<Option<MeasuredRun>>,
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

impl Judged<'_> {
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
        let run = place.and_then(|place| self.runs.get(place)?.as_ref());
        let records = run.map(|run| &run.records[..]);
        Answer { judgement: judge(claim, way, records), run }
    }

    /// Which of its runs are of another machine, if any.
    pub fn of_other_machines(&self) -> Option<String> {
        let others = self.runs.iter().flatten().filter(|run| run.elsewhere.is_some());
        let ids: Vec<_> = others.map(|run| run.run.id).collect();
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
