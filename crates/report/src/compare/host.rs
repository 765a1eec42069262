//! Are two runs of the same machine, as far as their facts tell, and in the same state? And is a run of the machine at hand?

use ciphermeter_core::{Fact, METHOD, Run, method};

use crate::text::without;

/// Facts that say which machine it is: if one of them differs, or one that must be there is not, nothing is compared.
const IDENTITY: [&str; 9] =
    ["cpu", "machine", "architecture", "features", "microcode", "cores", "core kind", "caches", "hypervisor"];
/// Facts about its state: a ratio to a reference outlives most of their changes, so these are told and no more.
const STATE: [&str; 13] = [
    "governor",
    "frequency",
    "turbo",
    "kernel",
    "os",
    "memory",
    "page size",
    "clocksource",
    "siblings",
    "pinning",
    "cores",
    "cpu limit",
    "power supply",
];

/// Why a run is not one of the machine with these facts, measured as this build does; `None` if it is, as far as both tell.
pub fn not_of_this_machine(run: &Run, now: &[Fact]) -> Option<String> {
    let here = Run { host: now.to_vec(), ..run.clone() };
    let measured =
        || format!("it was measured by {}, this build measures by {}", method(run.plan.method), method(METHOD));
    other(run, &here).or_else(|| (run.plan.method != METHOD).then(measured))
}

/// Why the two are not the same machine; `None` if they are, as far as they tell.
pub(super) fn other(before: &Run, after: &Run) -> Option<String> {
    if [before, after].iter().any(|run| run.fact("cpu").is_none()) {
        return Some("a run doesn't say on which CPU it was made".into());
    }
    let differing = differences(before, after, &IDENTITY, lasting);
    (!differing.is_empty()).then(|| format!("other host: {}", differing.join("; ")))
}

/// Why runs on different parts of the CPU's instructions can't be compared; `None` if both had the same.
pub(super) fn masked(before: &Run, after: &Run) -> Option<String> {
    let had = |run: &Run| match run.mask {
        Some(mask) => format!("run {} was made as on a CPU {}", run.id, without(mask)),
        None => format!("run {} was made with all instructions of the CPU", run.id),
    };
    (before.mask != after.mask).then(|| format!("{}, {}", had(before), had(after)))
}

/// Why runs of two methods can't be compared; `None` if both have the same.
pub(super) fn methods(before: &Run, after: &Run) -> Option<String> {
    let had = |run: &Run| format!("run {} was measured by {}", run.id, method(run.plan.method));
    (before.plan.method != after.plan.method).then(|| format!("{}, {}: measure both anew", had(before), had(after)))
}

/// What else is different, a sentence each.
pub(super) fn changes(before: &Run, after: &Run) -> Vec<String> {
    let mut changes = differences(before, after, &STATE, |name, value| match name {
        // Which of them the process may use; how many there are is identity.
        "cores" => value.to_string(),
        _ => lasting(name, value),
    });
    if before.version != after.version {
        changes.push(format!("ciphermeter {} ≠ {}", before.version, after.version));
    }
    changes
}

fn differences(before: &Run, after: &Run, names: &[&str], lasting: fn(&str, &str) -> String) -> Vec<String> {
    let lasting = |run: &Run, name| run.fact(name).map(|value| lasting(name, value));
    let shown = |value: Option<String>| value.unwrap_or_else(|| "unknown".into());
    let differing = names.iter().map(|name| (name, lasting(before, name), lasting(after, name)));
    let differing = differing.filter(|(_, before, after)| before != after);
    differing.map(|(name, before, after)| format!("{name} {} ≠ {}", shown(before), shown(after))).collect()
}

/// Without what is only of the moment: memory available, frequency right now, CPUs allowed.
fn lasting(name: &str, value: &str) -> String {
    match name {
        "memory" | "frequency" | "cores" => value.split(", ").next().unwrap_or(value).to_string(),
        _ => value.to_string(),
    }
}
