//! `run parallel`: one screen, the table of how it scales, and whatever comes out wrong. Needs `python3`.

use serde_json::Value;

use crate::common::{CommandOutput, ENOUGH, TestFolder, power_meter};

/// A message that takes milliseconds, on one thread and on two where there are two CPUs.
fn run(folder: &TestFolder, more: &[&str]) -> CommandOutput {
    folder.run(&[&["run", "parallel", "--message", "8MiB", "--threads", "1,all", "--form", "static"], more].concat())
}

#[test]
fn first_screen_and_table_say_how_a_message_scales() {
    let folder = TestFolder::new();
    let said = run(&folder, &["--provider", "rustcrypto,ceiling", "--budget", "20s", "--form", "static,dynamic"]);
    // On a busy machine there may be no answer in that time, or no figure.
    assert!(matches!(said.code, Some(0 | 4 | 5)), "{said:?}");
    let lines: Vec<&str> = said.out.lines().collect();
    assert!(lines.len() <= 24 && lines.iter().all(|line| line.chars().count() <= 80), "{}", said.out);
    assert_eq!(lines[0], "One long message: how fast on all cores?");
    let answered = ["AES-256-CTR, 8 MiB: ", "XOR, 8 MiB: ", "fastest way", "nearest limit", "machine allows at 8 MiB"];
    for expected in if said.code == Some(0) { &answered[..] } else { &["o answer yet"] } {
        assert!(said.out.contains(expected), "{expected} in {}", said.out);
    }
    if said.code == Some(4) {
        return println!("skipped: the machine was too busy for a figure");
    }
    let all = folder.run(&["show", "1", "--all"]);
    for expected in [
        "AES-256-CTR, 8 MiB", "XOR, 8 MiB", "sequential", "what the machine allows, 8 MiB", "AES units",
        "memory in place",
    ] {
        assert!(all.out.contains(expected), "{expected} in {}", all.out);
    }
    let export = folder.run(&["export", "1", "--format", "json"]).json();
    folder.fits_the_schema(&export);
}

#[test]
fn byte_changed_where_slices_meet_gives_exit_code_3() {
    if std::thread::available_parallelism().map_or(1, usize::from) < 2 {
        eprintln!("skipped: slices meet on two CPUs only");
        return;
    }
    let folder = TestFolder::new().with_worker("slips-at-border");
    let said = run(&folder, &["--provider", "bad,ceiling", "--algorithm", "xor", "--budget", "15s"]);
    assert_eq!(said.code, Some(3), "{said:?}");
    assert!(said.out.contains("WRONG OUTPUT: bad xor"), "{}", said.out);
    let all = folder.run(&["show", "1", "--all"]).out;
    let border = if all.contains("2 threads") { 4 << 20 } else { 0 };
    let words: String = all.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(&format!("its output differs at byte {border} of 8388608")) || border == 0, "{all}");
    let honest = TestFolder::new().with_worker("honest");
    let said = run(&honest, &["--provider", "bad,ceiling", "--algorithm", "xor", "--budget", "15s"]);
    // A busy machine may have no time for it.
    assert!(matches!(said.code, Some(0 | 4 | 5)) && !said.out.contains("WRONG OUTPUT"), "{said:?}");
}

#[test]
#[ignore = "deep: 50 s with a power meter"]
fn energy_of_each_way_stands_in_the_table() {
    let folder = TestFolder::new();
    let meter = power_meter(50);
    let ways = ["--provider", "rustcrypto,ceiling", "--threads", "1", "--budget", "60s", "--meter", &meter];
    let said =
        folder.run(&[&["run", "parallel", "--message", "8MiB", "--form", "static", "--quiet"][..], &ways].concat());
    assert!(matches!(said.code, Some(0 | 5)), "{said:?}");
    let all = folder.run(&["show", "1", "--all"]).out;
    assert!(all.contains(" J/GB") && all.contains("energy was counted by the meter on /dev/pts/"), "{all}");
    let document = folder.run(&["export", "1"]).json();
    folder.fits_the_schema(&document);
    // A machine that is busy for all of three looks leaves a gap in the meter's lines each time; the reason then stands in its place.
    let host = &document["host"];
    let gap =
        host["absent"]["idle power of the machine"].as_str().is_some_and(|why| why.contains(" sent no reading for "));
    let idle = host["idle power of the machine"].as_str().and_then(|idle| idle.split(' ').next()?.parse().ok());
    assert!(idle.map_or(gap, |watts: f64| (19.0..21.0).contains(&watts)), "{host}");
    for record in document["records"].as_array().expect("records") {
        let forks = record["samples"].as_array().expect("forks");
        let counts =
            |fork: &Value, metric: &str| fork[metric].as_array().into_iter().flatten().map(Value::as_f64).collect();
        let windows: Vec<f64> = forks
            .iter()
            .flat_map(|fork| {
                let (spent, elapsed): (Vec<_>, Vec<_>) =
                    (counts(fork, "energy_machine_uj"), counts(fork, "elapsed_ns"));
                spent.into_iter().zip(elapsed).filter_map(|(spent, elapsed)| Some(spent? * 1e3 / elapsed?))
            })
            .collect();
        let is_cipher = ["xor", "aes-256-ctr"].contains(&record["algorithm"].as_str().expect("a name"));
        // Three windows, fewer where a busy machine leaves a gap in the meter's lines.
        assert!(if is_cipher { (1..=3).contains(&windows.len()) } else { windows.is_empty() }, "{record}");
        assert!(windows.iter().all(|watts| (19.0..21.0).contains(watts)), "{windows:?}");
    }
}

#[test]
fn key_of_xor_has_the_length_that_is_asked_for() {
    let folder = TestFolder::new();
    let said =
        run(&folder, &[&["--provider", "ceiling", "--algorithm", "xor", "--key", "1,4097"][..], &ENOUGH].concat());
    assert!(matches!(said.code, Some(0 | 5)), "{said:?}");
    let all = folder.run(&["show", "1", "--all"]).out;
    assert!(all.contains("XOR, key of 1 B") && all.contains("XOR, key of 4097 B"), "{all}");
    assert!(all.contains("what the machine allows, 8 MiB"), "ceilings have no key, so they belong to any: {all}");
}

#[test]
fn what_cannot_be_split_is_refused_with_the_remedy() {
    let folder = TestFolder::new();
    for (arguments, why) in [
        (&["--key", "0"][..], "a key of XOR has at least 1 byte"),
        (&["--key", "2MiB"], "a key of 2MiB is too large; the most is 1MiB"),
        (
            &["--key", "16", "--algorithm", "aes-256-ctr"],
            "parallel splits no message with xor, so --key has nothing to do",
        ),
        (&["--message", "0"], "a split message of 0 bytes has no speed: remove the 0 from `messages`"),
        (&["--message", "0,8MiB"], "a split message of 0 bytes has no speed"),
        (&["--threads", "1024"], "nothing to measure: there are"),
        (&["--algorithm", "chacha20"], "a message is split in aes-256-ctr and xor alone"),
        (&["--algorithm", "aes-256-gcm"], "nothing to measure: aes-256-gcm with encrypt"),
        (&["--form", "in-place"], "a scenario of kind `parallel` splits a message"),
        (&["--message", "2000GiB"], "a message of 2000GiB is too large; the most is 1024GiB"),
        (&["--operation", "decrypt"], "a message is split to `encrypt` it"),
        (&["--aad", "13"], "a split message has no `aad`"),
        (&["--latency"], "neither `latency` nor `memory` is measured"),
    ] {
        let said = folder.run(&[&["run", "parallel"], arguments].concat());
        assert_eq!(said.code, Some(2), "{arguments:?}: {said:?}");
        assert!(said.err.contains(why), "{arguments:?}: {}", said.err);
        assert!(said.err.lines().count() <= 2, "{}", said.err);
    }
    for (key, why) in [
        ("16", "use a scenario of kind `parallel`"),
        ("32", "aad splits no message with xor, so --key has nothing to do: remove --key"),
    ] {
        let said = folder.run(&["run", "aad", "--key", key]);
        assert!(said.code == Some(2) && said.err.contains(why) && said.err.lines().count() == 1, "{said:?}");
    }
    let split = folder.run(&["run", "aad", "--form", "static"]);
    assert!(split.err.contains("needs a scenario of kind `parallel`, such as `ciphermeter run parallel`"), "{split:?}");
}

#[test]
fn message_beyond_the_memory_is_left_out_with_the_reason() {
    let folder = TestFolder::new();
    let said = folder.run(&["run", "parallel", "--provider", "rustcrypto", "--message", "900GiB", "--budget", "10s"]);
    assert_eq!(said.code, Some(4), "{said:?}");
    assert!(said.out.contains("No memory for"), "{}", said.out);
    let all = folder.run(&["show", "1", "--all"]).out;
    assert!(all.contains("of memory are free"), "{all}");
}
