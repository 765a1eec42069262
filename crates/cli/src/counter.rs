//! The counter of the C library's allocations, as a file that the system's loader can preload into a worker.

use anyhow::Result;

/// The environment with which a built-in worker's allocations are counted; empty where there is no counter.
pub fn environment() -> Result<Vec<(String, String)>> {
    let object = ciphermeter_native::counter_object();
    match file(object)? {
        Some(path) => Ok(vec![("LD_PRELOAD".into(), path)]),
        None => Ok(Vec::new()),
    }
}

/// A file in memory that lives as long as this process: nothing is left behind on disk.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn file(object: &[u8]) -> Result<Option<String>> {
    use std::fs::File;
    use std::io::Write;
    use std::os::fd::AsRawFd;
    use std::sync::OnceLock;

    use anyhow::Context;
    use rustix::fs::{MemfdFlags, memfd_create};

    static FILE: OnceLock<File> = OnceLock::new();
    if object.is_empty() {
        return Ok(None);
    }
    if FILE.get().is_none() {
        let descriptor =
            memfd_create("ciphermeter-counter", MemfdFlags::CLOEXEC).context("cannot create a file in memory")?;
        let mut memory_file = File::from(descriptor);
        memory_file.write_all(object).context("cannot write the counter of allocations")?;
        let _ = FILE.set(memory_file);
    }
    Ok(FILE.get().map(|file| format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd())))
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn file(_: &[u8]) -> Result<Option<String>> {
    Ok(None)
}
