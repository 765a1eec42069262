//! Files of the user's own for split messages from file to file.

use std::fs::File;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use ciphermeter_core::{Parameters, quoted_path};
use ciphermeter_protocol::Prepare;
use rustix::fs::OFlags;

use super::room;

/// What stands in an output's name before the message's bytes, and after them.
const MIDDLE: &str = "-threads-";
const END: &str = ".bin";
/// What ends the name of the text beside it.
const TEXT: &str = ".txt";

/// What the user has instead of a generated input, and of an output that goes with the process.
#[derive(Debug, Clone, Default)]
pub struct OwnFiles {
    /// Read as the message. It is opened for reading alone.
    pub input: Option<PathBuf>,
    /// A folder in which outputs have names, and stay.
    pub output: Option<PathBuf>,
    /// What the provider is called there, where several go by one name.
    pub name: Option<String>,
}

impl OwnFiles {
    /// They are for messages of so many bytes and more: shorter ones verify a provider, and are always generated.
    pub const LEAST: u64 = 4 << 20;

    /// What a cell reads, if it is a file of the user's.
    pub(super) fn input_of(&self, prepare: &Prepare) -> Option<&Path> {
        self.input.as_deref().filter(|_| prepare.message >= Self::LEAST)
    }

    /// What a cell's output is called, if it has a name.
    pub(super) fn output_of(&self, prepare: &Prepare) -> Option<PathBuf> {
        let Prepare { algorithm, form, threads, message, key, .. } = prepare;
        // What a ceiling writes is a copy of the input.
        let is_kept = *message >= Self::LEAST && !algorithm.is_ceiling();
        let folder = self.output.as_ref().filter(|_| is_kept)?;
        let provider = self.name.as_ref().unwrap_or(&prepare.provider);
        let key = if *key == Parameters::default().key() { String::new() } else { format!("-key-{key}") };
        Some(folder.join(format!("{provider}-{algorithm}{key}-{form}-{threads}{MIDDLE}{message}{END}")))
    }

    /// Sees that files of so many bytes can be made beside what the user has. The error says what helps.
    pub fn check_room(&self, bytes: u64) -> Result<(), String> {
        let sides = u64::from(self.input.is_none()) + u64::from(self.output.is_none());
        room::check_temporary(bytes.saturating_mul(sides))
    }

    /// Whether a file is called like an output that is kept, or like the text beside it.
    pub fn is_kept(name: &str) -> bool {
        let output = name.strip_suffix(TEXT).unwrap_or(name).strip_suffix(END);
        let length = output.and_then(|output| output.rsplit_once(MIDDLE)).map(|(_, length)| length);
        length.is_some_and(|length| length.bytes().all(|digit| digit.is_ascii_digit()))
    }
}

/// Where the text beside an output is.
pub(super) fn text_of(output: &Path) -> PathBuf {
    let mut path = output.as_os_str().to_owned();
    path.push(TEXT);
    path.into()
}

/// Opens a file that must have so many bytes; the error says what is wrong with it.
pub(super) fn open(path: &Path, bytes: u64) -> Result<File, String> {
    let not = |why: std::io::Error| format!("opening {} failed: {why}", quoted_path(path));
    let file = File::open(path).map_err(not)?;
    match file.metadata().map_err(not)?.len() {
        length if length == bytes => Ok(file),
        length => {
            Err(format!("{} has {length} bytes, not {bytes}: another program changed it; run again", quoted_path(path)))
        }
    }
}

/// Makes a file that keeps its name, or empties the one that an earlier process left.
pub(super) fn create(path: &Path) -> Result<File, String> {
    // Whoever has the run's seed can decrypt it.
    let mut options = File::options();
    let file = options
        .custom_flags(OFlags::NOFOLLOW.bits() as i32)
        .mode(0o600)
        .read(true)
        .write(true)
        .create(true)
        .truncate(true)
        .open(path);
    file.map_err(|why| format!("making {} failed: {why}", quoted_path(path)))
}
