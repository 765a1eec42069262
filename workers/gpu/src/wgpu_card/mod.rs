//! The provider `wgpu`: kernels in WGSL on Vulkan, Metal or DirectX 12.
//!
//! `context` opens an adapter, `pipelines` compiles the kernels, `buffers` are what all messages share. Each form has a
//! file: `device`, `ring` (end-to-end) and `pageable`.

mod adapter;
mod buffers;
mod context;
mod device;
mod pageable;
mod pipelines;
mod ring;
mod step;

use std::cell::RefCell;
use std::rc::Rc;

use ciphermeter_core::{Algorithm, Form};

use crate::card::{Card, Cold, Job, Message, Refused};
use crate::host_memory;
use buffers::Buffers;
use context::Context;

/// The kernels' source.
pub const SHADER: &str = include_str!("kernels.wgsl");

/// An adapter with its kernels, and the buffers that all cells share, and all vectors.
struct WgpuCard {
    context: Rc<Context>,
    buffers: Rc<RefCell<Buffers>>,
    buffers_of_vectors: Rc<RefCell<Buffers>>,
}

/// Opens the adapter that the environment names, or the likeliest one.
pub fn open() -> Result<Box<dyn Card>, String> {
    let context = Rc::new(Context::open()?);
    Ok(Box::new(WgpuCard { context, buffers: Rc::default(), buffers_of_vectors: Rc::default() }))
}

impl Card for WgpuCard {
    fn version(&self) -> String {
        self.context.version()
    }

    fn path(&self, _: Algorithm) -> String {
        adapter::path(&self.context.info)
    }

    fn cold(&self) -> Cold {
        self.context.cold
    }

    fn prepare(&self, job: Job) -> Result<Box<dyn Message>, Refused> {
        let bytes = host_memory::padded(job.bytes);
        let step = self.context.step(&job.work).map_err(Refused::Failed)?;
        let buffers = if job.apart { &self.buffers_of_vectors } else { &self.buffers };
        let (context, buffers) = (self.context.clone(), buffers.clone());
        Ok(match job.form {
            Form::Device => Box::new(device::Device::new(context, buffers, step, job.work, bytes)?),
            Form::EndToEnd => Box::new(ring::Ring::new(context, buffers, step, job.work, bytes)?),
            Form::Pageable => Box::new(pageable::Pageable::new(context, buffers, step, job.work, bytes)?),
            form => return Err(Refused::Unsupported(format!("a card has no form {form}"))),
        })
    }

    fn generation(&self) -> u64 {
        self.buffers.borrow().generation
    }
}
