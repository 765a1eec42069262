//! The course in a few sentences.

use ciphermeter_core::{Cell, Run, SampleRange, escaped};
use ciphermeter_stats::LEAST_STEPS;

use super::cause::Causes;
use super::course::{Step, joules_per_gigabyte, mean, most, rate_unit};
use super::finding::{Fall, Finding};
use crate::power::idle;
use crate::words::{number, percent};

/// What explains so large a share of a fall leaves no room for another reason.
const NEARLY_ALL: f64 = 0.8;

/// What a reader is to know, in one paragraph.
pub fn statement(run: &Run, cell: &Cell, steps: &[Step], finding: &Finding) -> String {
    let found = match finding {
        Finding::Short => format!(
            "Too short to distinguish a fall from noise: {} of at least {LEAST_STEPS} seconds were measured; use a longer --budget.",
            steps.len()
        ),
        Finding::Steady(whole) => steady(steps, *whole, rate_unit(cell)),
        Finding::Fell(fall) => format!("{} {}", headline(fall, rate_unit(cell)), why(run, fall)),
    };
    [Some(found), energy(run, cell, steps)].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// The energy that the load took, in all and above what the idle machine draws.
fn energy(run: &Run, cell: &Cell, steps: &[Step]) -> Option<String> {
    let (of, _) = steps.iter().find_map(|step| step.power)?;
    let watts = number(mean(steps, Step::watts)?);
    let per_gigabyte = |above| Some(format!("{} J/GB", number(joules_per_gigabyte(cell, steps, above)?)));
    let idle = idle(run, of);
    let all = per_gigabyte(0.0).map_or(String::new(), |all| format!(", {all}"));
    let above = idle.and_then(|idle| Some((number(idle), per_gigabyte(idle)?)));
    let above = above.map_or(String::new(), |(idle, above)| format!("; above the {idle} W of the idle {of}, {above}"));
    let counted = steps.iter().filter(|step| step.power.is_some()).count();
    let part = match counted == steps.len() {
        true => String::new(),
        false => format!(" in the {counted} of {} steps in which that is known", steps.len()),
    };
    Some(format!("The {of} drew {watts} W{part}{all}{above}."))
}

fn steady(steps: &[Step], whole: SampleRange, unit: &str) -> String {
    let within = (whole.high - whole.mid).max(whole.mid - whole.low) / whole.mid.max(1e-9);
    let steal = match most(steps, Step::stolen) {
        Some(0.0) => "the hypervisor took nothing".into(),
        Some(steal) => format!("the hypervisor took at most {} of the CPU time in any second", percent(steal)),
        None => "what a hypervisor takes isn't known here".into(),
    };
    format!(
        "No lasting drop: in nine of ten seconds throughput stayed within {} of {} {unit} ({steal}).",
        percent(within),
        number(whole.mid)
    )
}

fn headline(fall: &Fall, unit: &str) -> String {
    let Fall { seconds, before, after, end, causes, .. } = fall;
    let what = if is_throttling(causes) { "Throttling began" } else { "Throughput fell for good" };
    let mut text = format!(
        "{what} {:.0} s after the start: from {} to {}, −{}.",
        seconds.first().unwrap_or(&0.0),
        range(*before, unit),
        range(*after, unit),
        percent(1.0 - after.mid / before.mid.max(1e-9))
    );
    if let Some(end) = end {
        let places: Vec<String> = seconds[1..].iter().map(|at| format!("{at:.0} s")).collect();
        text += &format!(" It fell further at {}, to {} at last.", places.join(", "), range(*end, unit));
    }
    text
}

/// The machine itself became slower, as far as it tells.
fn is_throttling(causes: &Causes) -> bool {
    let elsewhere = causes.is_stolen() || causes.is_taken();
    (causes.is_slower() && (causes.is_mostly_clock() || !elsewhere))
        || (causes.frequency.is_none() && causes.is_warmer() && !elsewhere)
}

fn why(run: &Run, fall: &Fall) -> String {
    let causes = &fall.causes;
    let mut sentences = Vec::new();
    if let Some(stolen) = causes.stolen.filter(|_| causes.is_stolen()) {
        sentences.push(format!(
            "The hypervisor gave {} of the CPU time to others then, {} before: {}.",
            percent(stolen.after),
            percent(stolen.before),
            if causes.by_steal >= NEARLY_ALL {
                "it was the neighbour, not the heat"
            } else {
                "that is most of the drop"
            }
        ));
    }
    if let Some(others) = causes.others.filter(|_| causes.is_taken()) {
        sentences.push(format!(
            "Other processes on this machine had {:.2} CPUs then, {:.2} before, and this load got less: they are the cause, not heat.",
            others.after, others.before
        ));
    }
    let explained = !sentences.is_empty();
    sentences.extend(clock(run, causes));
    sentences.extend(heat(run, causes));
    if !explained && !is_throttling(causes) {
        sentences.push("The cause is unknown".to_owned() + &known(causes) + ".");
    }
    sentences.join(" ")
}

fn clock(run: &Run, causes: &Causes) -> Option<String> {
    Some(match causes.frequency {
        Some(change) if causes.is_slower() => {
            let part = if causes.is_mostly_clock() { "" } else { ", which alone would make a smaller drop" };
            format!("The frequency fell from {:.2} to {:.2} GHz at the same time{part}.", change.before, change.after)
        }
        Some(change) => format!("The frequency stayed at {:.2} GHz ({:.2} before).", change.after, change.before),
        None => format!("The frequency isn't known here{}.", reason(run, "frequency")),
    })
}

fn heat(run: &Run, causes: &Causes) -> Option<String> {
    Some(match causes.temperature {
        Some(change) if causes.is_warmer() => {
            format!("The temperature reached {:.0} °C, {:.0} °C at the start.", change.after, change.before)
        }
        Some(change) => {
            format!("The temperature was at most {:.0} °C, {:.0} °C at the start.", change.after, change.before)
        }
        None => format!("The temperature isn't known here{}.", reason(run, "temperature")),
    })
}

/// What was looked at in vain.
fn known(causes: &Causes) -> String {
    let looked = [
        causes
            .stolen
            .map(|steal| format!("the hypervisor took {} ({} before)", percent(steal.after), percent(steal.before))),
        causes.others.map(|others| format!("other processes {:.2} CPUs ({:.2} before)", others.after, others.before)),
    ];
    let looked: Vec<String> = looked.into_iter().flatten().collect();
    if looked.is_empty() { String::new() } else { format!(": {}", looked.join(", ")) }
}

/// ` (why)`, as the host's facts have it.
pub fn reason(run: &Run, fact: &str) -> String {
    let why = run.host.iter().find(|known| known.name == fact).and_then(|known| known.why.as_deref());
    why.map(|why| format!(" ({})", escaped(why))).unwrap_or_default()
}

/// `1520 (1480 to 1550) MB/s`.
fn range(range: SampleRange, unit: &str) -> String {
    format!("{} ({} to {}) {unit}", number(range.mid), number(range.low), number(range.high))
}
