//! What else uses the worker's CPU, its core or the memory.

use super::finding::{Finding, Machine, NOTHING};
use crate::{cgroup, hypervisor, list, memory, system, topology, usage};

/// Whether the worker and the harness each have a CPU.
pub(super) fn cpus(machine: &Machine) -> Option<Finding> {
    let about = "cpus";
    let Some(pinning) = machine.pinning else {
        let os = std::env::consts::OS;
        let what = format!("CPU masks are not available on {os}, so the system moves workers between cores.");
        return Some(Finding::note(about, what, "close other programs"));
    };
    let (worker, harness) = (pinning.worker, pinning.harness);
    Some(match (pinning.shared, machine.allowed.len()) {
        (true, _) => Finding::bad(
            about,
            format!("This process may use CPU {worker} only, so workers, harness and everything else share it."),
            "allow a second CPU: taskset, the container's cpuset, or the virtual machine's size",
        ),
        (false, count) => Finding::good(
            about,
            format!("This process may use {count} CPUs: workers run on {worker}, the harness on {harness}."),
        ),
    })
}

pub(super) fn siblings(machine: &Machine) -> Option<Finding> {
    let (about, cpu) = ("siblings", machine.worker());
    let threads = topology::threads(machine.tree, cpu).ok()?;
    if threads.len() < 2 {
        let alone = format!("CPU {cpu} shares its core with no other, as far as the system says");
        // A guest's topology is what its host makes up.
        return Some(match hypervisor::seen(machine.tree) {
            Ok(Some(_)) => Finding::note(
                about,
                format!("{alone}, which cannot see other guests on the same core."),
                "measure: `ciphermeter run` says how many samples other work on the core disturbed",
            ),
            _ => Finding::good(about, format!("{alone}.")),
        });
    }
    let others: Vec<usize> = threads.into_iter().filter(|other| *other != cpu).collect();
    let harness = match machine.pinning {
        Some(pinning) if pinning.siblings => ", and the harness has to run there",
        _ => "",
    };
    Some(Finding::note(
        about,
        format!("CPU {cpu} shares its core with {}{harness}: what runs there slows it down.", list::write(&others)),
        format!("echo off | sudo tee /sys/devices/system/cpu/smt/control; or {NOTHING}"),
    ))
}

pub(super) fn hypervisor(machine: &Machine) -> Option<Finding> {
    let about = "hypervisor";
    Some(match hypervisor::seen(machine.tree).ok()? {
        Some(name) => Finding::note(
            about,
            format!("This is a virtual machine ({name}): its host's other guests share caches, power and time."),
            format!("{NOTHING}; for levels that others can repeat, take a whole machine"),
        ),
        None => Finding::good(about, "No hypervisor was detected."),
    })
}

/// The share since boot: an average, not the present value.
pub(super) fn steal(machine: &Machine) -> Option<Finding> {
    let about = "steal";
    let seen = usage::interference_on(machine.tree, machine.worker())?;
    let percent = seen.steal as f64 / seen.total.max(1) as f64 * 100.0;
    let what = format!("The hypervisor took {percent:.2} % of CPU {}'s time since boot.", seen.cpu);
    Some(match percent {
        percent if percent >= 1.0 => {
            Finding::bad(about, what, "measure at a quieter hour, or on a machine with CPUs of its own")
        }
        percent if percent >= 0.1 => Finding::note(about, what, NOTHING),
        _ => Finding::good(about, what),
    })
}

/// A thread that is ready to run lands on the worker's CPU with a chance of about load / CPUs.
pub(super) fn load(machine: &Machine) -> Option<Finding> {
    let about = "load";
    let load = system::minute(machine.tree).ok()?;
    let cpus = topology::online(machine.tree)?.len();
    let what = format!("On average {load:.2} threads were ready to run over the last minute, on {cpus} CPUs.");
    let remedy = "find out what runs (top), end it or wait, then measure";
    Some(match load / cpus as f64 {
        share if share > 0.75 => Finding::bad(about, what, remedy),
        share if share > 0.2 => Finding::note(about, what, remedy),
        _ => Finding::good(about, what),
    })
}

/// With less than two CPUs' time, the worker and the harness together can use it up.
pub(super) fn limit(machine: &Machine) -> Option<Finding> {
    let about = "cpu limit";
    let remedy = "lift the CPU time limit of the container or the service (cpu.max, --cpus, CPUQuota)";
    Some(match cgroup::cpus(machine.tree).ok()? {
        Some(cpus) => {
            let what =
                format!("The control group allows {cpus:.2} CPUs' time and stops the process when that is used up.");
            if cpus < 2.0 { Finding::bad(about, what, remedy) } else { Finding::note(about, what, remedy) }
        }
        None => Finding::good(about, "No CPU time limit was found."),
    })
}

pub(super) fn swap(machine: &Machine) -> Option<Finding> {
    let about = "swap";
    Some(match memory::swapped(machine.tree)? {
        0 => Finding::good(about, "No swap is in use."),
        bytes => Finding::note(
            about,
            format!(
                "{} of memory are swapped out: memory was short at some time since boot.",
                memory::gibibytes(bytes)
            ),
            "end what fills the memory, then: sudo swapoff -a && sudo swapon -a",
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpus::Pinning;
    use crate::doctor::Verdict;
    use crate::samples;
    use crate::tree::Tree;

    fn machine(tree: &Tree, pinning: Option<Pinning>) -> Machine<'_> {
        Machine { tree, allowed: &[3, 7], pinning, release: "6.8", emulated: false, switches: &[] }
    }

    #[test]
    fn single_cpu_is_flagged() {
        let pinning = Some(Pinning { worker: 3, harness: 3, shared: true, siblings: false });
        assert_eq!(cpus(&machine(&samples::empty(), pinning)).unwrap().verdict, Verdict::Bad);
        assert_eq!(cpus(&machine(&samples::empty(), None)).unwrap().verdict, Verdict::Note);
    }

    #[test]
    fn harness_on_the_workers_core_is_reported() {
        let pinning = Some(Pinning { worker: 7, harness: 3, shared: false, siblings: true });
        let finding = siblings(&machine(&samples::laptop(), pinning)).unwrap();
        assert_eq!(
            finding.what,
            "CPU 7 shares its core with 3, and the harness has to run there: what runs there slows it down."
        );
    }

    #[test]
    fn finding_contains_its_figure() {
        let guest = samples::guest();
        let pinning = Some(Pinning { worker: 1, harness: 0, shared: false, siblings: false });
        assert!(steal(&machine(&guest, pinning)).unwrap().what.contains("1.80 % of CPU 1's time"));
        assert!(limit(&machine(&guest, pinning)).unwrap().what.contains("1.50 CPUs"));
        assert!(load(&machine(&guest, pinning)).unwrap().what.starts_with("On average 1.40 threads"));
        assert!(swap(&machine(&samples::laptop(), pinning)).unwrap().what.starts_with("1.0 GiB"));
    }
}
