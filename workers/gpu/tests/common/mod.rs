//! A harness for tests: asks a worker's process, and knows the right answers from RustCrypto.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use aes::cipher::{KeyIvInit, StreamCipher};
use ciphermeter_core::{Algorithm, Form, Operation, Rotation};
use ciphermeter_protocol::{
    CheckInput, Command as WorkerCommand, Describe, Link, LinkError, PipeLink, Prepare, Reply, Request, describe, seed,
};
use sha2::{Digest, Sha256};

/// The forms of a card.
pub const FORMS: [Form; 3] = [Form::Device, Form::EndToEnd, Form::Pageable];
/// Lengths around blocks, pairs of blocks, units and periods.
pub const LENGTHS: [u64; 11] = [0, 1, 15, 16, 17, 63, 64, 65, 4095, 65537, (1 << 20) + 1];

const PATIENCE: Duration = Duration::from_secs(120);
const SEED: u64 = 7;

/// A worker's process.
pub struct Session {
    link: PipeLink,
    provider: String,
    next: u64,
}

/// A sample that was taken.
pub struct Sampled {
    pub cell: u64,
    pub first: u64,
    pub last: u64,
}

impl Session {
    /// Starts the worker that was built for this test.
    pub fn start(provider: &str, environment: &[(&str, &str)]) -> Self {
        let environment = environment.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        let program = env!("CARGO_BIN_EXE_gpu").into();
        let command = WorkerCommand { program, arguments: vec![provider.into()], folder: None, environment };
        let spawn = |command: &mut Command| -> std::io::Result<Child> {
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()
        };
        let link = PipeLink::start(&command, spawn).expect("the worker starts");
        Self { link, provider: provider.into(), next: 1 }
    }

    /// What it says of itself.
    pub fn describe(&mut self) -> Describe {
        describe(&mut self.link, PATIENCE).expect("a description")
    }

    /// Any reply but an error.
    pub fn ask(&mut self, request: Request) -> Reply {
        self.try_ask(request).expect("no error")
    }

    /// A reply, or the text of an error.
    pub fn try_ask(&mut self, request: Request) -> Result<Reply, String> {
        match self.link.ask(&request, PATIENCE) {
            Err(LinkError::Reported(why)) => Err(why),
            reply => Ok(reply.expect("a reply")),
        }
    }

    /// Answers a vector.
    pub fn check(&mut self, algorithm: Algorithm, form: Form, [key, nonce, input]: [&[u8]; 3]) -> Reply {
        let (provider, operation) = (self.provider.clone(), Operation::Encrypt);
        let [key, nonce, input] = [key, nonce, input].map(<[u8]>::to_vec);
        let aad = Vec::new();
        self.ask(Request::Check(CheckInput {
            provider,
            algorithm,
            operation,
            form: Some(form),
            key,
            nonce,
            aad,
            input,
            threads: None,
        }))
    }

    /// A request for the next cell.
    pub fn cell(&mut self, algorithm: Algorithm, form: Form, message: u64) -> Prepare {
        self.next += 1;
        let (cell, provider, operation) = (self.next, self.provider.clone(), Operation::Encrypt);
        let (aad, threads, seed, offset, key) = (0, 1, SEED, 0, 32);
        Prepare {
            cell,
            provider,
            algorithm,
            operation,
            form,
            message,
            aad,
            threads,
            seed,
            offset,
            key,
            instances: 1,
            rotation: Rotation::NONE,
        }
    }

    /// Prepares and samples.
    pub fn sample(&mut self, prepare: Prepare, iterations: u64) -> Sampled {
        let cell = prepare.cell;
        assert_eq!(self.ask(Request::Prepare(prepare)), Reply::Ready { cell });
        match self.ask(Request::Sample { cell, warmup_ns: 1, iterations, layout: None }) {
            Reply::Sample { first, last, counted, .. } => {
                assert!(counted.counts.iter().any(|(metric, _)| metric.name() == "compile_ns"));
                Sampled { cell, first, last }
            }
            other => panic!("{other:?}"),
        }
    }

    /// Prepares a cell, samples it and looks at everything that the sample left.
    pub fn whole_cell(&mut self, prepare: Prepare) {
        let Prepare { algorithm, message, key, form, .. } = prepare;
        let what = format!("{algorithm} {form} {message} bytes, key of {key}");
        let Sampled { cell, first, last } = self.sample(prepare, 2);
        assert!(last > first, "{what}: a warm-up of 1 ns is one iteration at least");
        let digest =
            |session: &mut Self, first, iteration| match session.ask(Request::Digest { cell, first, iteration }) {
                Reply::Digest { sha256, .. } => sha256,
                other => panic!("{what}: {other:?}"),
            };
        let want = expected(algorithm, message, key, first, last);
        assert_eq!(digest(self, first, last), sha256(&want), "{what}: what the timed calls left");
        // A vector in between disturbs nothing.
        let other = self.check(Algorithm::Xor, form, [&[1; 32], &[], &[1; 100]]);
        assert_eq!(other, Reply::Output(vec![0; 100]), "{what}");
        for (at, bytes) in peeks(message) {
            match self.ask(Request::Peek { cell, at, bytes }) {
                Reply::Bytes { bytes: found, .. } => {
                    assert_eq!(found, want[at as usize..(at + bytes) as usize], "{what}: {bytes} bytes from {at}");
                }
                other => panic!("{what}: {other:?}"),
            }
        }
        match self.ask(Request::Verify { cell, first, iteration: last }) {
            Reply::Verified { crc32, .. } => assert_eq!(crc32, crc32fast::hash(&plaintext(message)), "{what}"),
            other => panic!("{what}: {other:?}"),
        }
        let again = self.try_ask(Request::Verify { cell, first, iteration: last });
        assert!(again.unwrap_err().contains("latest sample"), "{what}: nothing is left of the sample");
        let anew = expected(algorithm, message, key, 0, 0);
        assert_eq!(digest(self, 0, 0), sha256(&anew), "{what}: made anew");
        assert_eq!(self.ask(Request::Release { cell }), Reply::Released { cell });
    }

    /// All vectors of the meter's file, in each form.
    pub fn vectors(&mut self) {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates/meter/vectors/made/aes-256-ctr.txt");
        let text = std::fs::read_to_string(file).expect("the vectors");
        let bytes = |hex: &str| if hex == "-" { Vec::new() } else { hex::decode(hex).expect("hex") };
        let mut answered = 0;
        for line in text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
            let fields: Vec<&str> = line.split_whitespace().collect();
            let [name, key, nonce, _, message, sealed, _] = fields[..] else { panic!("{line}") };
            let [key, nonce, message, sealed] = [key, nonce, message, sealed].map(bytes);
            if message.len() > 16 << 10 {
                continue;
            }
            for form in FORMS {
                let output = self.check(Algorithm::Aes256Ctr, form, [&key, &nonce, &message]);
                assert_eq!(output, Reply::Output(sealed.clone()), "{name} {form}");
                answered += 1;
            }
        }
        assert!(answered > 100, "{answered}");
    }

    /// What must be refused, and how.
    pub fn refusals(&mut self) {
        let unsupported = |reply| matches!(reply, Reply::Unsupported(_));
        let good = self.cell(Algorithm::Aes256Ctr, Form::Device, 64);
        for wrong in [
            Prepare { threads: 2, ..good.clone() },
            Prepare { form: Form::Static, ..good.clone() },
            Prepare { operation: Operation::Decrypt, ..good.clone() },
            Prepare { algorithm: Algorithm::ChaCha20, ..good.clone() },
            Prepare { provider: "other".into(), ..good.clone() },
            Prepare { form: Form::EndToEnd, message: 1 << 40, ..good.clone() },
        ] {
            let text = format!("{wrong:?}");
            assert!(unsupported(self.ask(Request::Prepare(wrong))), "{text}");
        }
        let [short, nonce] = [&[0; 16][..], &[0; 16]];
        assert!(unsupported(self.check(Algorithm::Aes256Ctr, Form::Device, [short, nonce, b"text"])));
        assert!(unsupported(self.check(Algorithm::Aes256Ctr, Form::Device, [&[0; 32], &[0; 8], b"text"])));
        let sampled = self.sample(good, 1);
        let cell = sampled.cell;
        assert!(self.try_ask(Request::Peek { cell, at: 60, bytes: 5 }).unwrap_err().contains("beyond"));
        assert!(self.try_ask(Request::Release { cell: 999 }).unwrap_err().contains("not prepared"));
        match self.ask(Request::Latency { cell, warmup_ns: 1, count: 3 }) {
            Reply::Latency { ns, .. } => assert_eq!(ns.len(), 3),
            other => panic!("{other:?}"),
        }
        assert!(self.try_ask(Request::Peek { cell, at: 0, bytes: 5 }).is_err(), "a latency leaves no sample");
        assert!(matches!(self.ask(Request::Clock), Reply::Clock { .. }));
        assert!(matches!(self.ask(Request::Memory { reset: true }), Reply::Memory(_)));
    }

    /// Every ceiling in every form that it has.
    pub fn ceilings(&mut self, message: u64) {
        use Algorithm::{CopyIn, CopyOut, Memcpy, ReadModifyWrite};
        for algorithm in [Memcpy, ReadModifyWrite, CopyIn, CopyOut] {
            for form in FORMS.into_iter().filter(|form| algorithm.has_form(*form)) {
                let prepare = self.cell(algorithm, form, message);
                let Sampled { cell, first, last } = self.sample(prepare, 2);
                let digest = self.ask(Request::Digest { cell, first, iteration: last });
                assert!(matches!(digest, Reply::Unsupported(_)), "{algorithm} {form}");
            }
        }
    }
}

/// Where to look at a message: its ends, and where chunks may meet.
fn peeks(message: u64) -> Vec<(u64, u64)> {
    let chunk = 32 << 20;
    let places = [(0, 64), (message / 2, 33), (message.saturating_sub(5), 5), (chunk - 8, 16), (2 * chunk - 8, 16)];
    places.into_iter().filter(|(at, bytes)| at + bytes <= message).collect()
}

fn repeated(label: &str, bytes: u64) -> Vec<u8> {
    seed::period(label, SEED, bytes as usize).into_iter().cycle().take(bytes as usize).collect()
}

fn plaintext(message: u64) -> Vec<u8> {
    repeated("message", message)
}

/// What iterations `first` to `last` leave.
fn expected(algorithm: Algorithm, message: u64, key: u64, first: u64, last: u64) -> Vec<u8> {
    let mut text = plaintext(message);
    let key = repeated("key", key);
    for iteration in first..=last {
        match algorithm {
            Algorithm::Xor => text.iter_mut().zip(key.iter().cycle()).for_each(|(byte, key)| *byte ^= key),
            _ => {
                let mut nonce = [0; 16];
                nonce[..8].copy_from_slice(&iteration.to_be_bytes());
                let cipher = ctr::Ctr128BE::<aes::Aes256>::new_from_slices(&key, &nonce);
                cipher.expect("lengths").apply_keystream(&mut text);
            }
        }
    }
    text
}

fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}
