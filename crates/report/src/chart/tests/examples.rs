//! Runs made up for figures: one of each kind, and some that are larger or stranger than any real one.

use ciphermeter_core::{Against, Algorithm, Copies, Fact, Operation, Outcome, Parameters, Record, Run, Share};

use crate::tests::{moved, sustained};
use ciphermeter_answer::fixtures::{self, Made, cell, records};

pub(super) const GCM: Algorithm = Algorithm::Aes256Gcm;
pub(super) const CHACHA: Algorithm = Algorithm::ChaCha20Poly1305;

/// Names of libraries, one of which is longer than any figure has room for.
const PROVIDERS: [&str; 20] = [
    "openssl",
    "aws-lc",
    "ring",
    "rustcrypto",
    "graviola",
    "go",
    "tink-go",
    "pyca",
    "pycryptodome",
    "pynacl",
    "sunjce",
    "bouncycastle",
    "conscrypt",
    "node-crypto",
    "webcrypto",
    "noble-ciphers",
    "libsodium",
    "mbedtls",
    "botan",
    "a-library-whose-name-was-chosen-by-a-committee-that-was-paid-by-the-letter-and-never-came-to-an-end",
];

fn seal(provider: &'static str, algorithm: Algorithm, message: u64, ns: f64) -> Made {
    cell(provider, algorithm, Operation::Seal, message, ns)
}

/// Each library a bit slower than the one before it.
fn ns(place: usize, algorithm: Algorithm, message: u64) -> f64 {
    let each = if algorithm == CHACHA { 0.4 } else { 0.11 };
    (40.0 + message as f64 * each) * (1.0 + place as f64 / 4.0)
}

fn by_size(providers: usize, algorithms: &[Algorithm], sizes: &[u64]) -> Vec<Record> {
    let mut cells = Vec::new();
    for (place, provider) in PROVIDERS.into_iter().enumerate().take(providers) {
        for algorithm in algorithms {
            cells.extend(sizes.iter().map(|size| seal(provider, *algorithm, *size, ns(place, *algorithm, *size))));
        }
    }
    records(&cells, 6)
}

fn aad() -> Vec<Record> {
    let mut cells = Vec::new();
    for aad in [0, 12, 64, 1024, 16_384] {
        for algorithm in [GCM, CHACHA] {
            let made = seal("openssl", algorithm, 1024, ns(0, algorithm, 1024 + aad));
            cells.push(Made { parameters: Parameters::message_cell(1024, aad, 1), ..made });
        }
    }
    records(&cells, 6)
}

fn threads() -> Vec<Record> {
    let mut cells = Vec::new();
    for (place, provider) in PROVIDERS.into_iter().enumerate().take(5) {
        for message in [1024, 1 << 20] {
            for count in [1_u64, 2, 4, 8, 16] {
                let slower = 1.0 + count as f64 / 40.0;
                cells.push(seal(provider, GCM, message, ns(place, GCM, message) * slower).threads(count, 16));
            }
        }
    }
    records(&cells, 6)
}

fn latency(sizes: &[u64]) -> Vec<Record> {
    let mut records = by_size(9, &[GCM], sizes);
    for (place, record) in records.iter_mut().enumerate() {
        record.latency = fixtures::latency(600 * (1 + place as u64), 20, 200_000, 6);
    }
    records
}

fn with_memory(mut records: Vec<Record>) -> Vec<Record> {
    for (place, record) in records.iter_mut().enumerate() {
        record.memory = fixtures::memory((1 + place as u64) * 500_000, 0, Some("malloc"));
    }
    records
}

fn few_forks(mut records: Vec<Record>) -> Vec<Record> {
    for record in &mut records {
        record.forks.truncate(3);
        record.summary.as_mut().unwrap().forks = 3;
    }
    records
}

fn against() -> (Run, Vec<Record>) {
    let sizes = [16, 64, 256, 1024, 4096, 16_384, 65_536, 1 << 20];
    let mut cells = Vec::new();
    for (k, size) in (0_u32..).zip(sizes.iter().flat_map(|size| [*size; 6])) {
        let algorithms = [
            GCM,
            CHACHA,
            Algorithm::Aes128Gcm,
            Algorithm::Aes256GcmSiv,
            Algorithm::XChaCha20Poly1305,
            Algorithm::Aes256Siv,
        ];
        let algorithm = algorithms[k as usize % 6];
        let new = if k == 3 { 1.2 } else { 1.0 + f64::from(k % 7) / 100.0 - 0.03 };
        cells.push(seal("openssl", algorithm, size, 500.0 * new));
        cells.push(seal("openssl@old", algorithm, size, 500.0));
    }
    let against = Some(Against { old: "/usr/lib/libcrypto.so.3".into(), threshold: Share(0.05), may_hide: None });
    (Run { against, ..fixtures::head() }, records(&cells, 6))
}

fn self_check() -> (Run, Vec<Record>) {
    let names = ["xor.01", "xor.02", "xor.03", "xor.04", "xor.fixed-01", "xor.slowed-1%"];
    let ns = |name: &str| if name == "xor.slowed-1%" { 1010.0 } else { 1000.0 };
    let cells = names.map(|name| cell(name, Algorithm::Xor, Operation::Encrypt, 4096, ns(name)));
    let mut run = fixtures::head();
    run.scenario.copies = Some(Copies { names: 4, files: 0, fixed: 1, slowed: vec![Share(0.01)] });
    (run, records(&cells, 6))
}

/// A phone that throttles.
fn fallen(seconds: u32) -> (Run, Vec<Record>) {
    let second = |k: u32| {
        let hot = k >= seconds / 3;
        sustained::Second {
            rate: if hot { 900 } else { 1520 },
            megahertz: Some(if hot { 1800 } else { 3000 }),
            degrees: Some(u64::from(38 + (k * 60 / seconds).min(40))),
            ..sustained::CALM
        }
    };
    (sustained::run(&[Fact::present("cpu", "Example Phone 9")]), vec![sustained::record(seconds, second)])
}

fn key_setup() -> Vec<Record> {
    let cells = PROVIDERS.map(|provider| cell(provider, GCM, Operation::KeySetup, 0, 80.0 + provider.len() as f64));
    records(&cells, 6)
}

/// Text that would end the document or rule a terminal, wherever it comes from outside.
fn hostile() -> (Run, Vec<Record>) {
    let sizes = [16, 1024];
    let mut records = by_size(2, &[GCM, CHACHA], &sizes);
    for record in &mut records {
        let provider = format!("</text><script>alert(1)</script>&\"'\u{1b}[31m\u{0}\u{202e}{}", record.cell.provider);
        record.cell.provider = provider.repeat(40);
        record.provenance.as_mut().unwrap().version = "9<&>\u{7}".repeat(9000);
    }
    let mut run = fixtures::head();
    run.host = vec![Fact::present("cpu", "<cpu>".repeat(5000)), Fact::present("os", "\u{1b}]0;x\u{7}")];
    run.scenario.name = "]]>".repeat(1000);
    run.started = "not a time".repeat(1000);
    (run, records)
}

/// Wrong output, failures and too few forks beside what is well.
fn broken() -> Vec<Record> {
    let mut records = by_size(4, &[GCM, CHACHA], &[16, 1024, 1 << 20]);
    records[0].outcome = Outcome::WrongOutput { why: "x".into() };
    records[7].outcome = Outcome::Failed { why: "x".into() };
    records[20].summary.as_mut().unwrap().forks = 2;
    records
}

/// Every figure by its name.
pub(crate) fn examples() -> Vec<(&'static str, Run, Vec<Record>)> {
    let run = fixtures::head;
    let sizes = [16, 64, 256, 1024, 16_384, 1 << 20];
    let both = [GCM, CHACHA];
    let with = |name, (run, records)| (name, run, records);
    vec![
        ("pair", run(), fixtures::run().1),
        ("one-library", run(), by_size(1, &both, &sizes)),
        ("many-libraries", run(), by_size(20, &both, &sizes)),
        ("odd-sizes", run(), by_size(4, &both, &[64, 1173, 1280, 1420, 1425])),
        ("libraries", run(), by_size(9, &[GCM], &sizes)),
        ("aad", run(), aad()),
        ("one-size", run(), by_size(20, &[GCM, CHACHA, Algorithm::Aes256Siv], &[1024])),
        ("threads", run(), threads()),
        ("latency", run(), latency(&[64, 16_384])),
        ("short-calls", run(), latency(&[64])),
        ("memory-too", run(), with_memory(by_size(3, &both, &sizes))),
        ("memory", run(), few_forks(with_memory(by_size(20, &[GCM], &[1024])))),
        with("transfers", moved::moved()),
        with("against", against()),
        with("self-check", self_check()),
        with("sustained", fallen(240)),
        with("sustained-for-hours", fallen(20_000)),
        ("key-setup", run(), key_setup()),
        with("hostile", hostile()),
        ("broken", run(), broken()),
    ]
}

/// More cells than any scenario can have.
pub(super) fn thousands() -> Vec<Record> {
    let sizes: Vec<u64> = (0..20).map(|power| 1 << power).collect();
    let algorithms = [GCM, CHACHA, Algorithm::Aes128Gcm, Algorithm::Aes256GcmSiv];
    by_size(20, &algorithms, &sizes)
}
