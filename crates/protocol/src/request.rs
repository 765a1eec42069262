//! The harness's requests.

use ciphermeter_core::{Algorithm, Form, Layout, MAX_INTEGER, MAX_KEYS, MAX_TEXTS, Operation, Parameters, Rotation};

use crate::{JsonLine, LineError};

/// The largest message of a cell, in bytes.
pub const MAX_MESSAGE: u64 = 1 << 30;
/// The largest message that is split, in bytes.
pub const MAX_SPLIT: u64 = 1 << 40;
/// The longest key of XOR in a cell, in bytes.
pub const MAX_KEY: u64 = 1 << 20;
/// The most bytes of one look at an output.
pub const MAX_PEEK: u64 = 16 * 1024;
/// The longest aad of a cell, in bytes.
pub const MAX_AAD: u64 = 1 << 20;
/// The longest input of a check, in bytes.
pub const MAX_CHECK: usize = 16 * 1024;
/// The most threads of a cell.
pub const MAX_THREADS: u64 = 1024;
/// The most single calls of one latency request.
pub const MAX_COUNT: u64 = 4000;
/// The most iterations that a digest repeats.
pub const MAX_REPLAY: u64 = 1 << 24;

/// One vector to compute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckInput {
    /// The library.
    pub provider: String,
    /// The algorithm.
    pub algorithm: Algorithm,
    /// Seal or open, encrypt or decrypt.
    pub operation: Operation,
    /// `None`: the worker picks one of its forms.
    pub form: Option<Form>,
    /// Raw key.
    pub key: Vec<u8>,
    /// Nonce.
    pub nonce: Vec<u8>,
    /// Associated data.
    pub aad: Vec<u8>,
    /// Plaintext for seal and encrypt, sealed text for open and decrypt.
    pub input: Vec<u8>,
    /// Among how many threads a split form divides it; `None`: two.
    pub threads: Option<u64>,
}

/// A cell to prepare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prepare {
    /// The number that identifies it.
    pub cell: u64,
    /// The library.
    pub provider: String,
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The operation.
    pub operation: Operation,
    /// Where the output goes.
    pub form: Form,
    /// Plaintext bytes.
    pub message: u64,
    /// Bytes of aad.
    pub aad: u64,
    /// Threads.
    pub threads: u64,
    /// Seed of key, nonce, aad and message.
    pub seed: u64,
    /// The offset of its buffers in the arena, in bytes: a multiple of 64 below 4096.
    pub offset: u64,
    /// Bytes of XOR's key; other lengths than 32 in split forms only.
    pub key: u64,
    /// How many objects of the key are made, each in another place of the heap; only workers that move layouts make several.
    pub instances: u64,
    /// The texts and keys that its calls go round; only workers that rotate get several.
    pub rotation: Rotation,
}

/// A request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// List the offers.
    Describe,
    /// Compute one vector.
    Check(CheckInput),
    /// Prepare a cell.
    Prepare(Prepare),
    /// One timed batch.
    Sample {
        /// The cell.
        cell: u64,
        /// Minimum time of warm-up, in nanoseconds.
        warmup_ns: u64,
        /// Timed calls.
        iterations: u64,
        /// Where stack, buffers and key lie; `None`: where the cell has them.
        layout: Option<Layout>,
    },
    /// Single timed calls.
    Latency {
        /// The cell.
        cell: u64,
        /// Minimum time of warm-up, in nanoseconds.
        warmup_ns: u64,
        /// The number of calls.
        count: u64,
    },
    /// The SHA-256 of an iteration's output.
    Digest {
        /// The cell.
        cell: u64,
        /// First iteration of an in-place chain.
        first: u64,
        /// The iteration whose output is hashed.
        iteration: u64,
    },
    /// The CRC-32 of what comes back when a split message is decrypted.
    Verify {
        /// The cell.
        cell: u64,
        /// First iteration of the worker's latest sample.
        first: u64,
        /// Its last iteration.
        iteration: u64,
    },
    /// Some bytes of what the latest sample of a split message left.
    Peek {
        /// The cell.
        cell: u64,
        /// Where they begin in the message.
        at: u64,
        /// How many.
        bytes: u64,
    },
    /// Report the clock's properties.
    Clock,
    /// Report the memory in use.
    Memory {
        /// Whether peaks and counts are reset after the reply.
        reset: bool,
    },
    /// Report whether the runtime has compiled anything.
    Compilation,
    /// Report the current of a board that waits.
    Current,
    /// Release a cell.
    Release {
        /// The cell.
        cell: u64,
    },
}

const MAX_CELL: u64 = u32::MAX as u64;

impl Request {
    /// Reads a request; the error describes what is wrong with the line.
    pub fn read(line: &JsonLine) -> Result<Self, LineError> {
        let cell = || line.need_within("cell", 0..=MAX_CELL);
        Ok(match line.need_text("do")? {
            "describe" => Self::Describe,
            "check" => Self::Check(read_check(line)?),
            "prepare" => Self::Prepare(read_prepare(line)?),
            "sample" => Self::Sample {
                cell: cell()?,
                warmup_ns: line.need_within("warmup_ns", 0..=MAX_INTEGER)?,
                iterations: line.need_within("iterations", 1..=u64::from(u32::MAX))?,
                layout: read_layout(line)?,
            },
            "latency" => Self::Latency {
                cell: cell()?,
                // Absent: 0, as in requests of older harnesses, which send no warm-up here.
                warmup_ns: line.get_integer("warmup_ns")?.unwrap_or(0),
                count: line.need_within("count", 1..=MAX_COUNT)?,
            },
            "digest" => {
                let iteration = line.need_within("iteration", 0..=MAX_INTEGER)?;
                let first = line.get_integer("first")?.unwrap_or(iteration);
                if first > iteration || iteration - first >= MAX_REPLAY {
                    return Err(LineError::Wrong {
                        key: "first",
                        must: format!("at most `iteration` and less than {MAX_REPLAY} before it"),
                    });
                }
                Self::Digest { cell: cell()?, first, iteration }
            }
            "verify" => {
                let iteration = line.need_within("iteration", 0..=MAX_INTEGER)?;
                Self::Verify { cell: cell()?, first: line.need_within("first", 0..=iteration)?, iteration }
            }
            "peek" => Self::Peek {
                cell: cell()?,
                at: line.need_within("at", 0..=MAX_SPLIT)?,
                bytes: line.need_within("bytes", 1..=MAX_PEEK)?,
            },
            "clock" => Self::Clock,
            "memory" => {
                let reset = line.get_integer("reset")?.unwrap_or(0);
                if reset > 1 {
                    return Err(LineError::Wrong { key: "reset", must: "0 or 1".into() });
                }
                Self::Memory { reset: reset == 1 }
            }
            "compilation" => Self::Compilation,
            "current" => Self::Current,
            "release" => Self::Release { cell: cell()? },
            _ => {
                let must = "describe, check, prepare, sample, latency, digest, verify, peek, clock, memory, compilation, current or release";
                return Err(LineError::Wrong { key: "do", must: must.into() });
            }
        })
    }

    /// The request as a line.
    pub fn line(&self) -> JsonLine {
        match self {
            Self::Describe => JsonLine::new("do", "describe"),
            Self::Check(check) => check.line(),
            Self::Prepare(prepare) => prepare.line(),
            Self::Sample { cell, warmup_ns, iterations, layout } => {
                let line = JsonLine::new("do", "sample")
                    .integer("cell", *cell)
                    .integer("warmup_ns", *warmup_ns)
                    .integer("iterations", *iterations);
                layout.iter().fold(line, put_layout)
            }
            Self::Latency { cell, warmup_ns, count } => JsonLine::new("do", "latency")
                .integer("cell", *cell)
                .integer("warmup_ns", *warmup_ns)
                .integer("count", *count),
            Self::Digest { cell, first, iteration } => JsonLine::new("do", "digest")
                .integer("cell", *cell)
                .integer("first", *first)
                .integer("iteration", *iteration),
            Self::Verify { cell, first, iteration } => JsonLine::new("do", "verify")
                .integer("cell", *cell)
                .integer("first", *first)
                .integer("iteration", *iteration),
            Self::Peek { cell, at, bytes } => {
                JsonLine::new("do", "peek").integer("cell", *cell).integer("at", *at).integer("bytes", *bytes)
            }
            Self::Clock => JsonLine::new("do", "clock"),
            Self::Memory { reset: false } => JsonLine::new("do", "memory"),
            Self::Memory { reset: true } => JsonLine::new("do", "memory").integer("reset", 1),
            Self::Compilation => JsonLine::new("do", "compilation"),
            Self::Current => JsonLine::new("do", "current"),
            Self::Release { cell } => JsonLine::new("do", "release").integer("cell", *cell),
        }
    }
}

impl CheckInput {
    fn line(&self) -> JsonLine {
        let line = JsonLine::new("do", "check")
            .text("provider", &self.provider)
            .text("algorithm", self.algorithm.as_str())
            .text("operation", self.operation.as_str());
        let line = match self.form {
            Some(form) => line.text("form", form.as_str()),
            None => line,
        };
        let line = line
            .text("key", hex::encode(&self.key))
            .text("nonce", hex::encode(&self.nonce))
            .text("aad", hex::encode(&self.aad))
            .text("input", hex::encode(&self.input));
        self.threads.into_iter().fold(line, |line, threads| line.integer("threads", threads))
    }
}

impl Prepare {
    fn line(&self) -> JsonLine {
        // Older workers would ignore a key's length, so it is named only where they refuse the form.
        let key = Some(self.key).filter(|key| *key != Parameters::USUAL_KEY);
        let line = JsonLine::new("do", "prepare")
            .integer("cell", self.cell)
            .text("provider", &self.provider)
            .text("algorithm", self.algorithm.as_str())
            .text("operation", self.operation.as_str())
            .text("form", self.form.as_str())
            .integer("message", self.message)
            .integer("aad", self.aad)
            .integer("threads", self.threads)
            .integer("seed", self.seed)
            .integer("offset", self.offset);
        let line = key.into_iter().fold(line, |line, key| line.integer("key", key));
        let instances = Some(self.instances).filter(|instances| *instances != 1);
        let line = instances.into_iter().fold(line, |line, instances| line.integer("instances", instances));
        let Rotation { texts, keys } = self.rotation;
        let rotation = [("texts", texts), ("keys", keys)].into_iter().filter(|(_, count)| *count != 1);
        rotation.fold(line, |line, (name, count)| line.integer(name, count))
    }
}

fn put_layout(line: JsonLine, layout: &Layout) -> JsonLine {
    line.integer("stack", layout.stack.into())
        .integer("offset", layout.offset.into())
        .integer("nonce", layout.nonce.into())
        .integer("instance", layout.instance.into())
}

/// The layout of a sample: all of its positions, or none.
fn read_layout(line: &JsonLine) -> Result<Option<Layout>, LineError> {
    if line.get_integer("stack")?.is_none() {
        return Ok(None);
    }
    let place = |key| line.need_within(key, 0..=MAX_INTEGER);
    let layout = Layout::new(place("stack")?, place("offset")?, place("nonce")?, place("instance")?);
    let must = "a multiple of 16 below 1024, beside an offset below 4096, a nonce's place that is a multiple of 16 below 4096 and an instance below 8";
    layout.map(Some).ok_or_else(|| LineError::Wrong { key: "stack", must: must.into() })
}

fn read_check(line: &JsonLine) -> Result<CheckInput, LineError> {
    Ok(CheckInput {
        provider: line.need_text("provider")?.into(),
        algorithm: line.need_word("algorithm")?,
        operation: line.need_word("operation")?,
        form: line.get_text("form")?.map(|_| line.need_word("form")).transpose()?,
        key: line.get_hex("key", MAX_CHECK)?,
        nonce: line.get_hex("nonce", MAX_CHECK)?,
        aad: line.get_hex("aad", MAX_CHECK)?,
        input: line.get_hex("input", MAX_CHECK)?,
        threads: line.get_integer("threads")?.map(|_| line.need_within("threads", 1..=MAX_THREADS)).transpose()?,
    })
}

fn read_prepare(line: &JsonLine) -> Result<Prepare, LineError> {
    let offset = line.get_integer("offset")?.unwrap_or(0);
    if offset >= 4096 || offset % 64 != 0 {
        return Err(LineError::Wrong { key: "offset", must: "a multiple of 64 below 4096".into() });
    }
    let form: Form = line.need_word("form")?;
    Ok(Prepare {
        cell: line.need_within("cell", 0..=MAX_CELL)?,
        provider: line.need_text("provider")?.into(),
        algorithm: line.need_word("algorithm")?,
        operation: line.need_word("operation")?,
        form,
        message: line.need_within("message", 0..=if form.is_split() { MAX_SPLIT } else { MAX_MESSAGE })?,
        aad: line.need_within("aad", 0..=MAX_AAD)?,
        // The worker refuses more than `MAX_THREADS`, with its reason.
        threads: line.need_within("threads", 1..=MAX_INTEGER)?,
        seed: line.need_within("seed", 0..=MAX_INTEGER)?,
        offset,
        key: match line.get_integer("key")? {
            Some(_) if form.is_split() => line.need_within("key", 1..=MAX_KEY)?,
            _ => Parameters::USUAL_KEY,
        },
        instances: read_count(line, "instances", Layout::MOST_INSTANCES.into())?,
        rotation: Rotation { texts: read_count(line, "texts", MAX_TEXTS)?, keys: read_count(line, "keys", MAX_KEYS)? },
    })
}

/// From 1 to `most`; absent: 1.
fn read_count(line: &JsonLine, key: &'static str, most: u64) -> Result<u64, LineError> {
    match line.get_integer(key)? {
        Some(_) => line.need_within(key, 1..=most),
        None => Ok(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(request: Request) {
        let text = request.line().write();
        assert_eq!(Request::read(&JsonLine::parse(text.trim_end().as_bytes()).unwrap()), Ok(request));
    }

    #[test]
    fn request_survives_a_round_trip() {
        round_trip(Request::Describe);
        round_trip(Request::Memory { reset: false });
        round_trip(Request::Memory { reset: true });
        round_trip(Request::Compilation);
        round_trip(Request::Sample { cell: 7, warmup_ns: 60_000, iterations: 40, layout: None });
        let layout = Layout::new(1008, 4095, 16, 3);
        round_trip(Request::Sample { cell: 7, warmup_ns: 60_000, iterations: 40, layout });
        round_trip(Request::Latency { cell: 7, warmup_ns: MAX_INTEGER, count: 1 });
        round_trip(Request::Digest { cell: 7, first: 3, iteration: 9 });
        round_trip(Request::Prepare(Prepare {
            cell: 1,
            provider: "go".into(),
            algorithm: Algorithm::Aes256Gcm,
            operation: Operation::Seal,
            form: Form::Into,
            message: 16_384,
            aad: 13,
            threads: 1,
            seed: MAX_INTEGER,
            offset: 192,
            key: 32,
            instances: 4,
            rotation: Rotation { texts: 963, keys: 10 },
        }));
        round_trip(Request::Prepare(Prepare {
            cell: 1,
            provider: "ceiling".into(),
            algorithm: Algorithm::Xor,
            operation: Operation::Encrypt,
            form: Form::Static,
            message: MAX_SPLIT,
            aad: 0,
            threads: 2,
            seed: 1,
            offset: 0,
            key: 7,
            instances: 1,
            rotation: Rotation::NONE,
        }));
        round_trip(Request::Verify { cell: 7, first: 3, iteration: 5 });
        round_trip(Request::Peek { cell: 7, at: MAX_SPLIT, bytes: MAX_PEEK });
    }

    #[test]
    fn latency_without_a_warm_up_reads_as_one_of_0() {
        let line = JsonLine::parse(br#"{"do":"latency","cell":7,"count":1000}"#).unwrap();
        assert_eq!(Request::read(&line), Ok(Request::Latency { cell: 7, warmup_ns: 0, count: 1000 }));
    }

    #[test]
    fn value_out_of_range_is_named() {
        let wrong = |text: &str| Request::read(&JsonLine::parse(text.as_bytes()).unwrap()).unwrap_err().to_string();
        assert_eq!(
            wrong(r#"{"do":"sample","cell":1,"warmup_ns":0,"iterations":0}"#),
            "`iterations` must be from 1 to 4294967295"
        );
        assert_eq!(wrong(r#"{"do":"sample","warmup_ns":0,"iterations":1}"#), "`cell` is missing");
        assert_eq!(wrong(r#"{"do":"memory","reset":2}"#), "`reset` must be 0 or 1");
        assert_eq!(wrong(r#"{"do":"peek","cell":1,"at":0,"bytes":0}"#), "`bytes` must be from 1 to 16384");
        assert_eq!(wrong(r#"{"do":"verify","cell":1,"first":2,"iteration":1}"#), "`first` must be from 0 to 1");
        let prepare = |form: &str, more: &str| {
            wrong(&format!(
                r#"{{"do":"prepare","cell":1,"provider":"p","algorithm":"xor","operation":"encrypt","form":"{form}","aad":0,"threads":1,"seed":1{more}}}"#
            ))
        };
        assert_eq!(prepare("into", r#","message":1073741825"#), "`message` must be from 0 to 1073741824");
        assert_eq!(prepare("static", r#","message":1099511627777"#), "`message` must be from 0 to 1099511627776");
        assert_eq!(prepare("static", r#","message":1,"key":0"#), "`key` must be from 1 to 1048576");
        assert_eq!(prepare("into", r#","message":1,"texts":0"#), "`texts` must be from 1 to 1048576");
        assert_eq!(prepare("into", r#","message":1,"keys":65537"#), "`keys` must be from 1 to 65536");
        assert!(wrong(r#"{"do":"dance"}"#).starts_with("`do` must be describe, check"));
        assert!(wrong(r#"{"do":"digest","cell":1,"first":2,"iteration":1}"#).starts_with("`first` must be"));
    }
}
