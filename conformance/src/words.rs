//! PROTOCOL.md's tables: the names that offers may use, and their sizes in bytes.

use std::sync::LazyLock;

use serde_json::Value;

/// `ciphermeter list algorithms --json`: the one table of algorithms, which a test of the binary
/// holds to be its output.
const TABLE: &str = include_str!("../algorithms.json");

static ROWS: LazyLock<Vec<Value>> = LazyLock::new(|| serde_json::from_str(TABLE).unwrap_or_default());

/// Bytes of a block.
const BLOCK: u64 = 16;

/// Every row of the table.
pub static ALGORITHMS: LazyLock<Vec<Algorithm>> = LazyLock::new(|| ROWS.iter().map(Algorithm::of_row).collect());

/// The kind of an algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It has a tag.
    Aead,
    /// It has no tag.
    Bare,
    /// No key, no vectors, no digest.
    Ceiling,
}

/// A row of the algorithms' table.
#[derive(Debug)]
pub struct Algorithm {
    /// Its name in offers and requests.
    pub name: &'static str,
    /// Its kind.
    pub kind: Kind,
    /// Bytes of key.
    pub key: usize,
    /// Bytes of nonce.
    pub nonce: usize,
    /// Bytes of tag.
    pub tag: usize,
    /// Whether its messages are whole blocks, at least one.
    pub takes_blocks: bool,
    /// The most bytes of a message.
    pub most: u64,
    operations: Vec<&'static str>,
}

/// The forms that calls may have.
pub const FORMS: [&str; 3] = ["in-place", "into", "fresh"];
/// The form of calls that each get many messages.
pub const BATCH_FORM: &str = "batch";
/// The form of calls of which each has a process of its own.
pub const PROCESS_FORM: &str = "process";
/// The forms of transfers to a receiver.
const RECEIVED_FORMS: [&str; 2] = ["discard", "file"];
/// The form of transfers to a disk.
const DISK_FORMS: [&str; 1] = ["disk"];

/// The forms in which threads split a message.
const THREAD_FORMS: [&str; 5] = ["static", "dynamic", "mapped", "buffered", "direct"];
/// The forms in which a card encrypts a message.
pub const CARD_FORMS: [&str; 3] = ["device", "end-to-end", "pageable"];

impl Algorithm {
    fn of_row(row: &'static Value) -> Self {
        let text = |value: &'static Value| value.as_str().unwrap_or_default();
        let bytes = |key: &str| row[key].as_u64().unwrap_or_default() as usize;
        let kind = match row["family"].as_str() {
            Some("aead") => Kind::Aead,
            Some("bare") => Kind::Bare,
            _ => Kind::Ceiling,
        };
        let operations = row["operations"].as_array().into_iter().flatten().map(text).collect();
        let takes_blocks = row["sizes"] == "sectors";
        let most = row["most"].as_u64().unwrap_or(u64::MAX);
        let [key, nonce, tag] = ["key", "nonce", "tag"].map(bytes);
        Self { name: text(&row["algorithm"]), kind, key, nonce, tag, takes_blocks, most, operations }
    }

    /// So many bytes, or the nearest number that its messages have.
    pub fn nearest(&self, message: u64) -> u64 {
        let message = message.min(self.most);
        if self.takes_blocks { message.next_multiple_of(BLOCK).max(BLOCK) } else { message }
    }

    /// Sizes below its longest that its messages don't have.
    pub fn no_sizes(&self) -> &'static [u64] {
        if self.takes_blocks { &[0, 15, 17, 511] } else { &[] }
    }

    /// The row of that name.
    pub fn named(name: &str) -> Option<&'static Self> {
        ALGORITHMS.iter().find(|algorithm| algorithm.name == name)
    }

    /// Whether a library may refuse so long an aad: some have room for three blocks with its length.
    pub fn may_refuse(&self, aad: u64) -> bool {
        self.name.contains("-ccm") && aad > 46
    }

    /// Whether it may be split in this form.
    pub fn splits(&self, form: &str) -> bool {
        let by_threads = THREAD_FORMS.contains(&form);
        match self.name {
            "aes-256-ctr" | "xor" | "memcpy" => by_threads || CARD_FORMS.contains(&form),
            "aes-unit" => matches!(form, "static" | "dynamic"),
            "read-modify-write" => matches!(form, "static" | "dynamic" | "device"),
            "copy-in" | "copy-out" => matches!(form, "end-to-end" | "pageable"),
            _ => false,
        }
    }

    /// The forms that its transfers may have.
    pub fn transfer_forms(&self) -> &'static [&'static str] {
        if self.takes_blocks || self.name == "ram-disk" { &DISK_FORMS } else { &RECEIVED_FORMS }
    }

    /// Whether it is a ceiling of split messages and of nothing else.
    pub fn is_of_split_alone(&self) -> bool {
        matches!(self.name, "read-modify-write" | "copy-in" | "copy-out")
    }

    /// Whether an offer of this algorithm may declare the operation.
    pub fn allows(&self, operation: &str) -> bool {
        self.operations.contains(&operation)
    }
}
