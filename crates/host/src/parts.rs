//! The names of Arm's numbers: cores, and the chips that are sold under another name.
//!
//! From the public lists of Arm and its licensees, as in util-linux's `lscpu` and Linux's `asm/cputype.h`.

/// Implementer, part, name. Both numbers are fields of the register MIDR_EL1.
const PARTS: &[(u32, u32, &str)] = &[
    (0x41, 0xd02, "Arm Cortex-A34"),
    (0x41, 0xd03, "Arm Cortex-A53"),
    (0x41, 0xd04, "Arm Cortex-A35"),
    (0x41, 0xd05, "Arm Cortex-A55"),
    (0x41, 0xd06, "Arm Cortex-A65"),
    (0x41, 0xd07, "Arm Cortex-A57"),
    (0x41, 0xd08, "Arm Cortex-A72"),
    (0x41, 0xd09, "Arm Cortex-A73"),
    (0x41, 0xd0a, "Arm Cortex-A75"),
    (0x41, 0xd0b, "Arm Cortex-A76"),
    (0x41, 0xd0c, "Arm Neoverse N1"),
    (0x41, 0xd0d, "Arm Cortex-A77"),
    (0x41, 0xd0e, "Arm Cortex-A76AE"),
    (0x41, 0xd40, "Arm Neoverse V1"),
    (0x41, 0xd41, "Arm Cortex-A78"),
    (0x41, 0xd42, "Arm Cortex-A78AE"),
    (0x41, 0xd44, "Arm Cortex-X1"),
    (0x41, 0xd46, "Arm Cortex-A510"),
    (0x41, 0xd47, "Arm Cortex-A710"),
    (0x41, 0xd48, "Arm Cortex-X2"),
    (0x41, 0xd49, "Arm Neoverse N2"),
    (0x41, 0xd4a, "Arm Neoverse E1"),
    (0x41, 0xd4b, "Arm Cortex-A78C"),
    (0x41, 0xd4c, "Arm Cortex-X1C"),
    (0x41, 0xd4d, "Arm Cortex-A715"),
    (0x41, 0xd4e, "Arm Cortex-X3"),
    (0x41, 0xd4f, "Arm Neoverse V2"),
    (0x41, 0xd80, "Arm Cortex-A520"),
    (0x41, 0xd81, "Arm Cortex-A720"),
    (0x41, 0xd82, "Arm Cortex-X4"),
    (0x41, 0xd83, "Arm Neoverse V3AE"),
    (0x41, 0xd84, "Arm Neoverse V3"),
    (0x41, 0xd85, "Arm Cortex-X925"),
    (0x41, 0xd87, "Arm Cortex-A725"),
    (0x41, 0xd8e, "Arm Neoverse N3"),
    (0x42, 0x516, "Broadcom ThunderX2"),
    (0x43, 0x0a1, "Cavium ThunderX"),
    (0x43, 0x0af, "Cavium ThunderX2"),
    (0x46, 0x001, "Fujitsu A64FX"),
    (0x48, 0xd01, "HiSilicon TaiShan v110"),
    (0x48, 0xd02, "HiSilicon TaiShan v120"),
    (0x4e, 0x003, "NVIDIA Denver 2"),
    (0x4e, 0x004, "NVIDIA Carmel"),
    (0x51, 0x001, "Qualcomm Oryon"),
    (0x51, 0x800, "Qualcomm Kryo 2xx Gold"),
    (0x51, 0x801, "Qualcomm Kryo 2xx Silver"),
    (0x51, 0x802, "Qualcomm Kryo 3xx Gold"),
    (0x51, 0x803, "Qualcomm Kryo 3xx Silver"),
    (0x51, 0x804, "Qualcomm Kryo 4xx Gold"),
    (0x51, 0x805, "Qualcomm Kryo 4xx Silver"),
    (0x51, 0xc00, "Qualcomm Falkor"),
    (0x61, 0x022, "Apple Icestorm (M1)"),
    (0x61, 0x023, "Apple Firestorm (M1)"),
    (0x61, 0x024, "Apple Icestorm (M1 Pro)"),
    (0x61, 0x025, "Apple Firestorm (M1 Pro)"),
    (0x61, 0x028, "Apple Icestorm (M1 Max)"),
    (0x61, 0x029, "Apple Firestorm (M1 Max)"),
    (0x61, 0x032, "Apple Blizzard (M2)"),
    (0x61, 0x033, "Apple Avalanche (M2)"),
    (0x61, 0x034, "Apple Blizzard (M2 Pro)"),
    (0x61, 0x035, "Apple Avalanche (M2 Pro)"),
    (0x61, 0x038, "Apple Blizzard (M2 Max)"),
    (0x61, 0x039, "Apple Avalanche (M2 Max)"),
    (0x6d, 0xd49, "Microsoft Azure Cobalt 100"),
    (0xc0, 0xac3, "Ampere-1"),
    (0xc0, 0xac4, "Ampere-1A"),
    (0xc0, 0xac5, "Ampere-1B"),
];

/// Chips that have no number of their own: the firmware's vendor, the core, and the vendor's name for the chip. Each of
/// these vendors has one chip with that core.
const CHIPS: [(&str, &str, &str); 6] = [
    ("Amazon EC2", "Arm Cortex-A72", "AWS Graviton"),
    ("Amazon EC2", "Arm Neoverse N1", "AWS Graviton2"),
    ("Amazon EC2", "Arm Neoverse V1", "AWS Graviton3"),
    ("Amazon EC2", "Arm Neoverse V2", "AWS Graviton4"),
    ("Amazon EC2", "Arm Neoverse V3", "AWS Graviton5"),
    ("Google", "Arm Neoverse V2", "Google Axion"),
];

/// A core's name by its implementer and part.
pub(crate) fn core(implementer: u32, part: u32) -> Option<&'static str> {
    PARTS.iter().find(|(i, p, _)| (*i, *p) == (implementer, part)).map(|(.., name)| *name)
}

/// The firmware vendor's name for the chip with that core.
pub(crate) fn chip(vendor: &str, core: &str) -> Option<&'static str> {
    CHIPS.iter().find(|(v, c, _)| (*v, *c) == (vendor, core)).map(|(.., chip)| *chip)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_listed_once_and_in_order() {
        assert!(PARTS.is_sorted_by_key(|(implementer, part, _)| (*implementer, *part)));
        assert!(PARTS.windows(2).all(|pair| (pair[0].0, pair[0].1) != (pair[1].0, pair[1].1)));
    }

    #[test]
    fn every_chips_core_is_listed() {
        assert!(CHIPS.iter().all(|(_, core, _)| PARTS.iter().any(|(.., name)| name == core)));
    }
}
