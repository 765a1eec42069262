//! `workers`: those of other languages.

use anyhow::{Result, bail};
use ciphermeter_core::{escaped, quoted_path};
use ciphermeter_protocol::{Describe, LinkError};
use ciphermeter_terminal::{Exit, WithExit, output};

use crate::args::{WorkersCommand, WorkersOption};
use crate::workers::{Foreign, ask, find, none_found};

pub fn workers(command: Option<WorkersCommand>, option: &WorkersOption) -> Result<Exit> {
    let found = find(option)?;
    match command {
        None | Some(WorkersCommand::List) => list(&found),
        Some(WorkersCommand::Build { names }) if names.is_empty() => build_usual(found),
        Some(WorkersCommand::Build { names }) => build(&chosen(found, &names)?),
        Some(WorkersCommand::Check { names }) => check(&chosen(found, &names)?),
    }
}

fn chosen(found: Vec<Foreign>, names: &[String]) -> Result<Vec<Foreign>> {
    if let Some(unknown) = names.iter().find(|name| found.iter().all(|worker| worker.manifest.name != **name)) {
        let known: Vec<&str> = found.iter().map(|worker| worker.manifest.name.as_str()).collect();
        let known = if known.is_empty() { "none: give their folder with --workers".into() } else { known.join(", ") };
        bail!("there is no worker `{}`; there are {known}", escaped(unknown));
    }
    Ok(found.into_iter().filter(|worker| names.is_empty() || names.contains(&worker.manifest.name)).collect())
}

fn list(found: &[Foreign]) -> Result<Exit> {
    let (mut text, width) = (String::new(), output::terminal_width());
    for worker in found {
        let state = if worker.is_built() { built(worker) } else { toolchain_says(worker) };
        let devices = worker.manifest.device.iter().map(|device| format!("qemu:{}", device.name));
        let has: Vec<String> = worker.manifest.providers.iter().cloned().chain(devices).collect();
        let name = format!("{:<10} ", worker.manifest.name);
        text += &output::hanging(0, &name, &format!("{}: {state}", has.join(", ")), width);
        text += &output::hanging(11, "", &quoted_path(worker.folder()), width);
    }
    if found.is_empty() {
        text += &output::wrapped(&none_found(), width);
    }
    output::print(&text).map(|()| Exit::Fine)
}

/// What a build left out, for want of a compiler or an emulator, is not built.
fn built(worker: &Foreign) -> String {
    if let Some(remedy) = worker.rebuild() {
        return remedy;
    }
    let lacking = worker.manifest.device.iter().filter_map(|device| {
        let all = device.providers.iter();
        let lacking: Vec<&str> =
            all.filter(|provider| worker.image(device, provider).is_none()).map(String::as_str).collect();
        match lacking.len() {
            0 => None,
            all if all == device.providers.len() => Some(format!("qemu:{}", device.name)),
            _ => Some(format!("{} of qemu:{}", lacking.join(", "), device.name)),
        }
    });
    match lacking.collect::<Vec<_>>().join("; ") {
        lacking if lacking.is_empty() => "built".into(),
        lacking => format!("built without {lacking}: `{}` says why", worker.build_command()),
    }
}

fn toolchain_says(worker: &Foreign) -> String {
    match worker.toolchain() {
        Ok(version) => format!("not built: `{}` does it ({version})", worker.build_command()),
        Err(why) => format!("not built, {why}"),
    }
}

/// Builds all but those that take long, and says how they are built.
fn build_usual(found: Vec<Foreign>) -> Result<Exit> {
    let (by_name, usual): (Vec<Foreign>, Vec<Foreign>) = found.into_iter().partition(|worker| worker.manifest.by_name);
    let exit = build(&usual)?;
    for worker in by_name.iter().filter(|worker| !worker.is_built()) {
        output::say(&format!("{}: built only by name: {}\n", worker.manifest.name, worker.build_command()));
    }
    Ok(exit)
}

fn build(found: &[Foreign]) -> Result<Exit> {
    let mut exit = Exit::Fine;
    for worker in found {
        let version = match worker.toolchain() {
            Ok(version) => version,
            Err(why) => {
                output::say(&format!("{}: left out, {why}\n", worker.manifest.name));
                exit = Exit::Partial;
                continue;
            }
        };
        output::say(&format!("{}: building with {version}\n", worker.manifest.name));
        let waiting = || output::say(&format!("{}: waiting for another build of it to end\n", worker.manifest.name));
        if let Err(error) = worker.build(waiting) {
            if error.downcast_ref::<WithExit>().is_some() {
                return Err(error);
            }
            output::say(&format!("{}: {error:#}\n", worker.manifest.name));
            exit = Exit::Partial;
        }
    }
    Ok(exit)
}

fn check(found: &[Foreign]) -> Result<Exit> {
    let mut exit = Exit::Fine;
    for worker in found {
        let name = &worker.manifest.name;
        let mut tell = |text: String, is_fine: bool| {
            if !is_fine {
                exit = Exit::Partial;
            }
            output::print(&text)
        };
        for provider in &worker.manifest.providers {
            if !worker.is_built() {
                tell(format!("{name}, {provider}: {}\n", toolchain_says(worker)), false)?;
                continue;
            }
            let (text, is_fine) = described(provider, "worker", ask(&worker.command(provider), false));
            tell(format!("{name}, {provider}: {text}"), is_fine)?;
        }
        for device in &worker.manifest.device {
            let (built, unbuilt): (Vec<&str>, Vec<&str>) =
                device.providers.iter().map(String::as_str).partition(|one| worker.image(device, one).is_some());
            let place = format!("qemu:{}", device.name);
            if let Some(why) = worker.why_not_emulated(device) {
                tell(format!("{name}, {} on {place}: {why}\n", built.join(", ")), false)?;
            } else {
                for provider in built {
                    let (text, is_fine) =
                        described(provider, "emulator", ask(&worker.emulator(device, provider), true));
                    tell(format!("{name}, {provider} on {place}: {text}"), is_fine)?;
                }
            }
            for (providers, remedy) in worker.remedies(&device.name, &unbuilt) {
                tell(format!("{name}, {} on {place}: not built: {remedy}\n", providers.join(", ")), false)?;
            }
        }
    }
    Ok(exit)
}

fn described(provider: &str, what: &str, asked: Result<Describe, LinkError>) -> (String, bool) {
    match asked {
        Ok(described) => (offers(provider, &described), true),
        Err(error) => (format!("its {what} failed: {error}\n"), false),
    }
}

fn offers(provider: &str, described: &Describe) -> String {
    let mut text = format!("{}\n", described.runtime);
    for offer in described.offers.iter().filter(|offer| offer.provider == provider) {
        let forms: Vec<&str> = offer.forms.iter().map(|form| form.as_str()).collect();
        text += &format!("  {:<20} {:<14} {:<22} {}\n", offer.algorithm, offer.path, forms.join(","), offer.version);
    }
    for (_, why) in described.absent.iter().chain(&described.wrong).filter(|(absent, _)| absent == provider) {
        text += &format!("  absent: {why}\n");
    }
    text
}
