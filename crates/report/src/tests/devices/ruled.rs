//! The rules behind each sentence of the first screen of devices.

use ciphermeter_core::{Algorithm, Counts, Fact, Form, Metric, Note, Operation, Outcome, Record, Run};

use super::made::{Core, board, core, counted, offer, one};
use super::screened::{run, said, shown};
use crate::{TableOptions, screen};
use ciphermeter_answer::fixtures;

const AES: Algorithm = Algorithm::Aes256Gcm;
const CHACHA20: Algorithm = Algorithm::ChaCha20Poly1305;
const ASCON: Algorithm = Algorithm::AsconAead128;
const BYTES: [u64; 3] = [300, 100, 4000];

/// One core with AES and ChaCha20 by a provider each.
fn two(aes: [u64; 5], chacha20: [u64; 5]) -> Vec<Core> {
    one(vec![offer("a", AES, 10, aes, BYTES), offer("b", CHACHA20, 10, chacha20, BYTES)])
}

#[test]
fn one_winner_at_every_size_has_no_flip() {
    let text = said(&counted(&two([100, 200, 400, 800, 1600], [50, 100, 200, 400, 800])));
    assert!(text.contains("Use ChaCha20-Poly1305 at every size."), "{text}");
    assert!(!text.contains("flips"), "{text}");
}

#[test]
fn flip_is_said_between_the_sizes_that_were_measured() {
    let text = said(&counted(&two([100, 200, 400, 800, 1600], [150, 250, 350, 450, 550])));
    let sentence = "Use AES-256-GCM up to 32 B, ChaCha20-Poly1305 from 64 B on. It flips between 32 B and 64 B.";
    assert!(text.contains(sentence), "{text}");
}

#[test]
fn each_of_two_flips_is_said() {
    let text = said(&counted(&two([100, 200, 400, 800, 1600], [150, 150, 350, 900, 1900])));
    let sentence = "Use AES-256-GCM at 16 B, ChaCha20-Poly1305 from 32 B to 64 B, AES-256-GCM from 256 B on. \
                    It flips between 16 B and 32 B and between 64 B and 256 B.";
    assert!(text.contains(&sentence.split_whitespace().collect::<Vec<_>>().join(" ")), "{text}");
}

#[test]
fn cheapest_provider_stands_for_a_cipher() {
    let slow = offer("slow", CHACHA20, 10, [900; 5], BYTES);
    let mut cores = two([100; 5], [50; 5]);
    cores[0].offers.insert(0, slow);
    let text = shown(&counted(&cores), 80).text;
    assert!(text.contains("50 (3.12)") && !text.contains("900 (56.2)"), "{text}");
}

#[test]
fn libraries_of_a_single_cipher_are_compared() {
    let offers = [("mine", 80), ("other", 60)].map(|(name, count)| offer(name, CHACHA20, 10, [count; 5], BYTES));
    let text = said(&counted(&one(offers.to_vec())));
    assert!(text.contains("Libraries at 64 B: ChaCha20-Poly1305: other 60, mine 80 (1.33×)."), "{text}");
}

#[test]
fn wrong_output_and_failure_do_not_count() {
    for outcome in [Outcome::WrongOutput { why: "tag".into() }, Outcome::Failed { why: "gone".into() }] {
        let mut records = counted(&two([100; 5], [50; 5]));
        records.iter_mut().filter(|record| record.cell.algorithm == CHACHA20).for_each(|record| {
            record.outcome = outcome.clone();
        });
        let text = said(&records);
        assert!(text.contains("Only AES-256-GCM was measured at every size."), "{text}");
        assert!(!text.contains("Use ") && text.contains("b@core chacha20-poly1305"), "{text}");
    }
}

#[test]
fn wrong_output_is_said_in_capitals() {
    let mut records = counted(&two([100; 5], [50; 5]));
    records[12].outcome = Outcome::WrongOutput { why: "tag".into() };
    let text = said(&records);
    let which =
        "WRONG OUTPUT: b@core chacha20-poly1305, seal in-place, 16 B message on core; why: ciphermeter show 7 --all";
    assert!(text.contains(which), "{text}");
}

#[test]
fn device_without_a_cipher_says_so_beside_others() {
    let lone = core("lone", Counts::Instructions, vec![offer("a", AES, 10, [100; 5], BYTES)]);
    let mut cores = two([100; 5], [50; 5]);
    cores.push(lone);
    let text = said(&counted(&cores));
    assert!(text.contains("core: ChaCha20-Poly1305 at every size. lone: only AES-256-GCM was measured"), "{text}");
}

#[test]
fn counts_within_five_percent_are_equal() {
    let text = said(&counted(&two([1000; 5], [1049; 5])));
    assert!(text.contains("AES-256-GCM and ChaCha20-Poly1305 equal at every size."), "{text}");
    let text = said(&counted(&two([1000; 5], [1051; 5])));
    assert!(text.contains("Use AES-256-GCM at every size."), "{text}");
}

#[test]
fn counts_that_overlap_decide_nothing() {
    let mut records = counted(&two([1000; 5], [1400; 5]));
    assert!(said(&records).contains("agree to the last digit"));
    for record in records.iter_mut().filter(|record| record.cell.algorithm == AES) {
        for count in &mut record.forks[1].samples[0].counts {
            count.1 += if count.0 == Metric::INSTRUCTIONS { count.1 / 2 } else { 0 };
        }
    }
    let text = said(&records);
    assert!(text.contains("No answer yet.") && text.contains("lie up to 50 % apart") && !text.contains('×'), "{text}");
}

#[test]
fn short_fork_of_a_device_does_not_count() {
    let mut records = counted(&two([100; 5], [50; 5]));
    records.iter_mut().for_each(|record| record.forks[1].short = true);
    assert!(said(&records).contains("Counted in one fork"));
    records.iter_mut().for_each(|record| record.forks[0].short = true);
    let text = said(&records);
    assert!(text.contains("No answer yet. The run ended too early: no fork is whole."), "{text}");
}

#[test]
fn aes_against_chacha20_stands_besides_where_neither_wins() {
    let mut cores = two([100, 200, 400, 800, 1600], [150, 150, 350, 450, 550]);
    cores[0].offers.push(offer("c", ASCON, 10, [40; 5], BYTES));
    let text = said(&counted(&cores));
    let both =
        "Use Ascon-AEAD128 at every size. Of AES and ChaCha20: AES-256-GCM at 16 B, ChaCha20-Poly1305 from 32 B on.";
    assert!(text.contains(both), "{text}");
}

#[test]
fn key_for_one_message_is_said_where_it_changes_the_answer() {
    let of = |setup| one(vec![offer("a", AES, setup, [100; 5], BYTES), offer("b", CHACHA20, 10, [150; 5], BYTES)]);
    let text = said(&counted(&of(20)));
    assert!(text.contains("The answer is the same for opening and a key used once (key-setup + seal)."), "{text}");
    let text = said(&counted(&of(500)));
    assert!(text.contains("A key used once (key-setup + seal): ChaCha20-Poly1305 at every size."), "{text}");
}

#[test]
fn opening_is_said_where_it_changes_the_answer() {
    let mut records = counted(&two([100; 5], [150; 5]));
    for record in records.iter_mut().filter(|record| record.cell.algorithm == AES) {
        if record.cell.operation == ciphermeter_core::Operation::Open {
            record.forks.iter_mut().flat_map(|fork| &mut fork.samples).for_each(|sample| sample.counts[0].1 *= 2);
        }
    }
    assert!(said(&records).contains("Opening: ChaCha20-Poly1305 at every size."), "{}", said(&records));
}

#[test]
fn devices_with_the_same_answer_share_a_sentence() {
    let mut cores = two([100; 5], [50; 5]);
    cores.extend(["b", "c"].map(|name| Core { name, ..cores[0].clone() }));
    let text = said(&counted(&cores));
    assert!(text.contains("All 3: ChaCha20-Poly1305 at every size."), "{text}");
    cores[1].offers.truncate(1);
    let text = said(&counted(&cores));
    assert!(text.contains("core and c: ChaCha20-Poly1305 at every size."), "{text}");
}

#[test]
fn five_forks_of_a_clock_are_no_answer_and_no_figure() {
    let screen = shown(&board(5), 80);
    assert!(!screen.is_answered && !screen.text.contains('×'), "{}", screen.text);
    assert!(said(&board(5)).contains("No answer"), "{}", screen.text);
    assert!(said(&board(5)).contains("A comparison needs 6 forks"), "{}", screen.text);
}

#[test]
fn clock_that_cannot_tell_has_no_answer_at_that_size() {
    let mut records = board(8);
    let of = |record: &&mut Record| record.cell.parameters.message() == 64;
    for (place, record) in records.iter_mut().filter(of).enumerate() {
        for (number, fork) in record.forks.iter_mut().enumerate() {
            // Seal and open of a provider stand beside each other.
            let factor = if (place / 2 + number) % 2 == 0 { 3 } else { 1 };
            for count in fork.samples.iter_mut().flat_map(|sample| &mut sample.counts) {
                count.1 *= if count.0 == Metric::NS { factor } else { 1 };
            }
        }
    }
    let text = said(&records);
    assert!(text.contains("no answer yet at 64 B") && !text.contains("between 32 B and 64 B"), "{text}");
}

#[test]
fn emulated_counts_are_never_times() {
    let text = shown(&counted(&two([100; 5], [50; 5])), 80).text;
    assert!(text.contains("Emulated: instructions are not microseconds"), "{text}");
    assert!(!text.contains("µs") && !text.contains(" ns") && !text.contains("GB/s"), "{text}");
    assert!(!text.contains("--meter"), "nothing meters an emulator: {text}");
}

#[test]
fn charge_has_a_row_where_a_meter_measured_it() {
    let mut records = board(8);
    assert!(said(&records).contains("charge: no meter; --meter DEVICE"));
    for record in &mut records {
        let sample = ciphermeter_core::Sample {
            cell: record.id,
            after: None,
            turn: 0,
            iterations: 1000,
            counts: vec![
                (Metric::ELAPSED, 10_000_000),
                (Metric::ENERGY_MACHINE, 1390),
                (Metric::CHARGE, 420_000),
                (Metric::IDLE_CURRENT, 18_500_000),
            ],
            series: Vec::new(),
        };
        record.forks.push(ciphermeter_core::Fork { number: 8, short: false, rounds: vec![0], samples: vec![sample] });
    }
    let text = said(&records);
    assert!(text.contains("charge 0.42 µC, 1.39 µJ") && !text.contains("--meter"), "{text}");
    assert!(text.contains("draws 42.0 mA at work, 18.5 mA waiting."), "{text}");
}

#[test]
fn bytes_that_are_unknown_have_no_column_and_one_reason() {
    let mut records = counted(&two([100; 5], [50; 5]));
    for sample in records.iter_mut().flat_map(|record| &mut record.forks).flat_map(|fork| &mut fork.samples) {
        sample.counts.truncate(1);
    }
    let text = shown(&records, 80).text;
    assert!(!text.lines().any(|line| line.starts_with("RAM  ") || line.starts_with("flash ")), "{text}");
    assert!(text.contains("RAM and flash: the worker does not report stack, state and code."), "{text}");
}

#[test]
fn this_machine_has_one_line() {
    let (_, host) = fixtures::run();
    let mut records = counted(&two([100; 5], [50; 5]));
    records.extend(host);
    let text = shown(&records, 80).text;
    let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("This machine")).collect();
    assert!(matches!(lines.as_slice(), [line] if line.contains("AES-256-GCM")), "{text}");
    assert!(!text.contains("GB/s"), "{text}");
}

#[test]
fn equal_ciphers_of_this_machine_are_called_so() {
    let mut records = counted(&two([100; 5], [50; 5]));
    let of = |algorithm, message| fixtures::cell("openssl", algorithm, Operation::Seal, message, 300.0);
    let host = [64, 1024].map(|message| [of(AES, message), of(CHACHA20, message)]);
    records.extend(fixtures::records(host.as_flattened(), 8));
    let text = shown(&records, 80).text;
    assert!(text.contains("This machine: AES-256-GCM and ChaCha20-Poly1305 are equal."), "{text}");
}

#[test]
fn names_of_a_device_are_harmless() {
    let mut records = counted(&two([100; 5], [50; 5]));
    for record in &mut records {
        let device = record.provenance.as_mut().and_then(|from| from.device.as_mut()).unwrap();
        (device.name, device.board) = ("\u{1b}[2J".repeat(9), "\u{1b}]0;x".repeat(99));
    }
    assert!(!shown(&records, 80).text.contains('\u{1b}'));
}

#[test]
fn many_devices_still_fit() {
    let cores = (0_u64..12).map(|place| {
        let name: &'static str = Box::leak(format!("core-with-a-long-name-{place}").into_boxed_str());
        let aes = [100 + place * 30, 200, 400 - place * 20, 800, 1600];
        Core { name, ..two(aes, [150, 250 - place * 10, 350, 450, 550 + place * 200])[0].clone() }
    });
    let cores: Vec<Core> = cores.collect();
    let text = shown(&counted(&cores), 80).text;
    assert!(text.contains("more device") && text.contains("Emulated:") && text.contains("show 7 --all"), "{text}");
}

#[test]
fn sizes_at_which_two_are_equal_lie_within_the_flip() {
    let text = said(&counted(&two([100, 200, 1000, 800, 1600], [150, 250, 1001, 450, 550])));
    assert!(text.contains("It flips between 32 B and 256 B."), "{text}");
    assert!(text.contains("Equal: at most 5 % apart."), "{text}");
    let text = said(&counted(&two([1000, 1000, 1000, 800, 1600], [1001, 1001, 1001, 450, 550])));
    assert!(!text.contains("flips"), "where two are equal, nothing flips: {text}");
}

#[test]
fn cipher_in_another_form_alone_is_compared_and_said() {
    let mut cores = two([100; 5], [150; 5]);
    cores[0].offers.push(offer("c", ASCON, 10, [40; 5], BYTES));
    let mut records = counted(&cores);
    for record in records.iter_mut().filter(|record| record.cell.algorithm == ASCON) {
        record.cell.form = Form::Into;
    }
    let text = said(&records);
    assert!(text.contains("Use Ascon-AEAD128 at every size."), "{text}");
    assert!(text.contains("Ascon-AEAD128 by c has the form into, the others in-place."), "{text}");
}

#[test]
fn every_winner_has_a_column() {
    const XCHACHA20: Algorithm = Algorithm::XChaCha20Poly1305;
    let mut cores = two([100, 200, 400, 800, 1600], [150, 150, 350, 900, 1900]);
    cores[0].offers.push(offer("c", ASCON, 10, [200, 300, 500, 700, 1700], BYTES));
    cores[0].offers.push(offer("d", XCHACHA20, 10, [90, 300, 500, 1000, 2000], BYTES));
    let text = shown(&counted(&cores), 120).text;
    for title in ["AES-256-GCM", "XChaCha20-Poly1305", "Ascon-AEAD128"] {
        assert!(text.lines().any(|line| line.trim_start().starts_with("AES") && line.contains(title)), "{text}");
    }
}

#[test]
fn least_ram_and_flash_are_said_where_the_cheapest_have_more() {
    let mut cores = two([100; 5], [50; 5]);
    assert!(!said(&counted(&cores)).contains("Least"));
    cores[0].offers.push(offer("small", AES, 10, [900; 5], [30, 10, 400]));
    let text = said(&counted(&cores));
    assert!(text.contains("Least RAM 40 B, AES-256-GCM by small; least flash 400 B, AES-256-GCM by small."), "{text}");
}

#[test]
fn size_that_a_device_refuses_is_said_with_the_reason() {
    let mut records = counted(&two([100; 5], [50; 5]));
    let refuse = |record: &mut Record| {
        record.outcome = Outcome::Unsupported { why: "messages have up to 256 bytes here".into() };
        record.forks.clear();
    };
    records.iter_mut().filter(|record| record.cell.parameters.message() == 1024).for_each(refuse);
    let text = said(&records);
    assert!(text.contains("core has no figure at 1 KiB: messages have up to 256 bytes here."), "{text}");
    records.iter_mut().filter(|record| record.cell.parameters.message() > 0).for_each(refuse);
    let text = said(&records);
    assert!(text.contains("Nothing could be measured: messages have up to 256 bytes here."), "{text}");
}

#[test]
fn cells_that_all_failed_have_their_reason() {
    let mut records = counted(&two([100; 5], [50; 5]));
    for record in records.iter_mut().filter(|record| record.cell.algorithm == CHACHA20) {
        record.outcome = Outcome::Failed { why: "the line to it is gone".into() };
    }
    let text = said(&records);
    assert!(text.contains("Failed: b@core chacha20-poly1305, 11 cells; the line to it is gone"), "{text}");
}

#[test]
fn board_that_was_lost_says_why_and_how_to_continue() {
    let records = board(4);
    let notes = vec![Note::lost(&records[0].cell.provider, "the line to it is gone")];
    let text = screen(&Run { notes, ..run() }, &records, TableOptions { width: 500, color: false }).text;
    let lost = "was lost after 4 of the 6 forks that a comparison needs: the line to it is gone. Continue: ciphermeter run --resume=";
    assert!(text.contains("No answer yet.") && text.contains(lost) && !text.contains("--budget"), "{text}");
}

#[test]
fn cipher_that_a_size_lacks_makes_no_flip() {
    let mut cores = two([100; 5], [150; 5]);
    cores[0].offers.push(offer("c", ASCON, 10, [40; 5], BYTES));
    let mut records = counted(&cores);
    for record in records.iter_mut().filter(|record| record.cell.algorithm == ASCON) {
        if record.cell.parameters.message() == 1024 {
            record.outcome = Outcome::Unsupported { why: "messages have up to 512 bytes here".into() };
            record.forks.clear();
        }
    }
    let text = said(&records);
    assert!(text.contains("Use Ascon-AEAD128 up to 256 B, AES-256-GCM at 1 KiB."), "{text}");
    assert!(!text.contains("flips"), "{text}");
    assert!(
        text.contains("core has no figure of Ascon-AEAD128 at 1 KiB: messages have up to 512 bytes here."),
        "{text}"
    );
}

#[test]
fn counts_that_lie_further_apart_than_the_ciphers_decide_nothing() {
    let mut records = counted(&two([1000; 5], [1500; 5]));
    for record in records.iter_mut().filter(|record| record.cell.algorithm == CHACHA20) {
        for count in &mut record.forks[1].samples[0].counts {
            count.1 += if count.0 == Metric::INSTRUCTIONS { count.1 } else { 0 };
        }
    }
    assert!(said(&records).contains("No answer yet."), "{}", said(&records));
}

#[test]
fn devices_without_a_record_are_named_with_their_reason() {
    let records = counted(&two([100; 5], [50; 5]));
    let mut run =
        Run { notes: vec![Note::other("a@core is fine"), Note::not_measured(&[], "b.local: no route to it")], ..run() };
    let text = |run: &Run| {
        let text = screen(run, &records, TableOptions { width: 80, color: false }).text;
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(!text(&run).contains("no route"), "a run without devices has no such line");
    run.host.push(Fact { name: "devices".into(), value: Some("qemu:core,tcp:b.local:9".into()), why: None });
    assert!(text(&run).contains("Not measured: b.local: no route to it."), "{}", text(&run));
    run.notes.push(Note::not_measured(&["aes@third"], "it hangs"));
    assert!(text(&run).contains("no route to it. 1 more: ciphermeter show"), "{}", text(&run));
    run.notes.remove(1);
    assert!(text(&run).contains("Not measured: aes@third: it hangs."), "{}", text(&run));
}
