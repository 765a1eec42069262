//! Curated scenarios, built in, and scenario files.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail};
use ciphermeter_core::{Algorithm, Bytes, Operation, Scenario};

/// The files of `scenarios/`: name and text.
const CURATED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/scenarios.rs"));

/// What `run` measures unless told otherwise.
pub const DEFAULT: &str = "messages";

/// What people call a workload, and the scenario that stands for it.
pub struct Alias {
    /// The program or protocol.
    name: &'static str,
    /// The scenario that has its sizes; none: it cannot be measured.
    scenario: Option<&'static str>,
    /// The ciphers that it knows; none: those of the scenario.
    algorithms: &'static [Algorithm],
    /// The libraries that it uses; none: those of the scenario.
    providers: &'static [&'static str],
    /// The message that it seals at once, in bytes, where the scenario has others.
    message: Option<u64>,
    /// What the run can say of it, and what it cannot.
    pub says: &'static str,
}

const ALIASES: &[Alias] = &[
    Alias {
        name: "nginx",
        scenario: Some("tls"),
        algorithms: &[],
        providers: &["openssl"],
        message: None,
        says: "nginx uses OpenSSL, so only openssl is measured; `ciphermeter run tls` measures other libraries, too",
    },
    Alias {
        name: "ssh",
        scenario: Some("tls"),
        algorithms: &[],
        providers: &["openssl"],
        message: None,
        says: "OpenSSH takes AES from OpenSSL and brings its own ChaCha20-Poly1305, for which OpenSSL's stands here",
    },
    Alias {
        name: "wireguard",
        scenario: Some("packet"),
        algorithms: &[Algorithm::ChaCha20Poly1305],
        providers: &[],
        message: None,
        says: "WireGuard knows only ChaCha20-Poly1305; in the kernel it uses the kernel's, which is not measured, and elsewhere a library's",
    },
    Alias {
        name: "quic",
        scenario: Some("packet"),
        algorithms: &[],
        providers: &[],
        message: None,
        says: "a QUIC library uses the TLS library that it is built with: look for that one",
    },
    Alias {
        name: "luks",
        scenario: None,
        algorithms: &[],
        providers: &[],
        message: None,
        says: "LUKS uses AES-XTS of the kernel, which is not measured here yet: `cryptsetup benchmark` measures it; `ciphermeter run disk` measures libraries at the sizes of sectors",
    },
    Alias {
        name: "age",
        scenario: Some("messages"),
        algorithms: &[Algorithm::ChaCha20Poly1305],
        providers: &["go"],
        message: Some(64 << 10),
        says: "age seals chunks of 64 KiB with Go's ChaCha20-Poly1305, and knows no other cipher",
    },
    Alias {
        name: "restic",
        scenario: Some("messages"),
        algorithms: &[Algorithm::Aes256Ctr],
        providers: &["go"],
        message: Some(1 << 20),
        says: "restic uses Go's AES-256-CTR, and knows no other cipher; its Poly1305 tag is not measured",
    },
];

/// The workload of that name that is another scenario's.
pub fn alias(named: &str) -> Option<&'static Alias> {
    ALIASES.iter().find(|alias| alias.name.eq_ignore_ascii_case(named))
}

impl Alias {
    fn scenario(&self) -> Result<Scenario> {
        let Some(scenario) = self.scenario else { bail!("{}", self.says) };
        let mut scenario = Scenario { name: self.name.into(), ..find(Some(scenario))? };
        for block in &mut scenario.cells {
            if !self.algorithms.is_empty() {
                block.algorithms = self.algorithms.to_vec();
                // Each algorithm has its own of them.
                block.operations = vec![Operation::Seal, Operation::Open, Operation::Encrypt, Operation::Decrypt];
            }
            if !self.providers.is_empty() {
                block.providers = self.providers.iter().map(|name| (*name).to_string()).collect();
            }
            if let Some(message) = self.message {
                block.messages = vec![Bytes(message)];
            }
        }
        Ok(scenario)
    }
}

/// No scenario file may be longer; one byte more is read to see it.
const MOST: u64 = 64 * 1024 + 1;

/// The scenario of that name or in that file.
pub fn find(named: Option<&str>) -> Result<Scenario> {
    let named = named.unwrap_or(DEFAULT);
    if is_file(named) {
        return read(Path::new(named));
    }
    let named = named.to_ascii_lowercase();
    let named = named.as_str();
    match CURATED.iter().find(|(name, _)| *name == named) {
        Some((name, text)) => curated(name, text),
        None => match alias(named) {
            Some(alias) => alias.scenario(),
            None => {
                let meant = match similar(named) {
                    Some(known) => format!("did you mean `{known}`? There"),
                    None => "there".into(),
                };
                bail!("there is no scenario `{named}`; {meant} are {}, or give a file like ./{named}.toml", names())
            }
        },
    }
}

/// Every curated scenario.
pub fn all() -> Result<Vec<Scenario>> {
    CURATED.iter().map(|(name, text)| curated(name, text)).collect()
}

/// Whether a scenario is named by its file.
pub fn is_file(named: &str) -> bool {
    named.contains('/') || named.ends_with(".toml")
}

/// Sees that a name is a curated scenario's; a file may come to be later.
pub fn check_name(named: &str) -> Result<()> {
    if is_file(named) { Ok(()) } else { find(Some(named)).map(drop) }
}

fn curated(name: &str, text: &str) -> Result<Scenario> {
    Scenario::parse(text).with_context(|| format!("the curated scenario `{name}`"))
}

fn names() -> String {
    all_names().collect::<Vec<_>>().join(", ")
}

fn all_names() -> impl Iterator<Item = &'static str> {
    CURATED.iter().map(|(name, _)| *name).chain(ALIASES.iter().map(|alias| alias.name))
}

/// The known name that is most like this one, if any is.
fn similar(named: &str) -> Option<&'static str> {
    let likeness = |known: &&str| strsim::damerau_levenshtein(named, known);
    all_names().min_by_key(likeness).filter(|known| 3 * likeness(known) <= known.len())
}

fn read(file: &Path) -> Result<Scenario> {
    let mut text = String::new();
    File::open(file).and_then(|opened| opened.take(MOST).read_to_string(&mut text)).with_context(|| {
        format!("cannot read the scenario {}; give a TOML file, or one of {}", file.display(), names())
    })?;
    Scenario::parse(&text).with_context(|| format!("the scenario {}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_curated_scenario_parses_and_is_named_as_its_file() {
        assert!(CURATED.len() >= 2);
        for (name, text) in CURATED {
            assert_eq!(Scenario::parse(text).unwrap_or_else(|error| panic!("{name}: {error}")).name, *name);
        }
    }

    #[test]
    fn an_alias_is_a_scenario_with_its_own_libraries() {
        for alias in ALIASES.iter().filter(|alias| alias.scenario.is_some()) {
            let scenario = find(Some(alias.name)).unwrap();
            scenario.check().unwrap();
            assert_eq!(scenario.name, alias.name);
            assert!(CURATED.iter().all(|(name, _)| *name != alias.name));
        }
        assert_eq!(find(Some("nginx")).unwrap().cells[0].providers, ["openssl"]);
        assert_eq!(find(Some("age")).unwrap().cells[0].messages, [Bytes(64 << 10)]);
        let none = find(Some("luks")).unwrap_err().to_string();
        assert!(none.contains("`cryptsetup benchmark` measures it"), "{none}");
    }

    #[test]
    fn an_unknown_name_lists_the_known() {
        let error = find(Some("tea")).unwrap_err().to_string();
        assert!(error.starts_with("there is no scenario `tea`; there are "), "{error}");
        assert!(error.contains("messages, "), "{error}");
        let error = find(Some("ngnix")).unwrap_err().to_string();
        assert!(error.starts_with("there is no scenario `ngnix`; did you mean `nginx`? There are "), "{error}");
        assert_eq!(similar("database"), None);
    }
}
