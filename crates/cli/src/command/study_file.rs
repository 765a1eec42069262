//! A study of the user's own, read from a file like the built-in ones.
//!
//! Promises: no more is read than a study may have; what is wrong is said in one line, with the file and, where it is known, the line.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result};
use ciphermeter_core::{Algorithm, Scenario, escaped};
use ciphermeter_study::{ANY, BadStudy, Fault, MAX_STUDY, Measure, Part, Pick, Study, Way};

use crate::spot::own_name;
use crate::{outside, scenarios};

/// The provider of what the silicon or the network allows.
const CEILING: &str = "ceiling";

pub fn read(path: &Path) -> Result<Study> {
    let shown = path.to_string_lossy();
    let text = outside::read(path, MAX_STUDY as u64).with_context(|| {
        format!("cannot read the study {}; give a TOML file, see studies/README.md", escaped(&shown))
    })?;
    let read = || {
        let study = Study::parse(&text)?;
        match error(&study)? {
            None => Ok(study),
            Some(fault) => Err(BadStudy::part(&text, &study.name, &fault).into()),
        }
    };
    let study: Result<Study> = read();
    let study = study.with_context(|| escaped(&shown))?;
    Ok(Study { file: Some(shown.into_owned()), ..study })
}

/// The first part that asks for what its scenario does not have, and why: it would never be measured.
fn error(study: &Study) -> Result<Option<Fault>> {
    for measure in &study.measures {
        if scenarios::is_file(&measure.scenario) {
            let why = "its scenario is a file; name one that `ciphermeter list` has";
            return Ok(Some(study.part_of(measure).is_wrong(why)));
        }
        if let Err(why) = scenarios::find(Some(&measure.scenario)) {
            return Ok(Some(study.part_of(measure).is_wrong(why.to_string())));
        }
        if let Some(why) = none_of_its_providers(measure)? {
            return Ok(Some(study.part_of(measure).is_wrong(why)));
        }
        if let Err(why) = scenario_of(measure)?.check() {
            return Ok(Some(study.part_of(measure).is_wrong(why.to_string())));
        }
    }
    for (place, claim) in study.claims.iter().enumerate() {
        for way in Way::ALL {
            let Some(question) = claim.question(way) else { continue };
            let Some(measure) = study.measure(&question, way) else { continue };
            let is_wrong =
                |why| Ok(Some(Part::nth("claim", place, &claim.id).is_wrong(why).beside(study.part_of(measure))));
            let (scenario, name) = (scenario_of(measure)?, &measure.scenario);
            for (side, pick) in [("left", question.left), ("right", question.right)] {
                if let Some(what) = missing(&scenario, pick) {
                    return is_wrong(format!("{side}, {}: its scenario `{name}` has {what}", way.as_str()));
                }
                let beside = claim.published.iter().filter(|_| way == Way::AsPublished);
                let beside = beside.filter_map(|published| Some((published, pick.beside(published.here.as_ref()?))));
                for (published, pick) in beside {
                    if let Some(what) = missing(&scenario, &pick) {
                        let what =
                            format!("published ratio `{}`, {side}: its scenario `{name}` has {what}", published.what);
                        return is_wrong(format!("{what}, so it stands beside nothing"));
                    }
                }
            }
        }
    }
    for (place, table) in study.tables.iter().enumerate() {
        let Some(here) = &table.here else { continue };
        let Some(measure) = study.measures.iter().find(|one| one.scenario == here.scenario && one.cpu.is_none()) else {
            continue;
        };
        let picks = table.columns.iter().filter_map(|column| column.here.as_ref());
        let mut sized = picks.map(|pick| Pick { messages: here.messages.clone(), ..pick.clone() });
        let scenario = scenario_of(measure)?;
        if let Some(what) = sized.find_map(|pick| missing(&scenario, &pick)) {
            let why = format!("its `here`: its scenario `{}` has {what}, so it stands beside nothing", here.scenario);
            return Ok(Some(Part::nth("table", place, &table.id).is_wrong(why).beside(study.part_of(measure))));
        }
    }
    for measure in &study.measures {
        let scenario = scenario_of(measure)?;
        let is_there = |name: &&String| has(&scenario, &Pick { provider: Some((*name).clone()), ..Pick::default() });
        if let Some(name) = measure.providers.iter().find(|name| !is_there(name)) {
            let why = format!("its scenario `{}` has no provider `{name}`", measure.scenario);
            return Ok(Some(study.part_of(measure).is_wrong(why)));
        }
    }
    Ok(None)
}

/// Where a scenario has no cells of the providers that are asked for: which it has.
fn none_of_its_providers(measure: &Measure) -> Result<Option<String>> {
    if measure.providers.is_empty() || !scenario_of(measure)?.cells.is_empty() {
        return Ok(None);
    }
    let whole = scenarios::find(Some(&measure.scenario))?;
    let there: BTreeSet<&str> = whole.cells.iter().flat_map(|block| &block.providers).map(String::as_str).collect();
    let lacking: Vec<String> = measure.providers.iter().map(|name| format!("`{name}`")).collect();
    Ok(Some(format!(
        "its scenario `{}` has no provider {}: name one that it has ({}), or another scenario",
        measure.scenario,
        lacking.join(" or "),
        there.into_iter().collect::<Vec<_>>().join(", ")
    )))
}

fn scenario_of(measure: &Measure) -> Result<Scenario> {
    let mut scenario = scenarios::find(Some(&measure.scenario))?;
    if !measure.messages.is_empty() {
        scenario.cells.iter_mut().for_each(|block| block.messages.clone_from(&measure.messages));
    }
    if !measure.providers.is_empty() {
        for block in &mut scenario.cells {
            // A block without providers takes each.
            match block.providers.is_empty() {
                true => block.providers.clone_from(&measure.providers),
                // A libcrypto of the user's has the cells of `openssl`.
                false => {
                    let has = |name: &str| block.providers.iter().any(|own| own == name);
                    let taken = measure.providers.iter().filter(|name| has(name) || has(own_name(name)));
                    block.providers = taken.cloned().collect();
                }
            }
        }
        scenario.cells.retain(|block| !block.providers.is_empty());
    }
    Ok(scenario)
}

/// What a side asks for that a scenario does not have: `no provider `opensll``.
fn missing(scenario: &Scenario, pick: &Pick) -> Option<String> {
    let sizes: Vec<Pick> = match pick.messages.is_empty() {
        true => vec![pick.clone()],
        false => pick.messages.iter().map(|size| Pick { messages: vec![*size], ..pick.clone() }).collect(),
    };
    let pick = sizes.iter().find(|pick| !has(scenario, pick))?;
    // What it lacks by itself says more than that it lacks all of it together.
    let provider = pick.provider.clone().filter(|provider| provider != ANY && pick.board.is_none());
    let any = Pick::default;
    let alone = [
        provider.map(|name| (format!("no provider `{name}`"), Pick { provider: Some(name), ..any() })),
        pick.algorithm.map(|one| (format!("no algorithm `{one}`"), Pick { algorithm: Some(one), ..any() })),
        pick.operation.map(|one| (format!("no operation `{one}`"), Pick { operation: Some(one), ..any() })),
        pick.form.map(|form| (format!("no form `{form}`"), Pick { form: Some(form), ..any() })),
        pick.messages.first().map(|size| (format!("no messages of {size}"), Pick { messages: vec![*size], ..any() })),
        pick.threads
            .map(|threads| (format!("no cells of {threads} threads"), Pick { threads: Some(threads), ..any() })),
    ];
    let found = alone.into_iter().flatten().find(|(_, one)| !has(scenario, one)).map(|(what, _)| what);
    Some(found.unwrap_or_else(|| "each of these, but no cell that has all of them".into()))
}

/// Whether a scenario has such a cell, on a machine that has as many CPUs as it takes. A board has libraries of its own.
fn has(scenario: &Scenario, pick: &Pick) -> bool {
    let provider = pick.provider.clone().filter(|provider| provider != ANY && pick.board.is_none());
    let pick = Pick { provider, board: None, ..pick.clone() };
    let cpus = pick.threads.map_or(2, |threads| threads.clamp(2, 1024)) as u32;
    // Ceilings stand in every group; hardly any block names one.
    let ceilings = Algorithm::ALL.iter().filter(|algorithm| algorithm.is_ceiling());
    let mut ceilings = ceilings.flat_map(|algorithm| scenario.cells_for(CEILING, *algorithm, cpus));
    if pick.provider.as_deref() == Some(CEILING) && ceilings.any(|cell| pick.is_like(&cell)) {
        return true;
    }
    scenario.cells.iter().any(|block| {
        // A block without providers takes each.
        let own = pick.provider.iter().filter(|_| block.providers.is_empty());
        let mut named = block.providers.iter().chain(own).map(String::as_str).collect::<Vec<_>>();
        if named.is_empty() {
            named.push(ANY);
        }
        let of = |provider: &&str| {
            let cells = block.algorithms.iter().flat_map(|algorithm| scenario.cells_for(provider, *algorithm, cpus));
            cells.collect::<Vec<_>>()
        };
        named.iter().flat_map(of).any(|cell| pick.is_like(&cell))
    })
}

#[cfg(test)]
mod tests {
    use ciphermeter_study::{all, factors};

    use super::*;

    /// A comparison of cells that its scenario does not have would never be measured.
    #[test]
    fn every_comparison_names_cells_that_its_measure_has() {
        for study in all().unwrap() {
            assert_eq!(error(&study).unwrap(), None, "{}", study.name);
        }
        let factors = factors().unwrap();
        for side in factors.factors.iter().flat_map(|factor| &factor.sides) {
            let scenario = scenario_of(&factors.measures[factors.measure(side).unwrap()]).unwrap();
            for pick in [&side.left, &side.right] {
                assert_eq!(missing(&scenario, pick), None, "{}", side.label);
            }
        }
    }
}
