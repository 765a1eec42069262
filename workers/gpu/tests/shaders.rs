//! The kernels of the provider `wgpu`, translated for the backends that are not here: what naga writes is what wgpu hands
//! to Metal, DirectX and Vulkan.

use naga::back::{hlsl, msl, spv};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};

fn parsed() -> (naga::Module, ModuleInfo) {
    let module = naga::front::wgsl::parse_str(gpu::SHADER).expect("it parses");
    // No capability beyond WebGPU's: subgroups, for one, would be refused.
    let info = Validator::new(ValidationFlags::all(), Capabilities::empty()).validate(&module).expect("it is valid");
    (module, info)
}

#[test]
fn kernels_translate_to_metal() {
    let (module, info) = parsed();
    let options = msl::Options { fake_missing_bindings: true, ..Default::default() };
    let (text, told) = msl::write_string(&module, &info, &options, &Default::default()).expect("Metal");
    assert!(told.entry_point_names.iter().all(Result::is_ok));
    assert!(text.contains("kernel void counter_mode"));
}

#[test]
fn kernels_translate_to_directx() {
    let (module, info) = parsed();
    let mut text = String::new();
    let (options, pipeline) = (hlsl::Options::default(), hlsl::PipelineOptions::default());
    let told = hlsl::Writer::new(&mut text, &options, &pipeline).write(&module, &info, None).expect("HLSL");
    assert!(told.entry_point_names.iter().all(Result::is_ok));
    assert!(text.contains("void counter_mode("));
}

#[test]
fn kernels_translate_to_vulkan() {
    let (module, info) = parsed();
    let words = spv::write_vec(&module, &info, &spv::Options::default(), None).expect("SPIR-V");
    assert_eq!(words[0], 0x0723_0203);
}
