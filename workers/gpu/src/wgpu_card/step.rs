//! What a cell does on the card: a kernel and its keys, and the parameters of each dispatch.

use wgpu::{BindGroup, Buffer, BufferUsages, CommandEncoder, ComputePipeline};

use super::context::Context;
use super::pipelines::Pipelines;
use crate::card::Work;
use crate::text::whole_units;

/// A kernel with its keys.
pub struct Step {
    pipeline: ComputePipeline,
    round_keys: Buffer,
    key: Buffer,
    /// The key's length in units of 16 bytes.
    key_units: u64,
}

impl Context {
    /// The kernel of a work; `None` where nothing but copies is done.
    pub fn step(&self, work: &Work) -> Result<Option<Step>, String> {
        let pipeline = match work {
            Work::Ctr(_) => &self.pipelines.counter_mode,
            Work::Xor(_) => &self.pipelines.exclusive_or,
            Work::Invert => &self.pipelines.invert,
            Work::Copy | Work::CopyIn | Work::CopyOut => return Ok(None),
        };
        let key = match work {
            Work::Ctr(key) => key.to_vec(),
            Work::Xor(key) => whole_units(key),
            _ => vec![0; 16],
        };
        let buffer = |bytes, usage| {
            self.buffer(bytes, usage | BufferUsages::COPY_DST, false).map_err(|refused| format!("{refused:?}"))
        };
        let step = Step {
            pipeline: pipeline.clone(),
            round_keys: buffer(Pipelines::ROUND_KEYS, BufferUsages::UNIFORM)?,
            key: buffer(key.len() as u64, BufferUsages::STORAGE)?,
            key_units: (key.len() / 16) as u64,
        };
        self.queue.write_buffer(&step.key, 0, &key);
        if let Work::Ctr(_) = work {
            self.expand_key(&step)?;
        }
        Ok(Some(step))
    }

    /// Lets the card expand the raw key, once for each cell.
    fn expand_key(&self, step: &Step) -> Result<(), String> {
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC;
        let refused = |refused| format!("{refused:?}");
        let expanded = self.buffer(Pipelines::ROUND_KEYS, usage, false).map_err(refused)?;
        let parameters = self.buffer(Pipelines::PARAMETERS, BufferUsages::UNIFORM, false).map_err(refused)?;
        let group = self.pipelines.bind(&self.device, [&expanded, &parameters, &step.round_keys, &step.key]);
        let mut encoder = self.encoder();
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&self.pipelines.expand_key);
        pass.set_bind_group(0, &group, &[0]);
        pass.dispatch_workgroups(1, 1, 1);
        drop(pass);
        encoder.copy_buffer_to_buffer(&expanded, 0, &step.round_keys, 0, Pipelines::ROUND_KEYS);
        let submission = self.submit(encoder);
        self.wait(submission)
    }
}

impl Step {
    /// Binds a buffer to work on and one of parameters.
    pub fn bind(&self, context: &Context, data: &Buffer, parameters: &Buffer) -> BindGroup {
        context.pipelines.bind(&context.device, [data, parameters, &self.round_keys, &self.key])
    }

    /// The parameters of a dispatch over `bytes` bytes that begin `at` bytes into a message.
    pub fn parameters(&self, counter: u128, at: u64, bytes: u64) -> [u8; Pipelines::PARAMETERS as usize] {
        let counter = counter.wrapping_add(u128::from(at / 16));
        let word = |shift: u32| (counter >> shift) as u32;
        let [key_start, key_units, pairs] = [(at / 16) % self.key_units, self.key_units, pairs(bytes)]
            .map(|number| u32::try_from(number).unwrap_or(u32::MAX));
        bytemuck::cast([word(96), word(64), word(32), word(0), key_start, key_units, pairs, 0])
    }

    /// Adds a dispatch over `bytes` bytes, with the parameters at `offset`.
    pub fn dispatch(&self, encoder: &mut CommandEncoder, group: &BindGroup, offset: u32, bytes: u64) {
        let groups = bytes.div_ceil(Pipelines::BYTES_OF_A_GROUP);
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, group, &[offset]);
        pass.dispatch_workgroups(u32::try_from(groups).unwrap_or(u32::MAX), 1, 1);
    }
}

fn pairs(bytes: u64) -> u64 {
    bytes.div_ceil(Pipelines::BYTES_OF_AN_INVOCATION)
}
