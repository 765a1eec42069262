//! What sets the pace: the CPU's frequency, its governor, and the clock that the kernel reads.

use ciphermeter_core::Fact;

use crate::{hypervisor, tree::Tree};

pub(crate) const CPUS: &str = "sys/devices/system/cpu";

/// The clock behind the kernel's monotonic time.
pub(crate) fn source(tree: &Tree) -> Fact {
    match tree.text("sys/devices/system/clocksource/clocksource0/current_clocksource") {
        Ok(name) => Fact::present("clocksource", name),
        Err(why) => Fact::absent("clocksource", why),
    }
}

/// The policy that chooses a CPU's frequency, and its driver.
pub(crate) fn governor(tree: &Tree, cpu: usize) -> Fact {
    let folder = format!("{CPUS}/cpu{cpu}/cpufreq");
    match (tree.text(&format!("{folder}/scaling_governor")), tree.text(&format!("{folder}/scaling_driver"))) {
        (Ok(governor), Ok(driver)) => Fact::present("governor", format!("{governor} ({driver})")),
        (Ok(governor), Err(_)) => Fact::present("governor", governor),
        (Err(why), _) => Fact::absent("governor", ungoverned(tree, why)),
    }
}

/// The frequencies that a CPU can have, in kHz: drivers that know none say 0.
const POSSIBLE: std::ops::RangeInclusive<u64> = 1_000..=20_000_000;

/// The frequency in a file, in kHz.
pub(crate) fn kilohertz(tree: &Tree, path: &str) -> Result<u64, String> {
    match tree.number(path)? {
        kilohertz if POSSIBLE.contains(&kilohertz) => Ok(kilohertz),
        other => Err(format!("/{path} says {other} kHz, which no CPU has")),
    }
}

/// The range of a CPU's frequency, and the frequency last set.
pub(crate) fn frequency(tree: &Tree, cpu: usize) -> Fact {
    let kilohertz = |name: &str| kilohertz(tree, &format!("{CPUS}/cpu{cpu}/cpufreq/{name}"));
    let gigahertz = |kilohertz: u64| format!("{:.2}", kilohertz as f64 / 1e6);
    match (kilohertz("cpuinfo_min_freq"), kilohertz("cpuinfo_max_freq")) {
        (Ok(low), Ok(high)) => {
            let now = kilohertz("scaling_cur_freq").map(|now| format!(", {} at this moment", gigahertz(now)));
            let now = now.unwrap_or_default();
            Fact::present("frequency", format!("{} to {} GHz{now}", gigahertz(low), gigahertz(high)))
        }
        (Err(why), _) | (_, Err(why)) => Fact::absent("frequency", ungoverned(tree, why)),
    }
}

/// Whether the CPU may exceed its nominal frequency: `on` or `off`.
pub(crate) fn turbo(tree: &Tree) -> Fact {
    match boosted(tree) {
        Ok(on) => Fact::present("turbo", if on { "on" } else { "off" }),
        Err(why) => Fact::absent("turbo", ungoverned(tree, why)),
    }
}

/// Intel's driver has its own switch; all others share one.
pub(crate) fn boosted(tree: &Tree) -> Result<bool, String> {
    if let Ok(switch) = tree.number(&format!("{CPUS}/intel_pstate/no_turbo")) {
        return Ok(switch == 0);
    }
    tree.number(&format!("{CPUS}/cpufreq/boost")).map(|switch| switch != 0)
}

pub(crate) fn ungoverned(tree: &Tree, why: String) -> String {
    match hypervisor::seen(tree) {
        Ok(Some(_)) => format!("{why}: a virtual machine's frequency is its host's affair"),
        _ => why,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn laptop_frequency_is_a_range() {
        let laptop = samples::laptop();
        assert_eq!(governor(&laptop, 7).value.unwrap(), "powersave (intel_pstate)");
        assert_eq!(frequency(&laptop, 7).value.unwrap(), "0.40 to 4.80 GHz, 2.10 at this moment");
        assert_eq!(turbo(&laptop).value.unwrap(), "on");
        assert_eq!(source(&laptop).value.unwrap(), "tsc");
    }

    #[test]
    fn frequency_that_no_cpu_has_is_none() {
        let of = |[low, high, now]: [&str; 3]| {
            let file = |name| format!("{CPUS}/cpu0/cpufreq/{name}");
            let files =
                [(file("cpuinfo_min_freq"), low), (file("cpuinfo_max_freq"), high), (file("scaling_cur_freq"), now)];
            let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
            frequency(&Tree::of(&files), 0)
        };
        for zeros in [["0", "0", "0"], ["0", "4800000", "2100000"], ["400000", "0", "0"]] {
            assert!(of(zeros).why.unwrap().ends_with(" says 0 kHz, which no CPU has"), "{zeros:?}");
        }
        // Made up for this test.
        assert_eq!(of(["400000", "4800000", "0"]).value.unwrap(), "0.40 to 4.80 GHz");
        assert_eq!(of(["400000", "4800000", "999"]).value.unwrap(), "0.40 to 4.80 GHz");
        assert_eq!(of(["400000", "4800000", "18446744073709551615"]).value.unwrap(), "0.40 to 4.80 GHz");
        for wrong in [["400000", "4294967295", "1"], ["1", "2", "3"], ["00", "4800000", "2100000"]] {
            assert!(of(wrong).why.unwrap().ends_with(" kHz, which no CPU has"), "{wrong:?}");
        }
    }

    #[test]
    fn server_frequency_is_fixed() {
        let server = samples::server();
        assert_eq!(governor(&server, 1).value.unwrap(), "performance (cppc_cpufreq)");
        assert!(turbo(&server).why.is_some());
    }

    #[test]
    fn guest_names_its_host_as_the_reason() {
        let guest = samples::guest();
        for fact in [governor(&guest, 1), frequency(&guest, 1), turbo(&guest)] {
            assert!(fact.why.unwrap().ends_with("a virtual machine's frequency is its host's affair"));
        }
    }
}
