//! The emulated devices that workers' manifests describe.

use anyhow::Result;

use crate::args::WorkersOption;
use crate::workers::{self, EmulatedDevice, Foreign};

/// An emulated device, and the worker that runs on it.
pub struct Emulated {
    pub worker: Foreign,
    pub device: EmulatedDevice,
}

impl Emulated {
    /// Its providers that are built, and those that are not.
    pub fn providers(&self) -> (Vec<&str>, Vec<&str>) {
        let all = self.device.providers.iter().map(String::as_str);
        all.partition(|provider| self.worker.image(&self.device, provider).is_some())
    }

    /// What to do about those that are not built.
    pub fn remedy(&self) -> String {
        match self.worker.toolchain() {
            Ok(_) => format!("`{}` builds it", self.worker.build_command()),
            Err(why) => format!("its toolchain is missing or too old: {why}; it needs {}", self.worker.needs()),
        }
    }
}

/// All of them, by name; a name that occurs twice is the first worker's.
pub fn emulated(option: &WorkersOption) -> Result<Vec<Emulated>> {
    let mut found: Vec<Emulated> = Vec::new();
    for worker in workers::find(option)? {
        for device in worker.devices() {
            if found.iter().all(|known| known.device.name != device.name) {
                found.push(Emulated { worker: worker.clone(), device: device.clone() });
            }
        }
    }
    Ok(found)
}
