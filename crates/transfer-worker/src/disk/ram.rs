//! RAM disks of our own: Linux's module `brd`.
//!
//! The module makes its disks when it is loaded, and a disk of somebody else's is never touched: it is loaded here, with
//! a size that nobody chooses. Where it is loaded already with another size, its disks may be in use, and nothing is
//! measured. A loop device over memory would always be there, but its thread and the page cache would be measured, too;
//! zram compresses what it is given.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::device::{BYTES, Buffer, open_alone};
use super::mapping;
use crate::error::Error;
use crate::system::{needs_module, run};

/// As many as a process has cells at once. A disk takes memory as it is written.
const DISKS: u32 = 16;
/// 32 MiB and 52 KiB: the odd rest says that the disks are ours, also those of a process that was killed.
const KIB: u64 = 32 * 1024 + 52;

/// How often something is tried that another process may hinder for a moment.
const TRIES: u32 = 20;
const STEP: Duration = Duration::from_millis(50);

/// The module, loaded by this worker. Dropping it unloads the module, unless another worker of ours uses a disk.
pub(crate) struct RamDisks {
    /// An open disk keeps the module loaded.
    open: Option<File>,
}

/// One of the disks, which nothing else uses while this value lives.
pub(super) struct RamDisk {
    pub(super) path: PathBuf,
    _disks: Arc<RamDisks>,
}

/// Whether disks of our own can be made.
pub(super) fn probe() -> Result<(), Error> {
    if is_loaded() && !is_ours() {
        return Err(Error::local(
            "RAM disks are here already (module brd), and perhaps in use: unload it with modprobe -r brd",
        ));
    }
    needs_module("brd", "RAM disks")
}

fn parameter(name: &str) -> Option<u64> {
    fs::read_to_string(format!("/sys/module/brd/parameters/{name}")).ok()?.trim().parse().ok()
}

fn is_loaded() -> bool {
    fs::exists("/sys/module/brd").unwrap_or(true)
}

fn is_ours() -> bool {
    parameter("rd_size") == Some(KIB) && parameter("rd_nr") == Some(DISKS.into())
}

impl RamDisks {
    /// Loads the module, if a process of ours did not leave it loaded, and removes that process's mappings.
    pub(crate) fn load() -> Result<Arc<Self>, Error> {
        mapping::remove_leftovers();
        let mut tries = 0..TRIES;
        loop {
            // Another worker of ours may be unloading it.
            match Self::open() {
                Ok(open) => return Ok(Arc::new(Self { open: Some(open) })),
                Err(why) if tries.next().is_none() => return Err(why),
                Err(_) => thread::sleep(STEP),
            }
        }
    }

    fn open() -> Result<File, Error> {
        let failed = |why: String| Error::local(format!("cannot make RAM disks: {why}"));
        if !is_loaded() {
            // Without `--first-time` a module that another program loads just now would be taken for ours.
            let (disks, size) = (format!("rd_nr={DISKS}"), format!("rd_size={KIB}"));
            run("modprobe", &["--first-time", "brd", &disks, &size], b"").map_err(|why| failed(why.to_string()))?;
        }
        probe()?;
        File::open("/dev/ram0").map_err(|why| failed(format!("/dev/ram0: {why}")))
    }

    /// A disk that nothing uses, and for this moment nothing else opens.
    pub(super) fn take(self: &Arc<Self>) -> Result<(RamDisk, File), Error> {
        let is_right = |name: &String| {
            let sectors = fs::read_to_string(format!("/sys/block/{name}/size"));
            sectors.is_ok_and(|sectors| sectors.trim() == (KIB * 2).to_string())
        };
        for name in (0..DISKS).map(|number| format!("ram{number}")).filter(is_right) {
            let path = PathBuf::from("/dev").join(name);
            if let Ok(file) = open_alone(&path) {
                fill(&file).map_err(|why| Error::local(format!("cannot fill {}: {why}", path.display())))?;
                return Ok((RamDisk { path, _disks: Arc::clone(self) }, file));
            }
        }
        Err(Error::local(format!("none of the {DISKS} RAM disks is free: release a cell, or end the other run")))
    }
}

impl Drop for RamDisks {
    fn drop(&mut self) {
        self.open = None;
        // A mapping that was just closed takes a moment to go.
        let mut tries = 0..TRIES;
        while is_ours() && run("modprobe", &["--remove", "brd"], b"").is_err() && tries.next().is_some() {
            thread::sleep(STEP);
        }
    }
}

/// The disk takes memory from the system at the first write to each page, which no cell should have to wait for.
fn fill(file: &File) -> std::io::Result<()> {
    let zeros = Buffer::new(1 << 20);
    (0..BYTES).step_by(zeros.bytes().len()).try_for_each(|at| file.write_all_at(zeros.bytes(), at))
}
