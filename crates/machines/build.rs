//! Builds every machine of `machines/` into the crate, so that a new one needs no line of code.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let folder =
        Path::new(&env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?).join("../../machines").canonicalize()?;
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut list = String::from("&[\n");
    for machine in sorted(&folder)?.into_iter().filter(|machine| machine.join("source.toml").is_file()) {
        println!("cargo::rerun-if-changed={}", machine.display());
        let source = machine.join("source.toml");
        // Formatting a string with {:?} makes a Rust literal of it, whatever its characters.
        write!(list, "    Files {{ name: {:?}, source: include_str!({:?}), runs: &[", name(&machine), text(&source))
            .map_err(io::Error::other)?;
        for run in sorted(&machine)?.into_iter().filter(|file| name(file).ends_with(".json.gz")) {
            write!(list, "({:?}, include_bytes!({:?})), ", name(&run), text(&run)).map_err(io::Error::other)?;
        }
        list.push_str("] },\n");
    }
    list.push_str("]\n");
    fs::write(Path::new(&env::var("OUT_DIR").map_err(io::Error::other)?).join("machines.rs"), list)
}

fn sorted(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn text(path: &Path) -> String {
    path.display().to_string()
}
