//! Why devices have no answer, and what to try.

use std::collections::BTreeSet;

use ciphermeter_core::{Record, Run, RunStatus, escaped, lost_why};
use ciphermeter_stats::LEAST_FORKS;

use super::answer::DevicesAnswer;
use super::board::{Board, boards};
use crate::basis::{budget, most_forks, no_answer, nothing_left};

impl DevicesAnswer {
    /// Why devices have no answer at some size, and what to try, a sentence for each reason.
    pub fn lacks(&self, run: &Run, records: &[Record]) -> Vec<String> {
        let boards = boards(records);
        let (mut said, mut stayed) = (Vec::new(), Vec::new());
        for (device, board) in self.devices.iter().zip(&boards) {
            match lost(run, board) {
                Some(why) => said.push(why),
                None => stayed.push((device, board)),
            }
        }
        let records = self.lacking(run, &boards);
        let lacks = (!records.is_empty()).then(|| no_answer(run, &records, most_forks(&records)));
        let counting = stayed.iter().filter(|(device, board)| device.choices.is_empty() && !board.unit.is_time());
        let refused = counting.filter_map(|(device, board)| {
            let records: Vec<Record> = owned(board).filter(|record| record.cell.parameters.message() > 0).collect();
            let is_cut_off = matches!(run.status, RunStatus::Open | RunStatus::Interrupted);
            let too_early = || "The run ended too early: no fork is whole.".into();
            nothing_left(&records).or_else(|| (device.has_samples || is_cut_off).then(too_early))
        });
        said.extend(lacks.into_iter().chain(refused));
        said.dedup();
        said
    }
}

impl DevicesAnswer {
    /// The option that measures long enough, where more time may help.
    pub fn budget(&self, run: &Run, records: &[Record]) -> Option<String> {
        let records = self.lacking(run, &boards(records));
        budget(run, &records, most_forks(&records)).filter(|_| !records.is_empty())
    }

    /// What devices have that stayed and cannot decide.
    fn lacking(&self, run: &Run, boards: &[Board]) -> Vec<Record> {
        let both = self.devices.iter().zip(boards);
        let lacking = both.filter(|(device, board)| device.course.lacks() && board.unit.is_time());
        lacking.filter(|(_, board)| lost(run, board).is_none()).flat_map(|(_, board)| owned(board)).collect()
    }
}

/// Why a device was lost in mid-run, and how the run continues; `None` if it stayed.
fn lost(run: &Run, board: &Board) -> Option<String> {
    let providers: BTreeSet<&str> = board.records.iter().map(|record| record.cell.provider.as_str()).collect();
    let why = escaped(providers.iter().find_map(|provider| lost_why(&run.notes, provider))?);
    let records: Vec<Record> = owned(board).collect();
    let forks = match (most_forks(&records), LEAST_FORKS) {
        (forks, least) if board.unit.is_time() && forks < least => {
            format!("after {forks} of the {least} forks that a comparison needs")
        }
        _ => "in mid-run".into(),
    };
    Some(format!("{} was lost {forks}: {why}. Continue: {}", board.name, run.resume()))
}

fn owned<'a>(board: &'a Board) -> impl Iterator<Item = Record> + 'a {
    board.records.iter().map(|record| (*record).clone())
}
