//! Programs that encrypt, as data: what each links, which workload stands for it, whether you choose its cipher, and the lines with which
//! you do. `run NAME` and `advise --for NAME` know the same ones, and print the same lines.
//!
//! Each file of `programs/` names its public sources. Lines are those of the versions that `place` names; tests/system starts the programs
//! with them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use ciphermeter_core::{Algorithm, Bytes, Form, Nonces, Seconds};
use serde::{Deserialize, Serialize};

use crate::words::size;

/// The files of `programs/`, in the order in which errors name them.
const FILES: [&str; 24] = [
    include_str!("../../../programs/nginx.toml"),
    include_str!("../../../programs/haproxy.toml"),
    include_str!("../../../programs/ssh.toml"),
    include_str!("../../../programs/java.toml"),
    include_str!("../../../programs/node.toml"),
    include_str!("../../../programs/rustls.toml"),
    include_str!("../../../programs/go.toml"),
    include_str!("../../../programs/quic.toml"),
    include_str!("../../../programs/apache.toml"),
    include_str!("../../../programs/caddy.toml"),
    include_str!("../../../programs/postgres.toml"),
    include_str!("../../../programs/openvpn.toml"),
    include_str!("../../../programs/strongswan.toml"),
    include_str!("../../../programs/nebula.toml"),
    include_str!("../../../programs/wireguard.toml"),
    include_str!("../../../programs/luks.toml"),
    include_str!("../../../programs/zfs.toml"),
    include_str!("../../../programs/gocryptfs.toml"),
    include_str!("../../../programs/borg.toml"),
    include_str!("../../../programs/restic.toml"),
    include_str!("../../../programs/age.toml"),
    include_str!("../../../programs/rage.toml"),
    include_str!("../../../programs/samba.toml"),
    include_str!("../../../programs/syncthing.toml"),
];

/// All of them. A test reads each file, so that none is left out here.
pub static PROGRAMS: LazyLock<Vec<Program>> =
    LazyLock::new(|| FILES.iter().filter_map(|text| toml::from_str(text).ok()).collect());

/// The program of that name.
pub fn program(name: &str) -> Option<&'static Program> {
    PROGRAMS.iter().find(|program| program.is_called(name))
}

/// A program that encrypts.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// Its name for `run` and `advise --for`.
    pub name: String,
    /// Other names for it.
    #[serde(default)]
    pub also: Vec<String>,
    /// As its authors write it.
    pub title: String,
    /// The scenario that has its sizes.
    pub scenario: String,
    /// Who counts its nonces.
    #[serde(default)]
    pub nonces: Nonces,
    /// The ciphers that it knows; none: those of the scenario.
    #[serde(default)]
    pub algorithms: Vec<Algorithm>,
    /// The libraries that it links; none: those of the scenario.
    #[serde(default)]
    pub providers: Vec<String>,
    /// The form of its library's calls, where that has no other.
    pub form: Option<Form>,
    /// The messages that it seals at once, where the scenario has others: of its first block alone.
    #[serde(default)]
    pub messages: Vec<Bytes>,
    /// The most time to measure, where that is longer than the scenario's.
    pub budget: Option<Seconds>,
    /// What else its users may have, which stands before the answer.
    #[serde(default)]
    pub premise: Option<String>,
    /// What a run can say of it, and what it cannot.
    pub says: String,
    /// A cipher of which it has a slower one of its own than the library's that is measured in its place.
    pub overrated: Option<Overrated>,
    /// The converse: a cipher of which it has a faster one of its own.
    pub underrated: Option<Underrated>,
    /// What is measured in place of its own ciphers and messages.
    pub stand_in: Option<StandIn>,
    /// Whether you choose its cipher.
    #[serde(default)]
    pub choice: Choice,
    /// What is to be written for it; the first that fits.
    #[serde(default, rename = "setting")]
    settings: Vec<Setting>,
    /// What stands for `{NAME}` in a setting, by the cipher or by the library that is set; nothing where neither is named.
    #[serde(default)]
    words: BTreeMap<String, BTreeMap<String, String>>,
    /// Where its lines and rules are published.
    pub sources: Vec<String>,
}

/// A cipher that a program has in a slower form than the measured one: where that is ahead, by how much is an upper bound, which decides
/// nothing; where it is behind, it is surely so.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Overrated {
    /// The cipher.
    pub algorithm: Algorithm,
    /// What decides instead, in a sentence.
    pub instead: String,
}

/// A cipher that a program has in a faster form than the measured one, its own or the kernel's: where the measured one is ahead, it is
/// surely so; where it is behind by less than the two forms may differ, that decides nothing.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Underrated {
    /// The cipher.
    pub algorithm: Algorithm,
    /// Whose that form is: `the kernel's`.
    pub whose: String,
    /// How many times as fast it may be at most, by size, the smallest first.
    pub by: Vec<AtMost>,
    /// What decides instead, in a sentence.
    pub instead: String,
}

/// So many times as fast, for messages of that size and longer ones.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AtMost {
    /// The size.
    pub message: Bytes,
    /// The ratio.
    pub times: f64,
}

impl Underrated {
    /// For messages of so many bytes.
    pub fn at(&self, message: u64) -> f64 {
        let below = self.by.iter().take_while(|own| own.message.0 <= message).last();
        below.or(self.by.first()).map_or(1.0, |own| own.times)
    }

    /// Why a lead over the measured one may decide nothing: `the kernel's Adiantum is faster than the one measured, so that is an upper
    /// bound`.
    pub fn upper_bound(&self) -> String {
        format!(
            "{} {} is faster than the one measured, so that lead is an upper bound",
            self.whose,
            self.algorithm.title()
        )
    }

    /// Under what a lead holds that is beyond the bound at these sizes: `even if the kernel's Adiantum were 18 (4 KiB) to 30 times (512 B)
    /// as fast as the one measured here`.
    pub fn even_if(&self, messages: impl Iterator<Item = u64>) -> String {
        let mut at: Vec<(f64, u64)> = messages.map(|message| (self.at(message), message)).collect();
        at.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        let range = match &at[..] {
            [(least, small), .., (most, large)] if least < most => {
                format!("{least} ({}) to {most} times ({})", size(*small), size(*large))
            }
            some => format!("{} times", some.first().map_or(1.0, |(times, _)| *times)),
        };
        let title = self.algorithm.title();
        format!("even if {} {title} were {range} as fast as the one measured here", self.whose)
    }
}

/// Of a cipher of sectors, which kernels encrypt: whether the kernel has a faster form of it, whatever is asked.
pub fn underrated_in_kernels(algorithm: Algorithm) -> Option<&'static Underrated> {
    let mut all = PROGRAMS.iter().filter_map(|program| program.underrated.as_ref());
    all.find(|own| own.algorithm == algorithm && algorithm.is_of_sectors())
}

/// What is measured in place of a program's own, in words.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StandIn {
    /// The ciphers that are measured.
    pub ciphers: String,
    /// The sizes at which they are, where no others are given.
    pub sizes: String,
    /// Whose ciphers are meant.
    pub own: String,
}

/// Whether you choose a program's cipher.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Choice {
    /// You do, so that what is fastest here is what to set.
    #[default]
    Free,
    /// There is no choice: what it uses.
    None(String),
}

/// Lines for a program's configuration.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    /// The ciphers that it sets, if they are recommended.
    #[serde(skip_serializing)]
    ciphers: Vec<Algorithm>,
    /// Whether it is meant only for a CPU that is known to have AES instructions, by which some programs choose themselves.
    #[serde(default, skip_serializing)]
    needs_aes: bool,
    /// What to write where.
    #[serde(default)]
    pub sections: Vec<Section>,
    /// The command that checks it; `None` where there is nothing to check.
    pub check: Option<String>,
    /// The command that says which library the program links; `None` where there is but one.
    pub links: Option<String>,
    /// What else there is to know, a sentence each.
    pub remarks: Vec<String>,
}

/// Lines for one place.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Section {
    /// The file, and the versions that take them; it stands behind `For`.
    pub place: String,
    /// What the lines may break.
    pub warning: Option<String>,
    /// To be copied as they are.
    pub lines: Vec<String>,
}

impl Setting {
    /// All lines, with what stands above them.
    pub fn config(&self) -> Vec<String> {
        let lines = |section: &Section| [vec![section.heading()], section.warning(), section.lines.clone()].concat();
        self.sections.iter().flat_map(lines).collect()
    }
}

impl Section {
    /// What stands above its lines.
    pub fn heading(&self) -> String {
        format!("For {}:", self.place)
    }

    /// Between the two, a line or none.
    pub fn warning(&self) -> Vec<String> {
        self.warning.iter().map(|warning| format!("  {warning}")).collect()
    }
}

impl Program {
    /// Whether it is called that, in whatever case.
    pub fn is_called(&self, name: &str) -> bool {
        self.also.iter().chain([&self.name]).any(|own| own.eq_ignore_ascii_case(name))
    }

    /// What stands before an answer: that what was measured stands in for the program's own, at the sizes that it names where it has no
    /// others.
    pub fn premise(&self, has_own_sizes: bool) -> Option<String> {
        let stands_in = |StandIn { ciphers, sizes, own }: &StandIn| {
            let sizes = if has_own_sizes { format!(" at {sizes}") } else { String::new() };
            format!("{ciphers}{sizes} stand in for {own}.")
        };
        self.premise.clone().or_else(|| self.stand_in.as_ref().map(stands_in))
    }

    /// Whether you choose its cipher by what is measured.
    pub fn leaves_a_choice(&self) -> bool {
        matches!(self.choice, Choice::Free)
    }

    /// The lines that set what came out fastest on a CPU with or without AES instructions; `None` where there is nothing to choose, or
    /// `algorithm` is nothing that it has, or that it has in a slower form.
    pub fn setting(&self, algorithm: Algorithm, provider: &str, has_aes: bool) -> Option<Setting> {
        let fits = |setting: &&Setting| setting.ciphers.contains(&algorithm) && (has_aes || !setting.needs_aes);
        Some(self.filled(self.settings.iter().find(fits)?, [algorithm.as_str(), provider]))
    }

    /// With the words for these names; a remark that comes to nothing is left out.
    fn filled(&self, setting: &Setting, names: [&str; 2]) -> Setting {
        let fill = |text: &String| {
            self.words.iter().fold(text.clone(), |text, (word, values)| {
                let value = names.iter().find_map(|name| values.get(*name));
                text.replace(&format!("{{{word}}}"), value.map_or("", String::as_str))
            })
        };
        let section =
            |section: &Section| Section { lines: section.lines.iter().map(fill).collect(), ..section.clone() };
        Setting {
            sections: setting.sections.iter().map(section).collect(),
            links: setting.links.as_ref().map(fill),
            remarks: setting.remarks.iter().map(fill).filter(|remark| !remark.is_empty()).collect(),
            ..setting.clone()
        }
    }
}

#[cfg(test)]
mod tests;
