//! Bad input ends with exit code 2 and one line that names the thing and the remedy; nothing is measured.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::common::{SCENARIO, TestFolder, refuses};

#[test]
fn wrong_scenario_file_is_refused_with_its_line() {
    let folder = TestFolder::new();
    for (right, wrong, words) in [
        ("\"xor\"", "\"rot13\"", ["line 6: unknown variant `rot13`", "expected one of `aes-128-gcm`"]),
        ("\"encrypt\"", "\"wrap\"", ["line 7: unknown variant `wrap`", "expected one of"]),
        ("\"64\"", "\"-1\"", ["line 8: `-1` is not a size in bytes", "write it like `16`"]),
        ("\"64\"", "\"10XB\"", ["line 8: `10XB` is not a size in bytes", "write it like `16`"]),
        ("\"64\"", "64", ["line 8: invalid type: integer `64`", "expected a string"]),
        ("\"64\"", "\"2GiB\"", ["a message of 2GiB is too large", "the most is 1GiB"]),
        ("[\"64\"]", "[]", ["it has no cells", "give `[[cells]]` with"]),
        ("\"encrypt\", \"decrypt\"", "\"seal\"", ["it has no cells", "`operations` that they have"]),
        ("[[cells]]", "[cells]", ["line 5: invalid type: map", "expected a sequence"]),
        ("\"1s\"", "\"-1s\"", ["line 3: `-1s` is not a time", "write it like `60s`"]),
        ("\"50%\"", "\"0%\"", ["line 4: `0%` is not a share", "write it like `2%`"]),
        ("title", "tilte", ["line 2: unknown field `tilte`", "expected one of"]),
        ("title = ", "title ", ["line 2", "expected"]),
    ] {
        assert!(SCENARIO.contains(right));
        folder.write("wrong.toml", SCENARIO.replace(right, wrong));
        let said = folder.run(&["run", "./wrong.toml"]);
        refuses(&said, &words);
        refuses(&said, &["the scenario ./wrong.toml"]);
    }
}

#[test]
fn file_that_is_no_scenario_is_refused() {
    let folder = TestFolder::new();
    folder.write("prose.toml", "Dear diary, today I measured nothing.\n");
    folder.write("long.toml", format!("{SCENARIO}#{}\n", " a comment".repeat(7000)));
    folder.write("bytes.toml", [0xff, 0xfe, 0]);
    refuses(&folder.run(&["run", "prose.toml"]), &["the scenario prose.toml", "line 1", "expected"]);
    refuses(&folder.run(&["run", "long.toml"]), &["the scenario long.toml", "longer than 64KiB"]);
    for (unreadable, remedy) in [
        ("bytes.toml", "give a TOML file, or one of "),
        ("missing.toml", "give a TOML file, or one of "),
        ("./workers", "workers: it is not a regular file; give a TOML file\n"),
    ] {
        refuses(&folder.run(&["run", unreadable]), &[unreadable, "cannot read", remedy]);
    }
    refuses(&folder.run(&["run", "tea"]), &["no scenario `tea`", "messages, ", "a file like ./tea.toml"]);
}

/// An invalid argument is reported in two lines: what is wrong, and where to read on.
#[test]
fn invalid_argument_is_refused() {
    let folder = TestFolder::new();
    for (arguments, thing) in [
        (&["--swiftly"][..], "'--swiftly'"),
        (&["brew"], "'brew'"),
        (&["--quiet", "list"], "'list' cannot be used with '--quiet'"),
        (&["help", "brew"], "'brew'"),
        (&["run", "--swiftly"], "'--swiftly'"),
        (&["run", "--bugdet", "1s"], "a similar argument exists: '--budget'"),
        (&["run", "tiny.toml", "tiny.toml"], "'tiny.toml'"),
        (&["run", "--budget"], "'--budget <TIME>'"),
        (&["run", "--budget", "soon"], "`soon` is not a time"),
        (&["run", "--budget", "1s", "--budget", "2s"], "'--budget <TIME>' cannot be used multiple times"),
        (&["run", "--precision", "200%"], "`200%` is not a share"),
        (&["run", "--patience", "0s"], "`0s` is not a time"),
        (&["run", "--threshold", "5"], "`5` is not a share"),
        (&["run", "--seed", "9007199254740992"], "a seed is a number from 0 to 9007199254740991"),
        (&["run", "--seed", "-1"], "a seed is a number from 0 to 9007199254740991"),
        (&["run", "--color", "blue"], "'blue'"),
        (&["run", "--resume=last"], "a run has a number; `ciphermeter list` shows them"),
        (&["run", "--csv"], "'--csv <FILE>'"),
        (&["run", "--against"], "'--against <OLD>'"),
        (&["run", "--openssl"], "'--openssl <FILE|DIR>'"),
        (&["run", "--store", ""], "'--store <FILE>'"),
        (&["list", "tea"], "'tea'"),
        (&["list", "providers", "--swiftly"], "'--swiftly'"),
        (&["list", "algorithms", "--store", "runs.db"], "'--store'"),
        (&["show", "latest"], "a run has a number; `ciphermeter list` shows them"),
        (&["show", "1", "2"], "'2'"),
        (&["show", "--color"], "'--color <WHEN>'"),
        (&["export", "latest"], "a run has a number; `ciphermeter list` shows them"),
        (&["export", "--format", "xml"], "[possible values: json, csv, benchstat, bmf, markdown, svg, png]"),
        (&["compare"], "<A>, <B>"),
        (&["compare", "1"], "<B>"),
        (&["compare", "1", "old"], "a run has a number; `ciphermeter list` shows them"),
        (&["compare", "1", "2", "3"], "'3'"),
        (&["compare", "1", "2", "--threshold", "much"], "`much` is not a share"),
        (&["rank", "best"], "a run has a number; `ciphermeter list` shows them"),
        (&["machines"], "<[NAME=]RUN>..."),
        (&["machines", "=3"], "a machine's name has 1 to 100 printable characters"),
        (&["machines", "web1=old"], "a run has a number; `ciphermeter list` shows them"),
        (&["schema", "2"], "'2'"),
        (&["completions"], "<SHELL>"),
        (&["completions", "tcsh"], "[possible values: bash, elvish, fish, powershell, zsh]"),
        (&["man", "--swiftly"], "'--swiftly'"),
        (&["doctor", "who"], "'who'"),
        (&["workers", "feed"], "'feed'"),
        (&["workers", "list", "go"], "'go'"),
        (&["worker"], "[subcommands: native"),
        (&["worker", "native"], "--provider <PROVIDER>"),
        (&["worker", "native", "--provider", "ring", "--slowed", "lots"], "`lots` is not a share"),
        (&["worker", "native", "--provider", "ring", "--only", "xor"], "--slowed <SHARE>"),
    ] {
        let said = folder.run(arguments);
        assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "{arguments:?}: {said:?}");
        let lines: Vec<&str> = said.err.lines().collect();
        let [wrong, "for more information, try '--help'"] = lines[..] else { panic!("{arguments:?}: {}", said.err) };
        assert!(wrong.starts_with("ciphermeter: ") && wrong.contains(thing), "{arguments:?}: {}", said.err);
    }
    assert!(!folder.path("runs.db").exists(), "nothing is stored");
}

/// Arguments that are well-formed and name nothing, for every command that takes a name.
#[test]
fn unknown_name_is_refused() {
    for (arguments, words) in [
        (&["run", "tea"][..], "no scenario `tea`"),
        (&["--workers", "./nowhere"], "cannot read the workers' folder ./nowhere"),
        (&["--against", "./nowhere"], "./nowhere"),
        (&["run", "tiny.toml", "--openssl", "./nowhere.so"], "./nowhere.so"),
        (&["list"], "there is no store"),
        (&["list", "scenarios", "tea"], "no scenario `tea`"),
        (&["list", "providers", "--workers", "./nowhere"], "cannot read the workers' folder ./nowhere"),
        (&["show", "7"], "there is no store"),
        (&["export", "7"], "there is no store"),
        (&["compare", "7", "8"], "there is no store"),
        (&["rank", "7"], "there is no store"),
        (&["machines", "web1=7"], "there is no store"),
        (&["man", "tea"], "there is no command `tea`"),
        (&["man", "worker"], "there is no command `worker`"),
        (&["doctor", "--workers", "./nowhere"], "cannot read the workers' folder ./nowhere"),
        (&["workers", "check", "tea"], "there is no worker `tea`"),
        (&["worker", "native", "--provider", "tea"], "no provider `tea`; it has aws-lc"),
    ] {
        refuses(&TestFolder::new().run(arguments), &[words]);
    }
}

#[test]
fn what_was_typed_is_shown_in_a_line_that_ends() {
    let folder = TestFolder::new();
    let (word, words) = ("x".repeat(10_000), "x ".repeat(10_000));
    for typed in [&word, &words] {
        for command in [
            ["run", "--provider"],
            ["advise", "--for"],
            ["advise", "--cpu"],
            ["study", "show"],
            ["run", "--worker"],
            ["run", "--openssl"],
        ] {
            let said = folder.run(&[&command[..], &[typed]].concat());
            assert!(said.err.contains("xx") || said.err.contains("x x"), "{command:?}: {said:?}");
            assert!(said.code == Some(2) && said.err.len() < 6100, "{command:?}: {} bytes", said.err.len());
        }
    }
}

#[test]
fn two_outputs_to_stdout_are_refused() {
    let said = TestFolder::new().run(&["run", "tiny.toml", "--json", "-", "--csv", "-"]);
    refuses(&said, &["only one of --json and --csv", "give the other a file"]);
}

#[test]
fn unwritable_output_is_reported_before_anything_is_measured() {
    let folder = TestFolder::new();
    let said = folder.run(&["run", "tiny.toml", "--quiet", "--json", "./nowhere/run.json"]);
    refuses(&said, &["cannot write ./nowhere/run.json", "give another file"]);
    assert_eq!(folder.run(&["run", "tiny.toml", "--quiet", "--csv", "run.csv"]).code, Some(0));
    refuses(&folder.run(&["export", "-o", "nowhere/run.json"]), &["cannot write nowhere/run.json"]);
    if Path::new("/dev/full").exists() {
        refuses(&folder.run(&["export", "--format", "json", "-o", "/dev/full"]), &["cannot write /dev/full"]);
    }
}

#[test]
fn locked_store_is_refused() {
    let folder = TestFolder::new();
    assert_eq!(folder.run(&["run", "tiny.toml", "--quiet"]).code, Some(0));
    let holder = rusqlite::Connection::open(folder.path("runs.db")).expect("a store");
    holder.execute_batch("BEGIN IMMEDIATE").expect("the write lock");
    let said = folder.run(&["run", "tiny.toml", "--quiet"]);
    refuses(&said, &["runs.db\" is locked by another process", "wait for it, or give another file with --store"]);
    assert_eq!(folder.run(&["list"]).code, Some(0), "readers don't wait for writers");
}

#[test]
fn store_that_cannot_be_created_is_refused() {
    let folder = TestFolder::new();
    let pipe = folder.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success()));
    let said = folder.run(&["list", "--store", "./pipe"]);
    refuses(&said, &["cannot open the store", "pipe", "it is no file", "give another file with --store"]);
    for store in ["./workers", "./tiny.toml/runs.db", "/proc/runs.db", "./pipe", "/dev/null"] {
        let said = folder.run(&["run", "tiny.toml", "--store", store]);
        refuses(&said, &["cannot open the store", store, "give another file with --store"]);
    }
}

#[test]
fn read_only_store_is_refused_for_writing() {
    let folder = TestFolder::new();
    assert_eq!(folder.run(&["run", "tiny.toml", "--quiet"]).code, Some(0));
    let (kept, store) = (folder.path("kept"), folder.path("kept/runs.db"));
    fs::create_dir(&kept).expect("a folder");
    fs::copy(folder.path("runs.db"), &store).expect("a copy");
    let mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a mode");
    mode(&store, 0o444);
    mode(&kept, 0o555);
    if fs::write(kept.join("probe"), "").is_ok() {
        eprintln!("skipped: this user (root?) writes whatever the mode says");
        return;
    }
    let said = folder.run(&["run", "tiny.toml", "--store", "kept/runs.db"]);
    refuses(&said, &["the store \"kept/runs.db\" is read-only", "give another file with --store"]);
    assert_eq!(folder.run(&["show", "--store", "kept/runs.db"]).code, Some(0), "reading it is fine");
    mode(&kept, 0o755);
}

#[test]
fn foreign_file_is_refused_and_left_unchanged() {
    let folder = TestFolder::new();
    folder.write("letter.txt", "not a database, whatever its name\n".repeat(100));
    let other = rusqlite::Connection::open(folder.path("other.db")).expect("a database");
    other.execute_batch("CREATE TABLE recipe (tea TEXT)").expect("a table");
    drop(other);
    for file in ["letter.txt", "other.db"] {
        let before = fs::read(folder.path(file)).expect("the file");
        for arguments in [&["run", "tiny.toml"][..], &["list"], &["show"], &["export"], &["run", "--resume"]] {
            let said = folder.run(&[arguments, &["--store", file]].concat());
            refuses(&said, &[file, "is not a store of Ciphermeter", "give another file with --store"]);
        }
        assert_eq!(fs::read(folder.path(file)).expect("the file"), before);
    }
}

#[test]
fn missing_run_is_refused() {
    let folder = TestFolder::new();
    for arguments in [&["list"][..], &["show"], &["show", "7"], &["export"], &["export", "7", "--format", "csv"]] {
        refuses(&folder.run(arguments), &["there is no store", "runs.db", "`ciphermeter run` creates it"]);
        assert!(!folder.path("runs.db").exists(), "reading makes no store");
    }
    assert_eq!(folder.run(&["run", "tiny.toml", "--quiet"]).code, Some(0));
    for arguments in [&["show", "7"][..], &["export", "7"], &["run", "--resume=7"]] {
        refuses(&folder.run(arguments), &["there is no run 7", "`ciphermeter list --store ", "runs.db` shows them"]);
    }
}

#[test]
fn missing_worker_is_refused() {
    let folder = TestFolder::new();
    for arguments in [&["run", "tiny.toml"][..], &["workers"], &["doctor"]] {
        let said = folder.run(&[arguments, &["--workers", "./elsewhere"]].concat());
        refuses(&said, &["cannot read the workers' folder ./elsewhere", "give another with --workers"]);
    }
    refuses(
        &folder.run(&["workers", "check", "tea"]),
        &["there is no worker `tea`", "give their folder with --workers"],
    );
    let folder = folder.with_worker("honest");
    refuses(&folder.run(&["workers", "build", "tea"]), &["there is no worker `tea`; there are bad"]);
}

#[test]
fn broken_manifest_is_refused() {
    let folder = TestFolder::new();
    let right = "name = \"bad\"\nproviders = [\"bad\"]\ncheck = [\"true\"]\nneeds = \"x\"\nbuild = [\"true\"]\nrun = [\"x\"]\nbuilt = \"y\"\nlanguage = \"Z\"\n";
    for (from, to, word) in [
        ("needs", "wants", "line 4: unknown field `wants`, expected one of"),
        ("needs = \"x\"\n", "", "missing field `needs`"),
        ("name = \"bad\"", "a worker", "line 1: "),
        ("[\"bad\"]", "\"bad\"", "line 2: invalid type: string \"bad\", expected a sequence"),
        ("run = [\"x\"]", "run = []", "`check`, `build` and `run` must each name a program"),
        ("needs = \"x\"", &format!("needs = \"{}\"", "x".repeat(70_000)), "it is longer than 64KiB"),
    ] {
        assert!(right.contains(from));
        folder.write("workers/bad/worker.toml", right.replacen(from, to, 1));
        for arguments in [&["run", "tiny.toml"][..], &["workers"], &["doctor"]] {
            refuses(&folder.run(arguments), &["workers/bad/worker.toml", word]);
        }
    }
}
