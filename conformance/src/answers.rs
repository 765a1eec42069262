//! The known answers: `vectors/*.json`, made by `vectors/make.py`.

use std::sync::LazyLock;

use serde_json::Value;

use crate::report::{Fault, failed};

static VECTORS: LazyLock<Vec<Value>> = LazyLock::new(|| read(include_str!("../vectors/vectors.json")));
static REJECTS: LazyLock<Vec<Value>> = LazyLock::new(|| read(include_str!("../vectors/rejects.json")));
static DIGESTS: LazyLock<Vec<Value>> = LazyLock::new(|| read(include_str!("../vectors/digests.json")));
static THREADS: LazyLock<Vec<Value>> = LazyLock::new(|| read(include_str!("../vectors/threads.json")));
static ROTATIONS: LazyLock<Vec<Value>> = LazyLock::new(|| read(include_str!("../vectors/rotations.json")));

/// The files are part of the binary; the tests below read them all.
fn read(json: &str) -> Vec<Value> {
    serde_json::from_str(json).unwrap_or_default()
}

/// One known answer, in hex.
#[derive(Clone, Copy, Debug)]
pub struct Vector {
    pub name: &'static str,
    pub key: &'static str,
    pub nonce: &'static str,
    pub aad: &'static str,
    pub message: &'static str,
    pub output: &'static str,
    /// Not every library supports this nonce size: `unsupported` is right, too.
    pub optional: bool,
}

/// The known answers of an algorithm.
pub fn vectors(algorithm: &str) -> impl Iterator<Item = Vector> {
    of(&VECTORS, algorithm).map(|value| Vector {
        name: text(value, "name"),
        key: text(value, "key"),
        nonce: text(value, "nonce"),
        aad: text(value, "aad"),
        message: text(value, "message"),
        output: text(value, "output"),
        optional: !value["optional"].is_null(),
    })
}

/// Inputs that an algorithm must reject for their padding; `output` contains the input to decrypt.
pub fn rejects(algorithm: &str) -> impl Iterator<Item = Vector> {
    of(&REJECTS, algorithm).map(|value| Vector {
        name: text(value, "name"),
        key: text(value, "key"),
        nonce: text(value, "nonce"),
        aad: "",
        message: "",
        output: text(value, "input"),
        optional: false,
    })
}

/// One set of a cell's parameters, and the digests known for it.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    value: &'static Value,
    pub message: u64,
    pub aad: u64,
    pub seed: u64,
    pub threads: u64,
    /// The texts and keys that calls go round.
    pub texts: u64,
    pub keys: u64,
}

/// The rows of an algorithm, each of one thread.
pub fn rows(algorithm: &str) -> impl Iterator<Item = Row> {
    of(&DIGESTS, algorithm).map(row)
}

/// The rows of an algorithm for several threads.
pub fn thread_rows(algorithm: &str) -> impl Iterator<Item = Row> {
    of(&THREADS, algorithm).map(row)
}

/// The rows of an algorithm whose calls go round several texts or keys.
pub fn rotation_rows(algorithm: &str) -> impl Iterator<Item = Row> {
    of(&ROTATIONS, algorithm).map(row)
}

fn row(value: &'static Value) -> Row {
    Row {
        value,
        message: value["message"].as_u64().unwrap_or_default(),
        aad: value["aad"].as_u64().unwrap_or_default(),
        seed: value["seed"].as_u64().unwrap_or_default(),
        threads: value["threads"].as_u64().unwrap_or(1),
        texts: value["texts"].as_u64().unwrap_or(1),
        keys: value["keys"].as_u64().unwrap_or(1),
    }
}

impl Row {
    /// The same for so many threads: what comes out of a split message does not depend on them.
    pub fn split(self, threads: u64) -> Row {
        Row { threads, ..self }
    }

    /// The digest after iterations `first` to `iteration` of an operation in a form.
    ///
    /// # Errors
    /// Failed, if the suite does not have that digest: a mistake in the suite.
    pub fn digest(&self, operation: &str, form: &str, first: u64, iteration: u64) -> Result<&'static str, Fault> {
        let key = match (operation, form) {
            ("open" | "decrypt", _) => "plain".to_owned(),
            (_, "in-place" | "static" | "dynamic" | "device" | "end-to-end" | "pageable") if first < iteration => {
                format!("{first}-{iteration}")
            }
            _ => iteration.to_string(),
        };
        match self.value[&key].as_str() {
            Some(digest) => Ok(digest),
            None => failed(format!("the suite knows no digest {key}; add it to vectors/make.py")),
        }
    }
}

fn of(all: &'static [Value], algorithm: &str) -> impl Iterator<Item = &'static Value> {
    all.iter().filter(move |value| value["algorithm"] == algorithm)
}

fn text(value: &'static Value, key: &str) -> &'static str {
    value[key].as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::{ALGORITHMS, Kind};

    #[test]
    fn every_algorithm_has_answers_of_its_sizes() {
        for algorithm in ALGORITHMS.iter().filter(|a| a.kind != Kind::Ceiling) {
            let vectors: Vec<Vector> = vectors(algorithm.name).collect();
            assert!(vectors.len() >= if algorithm.takes_blocks { 6 } else { 8 }, "{}", algorithm.name);
            for vector in vectors {
                assert_eq!(vector.key.len(), 2 * algorithm.key, "{}", vector.name);
                let is_wide = algorithm.takes_blocks && vector.nonce[16..].contains(|digit| digit != '0');
                let is_odd = vector.nonce.len() != 2 * algorithm.nonce;
                assert_eq!(vector.optional, is_wide || is_odd, "{}", vector.name);
                assert!(!vector.name.is_empty() && vector.output.len() >= vector.message.len());
            }
            let rows: Vec<Row> = rows(algorithm.name).collect();
            assert!(rows.len() >= if algorithm.takes_blocks { 8 } else { 16 });
            for row in rows {
                for (form, first, iteration) in [("in-place", 1, 5), ("in-place", 4, 5), ("into", 1, 3), ("into", 0, 0)]
                {
                    assert_eq!(row.digest("seal", form, first, iteration).unwrap().len(), 64);
                }
                assert_eq!(row.digest("open", "into", 9, 9).unwrap().len(), 64);
            }
            let threads: Vec<u64> = thread_rows(algorithm.name).map(|row| row.threads).collect();
            assert_eq!(threads, [2, 2, 3]);
            let rotations: Vec<(u64, u64)> = rotation_rows(algorithm.name).map(|row| (row.texts, row.keys)).collect();
            assert_eq!(rotations, [(2, 1), (1, 2), (2, 2), (3, 2), (4, 2)]);
        }
        assert_eq!(rejects("aes-256-cbc").count(), 4);
    }

    /// The seed's streams are the protocol's: xor can be computed by hand without a library.
    #[test]
    fn digests_follow_the_protocols_streams() {
        use sha2::{Digest, Sha256};
        let stream = |label: &str| Sha256::digest(format!("ciphermeter {label} 42 0"));
        let row = rows("xor").find(|row| row.message == 31).unwrap();
        let (key, message) = (stream("key"), stream("message"));
        let output: Vec<u8> = message.iter().zip(&key).map(|(m, k)| m ^ k).take(31).collect();
        let hashed = |bytes: &[u8]| hex::encode(Sha256::digest(bytes));
        assert_eq!(row.digest("decrypt", "into", 1, 1).unwrap(), hashed(&message[..31]));
        assert_eq!(row.digest("encrypt", "into", 1, 1).unwrap(), hashed(&output));
        assert_eq!(row.digest("encrypt", "in-place", 4, 5).unwrap(), hashed(&message[..31]));

        let row = thread_rows("xor").find(|row| row.message == 65).unwrap();
        let long = |label: &str, n: u64| {
            (0..n).flat_map(|i| Sha256::digest(format!("ciphermeter {label} 42 {i}"))).collect::<Vec<u8>>()
        };
        let message = &long("message", 3)[..65];
        let output =
            |key: &str| message.iter().zip(long(key, 1).iter().cycle()).map(|(m, k)| m ^ k).collect::<Vec<u8>>();
        let both = [output("key"), output("key 1")].concat();
        assert_eq!(row.digest("encrypt", "into", 3, 3).unwrap(), hashed(&both));
        assert_eq!(row.digest("decrypt", "into", 3, 3).unwrap(), hashed(&message.repeat(2)));

        let row = rotation_rows("xor").find(|row| row.message == 65).unwrap();
        assert_eq!(row.digest("encrypt", "into", 3, 3).unwrap(), hashed(&output("key 1")));
    }
}
