//! What makes the worker's CPU run slower than it could, or its clock coarse.

use std::env::consts::ARCH;

use super::finding::{Finding, Machine, NOTHING};
use crate::topology::CoreKind;
use crate::{clock, list, sensors, topology};

/// Detects only some emulators: see [`crate::cpuinfo::emulated`].
pub(super) fn emulator(machine: &Machine) -> Option<Finding> {
    machine.emulated.then(|| {
        Finding::bad(
            "emulator",
            format!("An emulator runs this program, which was built for {}, so times are the emulator's.", ARCH),
            "measure with a build for this machine's own CPU; outputs are verified here all the same",
        )
    })
}

/// Said only where there is something: most machines have nothing of the kind.
pub(super) fn switches(machine: &Machine) -> Option<Finding> {
    let names: Vec<&str> = machine.switches.iter().map(|switch| switch.name.as_str()).collect();
    let all: Vec<String> = machine.switches.iter().map(ToString::to_string).collect();
    (!names.is_empty()).then(|| {
        let what = format!("Set here, and changes which code libraries run: {}.", all.join("; "));
        Finding::bad("switches", what, format!("remove {}, or say it with every figure", names.join(" and ")))
    })
}

pub(super) fn governor(machine: &Machine) -> Option<Finding> {
    let (about, cpu) = ("governor", machine.worker());
    let fact = clock::governor(machine.tree, cpu);
    Some(match (fact.value, fact.why) {
        (Some(governor), _) if governor.starts_with("performance") => {
            Finding::good(about, format!("CPU {cpu} is governed by {governor}."))
        }
        (Some(governor), _) => Finding::note(
            about,
            format!("CPU {cpu} is governed by {governor}, so its frequency follows the load."),
            "echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor",
        ),
        (None, why) => unreported(about, "The governor of the frequency", why.unwrap_or_default()),
    })
}

pub(super) fn turbo(machine: &Machine) -> Option<Finding> {
    let about = "turbo";
    let fact = clock::turbo(machine.tree);
    Some(match (clock::boosted(machine.tree), fact.why) {
        (Ok(false), _) => Finding::good(about, "Turbo is off."),
        (Ok(true), _) => {
            let intel = machine.tree.has("sys/devices/system/cpu/intel_pstate/no_turbo");
            let switch = if intel { "1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo" } else { BOOST };
            Finding::note(
                about,
                "Turbo is on, so the frequency falls as the chip warms up and as other cores work.",
                format!("for steady levels: echo {switch}; for ratios {NOTHING}"),
            )
        }
        (Err(why), reported) => unreported(about, "The state of turbo", reported.unwrap_or(why)),
    })
}

const BOOST: &str = "0 | sudo tee /sys/devices/system/cpu/cpufreq/boost";

pub(super) fn battery(machine: &Machine) -> Option<Finding> {
    let about = "power supply";
    Some(match sensors::on_battery(machine.tree)? {
        true => Finding::bad(about, "The machine runs on battery, which lowers the clock.", "plug it in"),
        false => Finding::good(about, "The machine runs on mains."),
    })
}

/// Only Intel's CPUs count this.
pub(super) fn throttled(machine: &Machine) -> Option<Finding> {
    let (about, cpu) = ("heat", machine.worker());
    let path = format!("sys/devices/system/cpu/cpu{cpu}/thermal_throttle/core_throttle_count");
    Some(match machine.tree.number(&path).ok()? {
        0 => Finding::good(about, format!("CPU {cpu} was not slowed down by heat since boot.")),
        times => Finding::note(
            about,
            format!("CPU {cpu} was slowed down by heat {times} times since boot."),
            "improve the cooling, and let it cool down before long runs",
        ),
    })
}

pub(super) fn clocksource(machine: &Machine) -> Option<Finding> {
    let about = "clocksource";
    let name = clock::source(machine.tree).value?;
    Some(match name.as_str() {
        "tsc" | "arch_sys_counter" | "kvm-clock" | "hyperv_clocksource_tsc_page" => {
            Finding::good(about, format!("The kernel's clock is {name}, which can be read without a system call."))
        }
        "hpet" | "acpi_pm" | "jiffies" | "refined-jiffies" => Finding::bad(
            about,
            format!("The kernel's clock is {name}: coarse, and slow to read."),
            "find out why the kernel rejected the CPU's counter (dmesg | grep -i clocksource); `clocksource=tsc` on the \
             kernel's command line asks for it again",
        ),
        _ => Finding::note(
            about,
            format!("The kernel's clock is {name}, which may be slow to read."),
            "nothing to do: the clock's step and cost are measured, and samples are long enough for them",
        ),
    })
}

pub(super) fn kind(machine: &Machine) -> Option<Finding> {
    let (about, cpu) = ("core kind", machine.worker());
    Some(match topology::kind_of(machine.tree, cpu).ok()? {
        CoreKind::Only => Finding::good(about, "All cores are of one kind, as far as the kernel says."),
        CoreKind::Fast => Finding::good(about, format!("CPU {cpu}, where workers run, is of the fastest kind.")),
        CoreKind::Slow(fast) => {
            let fast = list::write(&fast);
            Finding::note(
                about,
                format!("CPU {cpu}, where workers run, is of a slower kind than CPUs {fast}."),
                format!("to measure the fast cores, run: taskset -c {fast} ciphermeter …"),
            )
        }
    })
}

pub(super) fn kernel(machine: &Machine) -> Option<Finding> {
    let (about, release) = ("kernel", machine.release);
    Some(match release.to_ascii_lowercase().contains("debug") {
        true => Finding::bad(
            about,
            format!("The kernel {release} calls itself a debugging kernel, which slows down every system call."),
            "boot the distribution's ordinary kernel",
        ),
        false => Finding::good(about, format!("The kernel {release} doesn't call itself a debugging kernel.")),
    })
}

fn unreported(about: &str, subject: &str, why: String) -> Finding {
    Finding::note(about, format!("{subject} is unknown ({why})."), NOTHING)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Verdict;
    use crate::tree::Tree;

    fn machine<'a>(tree: &'a Tree, release: &'a str) -> Machine<'a> {
        Machine { tree, allowed: &[0], pinning: None, release, emulated: false, switches: &[] }
    }

    #[test]
    fn slow_cores_are_named_with_the_command_that_avoids_them() {
        let tree = Tree::of(&[("sys/devices/cpu_core/cpus", "2-7"), ("sys/devices/cpu_atom/cpus", "0-1")]);
        let finding = kind(&machine(&tree, "6.8")).unwrap();
        assert_eq!(finding.verdict, Verdict::Note);
        assert!(finding.remedy.unwrap().contains("taskset -c 2-7"));
    }

    #[test]
    fn what_is_set_is_reported_with_its_names() {
        let tree = Tree::of(&[("etc/gcrypt/hwf.deny", "intel-aesni")]);
        let set = crate::switches::of(&tree, |name| (name == "OPENSSL_armcap").then(|| "0".into()));
        let seen = switches(&Machine { switches: &set, ..machine(&tree, "6.8") }).unwrap();
        assert!(seen.what.ends_with("OPENSSL_armcap=0; /etc/gcrypt/hwf.deny=intel-aesni."), "{seen:?}");
        assert!(seen.remedy.unwrap().starts_with("remove OPENSSL_armcap and /etc/gcrypt/hwf.deny, "));
        assert_eq!(switches(&machine(&tree, "6.8")), None);
    }

    #[test]
    fn emulator_is_reported() {
        let tree = Tree::of(&[]);
        assert_eq!(emulator(&machine(&tree, "6.8")), None);
        let seen = emulator(&Machine { emulated: true, ..machine(&tree, "6.8") }).unwrap();
        assert_eq!(seen.verdict, Verdict::Bad);
    }

    #[test]
    fn debugging_kernel_is_recognised_by_name() {
        let tree = Tree::of(&[]);
        assert_eq!(kernel(&machine(&tree, "6.11.4-301.fc41.x86_64+debug")).unwrap().verdict, Verdict::Bad);
    }

    #[test]
    fn remedy_names_the_switch_of_the_driver() {
        let tree = Tree::of(&[("sys/devices/system/cpu/cpufreq/boost", "1\n")]);
        assert!(turbo(&machine(&tree, "6.8")).unwrap().remedy.unwrap().contains("cpufreq/boost"));
    }
}
