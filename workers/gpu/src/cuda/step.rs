//! What a cell does on the card: a kernel and its keys.

use cudarc::driver::sys::CUdeviceptr;

use super::context::Context;
use super::driver::{DeviceMemory, Stream};
use super::kernels::Keys;
use crate::card::{Refused, Work};
use crate::text::whole_units;

/// A kernel with its keys, or none where nothing but copies is done.
pub enum Step {
    Ctr(Box<Keys>),
    Xor { key: DeviceMemory, units: u64 },
    Invert,
    None,
}

impl Step {
    pub fn new(context: &Context, work: &Work) -> Result<Self, Refused> {
        Ok(match work {
            Work::Ctr(key) => Self::Ctr(Box::new(context.kernels.expand(key)?)),
            Work::Xor(key) => {
                let whole = whole_units(key);
                let memory = DeviceMemory::new(whole.len() as u64)?;
                memory.write(0, &whole).map_err(Refused::Failed)?;
                Self::Xor { key: memory, units: (whole.len() / 16) as u64 }
            }
            Work::Invert => Self::Invert,
            Work::Copy | Work::CopyIn | Work::CopyOut => Self::None,
        })
    }

    /// Queues it over memory that lies `at` bytes into a message whose initial counter block is `counter`.
    pub fn queue(
        &self,
        context: &Context,
        counter: u128,
        at: u64,
        data: (CUdeviceptr, u64),
        stream: Option<&Stream>,
    ) -> Result<(), String> {
        match self {
            Self::Ctr(keys) => {
                let counter = counter.wrapping_add(u128::from(at / 16));
                context.kernels.counter_mode(context.design, keys, counter, data, stream)
            }
            Self::Xor { key, units } => {
                let start = (at / 16) % units;
                context.kernels.exclusive_or(key, (*units as u32, start as u32), data, stream)
            }
            Self::Invert => context.kernels.invert(data, stream),
            Self::None => Ok(()),
        }
    }
}
