//! Which library, where a run has no AES and ChaCha20 to choose between: all contenders by size, the fastest first.

use std::collections::BTreeSet;

use ciphermeter_core::{Record, Run, escaped};

use super::cipher::{Point, Points, spread};
use super::verdict::Verdict;
use super::versus::{is_settled, rate};
use crate::layout::{LEFT, RIGHT, TableCell, TableColumn, TableLayout, TableRow};
use crate::measured::measured;
use crate::phrases::listed;
use crate::rank::{Contender, Ranking, family, rank};
use crate::styled_line::{Style, StyledLine};
use crate::text::size;

/// The most sizes that have a column.
const COLUMNS: usize = 5;

/// The contenders of a run.
pub(super) struct Libraries<'a> {
    ranking: Ranking<'a>,
    records: &'a [Record],
}

impl<'a> Libraries<'a> {
    /// `None` where nothing can be ranked.
    pub(super) fn find(records: &'a [Record]) -> Option<Self> {
        let ranking = rank(records, family(records), &(0..=u64::MAX))?;
        Some(Self { ranking, records })
    }

    /// The question that the contenders answer.
    pub(super) fn question(&self) -> String {
        let algorithms: BTreeSet<_> = self.ranking.order.iter().map(|contender| contender.algorithm).collect();
        match algorithms.into_iter().collect::<Vec<_>>().as_slice() {
            [only] => format!("Which library is fastest at {}?", only.title()),
            _ => "Which cipher, and which library?".into(),
        }
    }

    /// Each contender beside the first: the first of a pair is the leader.
    fn verdicts(&self) -> Vec<Verdict> {
        let others = 1..self.ranking.order.len();
        others.clone().map(|k| Verdict::new(&self.ranking.logs(k), others.len())).collect()
    }

    /// Whether it is known who is first.
    pub(super) fn is_answered(&self) -> bool {
        match self.verdicts().first() {
            Some(verdict) => *verdict != Verdict::Unknown,
            None => !self.ranking.order.is_empty() && self.ranking.forks > 0,
        }
    }

    pub(super) fn answer(&self, run: &Run) -> Vec<String> {
        let (Some(winner), verdicts) = (self.ranking.order.first(), self.verdicts()) else { return Vec::new() };
        if verdicts.is_empty() {
            let (algorithm, provider) = (winner.algorithm.title(), escaped(winner.provider));
            return vec![format!(
                "Only {algorithm} by {provider} was measured, so there is nothing to compare it with."
            )];
        }
        let near: Vec<String> = verdicts
            .iter()
            .zip(&self.ranking.order[1..])
            .take_while(|(verdict, _)| !matches!(verdict, Verdict::First(_)))
            .map(|(_, other)| self.name(other))
            .collect();
        let next =
            verdicts.iter().zip(&self.ranking.order[1..]).find(|(verdict, _)| matches!(verdict, Verdict::First(_)));
        let behind = next.map(|(verdict, other)| {
            let (times, _) = verdict.figures();
            format!("{times} as fast as {}", self.name(other))
        });
        match (near.is_empty(), behind, self.is_answered()) {
            (_, _, false) => vec![
                format!("No answer yet: {} cannot be told apart.", listed(&[vec![self.name(winner)], near].concat())),
                super::frame::no_answer(run, self.records),
            ],
            (true, Some(behind), _) => vec![format!("{} is fastest: {behind}.", self.name(winner)), self.ground()],
            (_, Some(behind), _) => vec![format!("{} and {} are level, {behind}.", self.name(winner), listed(&near))],
            (_, None, _) => vec![format!("{} and {} are level.", self.name(winner), listed(&near))],
        }
    }

    /// A contender's name: the provider's alone where all have one algorithm, which the question names.
    fn name(&self, contender: &Contender) -> String {
        let same = self.ranking.order.iter().all(|other| other.algorithm == contender.algorithm);
        let provider = escaped(contender.provider);
        if same { provider } else { format!("{} by {provider}", contender.algorithm.title()) }
    }

    /// What the ratio of the answer is the mean of; nothing for a single cell.
    fn ground(&self) -> String {
        let ground = &self.ranking.ground;
        if ground.len() < 2 {
            return String::new();
        }
        let operations: BTreeSet<_> = ground.iter().map(|group| group.operation).collect();
        let operations: Vec<_> = operations.iter().map(ToString::to_string).collect();
        format!("That is the mean over {} cells: {}, at all sizes below.", ground.len(), listed(&operations))
    }

    /// A row for each contender, a column for each size.
    pub(super) fn table(&self, most_rows: usize, width: usize) -> Vec<StyledLine> {
        let operation = self.ranking.ground.first().map(|group| group.operation);
        let groups: Vec<_> = self.ranking.ground.iter().filter(|group| Some(group.operation) == operation).collect();
        let points = |group: &&ciphermeter_core::Group| Point {
            message: group.parameters.message(),
            aad: group.parameters.aad(),
        };
        let points = Points(spread(groups.iter().map(points).collect(), COLUMNS));
        let heading = operation.map_or(String::new(), |operation| format!("{operation}, GB/s"));
        let titles: Vec<String> = points.0.iter().map(|point| size(point.message)).collect();
        let mut rows = vec![TableRow::titles(&heading, ["".into(), "".into()].into_iter().chain(titles))];
        for contender in self.ranking.order.iter().take(most_rows) {
            let at = |point: &Point| {
                let group = groups.iter().find(|group| points_of(group) == *point)?;
                contender.record(group)
            };
            let mut cells = vec![
                TableCell::new(format!("  {}", contender.algorithm.title()), Style::Plain),
                TableCell::new(contender.provider, Style::Plain),
            ];
            cells.extend(points.0.iter().map(|point| {
                let text = at(point).filter(|record| measured(record).is_some_and(|summary| is_settled(summary.forks)));
                TableCell::new(text.map(rate).unwrap_or("–".into()), Style::Plain)
            }));
            rows.push(TableRow::Cells(cells));
        }
        let mut columns = vec![LEFT, TableColumn { gap: 2, most: 20, ..LEFT }];
        columns.resize(2 + points.0.len(), TableColumn { gap: 2, least: 6, ..RIGHT });
        TableLayout::plan(&columns, &[], &rows, width).lines(&rows)
    }
}

fn points_of(group: &ciphermeter_core::Group) -> Point {
    Point { message: group.parameters.message(), aad: group.parameters.aad() }
}
