//! The driver's objects: each is released when it is dropped, and every error says what failed and what to do.
//!
//! One thread uses them, the one that made the context current.

use std::ffi::c_void;

use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys::{CUdeviceptr, CUresult, CUstream};

use crate::card::Refused;

/// What failed, the driver's words, and the remedy.
pub fn failed(what: &str, error: DriverError) -> String {
    let text = |text: Result<&std::ffi::CStr, DriverError>| text.map(|text| text.to_string_lossy().into_owned());
    let name = text(error.error_name()).unwrap_or_else(|_| format!("{:?}", error.0));
    let words = text(error.error_string()).unwrap_or_default();
    let remedy = match error.0 {
        CUresult::CUDA_ERROR_OUT_OF_MEMORY => "use a smaller message, or end what else uses the card",
        CUresult::CUDA_ERROR_NO_DEVICE => "let this process see a card (CUDA_VISIBLE_DEVICES)",
        CUresult::CUDA_ERROR_SYSTEM_DRIVER_MISMATCH | CUresult::CUDA_ERROR_INVALID_IMAGE => "update NVIDIA's driver",
        _ => "start the worker again; if that does not help, reset the card",
    };
    format!("{what} failed: {name} ({words}); {remedy}")
}

/// The same as a refusal: memory that is not there is no failure.
fn refused(what: &str, error: DriverError) -> Refused {
    match error.0 {
        CUresult::CUDA_ERROR_OUT_OF_MEMORY => Refused::Unsupported(failed(what, error)),
        _ => Refused::Failed(failed(what, error)),
    }
}

/// Memory of the card.
pub struct DeviceMemory {
    pub address: CUdeviceptr,
    pub bytes: u64,
}

impl DeviceMemory {
    pub fn new(bytes: u64) -> Result<Self, Refused> {
        let bytes = bytes.max(64);
        // SAFETY: what it returns is written before it is read.
        let address = unsafe { result::malloc_sync(bytes as usize) };
        let address =
            address.map_err(|error| refused(&format!("allocating {} MiB on the card", bytes >> 20), error))?;
        Ok(Self { address, bytes })
    }

    /// Copies to it, from byte `at` on, and waits.
    pub fn write(&self, at: u64, from: &[u8]) -> Result<(), String> {
        assert!(at + from.len() as u64 <= self.bytes, "beyond the buffer");
        // SAFETY: the place lies within the allocation, as asserted. The call returns when the driver has the bytes, not
        // when the card has them: streams of their own would overtake them, so all work is waited for.
        unsafe { result::memcpy_htod_sync(self.address + at, from) }
            .and_then(|()| result::ctx::synchronize())
            .map_err(|error| failed("copying to the card", error))
    }

    /// Copies from it, from byte `at` on, and waits.
    pub fn read(&self, at: u64, into: &mut [u8]) -> Result<(), String> {
        assert!(at + into.len() as u64 <= self.bytes, "beyond the buffer");
        // SAFETY: as above.
        unsafe { result::memcpy_dtoh_sync(into, self.address + at) }
            .map_err(|error| failed("copying from the card", error))
    }

    /// Queues a copy to its start.
    ///
    /// # Safety
    /// `from` stays as it is until the stream has been waited for.
    pub unsafe fn queue_write(&self, from: &[u8], stream: &Stream) -> Result<(), String> {
        assert!(from.len() as u64 <= self.bytes, "beyond the buffer");
        // SAFETY: within the allocation, as asserted; the rest is the caller's promise.
        unsafe { result::memcpy_htod_async(self.address, from, stream.0) }
            .map_err(|error| failed("copying to the card", error))
    }

    /// Queues a copy from its start.
    ///
    /// # Safety
    /// `into` is not touched until the stream has been waited for.
    pub unsafe fn queue_read(&self, into: &mut [u8], stream: &Stream) -> Result<(), String> {
        assert!(into.len() as u64 <= self.bytes, "beyond the buffer");
        // SAFETY: as above.
        unsafe { result::memcpy_dtoh_async(into, self.address, stream.0) }
            .map_err(|error| failed("copying from the card", error))
    }

    /// Queues a copy of its first `bytes` bytes within the card.
    pub fn queue_copy(&self, to: &Self, bytes: u64, stream: &Stream) -> Result<(), String> {
        assert!(bytes <= self.bytes.min(to.bytes), "beyond the buffer");
        // SAFETY: both places lie within their allocations, which are freed only after a wait for all work.
        unsafe { result::memcpy_dtod_async(to.address, self.address, bytes as usize, stream.0) }
            .map_err(|error| failed("copying within the card", error))
    }
}

impl Drop for DeviceMemory {
    fn drop(&mut self) {
        // SAFETY: it was allocated here; the driver waits for work that uses it. A failure leaves nothing to do.
        let _ = unsafe { result::free_sync(self.address) };
    }
}

/// Page-locked memory of the host, not write-combined: reading it is as fast as any.
pub struct PinnedMemory {
    start: *mut c_void,
    bytes: usize,
}

impl PinnedMemory {
    pub fn new(bytes: u64) -> Result<Self, Refused> {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        // SAFETY: what it returns is written below, before it is read.
        let start = unsafe { result::malloc_host(bytes.max(64), 0) };
        let start =
            start.map_err(|error| refused(&format!("pinning {} MiB of the host's memory", bytes >> 20), error))?;
        // SAFETY: it is as long.
        unsafe { start.cast::<u8>().write_bytes(0, bytes) };
        Ok(Self { start, bytes })
    }

    pub fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: it is as long, initialized, and borrowed as long as the slice lives.
        unsafe { std::slice::from_raw_parts_mut(self.start.cast(), self.bytes) }
    }
}

impl Drop for PinnedMemory {
    fn drop(&mut self) {
        // SAFETY: it was allocated here, and is dropped only after a wait for all work.
        let _ = unsafe { result::free_host(self.start) };
    }
}

/// A queue of work. The default one is the driver's own.
pub struct Stream(CUstream);

impl Stream {
    /// A queue beside the others.
    pub fn new() -> Result<Self, String> {
        let stream = result::stream::create(result::stream::StreamKind::NonBlocking);
        stream.map(Self).map_err(|error| failed("making a stream", error))
    }

    /// The driver's name of it.
    pub fn raw(&self) -> CUstream {
        self.0
    }

    /// Waits until all its work is done.
    pub fn wait(&self) -> Result<(), String> {
        // SAFETY: it is there until it is dropped.
        unsafe { result::stream::synchronize(self.0) }.map_err(|error| failed("working on the card", error))
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // SAFETY: it is not used any more; the driver finishes its work first.
        let _ = unsafe { result::stream::destroy(self.0) };
    }
}
