//! Why nothing of a scenario is offered here: how close the providers come, and what to ask for instead.

use std::collections::BTreeSet;
use std::fmt::Display;

use ciphermeter_core::{Cell, Scenario};
use ciphermeter_protocol::Offer;

use crate::Surveyed;
use crate::options::Options;

/// The most names in a list.
const MOST: usize = 6;

/// Where no provider is here at all.
const NOTHING: &str = "no provider here has what the scenario asks for";

/// A sentence for a scenario of which no source has a cell; `None` where `is_said`, why some are not here, says all.
pub fn sentence(scenario: &Scenario, here: &[Surveyed], options: &Options, is_said: bool) -> Option<String> {
    Some(why(scenario, here, options)).filter(|why| !is_said || why != NOTHING)
}

fn why(scenario: &Scenario, here: &[Surveyed], options: &Options) -> String {
    // The provider of ceilings is there for others' sake.
    let is_cipher = |offer: &Offer| !offer.algorithm.is_ceiling();
    let offers: Vec<(&str, &Offer, Vec<Cell>)> = here
        .iter()
        .filter(|survey| survey.offers.iter().all(is_cipher))
        .flat_map(|survey| survey.offers.iter().map(move |offer| (survey.source.name.as_str(), offer)))
        .map(|(name, offer)| (name, offer, scenario.cells_for(name, offer.algorithm, options.cpus)))
        .collect();
    let asked = || offers.iter().filter(|(_, _, cells)| !cells.is_empty());
    let has_operation = |offer: &Offer, cell: &Cell| offer.operations.contains(&cell.operation);
    let operated = asked().find(|(_, offer, cells)| cells.iter().any(|cell| has_operation(offer, cell)));
    let has_device = here.iter().any(|survey| survey.source.device.is_some());
    let why = match (operated, asked().next()) {
        (Some((name, offer, cells)), _) if !cells.iter().any(|cell| offer.forms.contains(&cell.form)) => {
            let forms: BTreeSet<_> = cells.iter().map(|cell| cell.form).collect();
            let (wanted, had) = (listed(&forms), listed(&offer.forms));
            if forms.iter().all(|form| form.is_of_card()) {
                return format!(
                    "no provider here is a graphics card's, and only those have {wanted}; `ciphermeter workers build gpu` builds them"
                );
            }
            let other = offer.forms.iter().next().map_or(String::new(), |form| format!("; give --form {form}"));
            format!("{name} has {} in the form {had}, and asked for is {wanted}{other}", offer.algorithm)
        }
        (Some((_, _, cells)), _) if has_device && cells.iter().all(|cell| cell.parameters.threads() > 1) => {
            "a device has one thread; leave --threads out".into()
        }
        (Some((_, _, cells)), _) if cells.iter().any(Cell::rotates) => {
            "their workers have no cells of several texts or keys; leave --working-set and --keys out".into()
        }
        (Some(_), _) => return "nothing is left of what the scenario asks for".into(),
        (None, Some((name, offer, cells))) => {
            let operations: BTreeSet<_> = cells.iter().map(|cell| cell.operation).collect();
            let (wanted, had) = (listed(&operations), listed(&offer.operations));
            format!("{name} has the operations {had} of {}, and asked for is {wanted}", offer.algorithm)
        }
        (None, None) => {
            let had: BTreeSet<_> = offers.iter().map(|(_, offer, _)| offer.algorithm).collect();
            if had.is_empty() {
                return NOTHING.into();
            }
            format!("they have {}", listed(&had))
        }
    };
    format!("{NOTHING}: {why}")
}

fn listed<T: Display>(names: &BTreeSet<T>) -> String {
    let more = if names.len() > MOST { format!(" and {} more", names.len() - MOST) } else { String::new() };
    let first: Vec<String> = names.iter().take(MOST).map(ToString::to_string).collect();
    first.join(", ") + &more
}
