//! NVIDIA's management library, `libnvidia-ml`: the seven functions that a counter of energy needs, with the types of nvml.h.

use std::ffi::{CStr, OsStr, c_char, c_int, c_uint, c_ulonglong, c_void};
use std::fmt;
use std::path::Path;

use libloading::Library;

/// The driver's name for its library.
const LIBRARY: &str = "libnvidia-ml.so.1";
/// `NVML_DEVICE_NAME_V2_BUFFER_SIZE`.
const NAME: usize = 96;

/// `nvmlDevice_t`.
type Device = *mut c_void;

/// The opened library.
pub(super) struct Driver {
    count: unsafe extern "C" fn(*mut c_uint) -> c_int,
    device: unsafe extern "C" fn(c_uint, *mut Device) -> c_int,
    name: unsafe extern "C" fn(Device, *mut c_char, c_uint) -> c_int,
    energy: unsafe extern "C" fn(Device, *mut c_ulonglong) -> c_int,
    words: unsafe extern "C" fn(c_int) -> *const c_char,
    shutdown: unsafe extern "C" fn() -> c_int,
    /// What the functions belong to.
    _library: Library,
}

/// Why the library has no answer.
#[derive(Debug)]
pub(super) enum Failed {
    NotInstalled,
    /// This version lacks a function.
    Lacks(&'static str),
    /// In the library's words.
    Says(String),
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotInstalled => f.write_str("it is not installed"),
            Self::Lacks(function) => write!(f, "it lacks {function}"),
            Self::Says(words) => f.write_str(words),
        }
    }
}

/// # Safety
/// `T` is the type of that function.
unsafe fn function<T: Copy>(library: &Library, name: &'static str) -> Result<T, Failed> {
    // SAFETY: the caller's promise.
    unsafe { library.get::<T>(name.as_bytes()) }.map(|symbol| *symbol).map_err(|_| Failed::Lacks(name))
}

impl Driver {
    /// Opens and starts it; `file` is another than the driver's.
    pub(super) fn open(file: Option<&Path>) -> Result<Self, Failed> {
        let file = file.map_or(OsStr::new(LIBRARY), Path::as_os_str);
        // SAFETY: opening the driver's library runs its constructors, as every program that reads cards does.
        let library = unsafe { Library::new(file) }.map_err(|_| Failed::NotInstalled)?;
        // SAFETY: the types are those of nvml.h.
        let (driver, init) = unsafe {
            let init: unsafe extern "C" fn() -> c_int = function(&library, "nvmlInit_v2")?;
            let driver = Self {
                count: function(&library, "nvmlDeviceGetCount_v2")?,
                device: function(&library, "nvmlDeviceGetHandleByIndex_v2")?,
                name: function(&library, "nvmlDeviceGetName")?,
                energy: function(&library, "nvmlDeviceGetTotalEnergyConsumption")?,
                words: function(&library, "nvmlErrorString")?,
                shutdown: function(&library, "nvmlShutdown")?,
                _library: library,
            };
            (driver, init)
        };
        // SAFETY: it takes nothing. Shutting down what did not start is an error that `drop` ignores.
        driver.done(unsafe { init() })?;
        Ok(driver)
    }

    /// The number of cards.
    pub(super) fn cards(&self) -> Result<u32, Failed> {
        let mut count = 0;
        // SAFETY: it writes one integer.
        self.done(unsafe { (self.count)(&mut count) })?;
        Ok(count)
    }

    pub(super) fn name(&self, index: u32) -> Result<String, Failed> {
        let device = self.device(index)?;
        let mut name = [0; NAME];
        // SAFETY: it writes at most that many bytes, the last of them a zero.
        self.done(unsafe { (self.name)(device, name.as_mut_ptr().cast(), NAME as c_uint) })?;
        Ok(CStr::from_bytes_until_nul(&name).map_or_else(|_| String::new(), |name| name.to_string_lossy().into_owned()))
    }

    /// What a card has used since the driver was loaded.
    pub(super) fn millijoules(&self, index: u32) -> Result<u64, Failed> {
        let device = self.device(index)?;
        let mut used = 0;
        // SAFETY: it writes one integer.
        self.done(unsafe { (self.energy)(device, &mut used) })?;
        Ok(used)
    }

    fn device(&self, index: u32) -> Result<Device, Failed> {
        let mut device = std::ptr::null_mut();
        // SAFETY: it writes one pointer.
        self.done(unsafe { (self.device)(index, &mut device) })?;
        Ok(device)
    }

    /// Success, or the error in words.
    fn done(&self, code: c_int) -> Result<(), Failed> {
        if code == 0 {
            return Ok(());
        }
        // SAFETY: it takes any number; what it returns is a string that stays.
        let words = unsafe { (self.words)(code) };
        if words.is_null() {
            return Err(Failed::Says(format!("error {code}")));
        }
        // SAFETY: as above.
        Err(Failed::Says(unsafe { CStr::from_ptr(words) }.to_string_lossy().into_owned()))
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // SAFETY: it takes nothing, and nothing is asked after it.
        unsafe { (self.shutdown)() };
    }
}
