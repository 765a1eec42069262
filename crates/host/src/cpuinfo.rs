//! `/proc/cpuinfo`: the CPU's model.
//!
//! x86 kernels write the model's name; Arm kernels write two numbers, whose names are in [`parts`]. An unlisted number
//! is reported as a number.

use ciphermeter_core::Fact;

use crate::{parts, tree, tree::Tree};

const PATH: &str = "proc/cpuinfo";

/// The model of the worker's CPU, and the machine's other models.
pub(crate) fn model(tree: &Tree, worker: usize) -> Fact {
    match tree.text(PATH) {
        Ok(text) => match names(&text, worker).map(|(name, others)| (sold_as(tree, name), others)) {
            Some((name, others)) if others.is_empty() => Fact::present("cpu", name),
            Some((name, others)) => Fact::present("cpu", format!("{name} (beside it {})", others.join(", "))),
            None => Fact::absent("cpu", format!("/{PATH} names no model")),
        },
        Err(why) => match brand() {
            Some(name) => Fact::present("cpu", name),
            None => Fact::absent("cpu", why),
        },
    }
}

/// macOS's name for the chip, `Apple M3 Pro`: there is no `/proc`, so the system's own command is asked.
fn brand() -> Option<String> {
    if !cfg!(target_os = "macos") {
        return None;
    }
    let asked =
        std::process::Command::new("/usr/sbin/sysctl").args(["-n", "machdep.cpu.brand_string"]).output().ok()?;
    let name = tree::name(&String::from_utf8_lossy(&asked.stdout));
    (asked.status.success() && !name.is_empty()).then_some(name)
}

/// A core's name, with the chip's where the machine's vendor determines it.
fn sold_as(tree: &Tree, name: String) -> String {
    let vendor = tree.text("sys/class/dmi/id/sys_vendor").unwrap_or_default();
    match parts::chip(&vendor, &name) {
        Some(chip) => format!("{name} ({chip})"),
        None => name,
    }
}

/// Whether the kernel's CPU is of another family than this program was built for: then an emulator runs it. (Newer
/// emulators make up a `/proc/cpuinfo` and are not detected.)
pub(crate) fn emulated(tree: &Tree) -> bool {
    let Ok(text) = tree.text(PATH) else { return false };
    match std::env::consts::ARCH {
        "aarch64" => field(&text, "vendor_id").is_some() && field(&text, "CPU implementer").is_none(),
        "x86_64" => field(&text, "vendor_id").is_none() && field(&text, "CPU implementer").is_some(),
        _ => false,
    }
}

/// The microcode's revision: updates against side channels change what instructions cost.
pub(crate) fn microcode(tree: &Tree) -> Fact {
    match tree.text(PATH).map(|text| field(&text, "microcode").map(str::to_owned)) {
        Ok(Some(revision)) => Fact::present("microcode", revision),
        Ok(None) => Fact::absent("microcode", format!("/{PATH} names no microcode")),
        Err(why) => Fact::absent("microcode", why),
    }
}

/// The first value of a field such as `flags`.
pub(crate) fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().filter_map(|line| line.split_once(':')).find(|(key, _)| key.trim() == name).map(|(_, v)| v.trim())
}

/// The name of the worker's CPU, and the other names, each once.
fn names(text: &str, worker: usize) -> Option<(String, Vec<String>)> {
    let blocks: Vec<(Option<usize>, String)> = text
        .split("\n\n")
        .filter_map(|block| Some((field(block, "processor").and_then(|cpu| cpu.parse().ok()), name(block)?)))
        .collect();
    let (_, chosen) = blocks.iter().find(|(cpu, _)| *cpu == Some(worker)).or(blocks.first())?;
    let mut others: Vec<String> = Vec::new();
    for (_, name) in &blocks {
        if name != chosen && !others.contains(name) {
            others.push(name.clone());
        }
    }
    Some((chosen.clone(), others))
}

/// The name in the block of one CPU.
fn name(block: &str) -> Option<String> {
    if let Some(name) = field(block, "model name") {
        return Some(tree::name(name)).filter(|name| !name.is_empty());
    }
    let hexadecimal = |name| u32::from_str_radix(field(block, name)?.trim_start_matches("0x"), 16).ok();
    let (implementer, part) = (hexadecimal("CPU implementer")?, hexadecimal("CPU part")?);
    let unknown = || format!("Arm implementer {implementer:#04x}, part {part:#05x}");
    Some(parts::core(implementer, part).map_or_else(unknown, str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn x86_name_is_read() {
        let (name, others) = names(samples::CPUINFO_LAPTOP, 0).unwrap();
        assert_eq!(name, "11th Gen Intel(R) Core(TM) i7-1185G7 @ 3.00GHz");
        assert!(others.is_empty());
        assert_eq!(field(samples::CPUINFO_LAPTOP, "microcode"), Some("0xb4"));
    }

    #[test]
    fn arm_numbers_are_named() {
        assert_eq!(names(samples::CPUINFO_ARM, 0).unwrap().0, "Arm Neoverse N1");
        let unknown = "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xfff\n";
        assert_eq!(names(unknown, 0).unwrap().0, "Arm implementer 0x41, part 0xfff");
    }

    #[test]
    fn two_kinds_of_cores_are_named_the_workers_first() {
        let text = "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd05\n\nprocessor\t: 1\n\
                    CPU implementer\t: 0x41\nCPU part\t: 0xd0b\n";
        assert_eq!(names(text, 1), Some(("Arm Cortex-A76".into(), vec!["Arm Cortex-A55".into()])));
    }

    #[test]
    fn three_kinds_of_cores_are_all_named() {
        let (name, others) = names(samples::CPUINFO_PHONE, 7).unwrap();
        assert_eq!(name, "Arm Cortex-X2");
        assert_eq!(others, ["Arm Cortex-A510", "Arm Cortex-A710"]);
    }

    #[test]
    fn control_characters_are_no_part_of_a_name() {
        let cpu = |name: &str| {
            let text = format!("processor\t: 0\nmodel name\t: {name}\n");
            model(&Tree::of(&[("proc/cpuinfo", &text), ("sys/class/dmi/id/sys_vendor", "")]), 0).value
        };
        assert_eq!(cpu("AMD\u{1b}[31m EPYC\u{7}").unwrap(), "AMD [31m EPYC");
        // Made up for this test.
        for name in
            ["AMD EPYC\u{0}\u{0}", "AMD\u{8}\u{8} EPYC", "AMD\u{85}EPYC", "AMD \u{9b} EPYC", "AMD\r\tEPYC\u{7f}"]
        {
            assert_eq!(cpu(name).unwrap(), "AMD EPYC", "{name:?}");
        }
        assert_eq!(cpu("\u{0}\u{7f}"), None);
    }

    #[test]
    fn chip_is_named_if_its_vendor_is_known() {
        let cpu = |vendor: &str| {
            let text = samples::CPUINFO_ARM.replace("0xd0c", "0xd40");
            model(&Tree::of(&[("proc/cpuinfo", &text), ("sys/class/dmi/id/sys_vendor", vendor)]), 0).value.unwrap()
        };
        assert_eq!(cpu("Amazon EC2\n"), "Arm Neoverse V1 (AWS Graviton3)");
        assert_eq!(cpu("GIGABYTE\n"), "Arm Neoverse V1");
    }

    #[test]
    fn cpu_of_another_family_means_an_emulator() {
        let (own, other) = match cfg!(target_arch = "aarch64") {
            true => (samples::server(), samples::laptop()),
            false => (samples::laptop(), samples::server()),
        };
        assert!(!emulated(&own) && emulated(&other) && !emulated(&samples::empty()));
    }

    #[test]
    fn text_without_names_gives_none() {
        assert_eq!(names("processor\t: 0\nisa\t: rv64imafdc\n", 0), None);
        assert_eq!(names("", 0), None);
    }
}
