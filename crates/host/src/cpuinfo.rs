//! `/proc/cpuinfo`: which CPU it is.
//!
//! x86 kernels write the model's name; Arm kernels write two numbers, whose names come from the public lists of
//! Arm and its licensees (as in util-linux's `lscpu`). A number that isn't in the list is told as a number.

use ciphermeter_core::Fact;

use crate::tree::Tree;

const PATH: &str = "proc/cpuinfo";

/// Implementer, part, name. Both numbers are fields of the register MIDR_EL1.
const PARTS: [(u32, u32, &str); 44] = [
    (0x41, 0xd03, "Arm Cortex-A53"),
    (0x41, 0xd04, "Arm Cortex-A35"),
    (0x41, 0xd05, "Arm Cortex-A55"),
    (0x41, 0xd07, "Arm Cortex-A57"),
    (0x41, 0xd08, "Arm Cortex-A72"),
    (0x41, 0xd09, "Arm Cortex-A73"),
    (0x41, 0xd0a, "Arm Cortex-A75"),
    (0x41, 0xd0b, "Arm Cortex-A76"),
    (0x41, 0xd0c, "Arm Neoverse N1"),
    (0x41, 0xd0d, "Arm Cortex-A77"),
    (0x41, 0xd40, "Arm Neoverse V1"),
    (0x41, 0xd41, "Arm Cortex-A78"),
    (0x41, 0xd44, "Arm Cortex-X1"),
    (0x41, 0xd46, "Arm Cortex-A510"),
    (0x41, 0xd47, "Arm Cortex-A710"),
    (0x41, 0xd48, "Arm Cortex-X2"),
    (0x41, 0xd49, "Arm Neoverse N2"),
    (0x41, 0xd4a, "Arm Neoverse E1"),
    (0x41, 0xd4b, "Arm Cortex-A78C"),
    (0x41, 0xd4d, "Arm Cortex-A715"),
    (0x41, 0xd4e, "Arm Cortex-X3"),
    (0x41, 0xd4f, "Arm Neoverse V2"),
    (0x41, 0xd80, "Arm Cortex-A520"),
    (0x41, 0xd81, "Arm Cortex-A720"),
    (0x41, 0xd82, "Arm Cortex-X4"),
    (0x41, 0xd84, "Arm Neoverse V3"),
    (0x41, 0xd85, "Arm Cortex-X925"),
    (0x41, 0xd87, "Arm Cortex-A725"),
    (0x41, 0xd8e, "Arm Neoverse N3"),
    (0x42, 0x516, "Broadcom ThunderX2"),
    (0x43, 0x0a1, "Cavium ThunderX"),
    (0x43, 0x0af, "Cavium ThunderX2"),
    (0x46, 0x001, "Fujitsu A64FX"),
    (0x48, 0xd01, "HiSilicon TaiShan v110"),
    (0x4e, 0x004, "NVIDIA Carmel"),
    (0x51, 0x001, "Qualcomm Oryon"),
    (0x51, 0xc00, "Qualcomm Falkor"),
    (0x61, 0x022, "Apple Icestorm (M1)"),
    (0x61, 0x023, "Apple Firestorm (M1)"),
    (0x61, 0x032, "Apple Blizzard (M2)"),
    (0x61, 0x033, "Apple Avalanche (M2)"),
    (0x6d, 0xd49, "Microsoft Azure Cobalt 100"),
    (0xc0, 0xac3, "Ampere-1"),
    (0xc0, 0xac4, "Ampere-1A"),
];

/// The model of the worker's CPU, and what other models the machine has beside it.
pub(crate) fn model(tree: &Tree, worker: usize) -> Fact {
    match tree.text(PATH) {
        Ok(text) => match names(&text, worker) {
            Some((name, others)) if others.is_empty() => Fact::present("cpu", name),
            Some((name, others)) => Fact::present("cpu", format!("{name} (beside it {})", others.join(", "))),
            None => Fact::absent("cpu", format!("/{PATH} names no model")),
        },
        Err(why) => Fact::absent("cpu", why),
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

/// The name in one CPU's block.
fn name(block: &str) -> Option<String> {
    if let Some(name) = field(block, "model name") {
        return Some(name.split_whitespace().collect::<Vec<_>>().join(" ")).filter(|name| !name.is_empty());
    }
    let hexadecimal = |name| u32::from_str_radix(field(block, name)?.trim_start_matches("0x"), 16).ok();
    let (implementer, part) = (hexadecimal("CPU implementer")?, hexadecimal("CPU part")?);
    let known = PARTS.iter().find(|(i, p, _)| (*i, *p) == (implementer, part)).map(|(.., name)| (*name).to_owned());
    Some(known.unwrap_or_else(|| format!("Arm implementer {implementer:#04x}, part {part:#05x}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn x86_writes_the_name() {
        let (name, others) = names(samples::CPUINFO_LAPTOP, 0).unwrap();
        assert_eq!(name, "11th Gen Intel(R) Core(TM) i7-1185G7 @ 3.00GHz");
        assert!(others.is_empty());
        assert_eq!(field(samples::CPUINFO_LAPTOP, "microcode"), Some("0xb4"));
    }

    #[test]
    fn arm_writes_numbers() {
        assert_eq!(names(samples::CPUINFO_ARM, 0).unwrap().0, "Arm Neoverse N1");
        let unknown = "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xfff\n";
        assert_eq!(names(unknown, 0).unwrap().0, "Arm implementer 0x41, part 0xfff");
    }

    #[test]
    fn two_kinds_of_cores_are_both_named_the_workers_first() {
        let text = "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd05\n\nprocessor\t: 1\n\
                    CPU implementer\t: 0x41\nCPU part\t: 0xd0b\n";
        assert_eq!(names(text, 1), Some(("Arm Cortex-A76".into(), vec!["Arm Cortex-A55".into()])));
    }

    #[test]
    fn a_text_without_names_has_none() {
        assert_eq!(names("processor\t: 0\nisa\t: rv64imafdc\n", 0), None);
        assert_eq!(names("", 0), None);
    }
}
