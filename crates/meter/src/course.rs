//! The course of a run: verify, then each part of each kind with its share of the time.

use std::time::Duration;

use ciphermeter_core::{Record, Scenario};

use crate::SinkError;
use crate::kind::{Kind, Room, Share};
use crate::part::Part;
use crate::pool::Pool;
use crate::rounds::least;

/// What the parts of a run share.
pub struct Course<'a> {
    /// What is measured.
    pub scenario: &'a Scenario,
    /// When the run, or this life of it, began.
    pub began: Duration,
    /// What an earlier life measured, by cell.
    pub earlier: Vec<Record>,
    /// The number of the next fork.
    pub next_fork: u32,
}

/// A part, and whose it is.
struct Stage {
    kind: usize,
    part: Part,
}

impl Course<'_> {
    /// Verifies, then goes through the parts.
    pub fn run(&mut self, pool: &mut Pool<'_>, kinds: &mut [Box<dyn Kind>]) -> Result<(), SinkError> {
        let budget = self.scenario.budget.duration();
        pool.stop.begin_preparations(self.began);
        for kind in &mut *kinds {
            pool.part = kind.conditions();
            pool.held = self.earlier.iter().filter(|record| kind.held(record) > 0).map(|record| record.id).collect();
            kind.verify(pool, self.began + budget)?;
        }
        self.began += pool.beside;
        let beside = pool.beside;
        if pool.must_stop() && !pool.cut_short {
            // All was verified, and no time is left for the pilot.
            least::announce(pool, pool.clock.now() - self.began)?;
        }
        let stages: Vec<Stage> = (0..kinds.len())
            .flat_map(|kind| {
                kinds[kind].parts(self.scenario, &pool.plan).into_iter().map(move |part| Stage { kind, part })
            })
            .collect();
        let all: f64 = stages.iter().map(|stage| self.weight(pool, kinds, stage)).sum();
        let left: f64 = stages.iter().map(|stage| self.weight_left(pool, kinds, stage)).sum();
        let preparing = pool.clock.now().saturating_sub(self.began);
        let end = self.began + budget.mul_f64(left / all.max(f64::MIN_POSITIVE));
        for (place, stage) in stages.iter().enumerate() {
            let rest = stages[place..].iter().map(|stage| self.weight_left(pool, kinds, stage));
            let (own, rest) = (self.weight_left(pool, kinds, stage), rest.sum::<f64>());
            let of_kind = stages[place..].iter().filter(|other| other.kind == stage.kind);
            let of_kind: f64 = of_kind.map(|other| self.weight_left(pool, kinds, other)).sum();
            if own == 0.0 || pool.must_stop() {
                continue;
            }
            // What an earlier part left over is there for the later ones.
            let (now, end) = (pool.clock.now(), end + (pool.beside - beside));
            let until = |weight: f64| now + end.saturating_sub(now).mul_f64(weight / rest);
            let deadline = until(own);
            pool.ends = end;
            let room =
                Room { began: now, latest: until(of_kind), preparing, portion: self.weight(pool, kinds, stage) / all };
            pool.part = stage.part.clone();
            let of_part = self.earlier.iter().filter(|record| stage.part.cells.contains(&record.id));
            pool.held = of_part.filter(|record| kinds[stage.kind].held(record) > 0).map(|record| record.id).collect();
            let share = Share {
                scenario: self.scenario,
                deadline,
                room,
                held: self.held(&*kinds[stage.kind], &stage.part),
                earlier: &self.earlier,
                next_fork: &mut self.next_fork,
            };
            kinds[stage.kind].measure(pool, share)?;
        }
        Ok(())
    }

    /// How much of the time a part asks for.
    fn weight(&self, pool: &Pool<'_>, kinds: &[Box<dyn Kind>], stage: &Stage) -> f64 {
        let inside = stage.part.cells.iter().filter(|id| pool.plan.is_in(**id));
        inside.map(|id| kinds[stage.kind].weight(&pool.plan.get(*id).cell)).sum()
    }

    /// How much it asks for still: of a resumed run less, but never too little for anything.
    fn weight_left(&self, pool: &Pool<'_>, kinds: &[Box<dyn Kind>], stage: &Stage) -> f64 {
        let kind = &*kinds[stage.kind];
        self.weight(pool, kinds, stage) * kind.left(self.held(kind, &stage.part))
    }

    /// Whole forks that a part has.
    fn held(&self, kind: &dyn Kind, part: &Part) -> u32 {
        let records = part.cells.iter().filter_map(|id| self.earlier.get(id.index()));
        kind.held_of_part(&records.collect::<Vec<_>>())
    }
}
