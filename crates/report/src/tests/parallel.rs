//! Split messages: the first screen, and the table of how they scale.

use ciphermeter_core::{Algorithm, Form, Kind, Metric, Operation, Parameters, Record, Run};

use crate::fixtures::{self, Made, cell};
use crate::{TableOptions, screen, table};

/// One way: how many nanoseconds a byte takes on one thread.
fn way(provider: &'static str, algorithm: Algorithm, form: Form, message: u64, threads: u64, each: f64) -> Made {
    let made = cell(provider, algorithm, Operation::Encrypt, message, message as f64 * each / threads as f64);
    Made { form, parameters: Parameters::message_cell(message, 0, threads).on_cpus(4), ..made }
}

fn records(message: u64, forks: u32) -> Vec<Record> {
    use Algorithm::{Aes256Ctr, AesUnit, Memcpy, ReadModifyWrite, Xor};
    let mut made = Vec::new();
    for threads in [1, 2, 4] {
        let crowd = 1.0 + 0.04 * (threads - 1) as f64;
        for (provider, algorithm, each) in [
            ("openssl", Aes256Ctr, 0.125),
            ("openmp", Aes256Ctr, 0.126),
            ("rustcrypto", Aes256Ctr, 0.3),
            ("ceiling", Xor, 0.05),
            ("ceiling", AesUnit, 0.06),
        ] {
            made.push(way(provider, algorithm, Form::Static, message, threads, each * crowd));
        }
        // Memory is everyone's.
        made.push(way(
            "ceiling",
            Memcpy,
            Form::Static,
            message,
            threads,
            0.09 * threads as f64 / (1.0 + 0.2 * threads as f64),
        ));
        made.push(way("ceiling", ReadModifyWrite, Form::Static, message, threads, 0.045 * crowd));
        if threads > 1 {
            made.push(way("openssl", Aes256Ctr, Form::Dynamic, message, threads, 0.127 * crowd));
        }
    }
    let card = |algorithm, form, each| way("wgpu", algorithm, form, message, 1, each);
    made.push(card(Aes256Ctr, Form::Device, 0.01));
    made.push(card(ReadModifyWrite, Form::Device, 0.004));
    made.push(card(Aes256Ctr, Form::EndToEnd, 0.08));
    made.push(card(Memcpy, Form::EndToEnd, 0.07));
    let mut records = fixtures::records(&made, forks);
    let cold = [(Metric::CONTEXT, 120_000_000), (Metric::COMPILE, 45_000_000), (Metric::PIN, 9_000_000)];
    for record in records.iter_mut().filter(|record| record.cell.provider == "wgpu") {
        record.forks.iter_mut().flat_map(|fork| &mut fork.samples).for_each(|sample| sample.counts.extend(cold));
    }
    records
}

fn run() -> Run {
    let mut run = fixtures::head();
    (run.scenario.kind, run.scenario.name) = (Kind::Parallel, "parallel".into());
    run
}

#[test]
fn screen_names_the_fastest_way_and_what_binds_it() {
    let screen = screen(&run(), &records(1_000_000_000, 8), TableOptions::default());
    assert!(screen.is_answered);
    insta::assert_snapshot!("parallel_screen", screen.text);
}

#[test]
fn table_says_how_each_way_scales() {
    let records = records(1_000_000_000, 8);
    for width in [80, 120] {
        insta::assert_snapshot!(
            format!("parallel_{width}"),
            table(&run(), &records, TableOptions { width, color: false })
        );
    }
}

#[test]
fn few_forks_give_no_figure() {
    let screen = screen(&run(), &records(1_000_000_000, 4), TableOptions::default());
    assert!(!screen.is_answered && screen.text.contains("No answer yet."), "{}", screen.text);
    assert!(!screen.text.contains("GB/s"), "{}", screen.text);
}
