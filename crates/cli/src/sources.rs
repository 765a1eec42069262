//! Which providers a run asks: the built-in ones, those of other languages, a worker of your own, further libcryptos, older
//! selves, and copies for the self-check.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, bail};
use ciphermeter_core::{Against, Mask, Note, Scenario, escaped};
use ciphermeter_meter::{Missing, Source, Switch};
use ciphermeter_native::OwnFiles;
use ciphermeter_transfer::Ticket;

use crate::args::WorkersOption;
use crate::built_in::{native, surveyed};
use crate::copies::{Copied, Folder, copied};
use crate::devices::Devices;
use crate::given_libcryptos::LIBCRYPTO;
use crate::side::Side;
use crate::spot::{ALL_PROVIDERS, known_providers, own_name};
use crate::{counter, given_libcryptos, own_files, own_worker, scenarios, transfers, workers};

/// What a run asks, and sentences on it: what is there but cannot be asked, and which file stands behind a name.
#[derive(Default)]
pub struct Sources {
    pub sources: Vec<Source>,
    pub notes: Vec<Note>,
    /// A provider that the scenario names is not there.
    pub partial: bool,
    /// Where copies of a library lie until the run ends.
    pub folder: Option<Folder>,
}

/// The option that names what is older.
const AGAINST: &str = "--against";
/// Why others than the built-in worker are not asked with `--peer`.
const AT_HOME: &str = "workers of other languages move files within this machine only, so they are not asked";

/// What of this machine a run may ask; by default all that is here.
#[derive(Default)]
pub struct Wish<'a> {
    /// What is measured; nothing: all are asked.
    pub scenario: Option<&'a Scenario>,
    /// Providers that the user named: without one of these, the run is not what was asked for.
    pub named: &'a [String],
    pub workers: WorkersOption,
    /// Commands of further workers.
    pub worker: &'a [String],
    /// Further libcryptos.
    pub openssl: &'a [PathBuf],
    /// What they are compared with.
    pub against: Option<&'a str>,
    /// What devices have.
    pub devices: Option<&'a Devices>,
    /// The ticket of the machine to which files go.
    pub peer: Option<&'a Ticket>,
    /// Files of the user's for messages that go from file to file.
    pub files: OwnFiles,
    /// Which of the CPU's instructions they are kept from.
    pub mask: Option<Mask>,
    /// How long one whose command is named has to say what it hosts.
    pub patience: Duration,
}

impl Wish<'_> {
    fn takes(&self, provider: &str) -> bool {
        self.scenario.is_none_or(|scenario| scenario.takes_provider(provider))
    }

    /// Whether the user named this provider of a device.
    fn names(&self, provider: &str, device: &str) -> bool {
        let whole = format!("{provider}@{device}");
        self.named.iter().any(|named| [provider, &whole].iter().any(|name| named.eq_ignore_ascii_case(name)))
    }

    /// Whether providers are asked for that are not named.
    fn takes_unnamed(&self) -> bool {
        self.named.is_empty() || self.named.iter().any(|name| name == ALL_PROVIDERS)
    }
}

/// Everything on this machine that is wished for.
pub fn gather(wish: &Wish) -> Result<Sources> {
    if let Some((scenario, copies)) = wish.scenario.and_then(|scenario| Some((scenario, scenario.copies.as_ref()?))) {
        let Copied { sources, notes, folder } = copied(scenario, copies)?;
        return Ok(Sources { sources, notes, folder, partial: false });
    }
    let mut all = Sources { sources: built_in(wish)?, ..Sources::default() };
    let counts = wish.scenario.is_some_and(Scenario::looks_at_memory);
    let counting = if counts { counter::environment()? } else { Vec::new() };
    // What the built-in worker hosts, whichever file that has.
    let native = |source: &mut Source| {
        source.counting.clone_from(&counting);
        if let Some(mask) = wish.mask {
            mask_native(source, mask);
        }
    };
    all.sources.iter_mut().for_each(native);
    match wish.peer {
        None => add_foreign(&mut all, wish)?,
        Some(_) => all.notes.push(Note::other(AT_HOME)),
    }
    for command in wish.worker {
        add_own(&mut all, command, wish)?;
    }
    let old = wish.against.map(|text| Side::read(text, AGAINST)).transpose()?;
    if matches!(old, Some(Side::Library(_))) && !wish.openssl.is_empty() {
        // The files that are given are the new ones, and the system's is none of them.
        all.sources.retain(|source| source.name != LIBCRYPTO);
    }
    for file in given_libcryptos::files(wish.openssl, &mut all.notes)? {
        let is_free = |name: &str| all.sources.iter().all(|source| source.name != name);
        let (source, note) = given_libcryptos::source(&file, wish.patience, is_free)?;
        let mut source = own_files::given(source, &wish.files);
        native(&mut source);
        all.sources.push(source);
        all.notes.push(note);
    }
    // Starting a worker that is never asked takes time.
    all.sources.retain(|source| wish.takes(&source.name));
    if let Some(devices) = wish.devices {
        add_devices(&mut all, devices, wish);
    }
    if let (Some(old), Some(text)) = (old, wish.against) {
        let mut sources = old.sources(Against::MARK, AGAINST, wish.patience)?;
        if old.is_native() {
            sources.iter_mut().for_each(native);
        }
        add_old(&mut all, sources, text, wish)?;
    }
    note_other_sort(&mut all, wish)?;
    note_missing(&mut all, wish)?;
    Ok(all)
}

/// Providers that the user named and the built-in worker has for scenarios of the other sort: which those are, and what they lack here.
fn note_other_sort(all: &mut Sources, wish: &Wish) -> Result<()> {
    let Some(scenario) = wish.scenario else { return Ok(()) };
    let moves = scenario.moves_files();
    let others = if moves { native()? } else { transfers::sources(None)? };
    let is_named = |source: &Source| wish.named.iter().any(|name| name.eq_ignore_ascii_case(&source.name));
    for source in others.into_iter().filter(is_named) {
        if all.sources.iter().any(|asked| asked.name == source.name) {
            continue;
        }
        let (_, missing) = surveyed(std::slice::from_ref(&source), wish.patience)?;
        let lacks = missing.first().map(|Missing { why, .. }| format!("; here {why}")).unwrap_or_default();
        let has = |other: &Scenario| other.moves_files() != moves && other.names_provider(&source.name);
        let its = scenarios::all()?.into_iter().filter(has).min_by_key(|other| other.name != scenarios::DEFAULT);
        let its = its.map(|other| format!(", `ciphermeter run {}` for example", other.name)).unwrap_or_default();
        let sort = if moves { "calls" } else { "transfers" };
        let why = format!("only scenarios of {sort} measure it{its}{lacks}");
        all.notes.push(Note::not_measured(&[&source.name], why));
        all.partial = true;
    }
    Ok(())
}

/// Providers that the user named and nothing has: what a worker of --worker or a device hosts is known only now. Those of this machine were
/// known before, and are left out for reasons of their own.
fn note_missing(all: &mut Sources, wish: &Wish) -> Result<()> {
    let known = known_providers(&workers::find(&wish.workers)?);
    let is_known = |name: &str| known.iter().any(|known| known.eq_ignore_ascii_case(own_name(name)));
    let is_library = |name: &str| name.strip_prefix(LIBCRYPTO).is_some_and(|mark| mark.starts_with('@'));
    for name in wish.named.iter().filter(|name| is_library(name)) {
        if all.sources.iter().all(|source| source.name != *name) {
            all.notes.push(Note::not_measured(
                &[name],
                "no --openssl gives a libcrypto of that name: give its file or folder",
            ));
            all.partial = true;
        }
    }
    for name in wish.named.iter().filter(|name| *name != ALL_PROVIDERS && !is_known(name)) {
        let is_it =
            |other: &str| other.eq_ignore_ascii_case(name) || own_name(other).eq_ignore_ascii_case(own_name(name));
        let is_there = all.sources.iter().any(|source| is_it(&source.name) || is_it(&source.provider));
        let unbuilt = wish.devices.iter().flat_map(|devices| &devices.unbuilt).flat_map(|unbuilt| &unbuilt.providers);
        let is_noted = all.notes.iter().flat_map(|note| &note.providers).chain(unbuilt).any(|noted| is_it(noted));
        if !is_there && !is_noted {
            all.notes.push(Note::not_measured(&[name], "no worker and no device here has this provider"));
            all.partial = true;
        }
    }
    Ok(())
}

/// Calls and transfers have a worker each; neither is asked for the other's.
fn built_in(wish: &Wish) -> Result<Vec<Source>> {
    Ok(match wish.scenario.map(Scenario::moves_files) {
        Some(false) => native()?.into_iter().map(|source| own_files::given(source, &wish.files)).collect(),
        Some(true) => transfers::sources(wish.peer)?,
        None => [native()?, transfers::sources(wish.peer)?].concat(),
    })
}

fn add_foreign(all: &mut Sources, wish: &Wish) -> Result<()> {
    for worker in workers::find(&wish.workers)? {
        let providers: Vec<&String> =
            worker.manifest.providers.iter().filter(|provider| wish.takes(provider)).collect();
        let stands_in = worker.stands_in();
        if providers.is_empty() || stands_in.is_some_and(|mask| wish.mask != Some(mask)) {
            continue;
        }
        if !worker.is_built() {
            let names: Vec<&str> = providers.iter().map(|name| name.as_str()).collect();
            let why = format!("the worker {} is not built: {}", worker.manifest.name, worker.remedy());
            all.notes.push(Note::not_measured(&names, why));
            all.partial |= providers.iter().any(|name| wish.named.iter().any(|named| named.eq_ignore_ascii_case(name)));
            continue;
        }
        let old = worker.rebuild().map(|how| Note::other(format!("the worker {} is {how}", worker.manifest.name)));
        all.notes.extend(old);
        for provider in providers {
            match stands_in {
                Some(_) => stand_in(all, &worker, provider),
                None => {
                    let name = free_name(all, provider, &worker.manifest.name);
                    let language = Some(worker.manifest.language.clone());
                    let source =
                        Source { installed: true, language, ..Source::new(name, provider, worker.command(provider)) };
                    all.sources.push(match wish.mask {
                        Some(mask) => masked(source, worker.manifest.switch(provider, mask)),
                        None => source,
                    });
                }
            }
        }
    }
    Ok(())
}

/// A build for a lesser CPU, in place of the built-in provider of that name.
fn stand_in(all: &mut Sources, worker: &workers::Foreign, provider: &str) {
    let Some(source) = all.sources.iter_mut().find(|source| source.name == *provider) else { return };
    source.language = Some(worker.manifest.language.clone());
    if let Some(command) = source.command_mut() {
        let without = std::mem::replace(command, worker.command(provider));
        source.switch = Switch::Thrown { without };
        source.counting = Vec::new();
    }
}

/// The worker of --worker: whatever it hosts is measured.
fn add_own(all: &mut Sources, text: &str, wish: &Wish) -> Result<()> {
    let own = own_worker::read(text, wish.patience)?;
    for provider in own.providers {
        let source = Source::new(free_name(all, &provider, &own.name), &provider, own.command.clone());
        let none = || Err("no switch is known for a worker of --worker: drop --cpu or --worker".into());
        all.sources.push(wish.mask.map_or_else(|| source.clone(), |_| masked(source.clone(), none())));
    }
    Ok(())
}

/// The devices' providers, as far as they are asked for.
fn add_devices(all: &mut Sources, devices: &Devices, wish: &Wish) {
    all.notes.extend(devices.notes.iter().cloned());
    all.partial |= devices.partial;
    let named_here = note_unbuilt(all, devices, wish);
    let (taken, others): (Vec<&Source>, Vec<&Source>) =
        devices.sources.iter().partition(|source| wish.takes(&source.name));
    let mut left_out: Vec<&str> =
        others.iter().filter_map(|source| Some(source.device.as_ref()?.name.as_str())).collect();
    left_out.dedup();
    left_out.retain(|name| !named_here.contains(name));
    left_out.retain(|name| taken.iter().all(|source| source.device.as_ref().is_none_or(|device| device.name != *name)));
    for name in left_out {
        let its = others.iter().filter(|source| source.device.as_ref().is_some_and(|device| device.name == name));
        let its: Vec<&str> = its.map(|source| source.provider.as_str()).collect();
        let why = format!("{name}: none of its providers is asked for; it has {}", its.join(", "));
        all.notes.push(Note::not_measured(&[], why));
        all.partial = true;
    }
    all.sources.extend(taken.into_iter().cloned());
}

/// Notes which images that are asked for are not built; a run lacks those that were named. Comes back with the devices of these.
fn note_unbuilt<'a>(all: &mut Sources, devices: &'a Devices, wish: &Wish) -> Vec<&'a str> {
    let mut lacking = Vec::new();
    for unbuilt in &devices.unbuilt {
        let is_named = |provider: &&str| wish.names(provider, &unbuilt.device);
        let providers = unbuilt.providers.iter().map(String::as_str);
        let (named, others): (Vec<&str>, Vec<&str>) = providers.partition(is_named);
        if !named.is_empty() {
            all.partial = true;
            lacking.push(unbuilt.device.as_str());
        }
        let asked = if wish.takes_unnamed() { [named, others].concat() } else { named };
        if !asked.is_empty() {
            all.notes.push(Note::not_measured(&[], unbuilt.why(&asked)));
        }
    }
    lacking
}

/// A provider's own name, or with its worker's behind it where that is taken.
fn free_name(all: &Sources, provider: &str, worker: &str) -> String {
    let taken = all.sources.iter().any(|source| source.name == *provider);
    if taken { format!("{provider}@{worker}") } else { provider.into() }
}

fn mask_native(source: &mut Source, mask: Mask) {
    let own =
        |pairs: &[(&str, &str)]| pairs.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    let switch = ciphermeter_native::switch(&source.provider, mask).map(own).map_err(String::from);
    *source = masked(source.clone(), switch);
}

fn masked(mut source: Source, switch: Result<Vec<(String, String)>, String>) -> Source {
    source.switch = match switch {
        Ok(environment) => match source.command_mut() {
            Some(command) => {
                let without = command.clone();
                command.environment.extend(environment);
                Switch::Thrown { without }
            }
            None => Switch::Missing { why: "a device has no switch".into() },
        },
        Err(why) => Switch::Missing { why },
    };
    source
}

fn add_old(all: &mut Sources, old: Vec<Source>, text: &str, wish: &Wish) -> Result<()> {
    let has_old = |source: &Source| old.iter().any(|old| old.provider == source.provider);
    if !all.sources.iter().any(has_old) {
        let names: Vec<_> = old.iter().map(|old| old.provider.as_str()).collect();
        let (shown, names) = (escaped(text), names.join(", "));
        bail!("--against {shown} offers {names}, but none of them is measured here; check --provider");
    }
    // The ceilings' worker stays for its probe.
    all.sources.retain(|source| has_old(source) || source.provider == "ceiling");
    let (met, alone): (Vec<_>, Vec<_>) =
        old.into_iter().partition(|old| all.sources.iter().any(|source| source.provider == old.provider));
    let alone = alone.iter().filter(|old| wish.takes(&old.provider)).map(|old| old.name.as_str());
    let alone: Vec<&str> = alone.collect();
    all.notes.extend(without_newer(&alone));
    all.sources.extend(met);
    Ok(())
}

/// That these old providers are left out, in one sentence.
pub fn without_newer(old: &[&str]) -> Option<Note> {
    let (names, are) = (old.join(", "), if old.len() == 1 { "is" } else { "are" });
    let note = || Note::excluded(old, format!("{names} {are} left out: there is no newer counterpart here"));
    (!old.is_empty()).then(note)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_providers_without_a_newer_one_share_a_sentence() {
        let said = |old: &[&str]| without_newer(old).map(|note| note.to_string());
        assert_eq!(said(&[]), None);
        assert_eq!(said(&["go@old"]).unwrap(), "go@old is left out: there is no newer counterpart here");
        assert_eq!(
            said(&["go@old", "x@old"]).unwrap(),
            "go@old, x@old are left out: there is no newer counterpart here"
        );
    }
}
