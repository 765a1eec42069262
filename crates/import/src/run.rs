//! The run: its head, its plan as far as it is exported, and the host's facts.

use std::collections::BTreeMap;

use ciphermeter_core::{Against, Fact, Mask, Metric, Note, Run, RunPlan, RunStatus, Scenario};
use serde::Deserialize;

use crate::error::Wrong;
use crate::objects::Named;
use crate::outline::Outline;
use crate::part::part;
use crate::values::{Integer, Number, Taken, Text, Word};

#[derive(Deserialize)]
struct Head {
    id: Integer,
    started: Text,
    status: Word<RunStatus>,
    seed: Integer,
    scenario: Taken<Scenario>,
    against: Option<Taken<Against>>,
    mask: Option<Word<Mask>>,
    method: Number,
    metrics: Taken<Vec<Metric>>,
    notes: Vec<Text>,
}

/// The run, which is in no store.
pub(crate) fn run(outline: &Outline) -> Result<Run, Wrong> {
    let Text(version) = part(outline.ciphermeter).map_err(|wrong| wrong.within("ciphermeter"))?;
    let head: Head = part(outline.run).map_err(|wrong| wrong.within("run"))?;
    let host = part(outline.host).and_then(facts).map_err(|wrong| wrong.within("host"))?;
    if !is_moment(&head.started.0) {
        return Err(Wrong::new("run.started", "is no moment such as 2026-11-30T04:02:50Z"));
    }
    let Taken(scenario) = head.scenario;
    scenario.check().map_err(|error| Wrong::new("run.scenario", format!("is invalid: {error}")))?;
    let plan = RunPlan { method: head.method.number(), metrics: head.metrics.0, ..RunPlan::default() };
    if let Some(twice) = plan.twice() {
        return Err(Wrong::new("run.metrics", format!("has {} twice", twice.name())));
    }
    Ok(Run {
        id: head.id.get() as i64,
        store: None,
        is_measuring: false,
        started: head.started.0,
        version,
        seed: head.seed.get(),
        scenario,
        against: head.against.map(|against| against.0),
        mask: head.mask.map(|Word(mask)| mask),
        plan,
        host,
        status: head.status.0,
        notes: head.notes.into_iter().map(|Text(sentence)| Note::of_sentence(sentence)).collect(),
    })
}

/// Whether it has the form of RFC 3339 in UTC, to the second.
fn is_moment(text: &str) -> bool {
    let is_like = |(own, like): (u8, u8)| if like == b'0' { own.is_ascii_digit() } else { own == like };
    const LIKE: &str = "0000-00-00T00:00:00Z";
    text.len() == LIKE.len() && text.bytes().zip(LIKE.bytes()).all(is_like)
}

/// A member of the host: a fact's value, or in `absent` why facts have none.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a text or null, and in `absent` a text for each name")]
enum Member {
    Value(Option<Text>),
    Reasons(Named<Text>),
}

/// The facts in the order of the document.
fn facts(members: Named<Member>) -> Result<Vec<Fact>, Wrong> {
    let wrong = |path: &str, what: &str| Err(Wrong::new(path, what));
    let (mut facts, mut reasons) = (Vec::new(), None);
    for (name, member) in members.0 {
        match (name.as_str(), member) {
            ("absent", Member::Reasons(Named(all))) => reasons = Some(BTreeMap::from_iter(all)),
            ("absent", Member::Value(_)) => return wrong("absent", "has no reasons by name"),
            (_, Member::Value(value)) => {
                facts.push(Fact { name, value: value.map(|Text(value)| value), why: None });
            }
            (_, Member::Reasons(_)) => return wrong(&name, "is neither a text nor null"),
        }
    }
    let Some(mut reasons) = reasons else { return wrong("absent", "is missing") };
    for fact in &mut facts {
        fact.why = reasons.remove(&fact.name).map(|Text(why)| why);
    }
    match reasons.into_keys().next() {
        None => Ok(facts),
        Some(name) => wrong("absent", &format!("has {name}, which is no fact of the host")),
    }
}
