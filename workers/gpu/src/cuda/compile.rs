//! Compiles kernels.cu with NVRTC.

use std::ffi::CStr;

use cudarc::nvrtc::{result, sys};

/// The kernels' source.
const SOURCE: &str = concat!(include_str!("kernels.cu"), "\0");

/// What the driver loads: machine code for the card, or PTX where the compiler is older than the card.
pub struct Image {
    /// Ends with a zero byte, as PTX must.
    pub bytes: Vec<u8>,
    /// The architecture that it was compiled for: `sm_90`, or `compute_90` of PTX.
    pub architecture: String,
}

/// The compiler's version, `12.9`.
pub fn version() -> String {
    let (mut major, mut minor) = (0, 0);
    // SAFETY: it writes two integers.
    match unsafe { sys::nvrtcVersion(&raw mut major, &raw mut minor) }.result() {
        Ok(()) => format!("{major}.{minor}"),
        Err(_) => "unknown".into(),
    }
}

/// Compiles for a card of that compute capability, 90 for 9.0.
pub fn compile(capability: i32) -> Result<Image, String> {
    let known = architectures()?;
    let (architecture, code) = match known.contains(&capability) {
        true => (format!("sm_{capability}"), Code::Machine),
        false => {
            let newest = known.iter().filter(|known| **known < capability).max().ok_or_else(|| {
                format!(
                    "NVRTC {} is too new for a card of compute capability {}.{}; use that of CUDA 12",
                    version(),
                    capability / 10,
                    capability % 10
                )
            })?;
            (format!("compute_{newest}"), Code::Ptx)
        }
    };
    let bytes = compile_for(&architecture, code)?;
    Ok(Image { bytes, architecture })
}

#[derive(Clone, Copy)]
enum Code {
    Machine,
    Ptx,
}

/// The compute capabilities that the compiler knows.
fn architectures() -> Result<Vec<i32>, String> {
    let failed = |error: result::NvrtcError| format!("asking NVRTC failed: {error}; use that of CUDA 12 or later");
    let mut count = 0;
    // SAFETY: it writes an integer.
    unsafe { sys::nvrtcGetNumSupportedArchs(&raw mut count) }.result().map_err(failed)?;
    let mut known = vec![0; usize::try_from(count).unwrap_or(0)];
    // SAFETY: it writes as many integers as it said.
    unsafe { sys::nvrtcGetSupportedArchs(known.as_mut_ptr()) }.result().map_err(failed)?;
    Ok(known)
}

fn compile_for(architecture: &str, code: Code) -> Result<Vec<u8>, String> {
    let failed = |error: result::NvrtcError| format!("compiling kernels.cu failed: {error}; use NVRTC of CUDA 12");
    let source = CStr::from_bytes_with_nul(SOURCE.as_bytes()).map_err(|error| error.to_string())?;
    let program = result::create_program(source, Some(c"kernels.cu")).map_err(failed)?;
    let options = [format!("--gpu-architecture={architecture}"), "--std=c++17".into()];
    // SAFETY: the program is there until the end of this function, and its source for ever.
    let compiled = unsafe { result::compile_program(program, &options) }.map_err(|error| {
        // SAFETY: as above.
        let log = unsafe { result::get_program_log(program) }.unwrap_or_default();
        let log: Vec<u8> = log.iter().map(|byte| *byte as u8).take_while(|byte| *byte != 0).collect();
        let first = String::from_utf8_lossy(&log).lines().next().unwrap_or_default().to_string();
        format!("{}: {first}", failed(error))
    });
    let bytes = compiled.and_then(|()| image(program, code).map_err(failed));
    // SAFETY: it is not used any more.
    let _ = unsafe { result::destroy_program(program) };
    bytes
}

fn image(program: sys::nvrtcProgram, code: Code) -> Result<Vec<u8>, result::NvrtcError> {
    let mut size = 0;
    // SAFETY: the program is compiled; each call writes an integer, or as many bytes as that says.
    unsafe {
        match code {
            Code::Machine => sys::nvrtcGetCUBINSize(program, &raw mut size),
            Code::Ptx => sys::nvrtcGetPTXSize(program, &raw mut size),
        }
        .result()?;
        let mut bytes = vec![0; size + 1];
        match code {
            Code::Machine => sys::nvrtcGetCUBIN(program, bytes.as_mut_ptr().cast()),
            Code::Ptx => sys::nvrtcGetPTX(program, bytes.as_mut_ptr().cast()),
        }
        .result()?;
        Ok(bytes)
    }
}
