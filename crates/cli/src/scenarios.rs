//! Scenarios by their names, and scenario files.

use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use ciphermeter_core::{Algorithm, CURATED, Operation, Scenario, Selection, escaped, quoted_path};
use ciphermeter_report::{PROGRAMS, Program, program};

use crate::outside;

/// What `run` measures unless told otherwise.
pub const DEFAULT: &str = "messages";

/// The scenario that stands for a program: its sizes, with the program's ciphers and library.
fn of_program(program: &Program) -> Result<Scenario> {
    let mut scenario = Scenario { name: program.name.clone(), ..find(Some(&program.scenario))? };
    adapt(&mut scenario, program);
    // That of the other scenario may be about another program.
    scenario.premise = program.premise(true).or(scenario.premise);
    if !program.messages.is_empty() {
        scenario.cells.truncate(1);
        for block in &mut scenario.cells {
            block.messages.clone_from(&program.messages);
            // Of its ciphers the scenario may lack one.
            block.algorithms.clone_from(&program.algorithms);
        }
    }
    scenario.budget = program.budget.unwrap_or(scenario.budget);
    Ok(scenario)
}

/// Leaves a scenario what a program has: its ciphers, its library, and that library's form. A scenario without any of its ciphers gets
/// them in place of its own.
pub fn adapt(scenario: &mut Scenario, program: &Program) {
    let has = |algorithm: &Algorithm| program.algorithms.contains(algorithm);
    let has_any = |block: &Selection| block.algorithms.iter().any(has);
    if scenario.cells.iter().any(has_any) {
        scenario.cells.retain(has_any);
        scenario.cells.iter_mut().for_each(|block| block.algorithms.retain(has));
    } else if !program.algorithms.is_empty() {
        for block in &mut scenario.cells {
            block.algorithms.clone_from(&program.algorithms);
            // Each algorithm has its own of them.
            block.operations = vec![Operation::Seal, Operation::Open, Operation::Encrypt, Operation::Decrypt];
        }
    }
    for block in &mut scenario.cells {
        if !program.providers.is_empty() {
            block.providers.clone_from(&program.providers);
        }
        if let Some(form) = program.form {
            block.forms = vec![form];
        }
    }
}

pub fn find(named: Option<&str>) -> Result<Scenario> {
    let named = named.unwrap_or(DEFAULT);
    if is_file(named) {
        return read(Path::new(named));
    }
    let lower = named.to_ascii_lowercase();
    match CURATED.iter().find(|(name, _)| *name == lower) {
        Some((name, text)) => curated(name, text),
        None => match program(&lower) {
            Some(program) => of_program(program),
            None => {
                let meant = match similar(named) {
                    Some(known) => format!("did you mean `{known}`? There"),
                    None => "there".into(),
                };
                let (named, names) = (escaped(named), names());
                bail!("there is no scenario `{named}`; {meant} are {names}, or give a file like ./{named}.toml")
            }
        },
    }
}

/// Those of these names; without any, all.
pub fn named(names: &[String]) -> Result<Vec<Scenario>> {
    if names.is_empty() { all() } else { names.iter().map(|name| find(Some(name))).collect() }
}

pub fn all() -> Result<Vec<Scenario>> {
    CURATED.iter().map(|(name, text)| curated(name, text)).collect()
}

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

/// Whether it is a curated scenario's name, in whatever case.
pub fn is_curated(named: &str) -> bool {
    CURATED.iter().any(|(name, _)| name.eq_ignore_ascii_case(named))
}

fn all_names() -> impl Iterator<Item = &'static str> {
    CURATED.iter().map(|(name, _)| *name).chain(PROGRAMS.iter().map(|program| program.name.as_str()))
}

/// The known name that is most like this one, in whatever case, if any is.
pub fn similar(named: &str) -> Option<&'static str> {
    let named = named.to_ascii_lowercase();
    let likeness = |known: &&str| strsim::damerau_levenshtein(&named, known);
    all_names().min_by_key(likeness).filter(|known| 3 * likeness(known) <= known.len())
}

fn read(file: &Path) -> Result<Scenario> {
    let text = outside::read(file, outside::MOST).map_err(|why| {
        // What has no folder may be meant as a name.
        let is_alone = file.components().count() == 1;
        let names = if is_alone { format!(", or one of {}", names()) } else { String::new() };
        anyhow!("cannot read the scenario {}: {why}; give a TOML file{names}", quoted_path(file))
    })?;
    Scenario::parse(&text).with_context(|| format!("the scenario {}", quoted_path(file)))
}

#[cfg(test)]
mod tests {
    use ciphermeter_core::{Bytes, Form, Seconds};

    use super::*;

    #[test]
    fn every_curated_scenario_parses_and_is_named_as_its_file() {
        assert!(CURATED.len() >= 2);
        for (name, text) in CURATED {
            assert_eq!(Scenario::parse(text).unwrap_or_else(|error| panic!("{name}: {error}")).name, *name);
        }
    }

    #[test]
    fn program_is_a_scenario_with_its_own_library() {
        for program in PROGRAMS.iter() {
            let scenario = find(Some(&program.name)).unwrap();
            scenario.check().unwrap();
            assert_eq!(scenario.name, program.name);
            assert!(program.also.iter().all(|also| find(Some(also)).unwrap() == scenario));
            assert!(CURATED.iter().all(|(name, _)| *name != program.name));
        }
        assert_eq!(find(Some("nginx")).unwrap().cells[0].providers, ["openssl"]);
        assert_eq!(find(Some("age")).unwrap().cells[0].messages, [Bytes(64 << 10)]);
        assert_eq!(find(Some("borg")).unwrap().cells[0].algorithms, program("borg").unwrap().algorithms, "its own");
        let node = find(Some("node")).unwrap();
        assert_eq!((node.cells.len(), &node.cells[0].forms[..], node.budget), (1, &[Form::Fresh][..], Seconds(180.0)));
        assert_eq!(find(Some("luks")).unwrap().cells[0].algorithms, [Algorithm::Aes256Xts, Algorithm::Adiantum]);
    }

    #[test]
    fn program_with_another_ones_scenario_has_its_own_premise() {
        let premise = |name: &str| find(Some(name)).unwrap().premise.unwrap_or_default();
        assert!(premise("records").contains("ZFS") && premise("zfs").ends_with("stand in for ZFS's."));
        assert!(premise("samba").ends_with("stand in for GnuTLS's."), "{}", premise("samba"));
        assert!(premise("borg").starts_with("borg 1, the stable line"), "{}", premise("borg"));
        assert!(premise("luks").ends_with("stand in for the kernel's."), "{}", premise("luks"));
    }

    #[test]
    fn program_keeps_of_a_scenario_what_it_has() {
        let adapted = |name: &str, asked: &str| {
            let mut scenario = find(Some(name)).unwrap();
            adapt(&mut scenario, program(asked).unwrap());
            scenario.cells
        };
        let messages = adapted("messages", "go");
        assert_eq!(messages[0].algorithms, [Algorithm::Aes256Gcm, Algorithm::ChaCha20Poly1305], "TLS has no others");
        assert_eq!(messages[0].providers, ["go"]);
        let records = adapted("records", "ssh");
        assert_eq!(records[0].algorithms, [Algorithm::Aes256Gcm], "of the scenario's, the program's");
        assert_eq!(adapted("messages", "restic")[0].algorithms, [Algorithm::Aes256Ctr], "it has no other");
    }

    #[test]
    fn an_unknown_name_lists_the_known() {
        let error = find(Some("tea")).unwrap_err().to_string();
        assert!(error.starts_with("there is no scenario `tea`; there are "), "{error}");
        assert!(error.contains("messages, "), "{error}");
        let error = find(Some("none.toml")).unwrap_err().to_string();
        assert!(error.contains("none.toml: No such file") && error.contains("give a TOML file, or one of "), "{error}");
        let error = find(Some("./none.toml")).unwrap_err().to_string();
        assert!(error.ends_with("; give a TOML file"), "{error}");
        let error = find(Some("ngnix")).unwrap_err().to_string();
        assert!(error.starts_with("there is no scenario `ngnix`; did you mean `nginx`? There are "), "{error}");
        assert_eq!((similar("database"), similar("NGNIX")), (None, Some("nginx")));
        let error = find(Some("a\u{1b}[2JB")).unwrap_err().to_string();
        assert!(error.starts_with(r"there is no scenario `a\u{1b}[2JB`; there are "), "as it was given: {error}");
    }
}
