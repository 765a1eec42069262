//! The emulated devices that workers' manifests describe.

use anyhow::Result;

use crate::args::WorkersOption;
use crate::workers::{self, EmulatedDevice, Foreign};

pub struct Emulated {
    pub worker: Foreign,
    pub device: EmulatedDevice,
}

impl Emulated {
    pub fn providers(&self) -> (Vec<&str>, Vec<&str>) {
        let all = self.device.providers.iter().map(String::as_str);
        all.partition(|provider| self.worker.image(&self.device, provider).is_some())
    }

    /// Those that are not built, by what there is to do about it.
    pub fn not_built(&self) -> Vec<(Vec<String>, String)> {
        let (_, missing) = self.providers();
        if missing.is_empty() { Vec::new() } else { self.worker.remedies(&self.device.name, &missing) }
    }
}

/// All of them, by name; a name that occurs twice is the first worker's.
pub fn emulated(option: &WorkersOption) -> Result<Vec<Emulated>> {
    let mut found: Vec<Emulated> = Vec::new();
    for worker in workers::find(option)? {
        for device in &worker.manifest.device {
            if found.iter().all(|known| known.device.name != device.name) {
                found.push(Emulated { worker: worker.clone(), device: device.clone() });
            }
        }
    }
    Ok(found)
}
