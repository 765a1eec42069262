//! The provider `cuda`: kernels.cu, compiled at start for the card at hand, on NVIDIA's driver. Neither the toolkit nor
//! the driver is needed to build it.
//!
//! `library` finds driver and compiler, `compile` compiles, `context` opens a card, `driver` and `kernels` are what is
//! called, `choose` picks a design of AES, `buffers` are what all messages share. Each form has a file: `device`,
//! `streams` (end-to-end) and `pageable`.

mod buffers;
mod choose;
pub mod compile;
mod context;
mod device;
mod driver;
mod kernels;
mod library;
mod pageable;
mod step;
mod streams;

use std::cell::RefCell;
use std::rc::Rc;

use ciphermeter_core::{Algorithm, Form};

use crate::card::{Card, Cold, Job, Message, Refused};
use crate::host_memory;
use buffers::Buffers;
use context::Context;

pub use library::find_compiler;

/// A card with its kernels, and the buffers that all cells share, and all vectors.
struct CudaCard {
    context: Rc<Context>,
    buffers: Rc<RefCell<Buffers>>,
    buffers_of_vectors: Rc<RefCell<Buffers>>,
}

/// Opens the card that the environment names, or the first one.
pub fn open() -> Result<Box<dyn Card>, String> {
    library::find()?;
    let context = Rc::new(Context::open()?);
    Ok(Box::new(CudaCard { context, buffers: Rc::default(), buffers_of_vectors: Rc::default() }))
}

impl Card for CudaCard {
    fn version(&self) -> String {
        self.context.version.clone()
    }

    fn path(&self, algorithm: Algorithm) -> String {
        match algorithm {
            Algorithm::Aes256Ctr => self.context.design.path().into(),
            _ => "cuda".into(),
        }
    }

    fn cold(&self) -> Cold {
        self.context.cold
    }

    fn prepare(&self, job: Job) -> Result<Box<dyn Message>, Refused> {
        let bytes = host_memory::padded(job.bytes);
        let buffers = if job.apart { &self.buffers_of_vectors } else { &self.buffers };
        let (context, buffers) = (self.context.clone(), buffers.clone());
        Ok(match job.form {
            Form::Device => Box::new(device::Device::new(context, buffers, job.work, bytes)?),
            Form::EndToEnd => Box::new(streams::Streams::new(context, buffers, job.work, bytes)?),
            Form::Pageable => Box::new(pageable::Pageable::new(context, buffers, job.work, bytes)?),
            form => return Err(Refused::Unsupported(format!("a card has no form {form}"))),
        })
    }

    fn generation(&self) -> u64 {
        self.buffers.borrow().generation
    }
}
