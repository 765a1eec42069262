//! An open adapter: device, queue, kernels, limits, and what went wrong on it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use wgpu::{
    AdapterInfo, Buffer, BufferDescriptor, BufferUsages, CommandEncoder, Device, DeviceDescriptor, ErrorFilter,
    Features, Instance, InstanceDescriptor, Limits, MapMode, MemoryBudgetThresholds, MemoryHints, PollType, Queue,
    SubmissionIndex,
};

use super::adapter;
use super::pipelines::Pipelines;
use crate::card::{Cold, Refused};
use crate::clock::nanoseconds;

/// The most bytes that one buffer, binding and dispatch have.
const LARGEST_PART: u64 = 256 << 20;
/// After so long without an answer the card is taken for lost.
const PATIENCE: Duration = Duration::from_secs(100);

/// An open adapter.
pub struct Context {
    pub device: Device,
    pub queue: Queue,
    pub info: AdapterInfo,
    pub pipelines: Pipelines,
    pub cold: Cold,
    /// The most bytes of a buffer that a kernel works on, a multiple of 64.
    pub part: u64,
    failure: Arc<Mutex<Option<String>>>,
}

impl Context {
    /// Opens an adapter and compiles the kernels.
    pub fn open() -> Result<Self, String> {
        let start = Instant::now();
        let mut descriptor = InstanceDescriptor::new_without_display_handle();
        // A card that is nearly full refuses a buffer, where it can, rather than lose its context.
        descriptor.memory_budget_thresholds =
            MemoryBudgetThresholds { for_resource_creation: Some(97), for_device_loss: None };
        let adapter = adapter::choose(&Instance::new(descriptor))?;
        let (info, most) = (adapter.get_info(), adapter.limits());
        let limits = Limits {
            max_buffer_size: most.max_buffer_size,
            max_storage_buffer_binding_size: most.max_storage_buffer_binding_size,
            max_compute_workgroups_per_dimension: most.max_compute_workgroups_per_dimension,
            ..Limits::downlevel_defaults()
        };
        let described = DeviceDescriptor {
            label: Some("ciphermeter"),
            required_features: Features::empty(),
            required_limits: limits,
            memory_hints: MemoryHints::Performance,
            ..DeviceDescriptor::default()
        };
        let (device, queue) = pollster::block_on(adapter.request_device(&described))
            .map_err(|error| format!("opening {} failed: {error}; update its driver", info.name))?;
        let failure = Arc::<Mutex<Option<String>>>::default();
        let record = failure.clone();
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| note(&record, error.to_string())));
        let record = failure.clone();
        device.set_device_lost_callback(move |_, why| note(&record, format!("the card was lost: {why}")));
        let context_ns = nanoseconds(start.elapsed());

        let start = Instant::now();
        let pipelines = Pipelines::new(&device, &queue);
        let cold = Cold { context_ns, compile_ns: nanoseconds(start.elapsed()) };
        let part = LARGEST_PART
            .min(most.max_storage_buffer_binding_size)
            .min(most.max_buffer_size)
            .min(u64::from(most.max_compute_workgroups_per_dimension) * Pipelines::BYTES_OF_A_GROUP);
        let context = Self { device, queue, info, pipelines, cold, part: part / 64 * 64, failure };
        context.check()?;
        Ok(context)
    }

    /// wgpu's version, and the adapter's name and driver.
    pub fn version(&self) -> String {
        let AdapterInfo { name, driver, driver_info, .. } = &self.info;
        format!("{} ({name}, {driver} {driver_info})", env!("VERSION_WGPU")).replace(" )", ")")
    }

    /// Whether the adapter's memory is the host's.
    pub fn shares_memory(&self) -> bool {
        self.info.device_type != wgpu::DeviceType::DiscreteGpu
    }

    /// Fails if anything has gone wrong on the card, now or before.
    pub fn check(&self) -> Result<(), String> {
        match &*self.failure.lock().unwrap_or_else(PoisonError::into_inner) {
            None => Ok(()),
            Some(why) => {
                let why: String = why.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(200).collect();
                Err(format!(
                    "{} failed: {why}; start the worker again, with smaller messages or a newer driver",
                    self.info.name
                ))
            }
        }
    }

    /// A buffer, or what the driver said where it has no room for it.
    pub fn buffer(&self, bytes: u64, usage: BufferUsages, mapped: bool) -> Result<Buffer, Refused> {
        let scope = self.device.push_error_scope(ErrorFilter::OutOfMemory);
        let descriptor = BufferDescriptor { label: None, size: bytes.max(64), usage, mapped_at_creation: mapped };
        let buffer = self.device.create_buffer(&descriptor);
        if pollster::block_on(scope.pop()).is_some() {
            let why = format!("{} refused a buffer of {} MiB: its memory is full", self.info.name, bytes >> 20);
            return Err(Refused::Unsupported(format!("{why}; use a smaller message")));
        }
        self.check().map_err(Refused::Failed)?;
        Ok(buffer)
    }

    /// A command encoder.
    pub fn encoder(&self) -> CommandEncoder {
        self.device.create_command_encoder(&Default::default())
    }

    /// Submits what an encoder has.
    pub fn submit(&self, encoder: CommandEncoder) -> SubmissionIndex {
        self.queue.submit([encoder.finish()])
    }

    /// Waits until a submission is done and its buffers are mapped.
    pub fn wait(&self, submission: SubmissionIndex) -> Result<(), String> {
        let polled = self.device.poll(PollType::Wait { submission_index: Some(submission), timeout: Some(PATIENCE) });
        if let Err(error) = polled {
            note(&self.failure, error.to_string());
        }
        self.check()
    }

    /// Asks for a buffer to be mapped once the work that was submitted before is done; a failure is noted.
    pub fn map(&self, buffer: &Buffer, mode: MapMode, bytes: u64) {
        let record = self.failure.clone();
        buffer.map_async(mode, 0..bytes, move |mapped| {
            if let Err(error) = mapped {
                note(&record, format!("mapping memory failed: {error}"));
            }
        });
    }
}

/// Keeps the first failure: those after it follow from it.
fn note(failure: &Mutex<Option<String>>, why: String) {
    failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
}
