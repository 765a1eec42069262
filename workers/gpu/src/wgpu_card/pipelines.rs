//! The kernels, compiled. All share one layout of bindings, so that a cell's keys are bound once.

use wgpu::{
    BindGroupLayout, BindGroupLayoutDescriptor, BindGroupLayoutEntry, BindingType, Buffer, BufferBindingType,
    BufferDescriptor, BufferUsages, CommandEncoderDescriptor, ComputePipeline, ComputePipelineDescriptor, Device,
    PipelineLayoutDescriptor, PollType, Queue, ShaderModuleDescriptor, ShaderSource, ShaderStages,
};

use super::SHADER;

/// The kernels of kernels.wgsl, one for each entry point.
pub struct Pipelines {
    pub layout: BindGroupLayout,
    pub counter_mode: ComputePipeline,
    pub exclusive_or: ComputePipeline,
    pub invert: ComputePipeline,
    pub expand_key: ComputePipeline,
}

impl Pipelines {
    /// What an invocation works on: two blocks.
    pub const BYTES_OF_AN_INVOCATION: u64 = 32;
    /// What a workgroup works on; its size is the one in kernels.wgsl.
    pub const BYTES_OF_A_GROUP: u64 = 128 * Self::BYTES_OF_AN_INVOCATION;
    /// The bytes of `Parameters` in kernels.wgsl.
    pub const PARAMETERS: u64 = 32;
    /// The bytes of 15 round keys as planes of two blocks.
    pub const ROUND_KEYS: u64 = 480;

    /// Compiles them. Drivers may put work off until a kernel first runs, so each runs once, on nothing.
    pub fn new(device: &Device, queue: &Queue) -> Self {
        let module = device.create_shader_module(ShaderModuleDescriptor {
            label: Some("kernels.wgsl"),
            source: ShaderSource::Wgsl(SHADER.into()),
        });
        let buffer = |binding, ty, dynamic| BindGroupLayoutEntry {
            binding,
            visibility: ShaderStages::COMPUTE,
            ty: BindingType::Buffer { ty, has_dynamic_offset: dynamic, min_binding_size: None },
            count: None,
        };
        let entries = [
            buffer(0, BufferBindingType::Storage { read_only: false }, false),
            buffer(1, BufferBindingType::Uniform, true),
            buffer(2, BufferBindingType::Uniform, false),
            buffer(3, BufferBindingType::Storage { read_only: true }, false),
        ];
        let layout = device.create_bind_group_layout(&BindGroupLayoutDescriptor { label: None, entries: &entries });
        let pipeline_layout = device.create_pipeline_layout(&PipelineLayoutDescriptor {
            bind_group_layouts: &[Some(&layout)],
            ..Default::default()
        });
        let pipeline = |entry_point| {
            device.create_compute_pipeline(&ComputePipelineDescriptor {
                label: Some(entry_point),
                layout: Some(&pipeline_layout),
                module: &module,
                entry_point: Some(entry_point),
                compilation_options: Default::default(),
                cache: None,
            })
        };
        let pipelines = Self {
            counter_mode: pipeline("counter_mode"),
            exclusive_or: pipeline("exclusive_or"),
            invert: pipeline("invert"),
            expand_key: pipeline("expand_key"),
            layout,
        };
        pipelines.run_once(device, queue);
        pipelines
    }

    fn run_once(&self, device: &Device, queue: &Queue) {
        let buffer = |usage| -> Buffer {
            device.create_buffer(&BufferDescriptor { label: None, size: 512, usage, mapped_at_creation: false })
        };
        let (data, key) = (buffer(BufferUsages::STORAGE), buffer(BufferUsages::STORAGE));
        let (parameters, round_keys) = (buffer(BufferUsages::UNIFORM), buffer(BufferUsages::UNIFORM));
        let group = self.bind(device, [&data, &parameters, &round_keys, &key]);
        let mut encoder = device.create_command_encoder(&CommandEncoderDescriptor::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_bind_group(0, &group, &[0]);
        for pipeline in [&self.counter_mode, &self.exclusive_or, &self.invert] {
            pass.set_pipeline(pipeline);
            pass.dispatch_workgroups(1, 1, 1);
        }
        drop(pass);
        queue.submit([encoder.finish()]);
        // A failure is reported through the device.
        let _ = device.poll(PollType::wait_indefinitely());
    }

    /// Binds data, parameters, round keys and key.
    pub fn bind(&self, device: &Device, buffers: [&Buffer; 4]) -> wgpu::BindGroup {
        let whole = |binding: u32, resource| wgpu::BindGroupEntry { binding, resource };
        let parameters =
            wgpu::BufferBinding { buffer: buffers[1], offset: 0, size: std::num::NonZeroU64::new(Self::PARAMETERS) };
        let entries = [
            whole(0, buffers[0].as_entire_binding()),
            whole(1, wgpu::BindingResource::Buffer(parameters)),
            whole(2, buffers[2].as_entire_binding()),
            whole(3, buffers[3].as_entire_binding()),
        ];
        let descriptor = wgpu::BindGroupDescriptor { label: None, layout: &self.layout, entries: &entries };
        device.create_bind_group(&descriptor)
    }
}
