//! Finds CUDA's driver and compiler, both opened at run time.

use std::env;
use std::ffi::OsString;

use cudarc::driver::sys as driver;
use cudarc::nvrtc::sys as nvrtc;

/// Names the file of the compiler's library.
const NVRTC: &str = "CIPHERMETER_NVRTC";

/// Fails with the reason and the remedy where one is missing.
pub fn find() -> Result<(), String> {
    // SAFETY: opening a library runs its initializers: these are NVIDIA's.
    if !unsafe { driver::is_culib_present() } {
        return Err("no CUDA driver (libcuda) is here; install NVIDIA's driver".into());
    }
    find_compiler(env::var_os(NVRTC))
}

/// The same of the compiler alone, which is this file, or what the loader finds.
pub fn find_compiler(file: Option<OsString>) -> Result<(), String> {
    if let Some(file) = file.filter(|file| !file.is_empty()) {
        // SAFETY: as above. The library found later by its name is this one, as it is open already.
        let opened = unsafe { libloading::Library::new(&file) };
        let why = |error| format!("cannot open {NVRTC}={}: {error}; name a libnvrtc", file.to_string_lossy());
        std::mem::forget(opened.map_err(why)?);
    }
    // SAFETY: as above.
    if !unsafe { nvrtc::is_culib_present() } {
        return Err(format!(
            "no CUDA compiler (libnvrtc) is here; install the CUDA toolkit, or `pip install nvidia-cuda-nvrtc-cu12` and \
             set {NVRTC} to its libnvrtc.so.12"
        ));
    }
    Ok(())
}
