//! Which measured CPU is most like another one: by the instructions that decide which code libraries run, then by its model's name.
//!
//! What comes out is a machine to look at, never a figure for the other CPU.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use ciphermeter_core::Run;

use crate::machine::Machine;

/// Instructions without which a library takes other code, of x86-64 and of aarch64.
const DECIDING: [&str; 13] = [
    "aes", "pclmulqdq", "vaes", "vpclmulqdq", "avx2", "avx512f", "sha", "adx", "neon", "pmull", "sha2", "sve2",
    "sve2-aes",
];
/// Those of AES and GHASH: without them, another cipher is faster, so no CPU that has them is like one that lacks them.
const ESSENTIAL: [&str; 3] = ["aes", "pclmulqdq", "pmull"];

/// Words that begin a CPU's name, with its vendor.
const VENDORS: [(&str, &str); 21] = [
    ("intel", "intel"),
    ("xeon", "intel"),
    ("pentium", "intel"),
    ("celeron", "intel"),
    ("atom", "intel"),
    ("amd", "amd"),
    ("epyc", "amd"),
    ("ryzen", "amd"),
    ("threadripper", "amd"),
    ("athlon", "amd"),
    ("opteron", "amd"),
    ("arm", "arm"),
    ("neoverse", "arm"),
    ("cortex", "arm"),
    ("graviton", "arm"),
    ("apple", "apple"),
    ("ampere", "ampere"),
    ("ampereone", "ampere"),
    ("qualcomm", "qualcomm"),
    ("snapdragon", "qualcomm"),
    ("kunpeng", "huawei"),
];

/// Words that say nothing of a model.
const NOISE: [&str; 7] = ["", "cpu", "processor", "with", "gen", "core", "cores"];

/// A CPU, as far as its name and its instructions say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cpu {
    name: String,
    vendor: Option<&'static str>,
    /// Words of its name in lower case, without those that every name has.
    words: Vec<String>,
    /// Instructions that decide; `None`: not known.
    deciding: Option<BTreeSet<&'static str>>,
}

/// The machine that is most like a CPU.
#[derive(Debug, Clone, Copy)]
pub struct Nearest<'a> {
    /// The machine.
    pub machine: &'a Machine,
    /// Whether it has all of the instructions that decide, and no others; `None`: not known.
    pub same_instructions: Option<bool>,
}

impl Cpu {
    /// By its name, and by its features as a run has them.
    pub fn of(name: &str, features: Option<&str>) -> Self {
        let lower = name.to_lowercase().replace("(r)", " ").replace("(tm)", " ");
        // What follows is a frequency.
        let lower = lower.split('@').next().unwrap_or_default();
        let all = lower.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !NOISE.contains(word));
        let words: Vec<String> = all.map(str::to_owned).collect();
        let known = |word: &String| VENDORS.iter().find(|(known, _)| known == word);
        let vendor = words.iter().find_map(known).map(|(_, vendor)| *vendor);
        let deciding = features.map(|features| {
            let has: Vec<&str> = features.split(' ').collect();
            DECIDING.into_iter().filter(|name| has.contains(name)).collect()
        });
        Self { name: name.to_owned(), vendor, words, deciding }
    }

    /// That of a run.
    pub fn of_run(run: &Run) -> Self {
        Self::of(run.fact("cpu").unwrap_or_default(), run.fact("features"))
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many instructions that decide only one of the two has; `None`: not known of both, and no number where AES is among them.
    fn differing(&self, other: &Self) -> Option<Option<usize>> {
        let (own, its) = (self.deciding.as_ref()?, other.deciding.as_ref()?);
        let differing: Vec<&&str> = own.symmetric_difference(its).collect();
        let is_essential = |name: &&&str| ESSENTIAL.contains(*name);
        Some((!differing.iter().any(is_essential)).then_some(differing.len()))
    }

    /// Whether both names have a word such as Xeon or Neoverse: of a vendor alone, some CPUs have AES instructions and others don't.
    fn is_of_family(&self, other: &Self) -> bool {
        let is_family = |word: &&String| VENDORS.iter().any(|(known, vendor)| known == word && known != vendor);
        self.words.iter().filter(is_family).any(|word| other.words.contains(word))
    }

    /// How many words of the two names are the same, and how long the numbers of their models are alike.
    fn likeness(&self, other: &Self) -> (usize, usize) {
        let same = self.words.iter().filter(|word| other.words.contains(word)).count();
        let number = |cpu: &Self| {
            let is_number = |word: &&String| word.bytes().filter(u8::is_ascii_digit).count() >= 3;
            cpu.words.iter().find(is_number).cloned().unwrap_or_default()
        };
        let (own, its) = (number(self), number(other));
        let alike = own.bytes().zip(its.bytes()).take_while(|(own, its)| own == its).count();
        (same, alike)
    }
}

/// The machine whose CPU is most like this one; `None` where none has its AES instructions, or, where the instructions are not known,
/// where none is of its family.
pub fn nearest<'a>(cpu: &Cpu, machines: &'a [Machine]) -> Option<Nearest<'a>> {
    let of = |machine: &'a Machine| {
        let its = Cpu::of_run(&machine.runs.first()?.run);
        let is_of_vendor = cpu.vendor.is_some() && cpu.vendor == its.vendor;
        let (same_words, alike) = cpu.likeness(&its);
        let (differing, same) = match cpu.differing(&its) {
            Some(Some(differing)) => (differing, Some(differing == 0)),
            Some(None) => return None,
            None if cpu.is_of_family(&its) => (0, None),
            None => return None,
        };
        let order = (differing, Reverse((is_of_vendor, same_words, alike)), &machine.name);
        Some((order, Nearest { machine, same_instructions: same }))
    };
    machines.iter().filter_map(of).min_by(|(a, _), (b, _)| a.cmp(b)).map(|(_, nearest)| nearest)
}

#[cfg(test)]
mod tests {
    use ciphermeter_answer::fixtures;
    use ciphermeter_core::Fact;

    use super::*;
    use crate::share::Shared;
    use crate::source::{Setting, Source};

    fn machine(name: &str, cpu: &str, features: &str) -> Machine {
        let (mut run, records) = fixtures::run();
        run.host = vec![Fact::present("cpu", cpu), Fact::present("features", features)];
        let text = String::from("-");
        let source = Source {
            title: text.clone(),
            by: text.clone(),
            measured: text.clone(),
            commit: text.clone(),
            how: text,
            machine: Setting::Bare,
            remark: None,
        };
        Machine { name: name.into(), source, runs: vec![Shared { run, records, left_out: Vec::new() }] }
    }

    const ICE: &str = "aes pclmulqdq avx2 vaes vpclmulqdq avx512f sha adx";
    const SKY: &str = "aes pclmulqdq avx2 avx512f adx";
    const ZEN: &str = "aes pclmulqdq avx2 vaes vpclmulqdq sha adx";

    fn table() -> Vec<Machine> {
        vec![
            machine("ice", "Intel(R) Xeon(R) Platinum 8375C CPU @ 2.90GHz", ICE),
            machine("milan", "AMD EPYC 7763 64-Core Processor", ZEN),
            machine("n1", "Arm Neoverse N1", "neon aes pmull sha2"),
            machine("sky", "Intel(R) Xeon(R) Platinum 8175M CPU @ 2.50GHz", SKY),
        ]
    }

    fn found(cpu: &str, features: Option<&str>) -> Option<(String, Option<bool>)> {
        let table = table();
        nearest(&Cpu::of(cpu, features), &table).map(|found| (found.machine.name.clone(), found.same_instructions))
    }

    #[test]
    fn instructions_weigh_more_than_names() {
        let name = |name: &str, same: Option<bool>| Some((name.to_owned(), same));
        assert_eq!(found("Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz", Some(ICE)), name("ice", Some(true)));
        assert_eq!(found("Intel(R) Xeon(R) Gold 6154 CPU @ 3.00GHz", Some(SKY)), name("sky", Some(true)));
        assert_eq!(found("AMD Ryzen 7 5800X 8-Core Processor", Some(ZEN)), name("milan", Some(true)));
        assert_eq!(found("AMD EPYC 9654 96-Core Processor", Some(ICE)), name("ice", Some(true)));
        assert_eq!(found("Arm Neoverse V2", Some("neon aes pmull sha2 sve2 sve2-aes")), name("n1", Some(false)));
    }

    #[test]
    fn cpu_without_aes_instructions_is_like_none_that_has_them() {
        assert_eq!(found("Intel(R) Atom(TM) CPU D525 @ 1.80GHz", Some("ssse3")), None);
        assert_eq!(found("Arm Cortex-A72", Some("neon")), None);
    }

    #[test]
    fn name_alone_finds_a_cpu_of_its_family() {
        assert_eq!(found("AMD EPYC 7543", None), Some(("milan".into(), None)));
        assert_eq!(found("Xeon Platinum 8370C", None), Some(("ice".into(), None)));
        assert_eq!(found("Neoverse N2", None), Some(("n1".into(), None)));
        assert_eq!(found("Xeon Platinum 8176", None), Some(("sky".into(), None)), "by the model's number");
        for other in ["VIA Nano", "AMD", "AMD Phenom II X6 1090T", "AMD Geode LX", "Intel Core 2 Duo", "Arm Cortex-A72"]
        {
            assert_eq!(found(other, None), None, "{other}");
        }
        assert_eq!(found("joe", None), None);
    }
}
