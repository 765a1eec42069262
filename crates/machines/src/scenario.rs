//! The scenario of a shared run: its lists, and texts that are Ciphermeter's own.

use ciphermeter_core::{CURATED, Kind, Scenario, Selection};

use crate::known::is_known_provider;

/// What a scenario is called that is none of Ciphermeter's.
const OWN: (&str, &str) = ("own", "a scenario of its own");

/// The same cells. A name, a title and a premise are those of the curated scenario that has these cells, whatever the run says.
pub(crate) fn shared(of: &Scenario) -> Scenario {
    let cells: Vec<Selection> = of.cells.iter().map(selection).collect();
    let same = curated(of);
    let (name, title) = same.as_ref().map_or((OWN.0.into(), OWN.1.into()), |own| (own.name.clone(), own.title.clone()));
    let (subject, premise) = same.map_or((None, None), |own| (own.subject, own.premise));
    // Taken apart, so that a new member is not shared before it has its place here.
    let Scenario { name: _, kind, title: _, subject: _, premise: _, nonces, budget, precision, copies: _, cells: _ } =
        of;
    Scenario {
        name,
        kind: *kind,
        title,
        subject,
        premise,
        nonces: *nonces,
        budget: *budget,
        precision: *precision,
        copies: None,
        cells,
    }
}

/// The curated scenario that asks for the same cells.
fn curated(of: &Scenario) -> Option<Scenario> {
    let (_, text) = CURATED.iter().find(|(name, _)| *name == of.name)?;
    let own = Scenario::parse(text).ok()?;
    let asks = |scenario: &Scenario| -> Vec<Selection> {
        let without = |block: &Selection| Selection { providers: Vec::new(), ..block.clone() };
        scenario.cells.iter().map(without).collect()
    };
    (own.kind == of.kind && own.kind == Kind::Message && asks(&own) == asks(of)).then_some(own)
}

fn selection(of: &Selection) -> Selection {
    let Selection {
        algorithms,
        operations,
        messages,
        aad,
        forms,
        threads,
        keys,
        working_sets,
        key_counts,
        latency,
        memory,
        providers,
    } = of.clone();
    let providers = providers.into_iter().filter(|name| is_known_provider(name)).collect();
    Selection {
        algorithms,
        operations,
        messages,
        aad,
        forms,
        threads,
        keys,
        working_sets,
        key_counts,
        latency,
        memory,
        providers,
    }
}
