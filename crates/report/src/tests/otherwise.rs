//! Conditions under which another cipher is faster than the one that the first screen names.

use ciphermeter_core::{Algorithm, Metric, Operation, Record};

use crate::{TableOptions, screen};
use ciphermeter_answer::fixtures::{self, Made, cell};

const AES: Algorithm = Algorithm::Aes256Gcm;
const CHACHA20: Algorithm = Algorithm::ChaCha20Poly1305;

/// Both ciphers by one library at 64 B, of which a call takes so long.
fn both(aes: f64, chacha20: f64) -> Vec<Made> {
    let of = |algorithm, ns| cell("openssl", algorithm, Operation::Seal, 64, ns);
    vec![of(AES, aes), of(CHACHA20, chacha20)]
}

fn said(records: &[Record]) -> String {
    let text = screen(&fixtures::head(), records, TableOptions::default()).text;
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Makes these samples of a record so many times as long.
fn stretch(record: &mut Record, times: f64, is_it: impl Fn(u32, usize) -> bool) {
    for fork in &mut record.forks {
        let number = fork.number;
        let those = fork.samples.iter_mut().enumerate().filter(|(place, _)| is_it(number, *place));
        let counts = those.flat_map(|(_, sample)| &mut sample.counts);
        counts.for_each(|(_, count)| *count = (*count as f64 * times) as u64);
    }
}

#[test]
fn rare_slow_calls_count_in_the_mean() {
    let mut records = fixtures::records(&both(100.0, 115.0), 12);
    // One sample of fifteen: the mean is 1.47 times the median.
    stretch(&mut records[0], 8.0, |fork, place| place as u32 == fork % 15);
    let text = said(&records);
    assert!(text.contains("Use AES-256-GCM. It is faster than ChaCha20-Poly1305 with openssl: 1.15×."), "{text}");
    let words = "By mean times, in which rare slow calls count, ChaCha20-Poly1305 is faster with openssl at 64 B (1.2";
    assert!(text.contains(words), "{text}");
    assert!(!said(&fixtures::records(&both(100.0, 115.0), 12)).contains("By mean times"));
}

#[test]
fn neighbour_may_turn_the_answer() {
    let mut records = fixtures::records(&both(100.0, 120.0), 12);
    // In every other round a neighbour is there, which AES minds.
    stretch(&mut records[0], 1.5, |_, place| place % 2 == 1);
    for record in &mut records {
        for fork in &mut record.forks {
            for (place, sample) in fork.samples.iter_mut().enumerate() {
                sample.counts.push((Metric::PROBE, 1000 + 700 * (place as u64 % 2)));
            }
        }
        record.summary.as_mut().unwrap().undisturbed_limit = Some(1060);
    }
    let text = said(&records);
    assert!(text.contains("Use AES-256-GCM. It is faster than ChaCha20-Poly1305 with openssl: 1.20×."), "{text}");
    let words = "With other work on the core, ChaCha20-Poly1305 is faster with openssl at 64 B (1.25×).";
    assert!(text.contains(words) && text.contains("12 forks; one key, a shared core; 47 % of"), "{text}");
}

#[test]
fn core_that_other_programs_had_is_never_undisturbed() {
    let of_every_tenth = |off: u64| {
        let mut records = fixtures::records(&both(100.0, 120.0), 12);
        for record in &mut records {
            for sample in record.forks.iter_mut().flat_map(|fork| fork.samples.iter_mut().step_by(10)) {
                let ns = sample.ns();
                sample.counts.push((Metric::OFF_CPU, ns * off / 100));
            }
            record.summary.as_mut().unwrap().undisturbed_limit = Some(1060);
        }
        said(&records)
    };
    assert!(of_every_tenth(1).contains("12 forks; one key, an undisturbed core."), "{}", of_every_tenth(1));
    let text = of_every_tenth(50);
    assert!(
        text.contains("one key, a shared core: other programs had it for 6.6 % of the samples' time; 13 % of"),
        "{text}"
    );
}

#[test]
fn key_for_each_message_may_turn_the_answer() {
    let set_up = |algorithm, ns| cell("openssl", algorithm, Operation::KeySetup, 0, ns);
    let made = [both(100.0, 150.0), vec![set_up(AES, 120.0), set_up(CHACHA20, 20.0)]].concat();
    let text = said(&fixtures::records(&made, 12));
    assert!(text.contains("Use AES-256-GCM."), "{text}");
    let words = "With a new key for each message, ChaCha20-Poly1305 is faster with openssl at 64 B (1.29×).";
    assert!(text.contains(words), "{text}");
    let made = [both(100.0, 150.0), vec![set_up(AES, 30.0), set_up(CHACHA20, 20.0)]].concat();
    assert!(!said(&fixtures::records(&made, 12)).contains("new key"));
}
