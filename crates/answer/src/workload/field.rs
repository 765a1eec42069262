//! Who competes for a workload, over which cells, and with which weights.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use ciphermeter_core::{Algorithm, Form, Group, Operation, Record, SizeCounts};
use ciphermeter_estimate::{CONFIDENCE, Comparison, Logs, MixPart, Ratio, Side, mixed};

use super::entries::{Entries, Spot};
use super::question::{Question, is_candidate};
use crate::point::Point;
use crate::program::{Underrated, underrated_in_kernels};
use crate::rank::{Contender, common_ground, contenders, usual_form, with_enough_cells};

/// Ciphers by their libraries, and the cells in which all of them are compared.
pub(super) struct Field<'a> {
    /// Who may be recommended.
    pub(super) contenders: Vec<Contender<'a>>,
    /// Ciphers with shorter keys that have all cells, too.
    pub(super) shorter: Vec<Contender<'a>>,
    /// The cells in which they are compared.
    pub(super) ground: Vec<Group>,
    /// How many calls there are of each cell, where the workload says so; else all count alike.
    pub(super) calls: Option<Vec<f64>>,
    /// The cipher of which the program has a slower one than is measured.
    pub(super) overrated: Option<Algorithm>,
    /// The cipher that runs in a faster form than its measured one.
    pub(super) underrated: Option<&'static Underrated>,
    /// Who lacks some of these cells.
    pub(super) apart: Vec<(Algorithm, String)>,
    parts: RefCell<BTreeMap<(Name, Name, usize), Rc<MixPart>>>,
}

type Name = (Algorithm, String);

impl<'a> Field<'a> {
    /// The ciphers that a question compares, in the cells that they have in common; `None` where there are none.
    pub(super) fn of(entries: &Entries<'a>, question: &Question) -> Option<Self> {
        let mix = question.mix;
        let all = entries.measured();
        let form = usual_form(&all)?;
        let all: Vec<&Record> = all.into_iter().filter(|record| record.cell.form == form).collect();
        let (long, short): (Vec<_>, Vec<_>) = all.into_iter().partition(|record| is_candidate(record.cell.algorithm));
        let groups = compared(&long);
        let those = |records: Vec<&'a Record>| {
            contenders(records.into_iter().filter(|record| groups.contains(&record.cell.group())).collect())
        };
        let (mut contenders, mut apart) = match mix {
            None => with_enough_cells(those(long), &groups),
            // A mix without one of its sizes is another mix.
            Some(_) => those(long).into_iter().partition(|contender| contender.cells() == groups.len()),
        };
        let ground = common_ground(&contenders);
        let has_all = |contender: &Contender| ground.iter().all(|group| contender.record(group).is_some());
        let shorter = those(short).into_iter().filter(has_all).collect();
        if ground.is_empty() {
            apart.append(&mut contenders);
        }
        if mix.is_some_and(|mix| !has_all_sizes(&ground, mix)) || contenders.is_empty() {
            return None;
        }
        let calls = mix.map(|mix| ground.iter().map(|group| mix.count(group.parameters.message())).collect());
        let apart = apart.iter().map(name).collect();
        let overrated = question.program.and_then(|program| program.overrated.as_ref()).map(|own| own.algorithm);
        let of_program = question.program.and_then(|program| program.underrated.as_ref());
        let of_kernels = || contenders.iter().find_map(|own| underrated_in_kernels(own.algorithm));
        // What moved through the kernel was encrypted by its own code.
        let underrated = of_program.or_else(of_kernels).filter(|_| form != Form::Disk);
        Some(Self { contenders, shorter, ground, calls, overrated, underrated, apart, parts: RefCell::default() })
    }

    /// ln(time of one ÷ time of the other) over the cells at these places. Empty where a cell of them has too few forks for a figure.
    pub(super) fn logs(&self, one: &Contender, other: &Contender, places: &[usize]) -> Logs {
        let parts: Option<Vec<Rc<MixPart>>> = places.iter().map(|place| self.part(one, other, *place)).collect();
        let Some(parts) = parts else { return Logs::default() };
        let calls: Option<Vec<f64>> =
            self.calls.as_ref().map(|calls| places.iter().map(|place| calls[*place]).collect());
        mixed(&parts.iter().map(Rc::as_ref).collect::<Vec<_>>(), calls.as_deref())
    }

    fn part(&self, one: &Contender, other: &Contender, place: usize) -> Option<Rc<MixPart>> {
        let key = (name(one), name(other), place);
        if let Some(known) = self.parts.borrow().get(&key) {
            return Some(Rc::clone(known));
        }
        let group = self.ground.get(place)?;
        let part = Rc::new(MixPart::of(one.record(group)?, other.record(group)?));
        self.parts.borrow_mut().insert(key, Rc::clone(&part));
        Some(part)
    }

    /// Whether the form in which this other one runs may be as fast as the first: at a size, of a mix in all of it.
    pub(super) fn may_run_as_fast(&self, other: &Contender, first: &Contender, places: &[usize]) -> bool {
        let Some(own) = self.underrated.filter(|own| own.algorithm == other.algorithm) else { return false };
        let parts: Vec<Vec<usize>> = match self.calls {
            Some(_) => vec![places.to_vec()],
            None => self.points().into_iter().map(|(_, at)| at).collect(),
        };
        let of_these = |part: Vec<usize>| part.into_iter().filter(|place| places.contains(place)).collect::<Vec<_>>();
        let mut parts = parts.into_iter().map(of_these).filter(|part| !part.is_empty());
        parts.any(|part| {
            let bounds = part.iter().map(|place| own.at(self.ground[*place].parameters.message()));
            let bound = bounds.fold(1.0, f64::max);
            let ratio = Ratio::from_logs(&self.logs(other, first, &part), CONFIDENCE);
            Comparison::of(ratio.map(|ratio| ratio.times(1.0 / bound))).faster() != Some(Side::First)
        })
    }

    /// In how many forks these two can be compared: in the cell with the fewest, and in that with the most.
    pub(super) fn forks(&self, one: &Contender, other: &Contender) -> (usize, usize) {
        let parts = (0..self.ground.len()).filter_map(|place| self.part(one, other, place));
        let forks: Vec<usize> = parts.map(|part| part.forks()).collect();
        (forks.iter().copied().min().unwrap_or(0), forks.into_iter().max().unwrap_or(0))
    }

    /// The sizes that are compared, smallest first, each with the places of its cells.
    pub(super) fn points(&self) -> Vec<(Point, Vec<usize>)> {
        self.places(|group| Point::of(&group.parameters))
    }

    /// The operations that are compared, each with the places of its cells.
    pub(super) fn operations(&self) -> Vec<(Operation, Vec<usize>)> {
        self.places(|group| group.operation)
    }

    fn places<K: Ord>(&self, of: impl Fn(&Group) -> K) -> Vec<(K, Vec<usize>)> {
        let mut places = BTreeMap::<K, Vec<usize>>::new();
        for (place, group) in self.ground.iter().enumerate() {
            places.entry(of(group)).or_default().push(place);
        }
        places.into_iter().collect()
    }

    /// Whether there is but one cipher to choose.
    pub(super) fn is_alone(&self) -> bool {
        self.contenders.iter().map(|one| one.algorithm).collect::<BTreeSet<_>>().len() < 2
    }

    /// Where ciphers are compared: nowhere, if there is but one.
    pub(super) fn compared(&self) -> BTreeSet<Spot> {
        let spots = self.ground.iter().map(|group| (group.operation, Point::of(&group.parameters)));
        spots.filter(|_| !self.is_alone()).collect()
    }

    pub(super) fn everywhere(&self) -> Vec<usize> {
        (0..self.ground.len()).collect()
    }
}

pub(super) fn name(contender: &Contender) -> Name {
    (contender.algorithm, contender.provider.to_owned())
}

/// The groups in which two ciphers can be compared; where there are none, all, in which libraries can.
fn compared(records: &[&Record]) -> Vec<Group> {
    let mut groups = BTreeMap::<Group, BTreeSet<Algorithm>>::new();
    for record in records {
        groups.entry(record.cell.group()).or_default().insert(record.cell.algorithm);
    }
    let several = groups.values().any(|algorithms| algorithms.len() > 1);
    groups.into_iter().filter(|(_, algorithms)| !several || algorithms.len() > 1).map(|(group, _)| group).collect()
}

fn has_all_sizes(ground: &[Group], mix: &SizeCounts) -> bool {
    mix.iter().all(|(size, _)| ground.iter().any(|group| group.parameters.message() == size.0))
}
