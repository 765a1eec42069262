//! Are two runs of the same machine, as far as their facts tell, and in the same state? And is a run of the machine at hand?

use ciphermeter_core::{Fact, METHOD, Run, method, switches};

use crate::words::{short, without};

/// Facts that say which machine it is: if one of them differs, or one that must be there is not, nothing is compared.
const IDENTITY: [&str; 10] = [
    "cpu", "browser", "machine", "architecture", "features", "microcode", "cores", "core kind", "caches", "hypervisor",
];
/// Facts about its state: a ratio to a reference outlives most of their changes, so these are told and no more.
const STATE: [&str; 13] = [
    "governor", "frequency", "turbo", "kernel", "os", "memory", "page size", "clocksource", "siblings", "pinning",
    "cores", "cpu limit", "power supply",
];

/// Why a run is not one of the machine with these facts, measured as this build does; `None` if it is, as far as both tell.
pub fn not_of_this_machine(run: &Run, now: &[Fact]) -> Option<String> {
    if run.plan.is_imported {
        return Some("it was imported".into());
    }
    if [run.host.as_slice(), now].iter().any(|host| fact(host, "cpu").is_none()) {
        return Some("the CPU's model is unknown".into());
    }
    let differing = differences(&run.host, now, &IDENTITY, lasting);
    let host = (!differing.is_empty()).then(|| format!("other host: {}", differing.join("; ")));
    let host = host.or_else(|| set_then_alone(run, now));
    let measured =
        || format!("it was measured by {}, this build measures by {}", method(run.plan.method), method(METHOD));
    host.or_else(|| (run.plan.method != METHOD).then(measured))
}

/// What was set from outside for a run, and isn't now: it changes the code that libraries run, so
/// such a run answers no more than one with `--cpu` does.
pub fn set_then_alone(run: &Run, now: &[Fact]) -> Option<String> {
    let now: Vec<&str> = switches(now).unwrap_or_default().split("; ").collect();
    let alone = run.switches()?.split("; ").find(|set| !now.contains(set))?;
    Some(format!("measured with {} set", short(alone, MOST)))
}

/// The most columns of what was set.
const MOST: usize = 120;
/// The most bytes of a value that is shown whole beside another one.
const MOST_OF_VALUE: usize = 40;

/// What has changed since a run of this machine, a sentence each: what its ratios mostly outlive.
pub fn changed_since(run: &Run, now: &[Fact]) -> Vec<String> {
    state_changes(&run.host, now)
}

/// Why the two are not the same machine; `None` if they are, as far as they tell.
pub fn other(before: &Run, after: &Run) -> Option<String> {
    // Of the device, a page knows its browser alone.
    if [before, after].iter().any(|run| run.fact("cpu").or(run.fact("browser")).is_none()) {
        return Some("a run doesn't say on which CPU it was made".into());
    }
    let differing = differences(&before.host, &after.host, &IDENTITY, lasting);
    (!differing.is_empty()).then(|| format!("other host: {}", differing.join("; ")))
}

/// Why runs on different parts of the CPU's instructions can't be compared; `None` if both had the same.
pub fn masked(before: &Run, after: &Run) -> Option<String> {
    let had = |run: &Run| match (run.mask, run.switches()) {
        (None, None) => format!("run {} was made with all instructions of the CPU", run.id),
        (Some(mask), None) => format!("run {} was made as on a CPU {}", run.id, without(mask)),
        (None, Some(set)) => format!("run {} was made with {} set", run.id, short(set, MOST)),
        (Some(mask), Some(set)) => {
            format!("run {} was made as on a CPU {}, with {} set", run.id, without(mask), short(set, MOST))
        }
    };
    let of = |run: &Run| (run.mask, run.switches().map(str::to_owned));
    (of(before) != of(after)).then(|| format!("{}, {}", had(before), had(after)))
}

/// Why runs of two methods can't be compared; `None` if both have the same.
pub fn methods(before: &Run, after: &Run) -> Option<String> {
    let had = |run: &Run| format!("run {} was measured by {}", run.id, method(run.plan.method));
    (before.plan.method != after.plan.method).then(|| format!("{}, {}: measure both anew", had(before), had(after)))
}

/// What tells machines apart, the same for all runs of one, in an order of its own.
pub fn identity(host: &[Fact]) -> String {
    let all = IDENTITY.iter().filter_map(|name| Some(format!("{name}={}", lasting(name, fact(host, name)?))));
    all.collect::<Vec<_>>().join("\n")
}

/// The facts about its state alone, in which runs of one machine differ.
pub fn state(host: &[Fact]) -> Vec<Fact> {
    host.iter().filter(|fact| STATE.contains(&fact.name.as_str())).cloned().collect()
}

/// How the state of a machine changed from one run to another, a sentence each.
pub fn state_changes(before: &[Fact], after: &[Fact]) -> Vec<String> {
    differences(before, after, &STATE, of_state)
}

/// The same of the runs on either side of a moment, the nearest first: what differs between each of one side and each of the other,
/// so that a fact which one run alone has differently is none.
pub fn lasting_changes(before: &[&[Fact]], after: &[&[Fact]]) -> Vec<String> {
    let (Some(last), Some(first)) = (before.first(), after.first()) else { return Vec::new() };
    let differs = |name: &str| {
        let value = |host: &[Fact]| fact(host, name).map(|value| of_state(name, value));
        before.iter().all(|before| after.iter().all(|after| value(before) != value(after)))
    };
    let names: Vec<&str> = STATE.into_iter().filter(|name| differs(name)).collect();
    differences(last, first, &names, of_state)
}

/// What else is different, a sentence each.
pub fn changes(before: &Run, after: &Run) -> Vec<String> {
    let mut changes = state_changes(&before.host, &after.host);
    if before.version != after.version {
        changes.push(format!("ciphermeter {} ≠ {}", before.version, after.version));
    }
    changes
}

fn differences(before: &[Fact], after: &[Fact], names: &[&str], lasting: fn(&str, &str) -> String) -> Vec<String> {
    let lasting = |host: &[Fact], name: &str| fact(host, name).map(|value| lasting(name, value));
    let shown = |value: Option<String>| value.unwrap_or_else(|| "unknown".into());
    let differing = names.iter().map(|name| (name, lasting(before, name), lasting(after, name)));
    let differing = differing.filter(|(_, before, after)| before != after);
    let both = differing.map(|(name, before, after)| (name, shown(before), shown(after)));
    both.map(|(name, before, after)| format!("{name} {} ≠ {}", apart(&before, &after), apart(&after, &before)))
        .collect()
}

/// A value beside another one: of a long one, such as a CPU's features, what the other does not have.
fn apart(value: &str, other: &str) -> String {
    if value.len().max(other.len()) <= MOST_OF_VALUE {
        return value.into();
    }
    let common: Vec<&str> = other.split(' ').collect();
    let own: Vec<&str> = value.split(' ').filter(|word| !common.contains(word)).collect();
    if own.is_empty() { "none of these".into() } else { own.join(" ") }
}

fn fact<'a>(host: &'a [Fact], name: &str) -> Option<&'a str> {
    host.iter().find(|fact| fact.name == name)?.value.as_deref()
}

/// Without what is only of the moment: memory available, frequency right now, CPUs allowed.
fn lasting(name: &str, value: &str) -> String {
    match name {
        "memory" | "frequency" | "cores" => value.split(", ").next().unwrap_or(value).to_string(),
        _ => value.to_string(),
    }
}

/// The same, but for the CPUs that the process may use: how many there are is identity.
fn of_state(name: &str, value: &str) -> String {
    if name == "cores" { value.to_string() } else { lasting(name, value) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    fn here() -> Vec<Fact> {
        let mut facts: Vec<Fact> = IDENTITY.iter().map(|name| Fact::present(name, format!("{name} 1"))).collect();
        facts.extend([Fact::present("kernel", "Linux 6.1"), Fact::present("memory", "8GiB, 5GiB available")]);
        facts.push(Fact::present("load", "0.10 over 1 min"));
        facts
    }

    fn run() -> Run {
        let mut run = fixtures::head();
        (run.host, run.plan.method) = (here(), METHOD);
        run
    }

    #[test]
    fn each_fact_of_identity_makes_another_machine() {
        assert_eq!(not_of_this_machine(&run(), &here()), None);
        for name in IDENTITY {
            let mut now = here();
            now.retain(|fact| fact.name != name);
            let missing = not_of_this_machine(&run(), &now).unwrap();
            now.push(Fact::present(name, "another"));
            let other = not_of_this_machine(&run(), &now).unwrap();
            assert!(other.contains(&format!("{name} {name} 1 ≠ another")), "{other}");
            assert!(name == "cpu" || missing.contains(&format!("{name} {name} 1 ≠ unknown")), "{missing}");
        }
        assert_eq!(not_of_this_machine(&run(), &[]).unwrap(), "the CPU's model is unknown");
    }

    #[test]
    fn of_long_values_that_differ_only_the_difference_is_said() {
        let machine = |cpu: &str, features: &str| {
            vec![
                Fact::present("cpu", cpu),
                Fact::present("features", format!("aes pclmulqdq avx2 {features}bmi2 sha_ni adx")),
            ]
        };
        let (old, new) = (
            machine("Xeon Platinum 8375C at 2.90 GHz", "vaes avx512f "),
            machine("Xeon Platinum 8375C at 2.90 GHz", ""),
        );
        let why =
            |then: &[Fact], now: &[Fact]| not_of_this_machine(&Run { host: then.to_vec(), ..run() }, now).unwrap();
        assert_eq!(why(&old, &new), "other host: features vaes avx512f ≠ none of these");
        assert_eq!(why(&new, &old), "other host: features none of these ≠ vaes avx512f");
    }

    #[test]
    fn run_with_a_switch_answers_only_where_it_is_set() {
        let with = |set: Option<&str>| {
            let switches = set.map(|set| Fact::present("switches", set));
            Run { host: here().into_iter().chain(switches).collect(), ..run() }
        };
        let why = |then: Option<&str>, now: Option<&str>| not_of_this_machine(&with(then), &with(now).host);
        let (cap, two) = ("OPENSSL_ia32cap=~0x200000200000000", "GODEBUG=cpu.aes=off; OPENSSL_CONF=/f.cnf");
        for nothing in [None, Some("none")] {
            assert_eq!(why(Some(cap), nothing).unwrap(), format!("measured with {cap} set"));
            assert_eq!(why(Some(two), nothing).unwrap(), "measured with GODEBUG=cpu.aes=off set");
            assert_eq!(why(nothing, None).or(why(None, nothing)).or(why(nothing, Some(cap))), None);
            assert!(masked(&with(Some(cap)), &with(nothing)).unwrap().contains("all instructions of the CPU"));
            assert_eq!(masked(&with(None), &with(nothing)), None);
        }
        assert_eq!(why(Some(two), Some("OPENSSL_CONF=/f.cnf; LD_PRELOAD=x; GODEBUG=cpu.aes=off")), None);
        assert!(why(Some("OPENSSL_CONF=/f.cnf"), Some("OPENSSL_CONF=/f.cnf2")).is_some());
    }

    #[test]
    fn the_python_package_distinguishes_machines_by_the_same_facts() {
        let package = include_str!("../../../python/src/ciphermeter/_read.py");
        let list = package.lines().find_map(|line| line.strip_prefix("_IDENTITY = ")).expect("its list");
        // What tells its formatter to leave the line as it is.
        let list = list.split("  #").next().unwrap();
        assert_eq!(serde_json::from_str::<Vec<String>>(list).unwrap(), IDENTITY);
    }

    #[test]
    fn state_of_the_moment_is_no_change_and_a_kernel_is_one() {
        let mut now = here();
        now.iter_mut().filter(|fact| fact.name == "load").for_each(|fact| fact.value = Some("3.00 over 1 min".into()));
        now.iter_mut().filter(|fact| fact.name == "memory").for_each(|fact| {
            fact.value = Some("8GiB, 1GiB available".into());
        });
        assert_eq!((not_of_this_machine(&run(), &now), changed_since(&run(), &now)), (None, Vec::new()));
        now.iter_mut().filter(|fact| fact.name == "kernel").for_each(|fact| fact.value = Some("Linux 6.9".into()));
        assert_eq!(not_of_this_machine(&run(), &now), None);
        assert_eq!(changed_since(&run(), &now), ["kernel Linux 6.1 ≠ Linux 6.9"]);
    }

    #[test]
    fn run_of_another_method_does_not_answer() {
        let mut run = run();
        run.plan.method = METHOD - 1;
        let why = not_of_this_machine(&run, &here()).unwrap();
        assert!(why.contains(&method(METHOD - 1)) && why.contains(&method(METHOD)), "{why}");
    }
}
