//! What `--device` names, as sources of a run. A device that is not there, or not built, is left out with the reason, and the others go
//! on.

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::{Result, bail};
use ciphermeter_core::{Fact, Kind, Note, Run, Scenario, escaped};
use ciphermeter_meter::{OnDevice, Reach, Source};
use ciphermeter_protocol::{Address, DeviceLines, describe};
use ciphermeter_terminal::{Exit, WithExit};

use super::emulated::{Emulated, emulated};
use super::spec::DeviceSpec;
use crate::args::WorkersOption;

/// How long a device may be silent.
pub const PATIENCE: Duration = Duration::from_secs(20);
/// The fact of a run that names its devices.
const FACT: &str = "devices";

#[derive(Debug, Default)]
pub struct Devices {
    pub sources: Vec<Source>,
    /// What is not measured, and why.
    pub notes: Vec<Note>,
    pub partial: bool,
    /// Images that are not built, of devices that have others.
    pub unbuilt: Vec<Unbuilt>,
}

/// Providers of a device whose images are not built.
#[derive(Debug)]
pub struct Unbuilt {
    pub device: String,
    pub providers: Vec<String>,
    remedy: String,
}

impl Unbuilt {
    /// What there is to do about these of them.
    pub fn why(&self, providers: &[&str]) -> String {
        format!("{} of {} not built: {}", providers.join(", "), self.device, self.remedy)
    }
}

/// Asks each device what it has.
pub fn find(specs: &[DeviceSpec], workers: &WorkersOption) -> Result<Devices> {
    let mut found = Devices::default();
    if specs.is_empty() {
        return Ok(found);
    }
    if let Some(twice) = specs.iter().enumerate().find_map(|(at, spec)| specs[..at].contains(spec).then_some(spec)) {
        bail!("--device names {twice} twice: name each device once");
    }
    let emulated = emulated(workers)?;
    for (device, spec) in numbered(specs).into_iter().zip(specs) {
        match place(spec, &emulated)? {
            Place::Emulated(emulated) => found.add_emulated(device, emulated),
            Place::Board(address) => found.add_board(device, address),
        }
    }
    Ok(found)
}

/// Where a device is.
pub enum Place<'a> {
    Board(&'a Address),
    Emulated(&'a Emulated),
}

/// The device that is named, of `all` emulated ones if it is one of those.
pub fn place<'a>(spec: &'a DeviceSpec, all: &'a [Emulated]) -> Result<Place<'a>> {
    let name = match spec {
        DeviceSpec::Board(address) => return Ok(Place::Board(address)),
        DeviceSpec::Emulated(name) => name,
    };
    let known: Vec<String> = all.iter().map(|known| format!("qemu:{}", known.device.name)).collect();
    let shown = escaped(name);
    match all.iter().find(|known| known.device.name == *name) {
        Some(found) => Ok(Place::Emulated(found)),
        None if known.is_empty() => {
            bail!("there is no emulated device `{shown}`: no worker here has one; give their folder with --workers")
        }
        None => bail!("there is no emulated device `{shown}`; there are {}", known.join(", ")),
    }
}

/// Their numbers, and their names: a name that occurs again gets a number behind it.
fn numbered(specs: &[DeviceSpec]) -> Vec<OnDevice> {
    let mut all: Vec<OnDevice> = Vec::new();
    for (number, spec) in (1..).zip(specs) {
        let names = (1..).map(|n| if n == 1 { spec.name().to_owned() } else { format!("{}-{n}", spec.name()) });
        let is_free = |name: &String| all.iter().all(|other| other.name != *name);
        let name = names.into_iter().find(is_free).unwrap_or_default();
        all.push(OnDevice { number, name });
    }
    all
}

impl Devices {
    fn add_emulated(&mut self, device: OnDevice, emulated: &Emulated) {
        if let Some(why) = emulated.worker.why_not_emulated(&emulated.device) {
            return self.leave_out(format!("{}: {why}", device.name));
        }
        let (built, _) = emulated.providers();
        let has_some = !built.is_empty();
        for provider in built {
            let reach = Reach::Command(emulated.worker.emulator(&emulated.device, provider));
            let image = emulated.worker.image(&emulated.device, provider);
            self.sources.push(Source { image, ..Source::on_device(provider, device.clone(), reach) });
        }
        for (providers, remedy) in emulated.not_built() {
            let unbuilt = Unbuilt { device: device.name.clone(), providers, remedy };
            if has_some {
                self.unbuilt.push(unbuilt);
            } else {
                self.leave_out(unbuilt.why(&unbuilt.providers.iter().map(String::as_str).collect::<Vec<_>>()));
            }
        }
    }

    fn add_board(&mut self, device: OnDevice, address: &Address) {
        match providers(address) {
            Ok(providers) => self.sources.extend(
                providers
                    .iter()
                    .map(|provider| Source::on_device(provider, device.clone(), Reach::Line(address.clone()))),
            ),
            Err(why) => self.leave_out(why),
        }
    }

    /// Sees that of the devices that were named, one at least can be measured: a run of this machine alone is not what was asked for.
    pub fn check_any(&self) -> Result<(), WithExit> {
        if !self.sources.is_empty() || self.notes.is_empty() {
            return Ok(());
        }
        let message = {
            let notes: Vec<String> = self.notes.iter().map(ToString::to_string).collect();
            format!("{}; remove --device to measure this machine alone", notes.join("; "))
        };
        Err(WithExit { exit: Exit::Nothing, message })
    }

    /// Notes which devices lack a provider that was named without a device, so that its absence is not taken for a defeat.
    pub fn note_lacking(&mut self, named: &[String]) {
        let on = |source: &Source| source.device.as_ref().map(|device| device.name.clone());
        let all: BTreeSet<String> = self.sources.iter().filter_map(on).collect();
        for provider in named.iter().filter(|provider| !provider.contains('@')) {
            let having: BTreeSet<String> =
                self.sources.iter().filter(|source| source.provider == *provider).filter_map(on).collect();
            let lacking: Vec<&str> = all.difference(&having).map(String::as_str).collect();
            // What no device has is of this machine, or nowhere.
            if !lacking.is_empty() && !having.is_empty() {
                self.notes.push(Note::other(format!("{provider} is not on {}", lacking.join(", "))));
            }
        }
    }

    fn leave_out(&mut self, why: String) {
        self.notes.push(Note::not_measured(&[], why));
        self.partial = true;
    }

    /// Adds their providers to those that a scenario measures.
    pub fn join(&self, scenario: &mut Scenario) {
        for block in scenario.cells.iter_mut().filter(|block| !block.providers.is_empty()) {
            block.providers.extend(self.sources.iter().map(|source| source.name.clone()));
        }
    }
}

/// What a board offers. Its line is closed again; the run opens it anew.
fn providers(address: &Address) -> Result<Vec<String>, String> {
    let mut lines = DeviceLines::default();
    let mut link = lines.link(address).map_err(|error| error.to_string())?;
    let described = describe(&mut link, PATIENCE);
    let providers = described.map_err(|error| format!("{address}: {}", error.on_device()))?.providers();
    match providers.is_empty() {
        true => Err(format!("{address}: its worker offers no provider; flash another image")),
        false => Ok(providers),
    }
}

/// Sees that a new run can have devices, and notes in its facts which.
pub fn check(run: &mut Run, specs: &[DeviceSpec]) -> Result<()> {
    if specs.is_empty() {
        return Ok(());
    }
    if run.scenario.kind != Kind::Message || run.scenario.moves_files() {
        bail!("--device measures calls on messages, and {} is of another kind: remove --device", run.scenario.name);
    }
    if run.scenario.copies.is_some() {
        bail!("{} compares copies of this machine's libraries: remove --device", run.scenario.name);
    }
    run.host.extend(fact(specs));
    Ok(())
}

/// What a resumed run must be given again.
pub fn fact(specs: &[DeviceSpec]) -> Option<Fact> {
    let list = specs.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
    (!specs.is_empty()).then(|| Fact::present(FACT, list))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_have_numbers_and_names_of_their_own() {
        let specs = ["qemu:avr", "/dev/ttyUSB0", "/dev/serial/by-id/ttyUSB0", "./avr", "./x/avr"];
        let specs: Vec<DeviceSpec> = specs.iter().map(|text| text.parse().unwrap()).collect();
        let names: Vec<_> = numbered(&specs).into_iter().map(|device| (device.number, device.name)).collect();
        let expected = [(1, "avr"), (2, "ttyUSB0"), (3, "ttyUSB0-2"), (4, "avr-2"), (5, "avr-3")];
        assert!(names.iter().map(|(number, name)| (*number, name.as_str())).eq(expected), "{names:?}");
    }
}
