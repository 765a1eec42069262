//! PROTOCOL.md's tables: the names that offers may use, and their sizes in bytes.

/// The kind of an algorithm, which determines its operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// seal and open, with a tag of 16 bytes.
    Aead,
    /// encrypt and decrypt, no tag.
    Bare,
    /// All four operations; no key, no vectors, no digest.
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
}

const fn row(name: &'static str, kind: Kind, key: usize, nonce: usize) -> Algorithm {
    Algorithm { name, kind, key, nonce }
}

/// Every row of the table.
pub static ALGORITHMS: [Algorithm; 19] = [
    row("aes-128-gcm", Kind::Aead, 16, 12),
    row("aes-256-gcm", Kind::Aead, 32, 12),
    row("aes-256-gcm-siv", Kind::Aead, 32, 12),
    row("chacha20-poly1305", Kind::Aead, 32, 12),
    row("xchacha20-poly1305", Kind::Aead, 32, 24),
    row("ascon-aead128", Kind::Aead, 16, 16),
    row("aes-256-siv", Kind::Aead, 64, 0),
    row("aes-256-ctr", Kind::Bare, 32, 16),
    row("aes-256-cbc", Kind::Bare, 32, 16),
    row("chacha20", Kind::Bare, 32, 12),
    row("xor", Kind::Bare, 32, 0),
    row("memcpy", Kind::Ceiling, 0, 0),
    row("aes-unit", Kind::Ceiling, 0, 0),
    row("clmul-unit", Kind::Ceiling, 0, 0),
    row("read-modify-write", Kind::Ceiling, 0, 0),
    row("copy-in", Kind::Ceiling, 0, 0),
    row("copy-out", Kind::Ceiling, 0, 0),
    row("tcp-plain", Kind::Ceiling, 0, 0),
    row("witness", Kind::Ceiling, 0, 0),
];

/// The forms that calls may have.
pub const FORMS: [&str; 3] = ["in-place", "into", "fresh"];
/// The form of calls of which each has a process of its own.
pub const PROCESS_FORM: &str = "process";
/// The forms that transfers may have.
pub const TRANSFER_FORMS: [&str; 2] = ["discard", "file"];

/// The forms in which threads split a message.
const THREAD_FORMS: [&str; 5] = ["static", "dynamic", "mapped", "buffered", "direct"];
/// The forms in which a card encrypts a message.
pub const CARD_FORMS: [&str; 3] = ["device", "end-to-end", "pageable"];

impl Algorithm {
    /// The row of that name.
    pub fn named(name: &str) -> Option<&'static Algorithm> {
        ALGORITHMS.iter().find(|algorithm| algorithm.name == name)
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

    /// Whether it is a ceiling of split messages and of nothing else.
    pub fn is_of_split_alone(&self) -> bool {
        matches!(self.name, "read-modify-write" | "copy-in" | "copy-out")
    }

    /// Whether an offer of this algorithm may declare the operation.
    pub fn allows(&self, operation: &str) -> bool {
        match operation {
            "transfer" => matches!(self.name, "aes-256-gcm" | "chacha20-poly1305" | "tcp-plain"),
            _ if self.name == "tcp-plain" => false,
            _ if self.is_of_split_alone() => operation == "encrypt",
            "seal" | "open" => self.kind != Kind::Bare,
            "encrypt" | "decrypt" => self.kind != Kind::Aead,
            "key-setup" => self.kind != Kind::Ceiling && self.name != "xor",
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `ciphermeter list algorithms --json`.
    const TABLE: &str = include_str!("../algorithms.json");

    #[test]
    fn rows_are_those_of_the_one_table() {
        let table: Vec<serde_json::Value> = serde_json::from_str(TABLE).expect("a list");
        assert_eq!(table.len(), ALGORITHMS.len());
        for row in &table {
            let name = row["algorithm"].as_str().expect("a name");
            let own = Algorithm::named(name).unwrap_or_else(|| panic!("{name} is missing"));
            let kind = match row["family"].as_str() {
                Some("aead") => Kind::Aead,
                Some("bare") => Kind::Bare,
                _ => Kind::Ceiling,
            };
            let sizes = [own.key, own.nonce].map(serde_json::Value::from);
            assert_eq!((own.kind, &sizes), (kind, &[row["key"].clone(), row["nonce"].clone()]), "{name}");
            let operations: Vec<&str> =
                row["operations"].as_array().unwrap().iter().filter_map(|own| own.as_str()).collect();
            for operation in ["key-setup", "seal", "open", "encrypt", "decrypt", "transfer"] {
                assert_eq!(own.allows(operation), operations.contains(&operation), "{name} {operation}");
            }
        }
    }
}
