//! This machine: its facts, its sensors, and what about it spoils a measurement.
//!
//! Everything here is read, never guessed: a [`Fact`] has a value or the reason why it has none. Linux (and with it
//! Android) reports most; on other systems the facts are absent with that reason. Nothing here changes the machine
//! except [`cpus`], which sets the mask of the calling thread.
//!
//! Readers of `/proc` and `/sys` take the tree to read as an argument, so that tests can pass the files of other
//! machines; parsers take text.

// Only the driver of NVIDIA's cards is called as C.
#![deny(unsafe_code)]

use ciphermeter_core::Fact;

pub mod architecture;
mod cgroup;
mod clock;
pub mod counters;
mod cpuinfo;
pub mod cpus;
pub mod current;
pub mod doctor;
mod downclocking;
pub mod energy;
mod features;
pub mod file;
pub mod gauges;
mod hypervisor;
mod list;
pub mod lock;
mod memory;
mod parts;
pub mod private;
#[cfg(test)]
mod samples;
mod sensors;
pub mod serial;
pub mod switches;
mod system;
mod text_lines;
mod topology;
mod tree;
pub mod usage;

use tree::Tree;

/// The facts about this machine, always the same names in the same order.
///
/// What belongs to a single CPU (siblings, caches, governor, frequency) is that of the CPU on which workers run.
pub fn facts() -> Vec<Fact> {
    facts_of(&Tree::live(), &cpus::allowed(), cpus::pinning().as_ref())
}

/// The same without what this process inherited: what another one would find.
pub fn facts_of_machine() -> Vec<Fact> {
    let switches = switches::switches();
    let own = switches::fact(switches.iter().filter(|switch| !switch.is_inherited));
    facts().into_iter().map(|fact| if fact.name == own.name { own.clone() } else { fact }).collect()
}

/// For how long this CPU's clock may stay low after wide vectors; `None` for a CPU of which that isn't known.
pub fn downclocking() -> Option<std::time::Duration> {
    downclocking::lasts(&Tree::live())
}

/// An identifier of this boot, different after each start; `None` where the system has none.
pub fn boot() -> Option<String> {
    system::boot(&Tree::live())
}

fn facts_of(tree: &Tree, allowed: &[usize], pinning: Option<&cpus::Pinning>) -> Vec<Fact> {
    let worker = pinning.map_or(0, |pinning| pinning.worker);
    vec![
        cpuinfo::model(tree, worker),
        system::machine(tree),
        system::architecture(tree),
        features::fact(),
        cpuinfo::microcode(tree),
        topology::cores(tree, allowed),
        cpus::fact(pinning),
        topology::siblings(tree, worker),
        topology::kind(tree, worker),
        topology::caches(tree, worker),
        memory::fact(tree),
        system::page_size(),
        system::kernel(),
        system::os(tree),
        hypervisor::fact(tree),
        clock::source(tree),
        clock::governor(tree, worker),
        clock::frequency(tree, worker),
        clock::turbo(tree),
        counters::fact(),
        switches::fact(&switches::of(tree, |name| std::env::var_os(name))),
        system::load(tree),
        cgroup::fact(tree),
        sensors::power_supply(tree),
        sensors::temperature(tree),
        sensors::energy(tree),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn every_fact_occurs_once_with_a_value_or_a_reason() {
        for facts in [facts(), facts_of(&samples::empty(), &[], None), facts_of(&samples::laptop(), &[0, 1], None)] {
            let mut names: Vec<_> = facts.iter().map(|fact| fact.name.clone()).collect();
            assert_eq!(names.len(), 26);
            for fact in &facts {
                assert_ne!(fact.value.is_some(), fact.why.is_some(), "{fact:?}");
                let text = fact.value.as_ref().or(fact.why.as_ref()).unwrap();
                assert!(!text.is_empty() && !text.chars().any(char::is_control), "{fact:?}");
            }
            names.sort();
            names.dedup();
            assert_eq!(names.len(), 26);
        }
    }

    #[test]
    fn names_keep_their_order() {
        let names = |facts: Vec<Fact>| facts.into_iter().map(|fact| fact.name).collect::<Vec<_>>();
        assert_eq!(names(facts()), names(facts_of(&samples::empty(), &[], None)));
    }
}
