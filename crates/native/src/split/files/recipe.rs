//! How an output that was kept is decrypted, in a text beside it. Its key is made of the run's seed and protects nothing.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ciphermeter_core::{Algorithm, quoted_path};
use zeroize::Zeroizing;

use super::own::{create, text_of};
use crate::split::part::start_of;

/// A longer key is not spelt out.
const LONGEST_KEY: usize = 256;

/// What does not change from one output to the next.
pub struct Recipe {
    output: PathBuf,
    algorithm: Algorithm,
    key: Arc<Zeroizing<Vec<u8>>>,
}

impl Recipe {
    /// That of an output.
    pub fn new(output: &Path, algorithm: Algorithm, key: Arc<Zeroizing<Vec<u8>>>) -> Self {
        Self { output: output.into(), algorithm, key }
    }

    /// Writes it for the output of an iteration.
    pub fn write(&self, iteration: u64) -> Result<(), String> {
        let (path, text) = (text_of(&self.output), self.text(iteration));
        let not = |why: std::io::Error| format!("writing {} failed: {why}", quoted_path(&path));
        std::io::Write::write_all(&mut create(&path)?, text.as_bytes()).map_err(not)
    }

    fn text(&self, iteration: u64) -> String {
        let name = self.output.file_name().unwrap_or_default().to_string_lossy();
        let mut text = format!(
            "# {name}: the output of a benchmark, under a test key that stands here. It protects nothing.\n\
             # In this folder, this command makes the message of it, in the file `decrypted`:\n"
        );
        let key = hex(&self.key);
        let start = start_of(iteration);
        let written = match self.algorithm {
            Algorithm::Aes256Ctr => {
                writeln!(text, "openssl enc -d -aes-256-ctr -K {key} -iv {start:032x} -in '{name}' -out decrypted")
            }
            _ if self.key.len() <= LONGEST_KEY => writeln!(
                text,
                "python3 -c 'import itertools, sys; key = itertools.cycle(bytes.fromhex(\"{key}\")); \
                 sys.stdout.buffer.write(bytes(a ^ b for a, b in zip(sys.stdin.buffer.read(), key)))' <'{name}' >decrypted"
            ),
            _ => {
                writeln!(text, "# none: XOR it with its key of {} bytes, stream(`key`) of PROTOCOL.md", self.key.len())
            }
        };
        debug_assert!(written.is_ok());
        text
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}
