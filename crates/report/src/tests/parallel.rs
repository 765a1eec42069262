//! Split messages: the first screen, and the table of how they scale.

use ciphermeter_core::{
    Algorithm, Fact, Fork, Form, Kind, Metric, Operation, Outcome, Parameters, Record, Run, Sample,
};

use crate::{TableOptions, screen, table};
use ciphermeter_answer::fixtures::{self, Made, cell};

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
fn narrow_table_keeps_the_rate_and_then_the_speed_up() {
    for (width, figure) in [(40, "28.1"), (60, "3.57×")] {
        let text = screen(&run(), &records(1_000_000_000, 8), TableOptions { width, color: false }).text;
        let row = text.lines().find(|line| line.starts_with("1 GB")).expect("a row of the table");
        assert!(row.contains(figure), "{text}");
    }
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

/// With three windows of 2.5 s for each way: the CPU draws 12 W with one thread and 3 W more with each further one, the card 30 W.
pub(super) fn with_energy(message: u64) -> (Run, Vec<Record>) {
    let mut records = records(message, 8);
    for record in &mut records {
        let cell = &record.cell;
        let of_card = cell.form.is_of_card();
        let watts = if of_card { 6 } else { 9 + 3 * cell.parameters.threads() };
        for window in 0..3 {
            let spent = 2_500 * watts * 1_000 + window * 10_000;
            let card = of_card.then_some((Metric::ENERGY_GPU, 75_000_000));
            let counts =
                [(Metric::ELAPSED, 2_500_000_000), (Metric::ENERGY_CPU, spent)].into_iter().chain(card).collect();
            let sample = Sample { cell: record.id, after: None, turn: 0, iterations: 20, counts, series: Vec::new() };
            record.forks.push(Fork { number: 8 + window as u32, short: false, rounds: vec![0], samples: vec![sample] });
        }
    }
    let mut run = run();
    run.host.push(Fact::present("idle power of the CPU", "5.000 W ± 0.010 (powercap: package-0)"));
    (run, records)
}

#[test]
fn energy_is_the_power_while_a_way_ran_times_what_a_gigabyte_takes() {
    let (run, records) = with_energy(1_000_000_000);
    let text = table(&run, &records, TableOptions { width: 120, color: false });
    insta::assert_snapshot!("parallel_energy", text);
    // 12 W ÷ 7.86 GB/s, of which 5 W are there at rest; the card has 36 W ÷ 98.4 GB/s, and nobody noted what it draws at rest.
    let line = |way: &str| text.lines().find(|line| line.starts_with(way)).map(str::to_owned).expect("a line");
    assert!(line("sequential        openssl").contains("1.53 ±3.8 % 0.89"), "{text}");
    assert!(line("device").contains("0.37 ±3.7 %    –"), "{text}");
    let text = screen(&run, &records, TableOptions::default()).text;
    let said = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains(" 8 forks.") && !said.contains("of 11"), "windows of energy are no forks of rounds: {text}");
    assert!(said.contains("Least energy at 1 GB: AES-256-CTR 0.37 J/GB ±3.7 % by wgpu, device (counted by the GPU and CPU); XOR 0.30 J/GB"), "{text}");
}

/// One thread and two of the same provider, which takes this share of one thread's time.
fn two(share: f64, forks: u32) -> Vec<Record> {
    let message = 1_000_000_000;
    let one = |threads, each| way("openssl", Algorithm::Aes256Ctr, Form::Static, message, threads, each);
    fixtures::records(&[one(1, 0.1), one(2, 0.2 * share)], forks)
}

/// All times of a cell are longer by this factor.
fn made_slow(record: &mut Record, factor: f64) {
    for count in record.forks.iter_mut().flat_map(|fork| &mut fork.samples).flat_map(|sample| &mut sample.counts) {
        count.1 = (count.1 as f64 * factor) as u64;
    }
}

/// Each second fork's times of a cell are longer by this factor.
fn made_noisy(records: &mut [Record], cell: usize, factor: f64) {
    for fork in records[cell].forks.iter_mut().step_by(2) {
        for count in fork.samples.iter_mut().flat_map(|sample| &mut sample.counts) {
            count.1 = (count.1 as f64 * factor) as u64;
        }
    }
}

#[test]
fn threads_that_cannot_be_told_apart_have_no_answer() {
    let mut records = two(0.9, 8);
    made_noisy(&mut records, 1, 1.4);
    let screen = screen(&run(), &records, TableOptions::default());
    assert!(!screen.is_answered, "{}", screen.text);
    for said in [
        "AES-256-CTR, 1 GB: no answer yet. One thread (9.83 GB/s by openssl) and openssl, 2 threads (10.9 GB/s) cannot be told apart.",
        "Why: the intervals are too wide",
        // The fastest way isn't known, so nothing is said of what it gains.
        "1 GB AES-256-CTR openssl, 2 threads ? 10.9 – AES-256-CTR",
    ] {
        let text = screen.text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(said), "{said}: {text}");
    }
    let mut out = Vec::new();
    crate::write_markdown(&mut out, &run(), &records).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert!(text.contains("| openssl, 2 threads ? | 10.9 | – |"), "{text}");
}

#[test]
fn card_that_a_processor_plays_is_never_chosen() {
    let mut records = records(1_000_000_000, 8);
    for record in records.iter_mut().filter(|record| record.cell.provider == "wgpu") {
        record.provenance.as_mut().expect("a provenance").path = "vulkan-software".into();
    }
    let screen = screen(&run(), &records, TableOptions::default());
    assert!(screen.text.contains("AES-256-CTR, 1 GB: 28.1 GB/s by openssl, 4 threads: 3.57×"), "{}", screen.text);
    assert!(screen.text.contains("wgpu, device (software)"), "it stands among the ways: {}", screen.text);
}

#[test]
fn card_whose_memory_holds_the_message_already_is_named_but_does_not_answer() {
    let said = screen(&run(), &records(1_000_000_000, 8), TableOptions::default()).text;
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("AES-256-CTR, 1 GB: 28.1 GB/s by openssl, 4 threads"), "{said}");
    assert!(said.contains("If the card's memory holds the message already: 98.4 GB/s by wgpu."), "{said}");
    assert!(!said.contains("wgpu, device"), "no bar is as long as the card's: {said}");
    let mut alone = records(1_000_000_000, 8);
    alone.retain(|record| record.cell.form == Form::Device);
    let said = screen(&run(), &alone, TableOptions::default()).text;
    assert!(said.contains("98.4 GB/s by wgpu, device") && !said.contains("holds the message"), "{said}");
}

#[test]
fn limit_that_a_way_passes_is_none() {
    let mut records = records(1_000_000_000, 8);
    let text = |records: &[Record]| screen(&run(), records, TableOptions::default()).text;
    assert!(text(&records).contains("90 % of memory") && text(&records).contains("memory in place"));
    let in_place = records.iter().position(|record| {
        record.cell.algorithm == Algorithm::ReadModifyWrite && record.cell.parameters.threads() == 4
    });
    made_slow(&mut records[in_place.expect("a ceiling")], 1.3);
    let text = text(&records);
    assert!(!text.contains("of memory") && !text.contains("memory in place"), "{text}");
    assert!(text.contains("The machine allows at 1 GB, 4 threads: AES units"), "{text}");
}

#[test]
fn message_that_the_cache_holds_says_nothing_of_memory() {
    let mut run = run();
    run.host.push(Fact::present("caches", "L1d 48KiB shared by 3,7, L2 1280KiB shared by 3,7, L3 32MiB shared by 0-7"));
    let text = |message| screen(&run, &records(message, 8), TableOptions::default()).text;
    assert!(
        text(16 << 20).contains("90 % of cache") && text(16 << 20).contains("cache in place"),
        "{}",
        text(16 << 20)
    );
    assert!(text(64 << 20).contains("90 % of memory"), "{}", text(64 << 20));
}

#[test]
fn way_that_is_surely_faster_within_rounds_is_the_fastest() {
    let made: Vec<Made> = ["openssl", "aws-lc"]
        .into_iter()
        .flat_map(|provider| {
            [1, 2].map(|threads| way(provider, Algorithm::Aes256Ctr, Form::Static, 1_000_000_000, threads, 0.1))
        })
        .collect();
    let mut records = fixtures::records(&made, 8);
    // In each round aws-lc is the faster by 8 %, though its samples together have the longer median.
    made_slow(&mut records[1], 1.08);
    records[1].summary.as_mut().expect("a summary").range.mid *= 0.9;
    let text = screen(&run(), &records, TableOptions::default()).text;
    assert!(text.contains("GB/s by aws-lc, 2 threads"), "{text}");
}

#[test]
fn reason_is_what_happened_to_the_cells() {
    let mut records = two(0.5, 3);
    let why = "the file has 20000006 bytes: another program changed it";
    records.iter_mut().for_each(|record| record.outcome = Outcome::Failed { why: why.into() });
    let screen = screen(&run(), &records, TableOptions::default());
    let text = screen.text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains(&format!("No answer yet. No cell is left: {why}.")), "{text}");
    assert!(!text.contains("--budget"), "{text}");
}

#[test]
fn ways_that_are_as_fast_are_named() {
    let mut made: Vec<Made> = ["openssl", "aws-lc"]
        .into_iter()
        .flat_map(|provider| {
            [1, 2].map(|threads| way(provider, Algorithm::Aes256Ctr, Form::Static, 1_000_000_000, threads, 0.1))
        })
        .collect();
    let equal = screen(&run(), &fixtures::records(&made, 8), TableOptions::default());
    assert!(equal.is_answered && equal.text.contains("Equally fast: "), "{}", equal.text);
    made[3].ns *= 1.2;
    let apart = screen(&run(), &fixtures::records(&made, 8), TableOptions::default());
    assert!(apart.text.contains("by openssl, 2 threads: 2.00× ±0.1 % vs one thread.\n"), "{}", apart.text);
}

#[test]
fn time_that_other_programs_take_is_said() {
    let mut records = two(0.5, 8);
    assert!(!screen(&run(), &records, TableOptions::default()).text.contains("busy"));
    for sample in records.iter_mut().flat_map(|record| &mut record.forks).flat_map(|fork| &mut fork.samples) {
        let counts = &mut sample.counts;
        counts
            .iter_mut()
            .filter(|(metric, _)| *metric == Metric::CPU_NS)
            .for_each(|(_, count)| *count = *count * 3 / 4);
    }
    let screen = screen(&run(), &records, TableOptions::default());
    assert!(screen.text.contains("The machine was busy: other programs took 25 % of the CPU time."), "{}", screen.text);
    made_noisy(&mut records, 1, 3.0);
    let open = self::screen(&run(), &records, TableOptions::default()).text;
    assert!(open.contains("no answer yet") && !open.contains("--budget"), "more time is no remedy: {open}");
}

#[test]
fn least_energy_is_named_only_if_each_way_was_metered() {
    let (run, mut records) = with_energy(1_000_000_000);
    let unmetered = records.iter_mut().find(|record| record.cell.algorithm == Algorithm::Xor).expect("XOR");
    unmetered.forks.retain(|fork| fork.number < 8);
    let text = screen(&run, &records, TableOptions::default()).text;
    let said = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        said.contains("Which way of XOR takes the least energy at 1 GB isn't known: 2 of 3 were metered."),
        "{text}"
    );
    assert!(said.contains(" 8 forks.") && !said.contains("of 11"), "windows of energy are no forks of rounds: {text}");
    assert!(said.contains("Least energy at 1 GB: AES-256-CTR 0.37 J/GB"), "{text}");
}

#[test]
fn openmp_is_compared_with_threads_of_the_same_library() {
    let mut records = records(1_000_000_000, 8);
    let text = |records: &[Record]| table(&run(), records, TableOptions { width: 120, color: false });
    assert!(text(&records).contains(
        "OpenMP's speed ÷ that of threads: AES-256-CTR 0.99× ±0.1 % (both OpenSSL 1.2.3) at 1 GB, 4 threads"
    ));
    for record in records.iter_mut().filter(|record| record.cell.provider == "openmp") {
        record.provenance.as_mut().expect("a provenance").version = "3.5.0".into();
    }
    assert!(text(&records).contains("0.99× ±0.1 % (another version of OpenSSL)"));
}

#[test]
fn exports_have_limit_and_energy_of_each_way() {
    let (run, records) = with_energy(1_000_000_000);
    let mut csv = Vec::new();
    crate::write_csv(&mut csv, &run, &records).unwrap();
    let mut rows = csv::Reader::from_reader(&csv[..]);
    let names = rows.headers().unwrap().clone();
    let of =
        |row: &csv::StringRecord, name: &str| row[names.iter().position(|own| own == name).expect(name)].to_owned();
    let rows: Vec<csv::StringRecord> = rows.records().map(Result::unwrap).collect();
    let row =
        rows.iter().find(|row| of(row, "algorithm") == "aes-256-ctr" && of(row, "threads") == "4").expect("a row");
    assert_eq!(of(row, "limit"), "AES units");
    assert!(of(row, "limit_share").starts_with("0.4798"), "{}", of(row, "limit_share"));
    assert!(of(row, "j_per_gb").starts_with("0.74") && of(row, "net_j_per_gb").starts_with("0.57"), "{row:?}");
    assert!(of(row, "j_per_gb_low") < of(row, "j_per_gb") && of(row, "speed_up_low") < of(row, "speed_up_high"));
    let ceiling = rows.iter().find(|row| of(row, "algorithm") == "aes-unit").expect("a ceiling");
    assert!(of(ceiling, "limit").is_empty() && of(ceiling, "j_per_gb").is_empty());
    let mut json = Vec::new();
    crate::write_json(&mut json, &run, &records).unwrap();
    let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
    let split = &json["records"][row[2].parse::<usize>().unwrap()]["split"];
    assert_eq!(
        (split["limit"].as_str(), split["j_per_gb"]["mid"].as_f64().map(|j| (j * 100.0).round())),
        (Some("AES units"), Some(75.0))
    );
}

#[test]
fn figure_has_a_panel_for_each_cipher_and_a_bar_for_each_way() {
    let svg = crate::svg(&run(), &records(1_000_000_000, 8)).unwrap();
    let texts = [
        "AES-256-CTR, 1 GB", "XOR, 1 GB", "wgpu, end-to-end", "openssl, 4 dynamic", "openmp, 2 threads",
        "built-in, 1 thread",
    ];
    for text in texts {
        assert!(svg.contains(text), "{text}");
    }
}

#[test]
fn external_meter_that_counted_is_named() {
    let (mut run, mut records) = with_energy(1_000_000_000);
    let samples = records.iter_mut().flat_map(|record| &mut record.forks).flat_map(|fork| &mut fork.samples);
    for (metric, _) in samples.flat_map(|sample| &mut sample.counts) {
        if [Metric::ENERGY_CPU, Metric::ENERGY_GPU].contains(metric) {
            *metric = Metric::ENERGY_MACHINE;
        }
    }
    run.host.push(Fact::present("power meter", "/dev/ttyUSB0"));
    for text in [
        table(&run, &records, TableOptions { width: 120, color: false }),
        screen(&run, &records, TableOptions::default()).text,
    ] {
        let said = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains("counted by the meter on /dev/ttyUSB0, for the whole machine"), "{text}");
    }
}
