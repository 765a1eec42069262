//! An open card: its facts, its kernels, and the design of AES that was chosen for it.

use std::env;
use std::time::Instant;

use cudarc::driver::result;
use cudarc::driver::sys::{self, CUdevice_attribute as Attribute};

use super::choose;
use super::compile;
use super::driver::failed;
use super::kernels::{Design, Kernels};
use crate::card::Cold;
use crate::clock::nanoseconds;

/// Names the card to use: its number, from 0, in the driver's order.
const CHOICE: &str = "CIPHERMETER_CUDA_DEVICE";

/// An open card, whose context is this thread's.
pub struct Context {
    pub version: String,
    pub kernels: Kernels,
    pub design: Design,
    pub cold: Cold,
}

impl Context {
    pub fn open() -> Result<Self, String> {
        let start = Instant::now();
        result::init().map_err(|error| failed("starting NVIDIA's driver", error))?;
        let device = choose_device()?;
        // SAFETY: the device exists. The context is kept until the process ends.
        unsafe { result::primary_ctx::retain(device).and_then(|context| result::ctx::set_current(context)) }
            .map_err(|error| failed("opening a context on the card", error))?;
        let context_ns = nanoseconds(start.elapsed());

        let attribute = |attribute| {
            // SAFETY: the device exists.
            unsafe { result::device::get_attribute(device, attribute) }
                .map_err(|error| failed("asking the card", error))
        };
        let major = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        let minor = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        let multiprocessors = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;

        let start = Instant::now();
        let image = compile::compile(10 * major + minor)?;
        let kernels = Kernels::load(&image, u32::try_from(multiprocessors).unwrap_or(0))?;
        let cold = Cold { context_ns, compile_ns: nanoseconds(start.elapsed()) };

        let name = result::device::get_name(device).map_err(|error| failed("asking the card", error))?;
        let name = name.trim_end_matches('\0');
        let driver = driver_version();
        let version = format!("CUDA {driver}, NVRTC {} ({name}, {})", compile::version(), image.architecture);
        let design = choose::design(&kernels)?;
        Ok(Self { version, kernels, design, cold })
    }
}

fn choose_device() -> Result<sys::CUdevice, String> {
    let count = result::device::get_count().map_err(|error| failed("counting cards", error))?;
    let choice = env::var(CHOICE).ok().filter(|choice| !choice.is_empty());
    let index = match &choice {
        None => 0,
        Some(choice) => choice
            .parse()
            .ok()
            .filter(|index| (0..count).contains(index))
            .ok_or_else(|| format!("{CHOICE}={choice} names no card; there are {count}, numbered from 0"))?,
    };
    result::device::get(index).map_err(|error| failed("finding a card", error))
}

/// The CUDA version that the driver supports, `12.8`.
fn driver_version() -> String {
    let mut version = 0;
    // SAFETY: it writes an integer.
    match unsafe { sys::cuDriverGetVersion(&raw mut version) }.result() {
        Ok(()) => format!("{}.{}", version / 1000, version % 1000 / 10),
        Err(_) => "unknown".into(),
    }
}
