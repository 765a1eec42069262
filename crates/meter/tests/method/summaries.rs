//! A stored summary is a cache: the samples, and which cells were compared with which, give the same again.

use ciphermeter_core::METHOD;
use ciphermeter_estimate::fill;

use crate::model::Model;
use crate::trial::Trial;

#[test]
fn samples_give_the_stored_summaries_again() {
    let models = || [Model { spread: 0.01, ..Model::new("a", 100.0) }, Model::new("b", 110.0), Model::new("c", 300.0)];
    let mut trial = Trial::new(models());
    (trial.habits.drift, trial.habits.interrupted) = (0.2, 0.05);
    let scenario = trial.scenario();
    let (_, kept) = trial.run();
    let mut plan = kept.plan.clone();
    plan.method = METHOD;
    let mut again = kept.records.clone();
    again.iter_mut().for_each(|record| record.summary = None);
    fill(&scenario, false, &plan, &mut again);
    let summaries =
        |records: &[ciphermeter_core::Record]| records.iter().map(|record| record.summary.clone()).collect::<Vec<_>>();
    assert_eq!(summaries(&again), summaries(&kept.records));
    assert!(again.iter().all(|record| record.summary.as_ref().is_some_and(|summary| summary.forks > 15)));
}
