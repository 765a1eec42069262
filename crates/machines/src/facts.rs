//! The facts of a host that are shared. The list says which, and what each may be: a fact that is not in it stays out, as does every
//! reason for an absent one, which may name a file.

use ciphermeter_core::Fact;

use crate::allowed::{is_of, is_plain};

/// The most characters of a CPU's or a system's name.
const MOST_NAME: usize = 160;

/// What the value of a fact may be.
enum Value {
    /// A plain text.
    Plain,
    /// These words, and numbers.
    Words(&'static [&'static str]),
    /// Those of these words that it has.
    Some(&'static [&'static str]),
    /// `0x` and hexadecimal digits.
    Revision,
    /// A kernel and the numbers of its release.
    Kernel,
}

/// Instructions that decide which code libraries run, as `features` has them.
const FEATURES: &[&str] = &[
    "aes", "pclmulqdq", "ssse3", "sse4.1", "avx", "avx2", "bmi2", "adx", "sha", "gfni", "vaes", "vpclmulqdq",
    "avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512ifma", "avx512vbmi", "neon", "pmull", "sha2", "sha3", "sve",
    "sve2", "sve2-aes", "none",
];

const FACTS: &[(&str, Value)] = &[
    ("cpu", Value::Plain),
    ("architecture", Value::Words(&["x86_64", "aarch64", "arm", "riscv64", "emulated", "on", "another"])),
    ("features", Value::Some(FEATURES)),
    ("microcode", Value::Revision),
    ("cores", Value::Words(&["logical", "allowed", "to", "this", "process"])),
    ("pinning", Value::Words(&["workers", "harness", "and", "on", "CPU", "of", "the", "same", "core"])),
    (
        "siblings",
        Value::Words(&["none", "that", "the", "system", "knows", "of", "for", "CPU", "CPUs", "share", "a", "core"]),
    ),
    (
        "core kind",
        Value::Words(&["all", "alike", "CPU", "is", "of", "a", "the", "slower", "fastest", "kind", "are", "faster"]),
    ),
    ("caches", Value::Words(&["L1", "L1d", "L2", "L3", "L4", "shared", "by"])),
    ("page size", Value::Words(&[])),
    ("kernel", Value::Kernel),
    ("os", Value::Plain),
    (
        "hypervisor",
        Value::Words(&[
            "none", "seen", "yes", "of", "unknown", "kind", "QEMU", "KVM", "VMware", "VirtualBox", "Hyper-V", "Xen",
            "Parallels", "bhyve", "Google", "Compute", "Engine", "OpenStack", "DigitalOcean", "Apple",
            "Virtualization", "Amazon", "EC2",
        ]),
    ),
    (
        "clocksource",
        Value::Words(&[
            "tsc", "kvm-clock", "hpet", "acpi_pm", "xen", "hyperv_clocksource_tsc_page", "hyperv_clocksource_msr",
            "arch_sys_counter", "jiffies",
        ]),
    ),
    (
        "governor",
        Value::Words(&[
            "performance", "powersave", "ondemand", "conservative", "schedutil", "userspace", "intel_pstate",
            "intel_cpufreq", "amd-pstate", "amd-pstate-epp", "acpi-cpufreq", "cpufreq-dt", "scmi",
        ]),
    ),
    ("frequency", Value::Words(&["to", "GHz", "now"])),
    ("turbo", Value::Words(&["on", "off"])),
    ("cpu limit", Value::Words(&["none", "seen", "CPUs", "by", "control", "group"])),
    ("power supply", Value::Words(&["mains", "battery"])),
];

/// The facts that are shared, in the order of the list.
pub fn shared(host: &[Fact]) -> Vec<Fact> {
    let of = |(name, rule): &(&str, Value)| {
        let value = host.iter().find(|fact| fact.name == *name)?.value.as_deref()?;
        Some(Fact::present(name, rule.taken(value)?))
    };
    FACTS.iter().filter_map(of).collect()
}

impl Value {
    /// The value as it is shared; `None`: it stays out.
    fn taken(&self, value: &str) -> Option<String> {
        let is_fine = match self {
            Self::Plain => is_plain(value, MOST_NAME),
            Self::Words(words) => is_of(value, words),
            Self::Some(words) => {
                let there: Vec<&str> = value.split(' ').filter(|word| words.contains(word)).collect();
                return (!there.is_empty()).then(|| there.join(" "));
            }
            Self::Revision => {
                let digits = value.strip_prefix("0x").unwrap_or_default();
                (1..=16).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
            }
            Self::Kernel => return kernel(value),
        };
        is_fine.then(|| value.to_owned())
    }
}

/// `Linux 6.1.0-13` of `Linux 6.1.0-13-amd64-joes-build`: what follows the numbers may be anyone's words.
fn kernel(value: &str) -> Option<String> {
    let (name, release) = value.split_once(' ')?;
    let end = release.find(|letter: char| !letter.is_ascii_digit() && letter != '.' && letter != '-');
    let numbers = release[..end.unwrap_or(release.len())].trim_end_matches(['-', '.']);
    let is_fine = ["Linux", "Darwin", "FreeBSD"].contains(&name) && (1..=24).contains(&numbers.len());
    is_fine.then(|| format!("{name} {numbers}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernel_keeps_its_numbers_alone() {
        assert_eq!(kernel("Linux 6.18.44-fc-v657").unwrap(), "Linux 6.18.44");
        assert_eq!(kernel("Linux 6.1.0-13-amd64").unwrap(), "Linux 6.1.0-13");
        assert_eq!(kernel("Darwin 24.1.0").unwrap(), "Darwin 24.1.0");
        for other in ["Linux", "Linux joe", "joe 6.1", ""] {
            assert_eq!(kernel(other), None, "{other}");
        }
    }

    #[test]
    fn facts_of_this_machine_fit_their_rules() {
        let host = [
            Fact::present("cpu", "Intel(R) Xeon(R) Processor"),
            Fact::present("features", "aes joe avx2"),
            Fact::present("cores", "2 logical, 2 allowed to this process (0-1)"),
            Fact::present("pinning", "workers on CPU 1, harness on CPU 0"),
            Fact::present("siblings", "none that the system knows of for CPU 1"),
            Fact::present("caches", "L1d 48KiB, L2 2MiB, L3 300MiB shared by 0-1"),
            Fact::present("hypervisor", "yes (KVM)"),
            Fact::present("machine", "Joe's laptop"),
            Fact::absent("governor", "there is no /home/joe"),
            Fact::present("frequency", "1.20 to 3.40 GHz, now 2.10 GHz"),
            Fact::present("clocksource", "joes-clock"),
        ];
        let shared = shared(&host);
        let value = |name: &str| shared.iter().find(|fact| fact.name == name)?.value.as_deref();
        assert_eq!(value("features"), Some("aes avx2"));
        for name in ["cpu", "cores", "pinning", "siblings", "caches", "hypervisor", "frequency"] {
            assert!(value(name).is_some(), "{name}");
        }
        assert_eq!(shared.len(), 8, "{shared:?}");
    }
}
