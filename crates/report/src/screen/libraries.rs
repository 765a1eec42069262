//! Which library, where a run has no AES and ChaCha20 to choose between: all contenders by size, the fastest first.

use std::collections::BTreeSet;

use ciphermeter_answer::basis;
use ciphermeter_core::{Algorithm, Group, Record, Run, escaped};
use ciphermeter_estimate::{self as estimate, Comparison, Thresholds};

use super::rate::rate;
use crate::layout::{LEFT, RIGHT, TableCell, TableColumn, TableLayout, TableRow};
use crate::styled_line::{Style, StyledLine};
use ciphermeter_answer::point::{Point, Points, spread};
use ciphermeter_answer::rank::{Class, Contender, Ranking, family, rank};
use ciphermeter_answer::words::Figures;
use ciphermeter_answer::words::listed;

/// The most sizes that have a column.
const COLUMNS: usize = 5;

/// What contenders of these algorithms are to decide.
pub(crate) fn question(algorithms: BTreeSet<Algorithm>) -> String {
    match algorithms.into_iter().collect::<Vec<_>>().as_slice() {
        [only] => format!("Which library is fastest at {}?", only.title()),
        _ => "Which cipher, and which library?".into(),
    }
}

/// The contenders of a run.
pub(super) struct Libraries<'a> {
    ranking: Ranking<'a>,
    records: &'a [Record],
}

impl<'a> Libraries<'a> {
    /// `None` where nothing can be ranked.
    pub(super) fn find(records: &'a [Record]) -> Option<Self> {
        let ranking = rank(records, family(records), &Class::main(records))?;
        Some(Self { ranking, records })
    }

    /// The question that the contenders answer.
    pub(super) fn question(&self) -> String {
        question(self.ranking.order.iter().map(|contender| contender.algorithm).collect())
    }

    /// Each contender beside the first: the first of a pair is the leader.
    fn verdicts(&self) -> Vec<Comparison> {
        (1..self.ranking.order.len()).map(|k| Comparison::of(self.ranking.behind(k))).collect()
    }

    /// Whether it is known who is first.
    pub(super) fn is_answered(&self) -> bool {
        let verdicts = self.verdicts();
        match verdicts.is_empty() {
            false => verdicts.iter().all(|verdict| matches!(verdict, Comparison::First(_) | Comparison::Equal(_))),
            true => !self.ranking.order.is_empty() && self.ranking.forks() > 0 && self.missed().is_none(),
        }
    }

    pub(super) fn answer(&self, run: &Run) -> Vec<String> {
        let (Some(winner), verdicts) = (self.ranking.order.first(), self.verdicts()) else { return Vec::new() };
        if verdicts.is_empty() {
            let (algorithm, provider) = (winner.algorithm.title(), escaped(winner.provider));
            let only = format!("Only {algorithm} by {provider} was measured, so there is nothing to compare it with.");
            return std::iter::once(only).chain(self.missed()).collect();
        }
        let near: Vec<String> = verdicts
            .iter()
            .zip(&self.ranking.order[1..])
            .filter(|(verdict, _)| !matches!(verdict, Comparison::First(_)))
            .map(|(_, other)| self.name(other))
            .collect();
        let next =
            verdicts.iter().zip(&self.ranking.order[1..]).find(|(verdict, _)| matches!(verdict, Comparison::First(_)));
        let behind = next.map(|(verdict, other)| {
            let (times, interval) = verdict.figures();
            let interval = if interval.is_empty() { interval } else { format!(" ({interval})") };
            format!("{times} as fast as {}{interval}", self.name(other))
        });
        match (near.is_empty(), behind, self.is_answered()) {
            (_, _, false) => {
                let is_open = |k: &usize| matches!(verdicts[k - 1], Comparison::Unknown(_) | Comparison::Second(_));
                let open = (1..self.ranking.order.len()).filter(is_open);
                let most = open.map(|k| self.ranking.forks_with_winner(k)).max().unwrap_or(0);
                let apart = match near.len() == verdicts.len() && most < ciphermeter_stats::LEAST_FORKS {
                    true => "No answer yet.".into(),
                    false => {
                        let names = listed(&[vec![self.name(winner)], near].concat());
                        format!("No answer yet: {names} cannot be told apart.")
                    }
                };
                vec![apart, basis::no_answer(run, self.records, most)]
            }
            (true, Some(behind), _) => vec![format!("{} is fastest: {behind}.", self.name(winner)), self.ground()],
            (_, behind, _) => {
                let behind = behind.map_or(String::new(), |behind| format!(", {behind}"));
                let equal = format!("{} and {} are equal{behind}.", self.name(winner), listed(&near));
                std::iter::once(equal).chain(self.places_traded()).collect()
            }
        }
    }

    /// Of a single contender: what it should have been compared with, and why that was not measured.
    fn missed(&self) -> Option<String> {
        let missed = |record: &&Record| {
            record.cell.algorithm.family() == family(self.records) && record.outcome.in_words().is_some()
        };
        let record = self.records.iter().find(missed)?;
        let (algorithm, provider) = (record.cell.algorithm.title(), escaped(&record.cell.provider));
        Some(format!("{algorithm} by {provider} is missing: {}.", escaped(&record.outcome.in_words()?)))
    }

    /// Where the first two are equal in the mean because each is surely faster in some cells.
    fn places_traded(&self) -> Option<String> {
        let [first, second, ..] = &self.ranking.order[..] else { return None };
        let ground = self.shown();
        let verdict = |group: &Group| {
            let logs = estimate::logs(second.record(group)?, first.record(group)?);
            Some(Comparison::of_logs(&logs, Thresholds::of(ground.len())))
        };
        let points = Points(ground.iter().map(|group| Point::of(&group.parameters)).collect());
        let of = |is_own: fn(Comparison) -> bool| -> Vec<Point> {
            let own = ground.iter().filter(|group| verdict(group).is_some_and(is_own));
            own.map(|group| Point::of(&group.parameters)).collect()
        };
        let firsts = of(|verdict| matches!(verdict, Comparison::First(_)));
        let seconds = of(|verdict| matches!(verdict, Comparison::Second(_)));
        if firsts.is_empty() || seconds.is_empty() {
            return None;
        }
        let [(first, at), (second, other)] =
            [(first, &firsts), (second, &seconds)].map(|(own, at)| (self.name(own), points.at(at)));
        Some(format!("That is the mean: {first} is faster {at}, {second} {other}."))
    }

    /// What the algorithms lack, where none has a tag.
    pub(super) fn warning(&self) -> Option<String> {
        let tagless = self.ranking.order.iter().all(|contender| contender.algorithm.tag_bytes() == 0);
        tagless.then(|| "No tag: changed data goes unnoticed.".into())
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

    /// The cells that the table shows: those of one operation.
    fn shown(&self) -> Vec<&Group> {
        let ground = &self.ranking.ground;
        let operation = ground.first().map(|group| group.operation);
        ground.iter().filter(|group| Some(group.operation) == operation).collect()
    }

    /// A row for each contender, a column for each size.
    pub(super) fn table(&self, most_rows: usize, width: usize) -> Vec<StyledLine> {
        let groups = self.shown();
        let operation = groups.first().map(|group| group.operation);
        let points = spread(groups.iter().map(|group| Point::of(&group.parameters)).collect(), COLUMNS);
        let heading = operation.map_or(String::new(), |operation| format!("{operation}, GB/s"));
        let labels = Points(points.clone());
        let titles: Vec<String> = points.iter().map(|point| labels.label(*point)).collect();
        let mut rows = vec![TableRow::titles(&heading, ["".into(), "".into()].into_iter().chain(titles))];
        for contender in self.ranking.order.iter().take(most_rows) {
            let at = |point: &Point| {
                let group = groups.iter().find(|group| Point::of(&group.parameters) == *point)?;
                contender.record(group)
            };
            let mut cells = vec![
                TableCell::new(format!("  {}", contender.algorithm.title()), Style::Plain),
                TableCell::new(contender.provider, Style::Plain),
            ];
            cells.extend(points.iter().map(|point| TableCell::new(at(point).map_or("–".into(), rate), Style::Plain)));
            rows.push(TableRow::Cells(cells));
        }
        let mut columns = vec![LEFT, TableColumn { gap: 2, most: 20, ..LEFT }];
        columns.resize(2 + points.len(), TableColumn { gap: 2, least: 6, ..RIGHT });
        TableLayout::plan(&columns, &[], &rows, width).lines(&rows)
    }
}
