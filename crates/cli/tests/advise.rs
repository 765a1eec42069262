//! `advise` on stores made by hand, whose runs are of this machine unless a test says otherwise: which run answers, what it comes to, and
//! what is refused.

use std::fs;
use std::process::Stdio;

use crate::common::planted_run::{Planted, aes_first, chacha20_first, folder};
use crate::common::{CommandOutput, TestFolder, refuses};
use ciphermeter_core::{Algorithm, Cell, METHOD, Mask, RunStatus, Scenario};
use serde_json::Value;

/// Answers as one line, without measuring.
#[track_caller]
fn says(folder: &TestFolder, arguments: &[&str], code: i32, words: &[&str]) -> CommandOutput {
    let said = folder.run(&[&["advise", "--stored"], arguments].concat());
    let text = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.code == Some(code) && said.err.is_empty(), "{said:?}");
    for word in words {
        assert!(text.contains(word), "no {word:?} in {text}");
    }
    said
}

#[test]
fn newest_run_of_this_machine_answers() {
    let folder = folder([
        Planted::new("tls", aes_first),
        Planted::new("tls", chacha20_first),
        Planted::new("tls", aes_first).with_fact("cpu", "Example EPYC 9"),
        Planted { method: METHOD - 1, ..Planted::new("tls", aes_first) },
        Planted { mask: Some(Mask::NoVaes), ..Planted::new("tls", aes_first) },
        Planted { status: RunStatus::Interrupted, ..Planted::new("tls", aes_first) },
        Planted::new("packet", aes_first),
    ]);
    says(&folder, &["tls"], 0, &["run 2 of 2026-11-21: tls", "Use ChaCha20-Poly1305 from openssl or go"]);
    says(&folder, &["packet"], 0, &["run 7 of 2026-11-21: packet", "Use AES-256-GCM"]);
    let said = says(&folder, &["--for", "nginx"], 0, &["Use ChaCha20-Poly1305 (openssl 3.0.19).", "run 2"]);
    assert!(!said.out.contains("since"), "nothing has changed: {}", said.out);
}

#[test]
fn run_of_another_machine_does_not_answer() {
    let folder = folder([Planted::new("tls", aes_first).with_fact("microcode", "0xbad")]);
    let said = folder.run(&["advise", "tls", "--stored"]);
    refuses(&said, &["no stored run of this is of this machine as it is (run 1: other host: microcode 0xbad ≠ "]);
    refuses(&said, &["measure it with `ciphermeter run tls`, or leave --stored out"]);
}

#[test]
fn change_that_ratios_outlive_is_said() {
    let folder = folder([Planted::new("tls", aes_first).with_fact("kernel", "Linux 2.6.32")]);
    says(&folder, &["tls"], 0, &["Use AES-256-GCM", "Since that run: kernel Linux 2.6.32 ≠ Linux"]);
}

#[test]
fn library_that_is_another_by_now_is_named() {
    let with = |opened: (&std::path::Path, &str)| {
        let opened = Some((opened.0.display().to_string(), opened.1.to_owned()));
        Planted { opened, ..Planted::new("tls", aes_first) }
    };
    let files = TestFolder::new();
    files.write("libcrypto.so.3", "3.0.20");
    let now = files.path("libcrypto.so.3");
    let gone = folder([with((&files.path("libcrypto.so.1"), "00"))]);
    let words =
        format!("openssl's library {}, which was measured, is not here", files.path("libcrypto.so.1").display());
    says(&gone, &["tls"], 0, &["Use AES-256-GCM", "Since that run: ", &words]);
    let another = folder([with((&now, "00"))]);
    says(&another, &["tls"], 0, &["openssl is no longer 3.0.19, which was measured"]);
    let sha256 = ciphermeter_host::file::sha256(&now).expect("a hash");
    let same = says(&folder([with((&now, &sha256))]), &["tls"], 0, &["Use AES-256-GCM"]);
    assert!(!same.out.contains("Since that run"), "{same:?}");
}

#[test]
fn cpu_without_aes_is_answered_by_such_a_run_alone() {
    let without = "To see the answer for a CPU without AES instructions: ciphermeter advise tls --cpu no-aes";
    let folder = folder([Planted::new("tls", aes_first)]);
    let has_aes = ciphermeter_host::facts().iter().any(|fact| {
        fact.name == "features" && fact.value.as_ref().is_some_and(|all| all.split(' ').any(|one| one == "aes"))
    });
    if !has_aes {
        eprintln!("skipped: this CPU has no AES instructions");
        return;
    }
    says(&folder, &["tls"], 0, &["Use AES-256-GCM", without]);
    Planted { mask: Some(Mask::NoAes), ..Planted::new("tls", chacha20_first) }.plant(&folder);
    says(&folder, &["tls"], 0, &["Use AES-256-GCM", "Without AES instructions (run 2): ChaCha20-Poly1305 from "]);
}

#[test]
fn masked_question_and_run_go_together() {
    let with = |mask| Planted { mask: Some(mask), ..Planted::new("tls", chacha20_first) };
    let both = folder([Planted::new("tls", aes_first), with(Mask::NoAes), with(Mask::NoVaes)]);
    let words = [
        "Asked of a CPU without AES and carry-less multiplication instructions (--cpu no-aes). This says which is faster",
        "run 2 of 2026-11-21: tls",
        "Use ChaCha20-Poly1305 (openssl 3.0.19).",
        "ssl_ciphers ECDHE+CHACHA20:ECDHE+AESGCM",
    ];
    let said = says(&both, &["tls", "--for", "nginx", "--cpu", "no-aes"], 0, &words);
    assert!(!said.out.contains("To see the answer"), "it is the answer for such a CPU: {said:?}");
    says(&both, &["tls", "--cpu", "no-vaes"], 0, &["run 3 of "]);
    says(&both, &["tls"], 0, &["run 1 of 2026-11-21: tls", "Use AES-256-GCM"]);
    let document = both.run(&["advise", "tls", "--stored", "--cpu", "no-aes", "--json", "-"]).json();
    both.fits_the_schema_of("advise", &document);
    assert_eq!((&document["question"]["cpu"], &document["rests_on"]["run"]), (&"no-aes".into(), &2.into()));
    for (run, asked, why, measures) in [
        (with(Mask::NoAes), &[][..], "run 1 was made with --cpu no-aes", "`ciphermeter run tls`"),
        (Planted::new("tls", aes_first), &["--cpu", "no-aes"], "run 1 was made without --cpu", "run tls --cpu no-aes`"),
        (with(Mask::NoVaes), &["--cpu", "no-aes"], "run 1 was made with --cpu no-vaes", "run tls --cpu no-aes`"),
    ] {
        let said = folder([run]).run(&[&["advise", "tls", "--stored"], asked].concat());
        refuses(&said, &[why, measures]);
    }
    let said = TestFolder::new().run(&["advise", "tls", "--cpu", "no-math"]);
    assert!(said.code == Some(2) && said.err.contains("no-aes, no-vaes, no-avx512, no-avx2"), "{said:?}");
}

#[test]
fn masked_question_is_measured_with_its_mask() {
    let folder = TestFolder::new();
    let said = folder.run(&["advise", "--for", "nginx", "--mix", "1KiB:1", "--cpu", "no-aes", "--budget", "2s"]);
    let told = said.err.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("--provider openssl --cpu no-aes`"), "{said:?}");
    assert!(said.out.contains("Asked of a CPU without AES"), "{said:?}");
    assert_eq!(folder.run(&["show", "1", "--json", "-"]).json()["run"]["mask"], "no-aes");
}

#[test]
fn histogram_decides_by_its_counts() {
    // ChaCha20 is ahead up to 1 KiB.
    let ns = |message: u64| if message > 1024 { aes_first(message) } else { chacha20_first(message) };
    let folder = folder([Planted::new("messages", ns)]);
    says(&folder, &["--mix", "64:1000,16KiB:1"], 0, &["Use ChaCha20-Poly1305", "It flips at 16 KiB: AES-256-GCM"]);
    folder.write("sizes", "# bytes, messages\n64 1000\n16384 1000\n");
    let words = ["messages of 64 B (50 %) and 16 KiB (50 %)", "Use AES-256-GCM", "It flips at 64 B: ChaCha20-Poly1305"];
    says(&folder, &["--mix", "@sizes"], 0, &words);
    folder.write("counted", "     10 64\n   1000 16384\n");
    says(&folder, &["--mix", "@counted"], 0, &["messages of 64 B (1.0 %) and 16 KiB (99 %)"]);
    says(
        &folder,
        &["messages", "--mix", "64:1"],
        0,
        &["Which cipher for messages, 64 B (100 %)?", "Use ChaCha20-Poly1305"],
    );
    let mut command = folder.ciphermeter(&["advise", "--stored", "--mix", "@-", "--json", "-"]);
    command.stdin(fs::File::open(folder.path("sizes")).map(Stdio::from).expect("a file"));
    let said = CommandOutput::of(command.output().expect("an answer"));
    assert_eq!(said.json()["question"]["mix"]["16384"], Value::from(1000.0));
}

#[test]
fn cipher_with_wrong_output_is_left_out_and_ends_with_3() {
    let wrong = |cell: &Cell| {
        cell.provider == "openssl" && cell.algorithm == Algorithm::Aes256Gcm && cell.parameters.message() == 64
    };
    let folder = folder([Planted { wrong, ..Planted::new("tls", aes_first) }]);
    let words = ["Use AES-256-GCM from go.", "Left out: openssl's AES-256-GCM, whose output was wrong at 64 B."];
    says(&folder, &["tls"], 3, &words);
    says(&folder, &["--for", "nginx"], 3, &["Only ChaCha20-Poly1305 from openssl is left", "Left out: openssl's AES"]);
    let said = folder.run(&["advise", "tls", "--stored", "--json", "-"]);
    assert_eq!(
        (said.code, said.json()["answer"]["about"]["wrong_output"][0]["provider"].as_str()),
        (Some(3), Some("openssl"))
    );
}

#[test]
fn other_cells_of_a_run_change_no_answer() {
    // What was measured beside the question says the opposite.
    let mut wider =
        Planted::new("messages", |message| if message == 1024 { aes_first(message) } else { chacha20_first(message) });
    wider.scenario.cells.iter_mut().for_each(|block| block.working_sets.push("16MiB".parse().expect("a size")));
    let folder = folder([wider]);
    let said = says(&folder, &["--mix", "1KiB:1"], 0, &["Use AES-256-GCM", "this is of 1 KiB alone"]);
    assert!(!said.out.contains("16 MiB"), "{}", said.out);
}

#[test]
fn json_fits_its_schema_and_goes_to_a_file_beside_the_screen() {
    let folder = folder([Planted::new("tls", aes_first)]);
    for arguments in
        [&["tls"][..], &["--for", "haproxy"], &["--for", "wireguard"], &["age"], &["tls", "--mix", "64:1,1370:2"]]
    {
        let said = folder.run(&[&["advise", "--stored", "--json", "-"], arguments].concat());
        folder.fits_the_schema_of("advise", &said.json());
    }
    says(&folder, &["--for", "nginx", "--json", "advice.json"], 0, &["Use AES-256-GCM (openssl 3.0.19)."]);
    let text = fs::read_to_string(folder.path("advice.json")).expect("a file");
    let document: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(
        document["setting"]["sections"][0]["lines"][1],
        Value::from("  ssl_ciphers ECDHE+AESGCM:ECDHE+CHACHA20:HIGH:!aNULL:!MD5;")
    );
}

#[test]
fn program_that_leaves_no_choice_needs_no_store() {
    let folder = TestFolder::new();
    folder.write("workers/go/worker.toml", include_str!("../../../workers/go/worker.toml"));
    says(&folder, &["--for", "wireguard"], 0, &["There is no choice here. WireGuard uses ChaCha20-Poly1305"]);
    says(
        &folder,
        &["restic"],
        0,
        &["There is no choice here. restic uses AES-256-CTR", "go && ciphermeter run restic"],
    );
    says(
        &folder,
        &["--for", "AGE"],
        0,
        &["There is no choice here. age seals chunks of 64 KiB with ChaCha20-Poly1305", "ciphermeter run age"],
    );
    assert!(!folder.path("runs.db").exists());
}

#[test]
fn program_that_leaves_no_choice_has_the_cost_of_the_newest_run_that_has_its_cells() {
    let named = |name: &str, ns| {
        let mut own = Planted::new("packet", ns);
        own.scenario.name = name.into();
        own
    };
    let folder = folder([named("wireguard", aes_first), named("packet", chacha20_first)]);
    let said = says(
        &folder,
        &["wg"],
        0,
        &["There is no choice here. WireGuard", "1 GB in messages of", "That is of run 2; again:"],
    );
    let words = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(": 1 Gbit/s keeps ") && words.contains(" cores busy, 10 Gbit/s "), "{words}");
    folder.fits_the_schema_of("advise", &folder.run(&["advise", "wg", "--json", "-"]).json());
    folder.write("workers/go/worker.toml", include_str!("../../../workers/go/worker.toml"));
    let build = "What it costs here: ciphermeter workers build go && ciphermeter run restic";
    says(&folder, &["restic"], 0, &[build]);
    let next = folder.run(&["advise", "restic", "--json", "-"]).json()["answer"]["next"].clone();
    assert_eq!(next[0]["command"].as_array().map(Vec::len), Some(4), "{next}");
    says(&folder, &["wg", "--cpu", "no-avx2"], 0, &["What it costs here: ciphermeter run wireguard --cpu no-avx2"]);
}

#[test]
fn other_names_of_programs_are_in_help_and_work() {
    let folder = TestFolder::new();
    let help = folder.run(&["advise", "--help"]).out.split_whitespace().collect::<Vec<_>>().join(" ");
    for (other, name) in [("openssh or sshd", "ssh"), ("golang", "go"), ("httpd or apache2", "apache")] {
        assert!(help.contains(&format!("{other} for {name}")), "{help}");
    }
    let said = folder.run(&["advise", "--for", "openzfs", "--stored"]);
    assert!(said.code != Some(0) && said.err.contains("`ciphermeter run zfs"), "{said:?}");
}

#[test]
fn measurements_that_do_not_decide_end_with_5() {
    // The forks differ by more than the ciphers do.
    let folder = folder([Planted { scenario: one_size("1MiB"), ..Planted::new("tls", |_| [100.0, 100.0]) }]);
    says(&folder, &["--mix", "1MiB:1"], 0, &["AES-256-GCM and ChaCha20-Poly1305 are equal here, within 0."]);
    let database = rusqlite::Connection::open(folder.path("runs.db")).expect("a store");
    database.execute("UPDATE fork SET state = 'short' WHERE number > 4", ()).expect("short forks");
    drop(database);
    let words =
        ["The measurements do not decide between AES-256-GCM and ChaCha20-Poly1305.", "A comparison needs 6 forks"];
    says(&folder, &["--mix", "1MiB:1"], 5, &words);
}

/// The sizes of the default scenario but one.
fn one_size(size: &str) -> Scenario {
    let mut scenario = Planted::new("messages", aes_first).scenario;
    scenario.cells.iter_mut().for_each(|block| block.messages = vec![size.parse().expect("a size")]);
    scenario
}

#[test]
fn library_that_the_run_lacks_is_named_with_the_command() {
    let mut planted = Planted::new("tls", aes_first);
    planted.scenario.cells.iter_mut().for_each(|block| block.providers.clear());
    let folder = folder([planted]);
    let words =
        ["No answer: the run has no figures for this.", "Missing: sunjce is not in it.", "ciphermeter run java"];
    says(&folder, &["--for", "java"], 5, &words);
}

#[test]
fn invalid_question_is_refused_with_the_remedy() {
    let folder = folder([Planted::new("packet", aes_first)]);
    folder.write("prose", "Dear diary, today I measured nothing.\n");
    folder.write("bytes", [0xff, 0xfe, 0]);
    folder.write("table", "bytes;count\n64;700\n");
    folder.write("sizes.txt", "64:1\n\n1k:10\n");
    for (arguments, words) in [
        (
            &["tls", "--stored"][..],
            &[
                "has measured this (run 1 does not measure ",
                "); measure it with `ciphermeter run tls`, or leave --stored out",
            ][..],
        ),
        (&["tea"], &["`tea` is no workload and no program; workloads: ", "; programs: nginx, haproxy"]),
        (&["t\u{1b}[2Jls"], &["`t\\u{1b}[2Jls` is no workload"]),
        (&["parallel"], &["parallel has no ciphers with a tag to choose between: ask for one of aad, "]),
        (&["nginx", "--for", "ssh"], &["`nginx` and `--for ssh` are two programs: name one"]),
        (&["--mix", "64"], &["--mix: `64` is not a size with its count; write it like 16KiB:100"]),
        (&["--mix", ""], &["--mix: it has no sizes; write SIZE:COUNT"]),
        (&["--mix", "1.5KiB:3"], &["--mix: `1.5KiB:3` has no size of whole bytes"]),
        (&["--mix", "@"], &["--mix: `@` names no file; write @FILE"]),
        (
            &["--mix", "@table"],
            &["--mix: table, line 1: `bytes;count` has no numbers; if it is a table's header, put a #"],
        ),
        (&["--mix", "@prose"], &["--mix: prose, line 1: `Dear diary` has no numbers; if it is a table's header"]),
        (&["--mix", "@sizes.txt"], &["--mix: sizes.txt, line 3: `1k:10`: unknown unit `k`: use B, kB, KiB, MB, MiB"]),
        (&["--mix", "@bytes"], &["--mix: cannot read bytes; give a text file"]),
        (&["--mix", "@no\u{7}where"], &["--mix: cannot read no\\u{7}where; give a text file with SIZE:COUNT a line"]),
        (
            &["packet", "--mix", "65:1"],
            &["--mix: packet has no message of 65, its sizes are 64, 1173, 1280, 1420, 1425"],
        ),
        (&["packet", "--json", "./nowhere/advice.json"], &["cannot write ./nowhere/advice.json", "give another file"]),
        (&["packet", "--stored", "--store", "./prose"], &["prose", "is not a store of Ciphermeter"]),
        (&["./tiny.toml"], &["./tiny.toml has no ciphers with a tag"]),
    ] {
        refuses(&folder.run(&[&["advise"], arguments].concat()), words);
    }
    for (arguments, thing) in [
        (&["--for", "tea"][..], "[possible values: nginx, haproxy, ssh"),
        (&["--for", "tls"], "--for: `tls` is a workload: ciphermeter advise tls"),
        (&["--for", "ng\u{7}inx"], "a similar value exists: 'nginx'"),
        (&["--budget", "soon"], "`soon` is not a time"),
        (&["--budget", "0"], "`0` is not a time above 0; write it like `60s` or `5min`, at least `1s`"),
        (&["tls", "packet"], "'packet'"),
    ] {
        let said = folder.run(&[&["advise"], arguments].concat());
        assert_eq!((said.code, said.out.as_str(), said.err.lines().count()), (Some(2), "", 2), "{said:?}");
        assert!(said.err.contains(thing) && !said.err.contains('\u{7}'), "{}", said.err);
    }
    if fs::metadata("/dev/full").is_ok() {
        let said = folder.run(&["advise", "packet", "--stored", "--json", "/dev/full"]);
        refuses(&said, &["cannot write /dev/full", "give another file"]);
    }
}

#[test]
fn answer_is_written_over_no_file_of_the_store_and_none_is_left_without_one() {
    let folder = folder([Planted::new("packet", aes_first)]);
    fs::hard_link(folder.path("runs.db"), folder.path("same")).expect("a link");
    for name in ["runs.db", "same", "runs.db-wal", "./runs.db-shm"] {
        let said = folder.run(&["advise", "packet", "--stored", "--json", name]);
        refuses(&said, &[&format!("cannot write {name}: runs are kept there; give another file")]);
        let said = folder.run(&["export", "1", "--format", "json", "-o", name]);
        refuses(&said, &[&format!("cannot write {name}: runs are kept there; give another file")]);
    }
    folder.write("mix.txt", "64:1");
    let said = folder.run(&["advise", "--mix", "@mix.txt", "--stored", "--json", "./mix.txt"]);
    refuses(&said, &["./mix.txt is the file of --mix: give another one with --json"]);
    says(&folder, &["packet"], 0, &["Use AES-256-GCM"]);
    assert_eq!(folder.run(&["advise", "tls", "--stored", "--json", "none.json"]).code, Some(2));
    assert!(!folder.path("none.json").exists(), "nothing was answered");
}

#[test]
fn newest_run_that_measured_all_answers_whatever_it_says() {
    let shorter = || {
        let mut shorter = Planted::new("tls", chacha20_first);
        shorter.late = |cell| cell.parameters.message() == 16_385;
        shorter
    };
    let words = ["run 1 of 2026-11-21: tls", "Use AES-256-GCM", "Run 2 is newer and has no figures at 16385 B."];
    let whole = folder([Planted::new("tls", aes_first), shorter()]);
    says(&whole, &["tls"], 0, &words);
    let document = whole.run(&["advise", "tls", "--stored", "--json", "-"]).json();
    assert_eq!(document["rests_on"]["newer"][0].as_str(), Some("run 2 is newer and has no figures at 16385 B"));
    // Every other fork says the opposite: an older run that decides is not looked for.
    let undecided = Planted { wavers: true, ..Planted::new("tls", |_| [100.0, 101.0]) };
    let folder = folder([Planted::new("tls", aes_first), undecided, shorter()]);
    says(&folder, &["tls"], 5, &["run 2 of 2026-11-21: tls", "The measurements do not decide"]);
}

#[test]
fn undecided_run_is_measured_again_only_where_a_budget_is_typed() {
    let undecided = Planted { wavers: true, scenario: one_size("1KiB"), ..Planted::new("tls", |_| [100.0, 101.0]) };
    let folder = folder([undecided]);
    let asked = ["advise", "--mix", "1KiB:1", "--for", "nginx"];
    for variable in [None, Some("1s")] {
        let mut command = folder.ciphermeter(&asked);
        command.envs(variable.map(|budget| ("CIPHERMETER_BUDGET", budget)));
        let said = CommandOutput::of(command.output().expect("an answer"));
        let text = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.code == Some(5) && said.err.is_empty(), "{said:?}");
        let again = "Try `ciphermeter advise --for nginx --mix 1KiB:1 --budget 220s`, or a quieter machine.";
        assert!(text.contains(again), "{text}");
    }
    let said = folder.run(&[&asked[..], &["--budget", "2s"]].concat());
    let told = said.err.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        told.contains("run 1 does not decide this, so it is measured now, for at most 2s: `ciphermeter run"),
        "{said:?}"
    );
    assert!(said.out.contains("\nrun 2 of "), "{said:?}");
}

#[test]
fn library_that_is_here_now_and_not_in_the_run_is_named() {
    let folder = folder([Planted::new("tls", aes_first)]);
    let said = says(
        &folder,
        &["tls"],
        0,
        &["Use AES-256-GCM", "were not measured in run 1: `ciphermeter run tls` adds them."],
    );
    assert!(said.out.contains("aws-lc") && !said.out.contains("go was"), "{}", said.out);
}
