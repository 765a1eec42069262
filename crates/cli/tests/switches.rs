//! Settings from outside that change which code libraries run: a run with one is as little evidence
//! as one with `--cpu`.

use crate::common::planted_run::{self, Planted, aes_first};
use crate::common::{CommandOutput, TestFolder, planted, refuses};
use ciphermeter_core::{Algorithm, Fact, METHOD, Run, RunPlan, RunStatus, Scenario};
use ciphermeter_store::Store;

const CIPHERS: &str = r#"name = "both"
title = "an AES mode and ChaCha20"
budget = "2s"
precision = "50%"
[[cells]]
providers = ["aws-lc", "ring"]
algorithms = ["aes-256-gcm", "chacha20-poly1305"]
operations = ["seal"]
messages = ["1KiB"]
"#;
const SET: (&str, &str) = ("OPENSSL_ia32cap", "~0x200000200000000");
const SAID: &str = "OPENSSL_ia32cap=~0x200000200000000";

fn folder() -> TestFolder {
    let folder = TestFolder::new();
    folder.write("both.toml", CIPHERS);
    folder
}

/// The command with these variables, and without others that matter.
fn with(folder: &TestFolder, set: &[(&str, &str)], arguments: &[&str]) -> CommandOutput {
    let mut command = folder.ciphermeter(arguments);
    command.env_remove("LD_PRELOAD").env_remove("GLIBC_TUNABLES").env_remove("OPENSSL_CONF").envs(set.iter().copied());
    CommandOutput::of(command.output().expect("its end"))
}

/// In one line.
fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn what_a_run_inherits_is_its_fact() {
    let folder = folder();
    let set = [SET, ("GODEBUG", "cpu.aes=off")];
    let said = with(&folder, &set, &["run", "both.toml"]);
    assert!(matches!(said.code, Some(0 | 5)), "{said:?}");
    assert!(joined(&said.out).contains(&format!("with {SAID} set")), "the first screen says it: {said:?}");
    let document = with(&folder, &[], &["export"]).json();
    assert_eq!(document["host"]["switches"], SAID, "no worker in Go was asked");
    assert_eq!(document["run"]["mask"], serde_json::Value::Null, "that is --cpu's own");
    // What advise measures for itself is of the machine.
    let said = with(&folder, &[SET], &["advise", "./both.toml", "--budget", "2s"]);
    assert!(said.err.contains(&format!("measured without {SAID}, which changes the code of libraries")), "{said:?}");
    assert_eq!(with(&folder, &[], &["export", "2"]).json()["host"]["switches"], "none");
}

#[test]
fn run_with_a_setting_answers_for_no_run_without_it() {
    let folder = planted_run::folder([Planted::new("tls", aes_first).with_fact("switches", SAID)]);
    for command in [&["show", "1"][..], &["show", "1", "--all"], &["rank", "1"]] {
        let said = with(&folder, &[], command);
        assert!(joined(&said.out).contains(&format!("with {SAID} set")), "{said:?}");
    }
    let stored = ["advise", "tls", "--stored"];
    let why = format!("(run 1: measured with {SAID} set)");
    for set in [&[][..], &[SET]] {
        refuses(&with(&folder, set, &stored), &[&why]);
    }
    Planted::new("tls", aes_first).plant(&folder);
    let later = with(&folder, &[], &stored);
    assert!(later.out.contains("run 2 of ") && !later.out.contains("OPENSSL_ia32cap"), "{later:?}");
    let set_here = format!("{SAID} is set here, and was not for that run");
    assert!(joined(&with(&folder, &[SET], &stored).out).contains(&set_here));
    let compared = with(&folder, &[], &["compare", "1", "2"]);
    let apart = format!("run 1 was made with {SAID} set, run 2 was made with all instructions of the CPU");
    assert!(joined(&compared.out).contains(&apart), "{compared:?}");
}

/// Made up for this test, but for the first.
#[test]
fn settings_that_a_measured_provider_may_read_are_facts() {
    let folder = TestFolder::new().with_worker("honest");
    let long = "x".repeat(70_000);
    for (name, value, fact) in [
        ("OPENSSL_ia32cap", "0", "OPENSSL_ia32cap=0"),
        ("LD_PRELOAD", "libm.so.6", "LD_PRELOAD=libm.so.6"),
        ("GLIBC_TUNABLES", "glibc.malloc.check=0:glibc.cpu.hwcaps=-AVX2", "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2"),
        ("CIPHERMETER_CPU_WITHOUT", "aes", "CIPHERMETER_CPU_WITHOUT=aes"),
        ("OPENSSL_MODULES", &long, &format!("OPENSSL_MODULES={}… (70000 characters)", "x".repeat(100))),
        ("NETTLE_FAT_OVERRIDE", "none", "none"),
        ("JAVA_TOOL_OPTIONS", "-XX:-UseAES -Dkey=secret", "none"),
    ] {
        let run = ["run", "tiny.toml", "--provider", "bad", "--quiet", "--json", "-"];
        let said = with(&folder, &[(name, value)], &run);
        assert_eq!(said.json()["host"]["switches"], fact, "{name}");
        assert!(!said.out.contains("secret"), "{name}");
    }
}

#[test]
fn samples_of_two_codes_are_not_of_one_run() {
    let folder = folder();
    let scenario = Scenario::parse(CIPHERS).expect("a scenario");
    let mut host = ciphermeter_host::facts();
    host.retain(|fact| fact.name != "switches");
    host.push(Fact::present("switches", SAID));
    let cells = scenario.cells_for("ring", Algorithm::Aes256Gcm, 1);
    let store = Store::open(&folder.path("runs.db")).expect("a store");
    let plan = RunPlan { method: METHOD, ..RunPlan::default() };
    let run = Run { status: RunStatus::Open, plan, ..planted::head(scenario, host) };
    store.begin(&run, &cells).expect("a run");
    drop(store);
    let said = with(&folder, &[], &["run", "--resume"]);
    refuses(&said, &[&format!("run 1 began with `{SAID}` set"), "now it is nothing: set what was set, or start anew"]);
}
