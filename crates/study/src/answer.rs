//! A study's verdicts as the answer that every document of this program carries.

use ciphermeter_answer::basis::{Basis, most_forks};
use ciphermeter_answer::machine::measured_on;
use ciphermeter_answer::words::capital;
use ciphermeter_answer::{Answer, Next};
use ciphermeter_core::Record;

use crate::measured::Measured;
use crate::question::Way;
use crate::verdict::Verdict;

impl Measured<'_> {
    /// What the study's claims come to here. The claims' own data stand next to it, so it is about nothing further.
    pub(crate) fn in_brief(&self) -> Answer {
        let rests = self.rests(&Way::ALL);
        let judged = self.judged();
        let records: Vec<Record> = rests.used.iter().flat_map(|run| run.records.iter().cloned()).collect();
        let mut machines: Vec<String> = rests.used.iter().map(|run| measured_on(&run.run, &run.records)).collect();
        machines.dedup();
        let claims =
            judged.iter().map(|judged| format!("{}: {}.", capital(judged.verdict().as_str()), judged.claim.says));
        let most = most_forks(&records);
        Answer {
            question: format!("What of it holds here? {}", self.study.title),
            measured_on: machines.join("; "),
            answered: !judged.is_empty() && judged.iter().all(|judged| judged.verdict() != Verdict::NotMeasured),
            sentences: std::iter::once(self.counted("")).chain(claims).collect(),
            config: Vec::new(),
            about: None,
            rests_on: Basis::of(&records, (most, most)),
            notes: rests.cautions(),
            // The pairs of each claim say what they lack: numbers of cells would be those of several runs.
            left_out: Vec::new(),
            next: vec![self.measure()],
        }
    }

    /// Measures it, into the store that its runs are read from.
    fn measure(&self) -> Next {
        let study = self.study.file.as_ref().unwrap_or(&self.study.name);
        let store = self.runs.iter().flatten().find_map(|run| run.run.store.as_ref());
        let store = store.into_iter().flat_map(|file| ["--store".to_owned(), file.display().to_string()]);
        let words = ["ciphermeter", "study", "run", study].map(String::from);
        Next { to: "measure", command: words.into_iter().chain(store).collect() }
    }
}
