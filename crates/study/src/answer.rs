//! A study's verdicts as the answer that every document of this program carries.

use ciphermeter_answer::basis::Basis;
use ciphermeter_answer::machine::measured_on;
use ciphermeter_answer::measured::measured;
use ciphermeter_answer::words::capital;
use ciphermeter_answer::{About, Answer, Next};
use ciphermeter_core::{Cell, Record};

use crate::judge::Pair;
use crate::measured::Measured;
use crate::question::Way;
use crate::run::MeasuredRun;
use crate::verdict::Verdict;

impl Measured<'_> {
    /// What the study's claims come to here. Their own data stand next to it.
    pub(crate) fn in_brief(&self) -> Answer {
        let rests = self.rests(&Way::ALL);
        let judged = self.judged();
        let count = |verdict| judged.iter().filter(|judged| judged.verdict() == verdict).count();
        let (supported, contradicted) = (count(Verdict::Supported), count(Verdict::Contradicted));
        let records: Vec<Record> = rests.used.iter().flat_map(|run| run.records.iter().cloned()).collect();
        let mut machines: Vec<String> = rests.used.iter().map(|run| measured_on(&run.run, &run.records)).collect();
        machines.dedup();
        let claims =
            judged.iter().map(|judged| format!("{}: {}.", capital(judged.verdict().as_str()), judged.claim.says));
        // Each pair's ratio rests on the forks of the cell that has fewer.
        let answers = || judged.iter().flat_map(|judged| judged.answers());
        let pairs = answers().filter_map(|(_, answer)| Some((answer.run?, &answer.judgement.pairs)));
        let forks = |run: &MeasuredRun, cell: &Cell| {
            let of_cell = run.records.iter().find(|record| record.cell == *cell);
            of_cell.and_then(measured).map(|summary| summary.forks as usize)
        };
        let of_pair = |run, pair: &Pair| Some(forks(run, &pair.left)?.min(forks(run, &pair.right)?));
        let known = |pair: &&Pair| pair.ratio.is_some();
        let all: Vec<usize> = pairs
            .flat_map(|(run, pairs)| pairs.iter().filter(known).filter_map(move |pair| of_pair(run, pair)))
            .collect();
        let fewest_and_most = (all.iter().copied().min().unwrap_or(0), all.iter().copied().max().unwrap_or(0));
        Answer {
            question: format!("What of it holds here? {}", self.study.title),
            measured_on: machines.join("; "),
            answered: !judged.is_empty() && count(Verdict::NotMeasured) == 0,
            sentences: std::iter::once(self.counted("")).chain(claims).collect(),
            config: Vec::new(),
            about: Some(About::Claims { supported, contradicted, open: judged.len() - supported - contradicted }),
            rests_on: Basis::of(&records, fewest_and_most),
            notes: rests.cautions(),
            // The pairs of each claim say what they lack: numbers of cells would be those of several runs.
            left_out: Vec::new(),
            next: vec![self.measure()],
        }
    }

    /// Measures it, into the store that its runs are read from.
    fn measure(&self) -> Next {
        let study = self.study.file.as_ref().unwrap_or(&self.study.name);
        let store = self.store.iter().flat_map(|file| ["--store".to_owned(), file.display().to_string()]);
        let words = ["ciphermeter", "study", "run", study].map(String::from);
        Next { to: "measure", command: words.into_iter().chain(store).collect() }
    }
}
