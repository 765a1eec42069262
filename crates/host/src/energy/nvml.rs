//! NVIDIA's cards, by the driver's own library: `nvmlDeviceGetTotalEnergyConsumption`, millijoules since the driver was loaded.
//!
//! It is there from Volta on. The counter is updated every 20 to 100 ms, and some data-centre cards sample their power for a quarter of
//! the time only (<https://arxiv.org/abs/2312.02741>): seconds say something, single kernels don't.

use std::path::Path;
use std::sync::Arc;

use nvml_wrapper::Nvml;
use nvml_wrapper::error::NvmlError;

use super::counter::{Counter, Covers, Found};

/// A counter for each card that has one; `library` is another file than the driver's.
pub(super) fn find(library: Option<&Path>) -> Found {
    let opened = match library {
        Some(file) => Nvml::builder().lib_path(file.as_os_str()).init(),
        None => Nvml::init(),
    };
    let nvml = Arc::new(opened.map_err(|error| match error {
        NvmlError::LibloadingError(_) => "no NVIDIA driver is installed, or no card of NVIDIA is here".to_string(),
        error => format!("NVIDIA's driver does not answer: {error}"),
    })?);
    let count = nvml.device_count().map_err(|error| format!("NVIDIA's driver lists no cards: {error}"))?;
    let mut why = "NVIDIA's driver has no card".to_string();
    let mut found: Vec<Box<dyn Counter>> = Vec::new();
    for index in 0..count {
        let name = nvml.device_by_index(index).and_then(|card| card.name());
        let mut card = Card { nvml: nvml.clone(), index, name: name.unwrap_or_else(|_| "a card".into()), first: 0 };
        match card.millijoules() {
            Ok(now) => {
                card.first = now;
                found.push(Box::new(card));
            }
            Err(error) => why = format!("{} has no counter of energy: {error}", card.name),
        }
    }
    if found.is_empty() { Err(why) } else { Ok(found) }
}

struct Card {
    nvml: Arc<Nvml>,
    index: u32,
    name: String,
    /// What the counter stood at.
    first: u64,
}

impl Card {
    fn millijoules(&self) -> Result<u64, NvmlError> {
        self.nvml.device_by_index(self.index)?.total_energy_consumption()
    }
}

impl Counter for Card {
    fn name(&self) -> String {
        format!("nvml: {} ({})", self.name, self.index)
    }

    fn covers(&self) -> Covers {
        Covers::Gpu
    }

    fn microjoules(&mut self) -> Result<u64, String> {
        let now = self.millijoules().map_err(|error| format!("{} does not answer any more: {error}", self.name))?;
        Ok(now.saturating_sub(self.first).saturating_mul(1000))
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::process::Command;

    use super::*;

    /// The driver's library, as far as it is used: two cards, of which the second is too old for a counter.
    fn fake(folder: &tempfile::TempDir) -> Option<PathBuf> {
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/src/energy/fake_nvml.c");
        let file = folder.path().join("libnvidia-ml.so");
        let built = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&file).arg(source).status();
        built.is_ok_and(|status| status.success()).then_some(file)
    }

    #[test]
    fn counter_of_a_card_is_read_from_the_driver() {
        let folder = tempfile::tempdir().unwrap();
        let Some(driver) = fake(&folder) else { return eprintln!("skipped: no C compiler makes the fake driver") };
        let mut found = find(Some(&driver)).unwrap();
        assert_eq!(found.len(), 1, "the old card has none");
        assert_eq!((found[0].name().as_str(), found[0].covers()), ("nvml: Fake H200 (0)", Covers::Gpu));
        // The fake's counter rises by 250 mJ with each reading.
        assert_eq!(found[0].microjoules(), Ok(250_000));
        assert_eq!(found[0].microjoules(), Ok(500_000));
    }

    #[test]
    fn machine_without_a_driver_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let why = find(Some(&folder.path().join("none.so"))).map(|_| ()).unwrap_err();
        assert_eq!(why, "no NVIDIA driver is installed, or no card of NVIDIA is here");
    }
}
