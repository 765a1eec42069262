//! Devices made up: five emulated cores with the counts that a trial gave, and a board with a clock.

use ciphermeter_core::{
    Algorithm, Cell, CellId, CodeIn, Counts, Device, Fork, Form, Metric, Operation, Outcome, Parameters, Provenance,
    Record, Sample, Setup,
};

use ciphermeter_answer::fixtures::{self, Made, cell};

pub(crate) const SIZES: [u64; 5] = [16, 32, 64, 256, 1024];

/// A cipher of a provider: what its key set-up and its seals cost, and its bytes of stack, state and code.
#[derive(Clone)]
pub(crate) struct Offer {
    pub(crate) provider: &'static str,
    pub(crate) algorithm: Algorithm,
    pub(crate) setup: u64,
    pub(crate) seal: [u64; 5],
    pub(crate) bytes: [u64; 3],
}

/// A core that counts.
#[derive(Clone)]
pub(crate) struct Core {
    pub(crate) name: &'static str,
    pub(crate) counts: Counts,
    pub(crate) offers: Vec<Offer>,
}

pub(crate) fn offer(
    provider: &'static str,
    algorithm: Algorithm,
    setup: u64,
    seal: [u64; 5],
    bytes: [u64; 3],
) -> Offer {
    Offer { provider, algorithm, setup, seal, bytes }
}

pub(crate) fn core(name: &'static str, counts: Counts, offers: Vec<Offer>) -> Core {
    Core { name, counts, offers }
}

/// A single core that counts instructions.
pub(crate) fn one(offers: Vec<Offer>) -> Vec<Core> {
    vec![core("core", Counts::Instructions, offers)]
}

const AES: Algorithm = Algorithm::Aes256Gcm;
const CHACHA20: Algorithm = Algorithm::ChaCha20Poly1305;
const ASCON: Algorithm = Algorithm::AsconAead128;

/// AES and ChaCha20 as they were counted; the other providers are made up.
pub(crate) fn cores() -> Vec<Core> {
    let m4 = vec![
        offer("mbedtls-3", AES, 2481, [4012, 5920, 9736, 32_632, 124_216], [312, 424, 9_640]),
        offer("mbedtls-3", CHACHA20, 274, [4064, 4216, 4513, 10_723, 35_563], [296, 332, 4_812]),
        offer("monocypher", CHACHA20, 120, [4890, 5020, 5301, 12_433, 40_906], [424, 200, 3_904]),
        offer("bearssl", AES, 9120, [18_204, 25_310, 39_522, 124_794, 465_882], [508, 612, 6_420]),
        offer("ascon-c", ASCON, 96, [4710, 5630, 7470, 18_510, 62_670], [168, 56, 1_820]),
    ];
    let m3 = m4
        .iter()
        .map(|of| Offer { setup: of.setup + 12, seal: of.seal.map(|count| count + count / 40), ..of.clone() })
        .collect();
    let rv32 = vec![
        offer("mbedtls-2", AES, 6904, [6110, 8949, 14_627, 48_695, 184_967], [288, 400, 10_212]),
        offer("mbedtls-3", AES, 8606, [13_299, 19_661, 32_385, 108_729, 414_105], [336, 424, 11_034]),
        offer("mbedtls-3", CHACHA20, 1022, [8226, 8539, 9171, 21_324, 69_936], [320, 332, 5_260]),
        offer("ascon-c", ASCON, 104, [6630, 7950, 10_590, 26_430, 89_790], [184, 56, 2_240]),
    ];
    let lx106 = vec![
        offer("mbedtls-2", AES, 2970, [5716, 8481, 14_011, 47_191, 179_911], [304, 400, 9_980]),
        offer("mbedtls-3", AES, 5251, [13_306, 19_791, 32_761, 110_581, 421_861], [352, 424, 10_804]),
        offer("mbedtls-3", CHACHA20, 363, [7801, 8878, 11_040, 30_358, 107_663], [336, 332, 5_020]),
        offer("ascon-c", ASCON, 99, [7010, 8420, 11_240, 28_160, 95_840], [192, 56, 2_130]),
    ];
    let avr = vec![
        offer("mbedtls-2", AES, 41_200, [61_420, 88_530, 142_750, 468_070, 1_769_350], [412, 400, 12_880]),
        offer("monocypher", CHACHA20, 2_310, [152_600, 155_210, 160_430, 391_750, 1_317_030], [702, 200, 8_410]),
        offer("ascon-c", ASCON, 820, [98_300, 117_740, 156_620, 389_900, 1_323_020], [244, 56, 3_460]),
    ];
    vec![
        core("cortex-m3", Counts::Instructions, m3),
        core("cortex-m4", Counts::Instructions, m4),
        core("rv32imc", Counts::Instructions, rv32),
        core("lx106", Counts::Instructions, lx106),
        core("avr", Counts::Cycles, avr),
    ]
}

/// The records of such cores, in two forks that counted the same; opening costs 30 more.
pub(crate) fn counted(cores: &[Core]) -> Vec<Record> {
    let mut records = Vec::new();
    for (number, core) in (1..).zip(cores) {
        for offer in &core.offers {
            let mut add = |operation, message, count| {
                let id = CellId(records.len() as u32);
                records.push(record(id, core, number, offer, operation, message, count));
            };
            add(Operation::KeySetup, 0, offer.setup);
            for (message, count) in SIZES.into_iter().zip(offer.seal) {
                add(Operation::Seal, message, count);
                add(Operation::Open, message, count + 30);
            }
        }
    }
    records
}

fn record(
    id: CellId,
    core: &Core,
    number: u64,
    offer: &Offer,
    operation: Operation,
    message: u64,
    count: u64,
) -> Record {
    let [stack, state, code] = offer.bytes;
    let bytes = [(Metric::STACK, stack), (Metric::STATE, state), (Metric::CODE, code)];
    let sample = |iterations: u64| Sample {
        cell: id,
        after: None,
        turn: id.0,
        iterations,
        counts: [(core.counts.metric(), count * iterations)].into_iter().chain(bytes).collect(),
        series: Vec::new(),
    };
    let fork = |number| Fork { number, short: false, rounds: vec![0], samples: vec![sample(8)] };
    let device = device(core.name, &format!("QEMU {}", core.name), Some(core.counts), true, None);
    Record {
        id,
        cell: Cell {
            provider: format!("{}@{}", offer.provider, core.name),
            algorithm: offer.algorithm,
            operation,
            form: Form::InPlace,
            parameters: Parameters::message_cell(message, 0, 1).on_device(number),
        },
        provenance: Some(Provenance { device: Some(device), ..provenance() }),
        outcome: Outcome::Measured,
        forks: vec![fork(0), fork(1)],
        summary: None,
        latency: Vec::new(),
        memory: Vec::new(),
    }
}

fn provenance() -> Provenance {
    Provenance {
        worker: "firmware".into(),
        runtime: "c11".into(),
        language: None,
        version: "3.6.5".into(),
        path: "soft".into(),
        setup: Setup::Outside,
        library: None,
        sha256: None,
        program: None,
        device: None,
    }
}

pub(crate) fn device(name: &str, board: &str, counts: Option<Counts>, emulated: bool, clock_hz: Option<u64>) -> Device {
    Device { name: name.into(), board: board.into(), counts, emulated, clock_hz, code_in: Some(CodeIn::Flash) }
}

/// An ESP32-C3 at 160 MHz: microseconds of a call, and the same bytes as its emulated core.
pub(crate) fn board(forks: u32) -> Vec<Record> {
    let bytes = cores()[2].offers.clone();
    let of = |provider, algorithm, setup: f64, seal: [f64; 5]| {
        let parameters = |message| Parameters::message_cell(message, 0, 1).on_device(1);
        let made = move |operation, message, us: f64| Made {
            parameters: parameters(message),
            ..cell(provider, algorithm, operation, message, us * 1000.0)
        };
        let each = SIZES.into_iter().zip(seal);
        let each = each.flat_map(move |(message, us)| {
            [made(Operation::Seal, message, us), made(Operation::Open, message, us * 1.01)]
        });
        std::iter::once(made(Operation::KeySetup, 0, setup)).chain(each).collect::<Vec<_>>()
    };
    let made = [
        of("mbedtls-2@ttyUSB0", AES, 46.1, [38.2, 55.9, 91.4, 304.3, 1156.0]),
        of("mbedtls-3@ttyUSB0", AES, 55.4, [83.1, 122.9, 202.4, 679.6, 2588.2]),
        of("mbedtls-3@ttyUSB0", CHACHA20, 6.4, [51.4, 53.4, 57.3, 133.3, 437.1]),
        of("ascon-c@ttyUSB0", ASCON, 0.7, [41.4, 49.7, 66.2, 165.2, 561.2]),
    ]
    .into_iter()
    .flatten();
    let mut records = fixtures::records(&made.collect::<Vec<_>>(), forks);
    for record in &mut records {
        let device = device("ttyUSB0", "ESP32-C3", None, false, Some(160_000_000));
        record.provenance = Some(Provenance { device: Some(device), ..provenance() });
        let own = bytes
            .iter()
            .find(|of| record.cell.provider.starts_with(of.provider) && record.cell.algorithm == of.algorithm);
        let [stack, state, code] = own.expect("its bytes").bytes;
        let counts = [(Metric::STACK, stack), (Metric::STATE, state), (Metric::CODE, code)];
        record.forks.iter_mut().flat_map(|fork| &mut fork.samples).for_each(|sample| sample.counts.extend(counts));
    }
    records
}
