//! Builds every `studies/NAME/study.toml` into the crate, so that a new one needs no line of code.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let folder =
        Path::new(&env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?).join("../../studies").canonicalize()?;
    println!("cargo::rerun-if-changed={}", folder.display());
    let entries: Result<Vec<_>, _> = fs::read_dir(&folder)?.collect();
    let mut folders: Vec<PathBuf> = entries?.into_iter().map(|entry| entry.path()).collect();
    folders.retain(|folder| folder.join("study.toml").is_file());
    folders.sort();
    let mut list = String::from("&[\n");
    for folder in folders {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let file = folder.join("study.toml");
        println!("cargo::rerun-if-changed={}", file.display());
        // Formatting a string with {:?} makes a Rust literal of it, whatever its characters.
        writeln!(list, "    ({name:?}, include_str!({:?})),", file.display().to_string()).map_err(io::Error::other)?;
    }
    list.push_str("]\n");
    fs::write(Path::new(&env::var("OUT_DIR").map_err(io::Error::other)?).join("studies.rs"), list)
}
