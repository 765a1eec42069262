//! NVIDIA's cards, by the driver's own library: `nvmlDeviceGetTotalEnergyConsumption`, millijoules since the driver was loaded.
//!
//! It is there from Volta on. The counter is updated every 20 to 100 ms, and some data-centre cards sample their power for a quarter of
//! the time only (<https://arxiv.org/abs/2312.02741>): seconds say something, single kernels don't.

#[expect(unsafe_code, reason = "a library in C is called")]
mod driver;

use std::path::Path;
use std::sync::Arc;

use driver::{Driver, Failed};

use super::counter::{Counter, Covers, Found};

/// A counter for each card that has one; `library` is another file than the driver's.
pub(super) fn find(library: Option<&Path>) -> Found {
    let driver = Arc::new(Driver::open(library).map_err(|failed| match failed {
        Failed::NotInstalled => "no NVIDIA driver is installed, or no card of NVIDIA is here".to_string(),
        failed => format!("NVIDIA's driver does not answer: {failed}"),
    })?);
    let count = driver.cards().map_err(|failed| format!("NVIDIA's driver lists no cards: {failed}"))?;
    let mut why = "NVIDIA's driver has no card".to_string();
    let mut found: Vec<Box<dyn Counter>> = Vec::new();
    for index in 0..count {
        let name = driver.name(index).unwrap_or_else(|_| "a card".into());
        match driver.millijoules(index) {
            Ok(first) => found.push(Box::new(Card { driver: driver.clone(), index, name, first })),
            Err(failed) => why = format!("{name} has no counter of energy: {failed}"),
        }
    }
    if found.is_empty() { Err(why) } else { Ok(found) }
}

struct Card {
    driver: Arc<Driver>,
    index: u32,
    name: String,
    /// The counter's first value.
    first: u64,
}

impl Counter for Card {
    fn name(&self) -> String {
        format!("nvml: {} ({})", self.name, self.index)
    }

    fn covers(&self) -> Covers {
        Covers::Gpu
    }

    fn microjoules(&mut self) -> Result<u64, String> {
        let now = self.driver.millijoules(self.index);
        let now = now.map_err(|failed| format!("{} no longer answers: {failed}", self.name))?;
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
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/src/energy/nvml/fake.c");
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
