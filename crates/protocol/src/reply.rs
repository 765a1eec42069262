//! A worker's replies.

use ciphermeter_core::{MAX_INTEGER, escaped};

use crate::counted::Counted;
use crate::request::{MAX_CHECK, MAX_COUNT, MAX_PEEK};
use crate::{JsonLine, LineError};

/// Memory in bytes; `None` where the system or the runtime does not report it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemoryUse {
    /// Resident.
    pub rss: Option<u64>,
    /// Most resident since the latest reset, or ever.
    pub peak_rss: Option<u64>,
    /// In use, as counted by the runtime or the C library.
    pub heap: Option<u64>,
    /// The most in use since the latest reset.
    pub peak_heap: Option<u64>,
    /// Allocated since the latest reset, freed or not.
    pub allocated: Option<u64>,
    /// The name of the counter.
    pub counter: Option<String>,
    /// Of devices: the most stack in use since the latest reset, or ever.
    pub stack: Option<u64>,
    /// Of devices: free for the heap now.
    pub heap_free: Option<u64>,
    /// Of devices: the least that was free since the start.
    pub heap_least_free: Option<u64>,
}

/// A worker's answer to everything but `describe`, which is a list (see [`crate::Describe`]).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// A check's output.
    Output(Vec<u8>),
    /// A check's input did not authenticate, or was malformed.
    Rejected,
    /// The library does not support this.
    Unsupported(String),
    /// A cell is prepared.
    Ready {
        /// The cell.
        cell: u64,
    },
    /// One timed batch.
    Sample {
        /// The cell.
        cell: u64,
        /// Timed calls.
        iterations: u64,
        /// First iteration since the buffers were set up.
        first: u64,
        /// Last iteration.
        last: u64,
        /// Its metrics.
        counted: Box<Counted>,
    },
    /// Single timed calls.
    Latency {
        /// The cell.
        cell: u64,
        /// Nanoseconds of each call.
        ns: Vec<u64>,
        /// Cost of reading the clock.
        clock_ns: u64,
    },
    /// SHA-256 of an output.
    Digest {
        /// The cell.
        cell: u64,
        /// The hash.
        sha256: [u8; 32],
    },
    /// What came back when a split message was decrypted.
    Verified {
        /// The cell.
        cell: u64,
        /// The CRC-32 of all of it.
        crc32: u32,
    },
    /// Some bytes of an output.
    Bytes {
        /// The cell.
        cell: u64,
        /// They.
        bytes: Vec<u8>,
    },
    /// The clock's properties, in nanoseconds.
    Clock {
        /// Smallest step.
        step_ns: u64,
        /// Cost of one reading.
        call_ns: u64,
        /// Cost of an empty iteration.
        loop_ns: u64,
    },
    /// The same of a counter that a device has instead of a clock, in what it counts.
    Counter {
        /// Smallest step.
        step: u64,
        /// Cost of one reading.
        call: u64,
        /// Cost of an empty iteration.
        empty: u64,
    },
    /// How much memory is used.
    Memory(Box<MemoryUse>),
    /// A number that changes when the runtime has compiled something, if the runtime has one.
    Compilation {
        /// The number.
        mark: Option<u64>,
    },
    /// What a board took while it waited.
    Current {
        /// The charge, in nanocoulombs.
        charge_nc: u64,
        /// In so many nanoseconds.
        ns: u64,
    },
    /// A cell is forgotten.
    Released {
        /// The cell.
        cell: u64,
    },
    /// A failure that the worker survived.
    Error(String),
}

impl Reply {
    /// Reads a reply; the error describes what is wrong with the line.
    pub fn read(line: &JsonLine) -> Result<Self, LineError> {
        let number = |key| line.need_within(key, 0..=MAX_INTEGER);
        let why = || line.need_text("why").map(escaped_from_worker);
        Ok(match line.need_text("is")? {
            "output" => {
                line.need_text("output")?;
                // A sealed text is longer than its input by at most a tag or a block.
                Self::Output(line.get_hex("output", MAX_CHECK + 64)?)
            }
            "rejected" => Self::Rejected,
            "unsupported" => Self::Unsupported(why()?),
            "ready" => Self::Ready { cell: number("cell")? },
            "sample" => Self::Sample {
                cell: number("cell")?,
                iterations: number("iterations")?,
                first: number("first")?,
                last: number("last")?,
                counted: Box::new(Counted::read(line)?),
            },
            "latency" => {
                let ns = line.need_integers("ns")?;
                if ns.len() as u64 > MAX_COUNT {
                    return Err(LineError::Wrong { key: "ns", must: format!("at most {MAX_COUNT} calls") });
                }
                Self::Latency { cell: number("cell")?, ns: ns.to_vec(), clock_ns: number("clock_ns")? }
            }
            "digest" => {
                let must = || LineError::Wrong { key: "sha256", must: "64 hex digits".into() };
                let sha256 = line.get_hex("sha256", 32)?.try_into().map_err(|_| must())?;
                Self::Digest { cell: number("cell")?, sha256 }
            }
            "verified" => {
                let crc32 = line.need_within("crc32", 0..=u64::from(u32::MAX))? as u32;
                Self::Verified { cell: number("cell")?, crc32 }
            }
            "bytes" => {
                line.need_text("bytes")?;
                Self::Bytes { cell: number("cell")?, bytes: line.get_hex("bytes", MAX_PEEK as usize)? }
            }
            "clock" if line.get_integer("step")?.is_some() => {
                Self::Counter { step: number("step")?, call: number("call")?, empty: number("loop")? }
            }
            "clock" => {
                Self::Clock { step_ns: number("step_ns")?, call_ns: number("call_ns")?, loop_ns: number("loop_ns")? }
            }
            "memory" => Self::Memory(Box::new(MemoryUse::read(line)?)),
            "compilation" => Self::Compilation { mark: line.get_integer("mark")? },
            "current" => {
                let ns = line.need_within("ns", 1..=MAX_INTEGER)?;
                Self::Current { charge_nc: number("charge_nc")?, ns }
            }
            "released" => Self::Released { cell: number("cell")? },
            "error" => Self::Error(why()?),
            _ => return Err(LineError::Wrong { key: "is", must: "a known kind of reply".into() }),
        })
    }

    /// The reply as a line.
    pub fn line(&self) -> JsonLine {
        let cell_line = |is: &str, cell: &u64| JsonLine::new("is", is).integer("cell", *cell);
        match self {
            Self::Output(output) => JsonLine::new("is", "output").text("output", hex::encode(output)),
            Self::Rejected => JsonLine::new("is", "rejected"),
            Self::Unsupported(why) => JsonLine::new("is", "unsupported").text("why", clipped(why)),
            Self::Ready { cell } => cell_line("ready", cell),
            Self::Sample { cell, iterations, first, last, counted } => {
                let line = cell_line("sample", cell).integer("iterations", *iterations);
                counted.put(line.integer("first", *first).integer("last", *last))
            }
            Self::Latency { cell, ns, clock_ns } => {
                cell_line("latency", cell).integers("ns", ns.clone()).integer("clock_ns", *clock_ns)
            }
            Self::Digest { cell, sha256 } => cell_line("digest", cell).text("sha256", hex::encode(sha256)),
            Self::Verified { cell, crc32 } => cell_line("verified", cell).integer("crc32", u64::from(*crc32)),
            Self::Bytes { cell, bytes } => cell_line("bytes", cell).text("bytes", hex::encode(bytes)),
            Self::Clock { step_ns, call_ns, loop_ns } => JsonLine::new("is", "clock")
                .integer("step_ns", *step_ns)
                .integer("call_ns", *call_ns)
                .integer("loop_ns", *loop_ns),
            Self::Counter { step, call, empty } => {
                JsonLine::new("is", "clock").integer("step", *step).integer("call", *call).integer("loop", *empty)
            }
            Self::Memory(memory) => memory.line(),
            Self::Compilation { mark } => JsonLine::new("is", "compilation").maybe("mark", *mark),
            Self::Current { charge_nc, ns } => {
                JsonLine::new("is", "current").integer("charge_nc", *charge_nc).integer("ns", *ns)
            }
            Self::Released { cell } => cell_line("released", cell),
            Self::Error(why) => JsonLine::new("is", "error").text("why", clipped(why)),
        }
    }
}

impl MemoryUse {
    fn read(line: &JsonLine) -> Result<Self, LineError> {
        Ok(Self {
            rss: line.get_integer("rss")?,
            peak_rss: line.get_integer("peak_rss")?,
            heap: line.get_integer("heap")?,
            peak_heap: line.get_integer("peak_heap")?,
            allocated: line.get_integer("allocated")?,
            counter: line.get_text("counter")?.map(escaped_from_worker),
            stack: line.get_integer("stack")?,
            heap_free: line.get_integer("heap_free")?,
            heap_least_free: line.get_integer("heap_least_free")?,
        })
    }

    fn line(&self) -> JsonLine {
        let line = JsonLine::new("is", "memory")
            .maybe("rss", self.rss)
            .maybe("peak_rss", self.peak_rss)
            .maybe("heap", self.heap)
            .maybe("peak_heap", self.peak_heap)
            .maybe("allocated", self.allocated);
        let line = self.counter.iter().fold(line, |line, counter| line.text("counter", counter));
        // Workers that are no devices have no such keys.
        let of_devices =
            [("stack", self.stack), ("heap_free", self.heap_free), ("heap_least_free", self.heap_least_free)];
        of_devices.iter().fold(line, |line, (key, bytes)| bytes.iter().fold(line, |line, n| line.integer(key, *n)))
    }
}

/// A worker's text for people: at most 400 characters, and safe for a terminal.
pub(crate) fn escaped_from_worker(text: &str) -> String {
    clipped(&escaped(text))
}

/// Limits a text to that length.
fn clipped(text: &str) -> String {
    text.chars().take(400).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ciphermeter_core::{Metric, Series};
    use proptest::prelude::*;

    #[test]
    fn reply_survives_a_round_trip() {
        for reply in [
            Reply::Output(vec![1, 2]),
            Reply::Output(vec![]),
            Reply::Rejected,
            Reply::Unsupported("nonce of 8 bytes".into()),
            Reply::Sample {
                cell: 7,
                iterations: 40,
                first: 1,
                last: 47,
                counted: Box::new(Counted {
                    counts: vec![(Metric::NS, 312_345), (Metric::INSTRUCTIONS, 9)],
                    series: vec![],
                }),
            },
            Reply::Sample {
                cell: 7,
                iterations: 1,
                first: 1,
                last: 1,
                counted: Box::new(Counted {
                    counts: vec![
                        (Metric::NS, 312_345),
                        (Metric::CPU_NS, 9),
                        (Metric::HANDSHAKE, 5),
                        (Metric::PEER_PEAK_RSS, 1 << 20),
                    ],
                    series: vec![(Series::Cpu, vec![49_000, 50_001]), (Series::PeerRss, vec![])],
                }),
            },
            Reply::Latency { cell: 7, ns: vec![812, 790], clock_ns: 23 },
            Reply::Digest { cell: 7, sha256: [9; 32] },
            Reply::Verified { cell: 7, crc32: u32::MAX },
            Reply::Bytes { cell: 7, bytes: vec![1, 2, 3] },
            Reply::Memory(Box::new(MemoryUse {
                rss: Some(1),
                peak_rss: Some(2),
                allocated: Some(3),
                counter: Some("malloc".into()),
                ..MemoryUse::default()
            })),
            Reply::Memory(Box::new(MemoryUse {
                stack: Some(312),
                heap_free: Some(0),
                heap_least_free: Some(0),
                ..MemoryUse::default()
            })),
            Reply::Clock { step_ns: 1, call_ns: 23, loop_ns: 0 },
            Reply::Counter { step: 1, call: 4, empty: 9 },
            Reply::Compilation { mark: Some(7) },
            Reply::Compilation { mark: None },
            Reply::Current { charge_nc: 7_200_000, ns: 90_000_000 },
        ] {
            let text = reply.line().write();
            assert_eq!(Reply::read(&JsonLine::parse(text.trim_end().as_bytes()).unwrap()), Ok(reply));
        }
    }

    #[test]
    fn control_characters_of_a_worker_are_escaped() {
        let line = JsonLine::parse(br#"{"is":"error","why":"\u001b[2Jgone\n"}"#).unwrap();
        assert_eq!(Reply::read(&line), Ok(Reply::Error(r"\u{1b}[2Jgone\n".into())));
    }

    proptest! {
        #[test]
        fn no_line_panics(text in r#"\{"is":"[a-z]{0,9}","(cell|ns|sha256|output|why)":.{0,40}\}"#) {
            let _ = JsonLine::parse(text.as_bytes()).map(|line| Reply::read(&line));
        }
    }
}
