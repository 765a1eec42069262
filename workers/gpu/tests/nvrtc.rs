//! kernels.cu and NVIDIA's own compiler, which comes from PyPI and needs no card. Skipped where it cannot be had.

use std::path::{Path, PathBuf};
use std::process::Command;

use gpu::cuda::{compile, find_compiler};

/// What the compiler is fetched as: the last of CUDA 12, which still knows Volta.
const WHEEL: &str = "nvidia-cuda-nvrtc-cu12==12.9.86";

/// The compiler's library, fetched once.
fn library() -> Result<PathBuf, String> {
    let venv = Path::new(env!("CARGO_TARGET_TMPDIR")).join(WHEEL);
    let run = |program: &Path, arguments: &[&str]| -> Result<(), String> {
        let output = Command::new(program).args(arguments).output();
        let output = output.map_err(|_| format!("there is no {}", program.display()))?;
        let last = String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or_default().to_string();
        if output.status.success() { Ok(()) } else { Err(format!("{arguments:?} failed: {last}")) }
    };
    let there = || {
        let versions = std::fs::read_dir(venv.join("lib")).into_iter().flatten().flatten();
        let file = |version: PathBuf| version.join("site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
        versions.map(|version| file(version.path())).find(|file| file.is_file())
    };
    if let Some(file) = there() {
        return Ok(file);
    }
    let pip = venv.join("bin/pip");
    if !pip.is_file() {
        run(Path::new("python3"), &["-m", "venv", &venv.to_string_lossy()])?;
    }
    run(&pip, &["install", "--quiet", "--no-deps", "--only-binary", ":all:", "--disable-pip-version-check", WHEEL])?;
    there().ok_or_else(|| format!("{WHEEL} has no libnvrtc.so.12"))
}

#[test]
fn kernels_compile_for_three_generations_of_cards() {
    if !cfg!(target_os = "linux") {
        println!("skipped: {WHEEL} is for Linux here");
        return;
    }
    let library = match library() {
        Ok(library) => library,
        Err(why) => {
            println!("skipped: {why}");
            return;
        }
    };
    find_compiler(Some(library.into())).expect("it opens");
    assert_eq!(compile::version(), "12.9");
    for capability in [70, 80, 90] {
        let image = compile::compile(capability).expect("it compiles");
        assert_eq!(image.architecture, format!("sm_{capability}"));
        assert!(image.bytes.starts_with(b"\x7fELF"), "machine code");
        let names = ["tables", "bitsliced", "exclusive_or", "invert", "expand_key", "make_table"];
        for name in names {
            assert!(image.bytes.windows(name.len()).any(|bytes| bytes == name.as_bytes()), "{name}");
        }
    }
    // A card that the compiler does not know gets what the driver translates.
    let image = compile::compile(199).expect("it compiles");
    assert!(image.architecture.starts_with("compute_") && image.bytes.ends_with(&[0]));
    assert!(String::from_utf8_lossy(&image.bytes).contains(".entry tables"));
    // One that is older than all that it knows is refused with the remedy.
    assert!(compile::compile(20).err().expect("too old").contains("use that of CUDA 12"));
}
