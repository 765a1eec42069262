//! Options in files and variables: flags take precedence over the environment, which takes precedence over
//! `./ciphermeter.toml`, which takes precedence over `config.toml` in the XDG config folder. Nothing in the current
//! folder runs a program.

use std::fs;
use std::process::Command;

use crate::common::{CommandOutput, TestFolder};

/// The user's own file, and the folder's.
const OWN: &str = "config/ciphermeter/config.toml";
const HERE: &str = "ciphermeter.toml";

/// A folder whose variables are unset.
fn bare(folder: &TestFolder, arguments: &[&str]) -> Command {
    let mut command = folder.ciphermeter(arguments);
    command.env_remove("CIPHERMETER_STORE").env_remove("CIPHERMETER_WORKERS").env("COLUMNS", "200");
    command
}

fn say(mut command: Command) -> CommandOutput {
    CommandOutput::of(command.output().expect("an output"))
}

/// The error about a missing store names the store that was looked for.
#[test]
fn flags_take_precedence_over_variables_and_files() {
    let folder = TestFolder::new();
    let wanted = |command: Command, store: &str| {
        let said = say(command);
        assert_eq!(said.code, Some(2), "{said:?}");
        assert!(said.err.contains(&format!("{store}\"")), "no {store:?} in {}", said.err);
    };
    wanted(bare(&folder, &["show"]), "data/ciphermeter/runs.db");
    folder.write(OWN, "store = \"own.db\"");
    wanted(bare(&folder, &["show"]), "config/ciphermeter/own.db");
    let with_variable = |value: &str, arguments: &[&str]| {
        let mut command = bare(&folder, arguments);
        command.env("CIPHERMETER_STORE", value);
        command
    };
    wanted(with_variable("variable.db", &["show"]), "\"variable.db");
    wanted(with_variable("", &["show"]), "config/ciphermeter/own.db");
    wanted(with_variable("variable.db", &["show", "--store", "flag.db"]), "\"flag.db");
}

#[test]
fn commands_in_the_output_name_a_store_that_was_typed() {
    let folder = TestFolder::new();
    let said = folder.run(&["run", "tiny.toml", "--budget", "0.1s", "--store", "my runs.db"]);
    assert!(said.out.contains("ciphermeter show 1 --all --store 'my runs.db'"), "{}", said.out);
    let said = folder.run(&["show", "--store", "my runs.db"]);
    assert!(said.out.contains("ciphermeter show 1 --all --store 'my runs.db'"), "{}", said.out);
    fs::rename(folder.path("my runs.db"), folder.path("runs.db")).expect("the harness names this one by a variable");
    let said = folder.run(&["show"]);
    assert!(said.out.contains("ciphermeter show 1 --all") && !said.out.contains("--store"), "{}", said.out);
}

#[test]
fn precedence_is_the_same_for_every_key_of_a_run() {
    let folder = TestFolder::new();
    folder
        .write(OWN, "scenario = \"messages\"\nbudget = \"7s\"\nprecision = \"7%\"\nquiet = false\ncolor = \"never\"\n");
    folder.write(
        HERE,
        "scenario = \"./tiny.toml\"\nbudget = \"1s\"\nprecision = \"40%\"\nquiet = true\ncolor = \"always\"\npatience = \"19s\"\n",
    );
    let run = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = folder.ciphermeter(arguments);
        let said = say({
            command.envs(variables.iter().copied());
            command
        });
        assert_eq!(said.code, Some(0), "{said:?}");
        said
    };
    let scenario = |said: &CommandOutput| {
        let scenario = said.json()["run"]["scenario"].clone();
        ["name", "budget", "precision"].map(|key| scenario[key].as_str().expect("a text").to_string())
    };
    // Without the word `run`, too.
    let said = run(&["--json", "-"], &[]);
    assert_eq!((scenario(&said), said.err.as_str()), (["tiny", "1s", "40%"].map(String::from), ""));
    let loud = [("CIPHERMETER_PRECISION", "45%"), ("CIPHERMETER_QUIET", "no")];
    let said = run(&["run", "--verbose", "--json", "-"], &loud);
    assert_eq!(scenario(&said), ["tiny", "1s", "45%"].map(String::from));
    assert!(said.err.contains("note: "), "{said:?}");
    let said = run(&["run", "--json", "-", "--precision", "48%"], &[("CIPHERMETER_PRECISION", "45%")]);
    assert_eq!(scenario(&said), ["tiny", "1s", "48%"].map(String::from));
    // Lists request something other than the default.
    let said = run(&["--algorithm", "xor", "--message", "16", "--json", "-"], &[("CIPHERMETER_SCENARIO", "tls")]);
    assert_eq!(scenario(&said)[0], "on-the-spot");
    assert_eq!(said.err, "", "quiet");
    let said = run(&["--algorithm", "xor", "--message", "16", "--json", "-"], &[("CIPHERMETER_QUIET", "no")]);
    let note = "the scenario ./tiny.toml of the configuration is not used; for both: `ciphermeter run ./tiny.toml ...`";
    assert!(said.err.contains(note), "{said:?}");
    for (arguments, colors) in [(&["show"][..], true), (&["show", "--color", "never"], false)] {
        assert_eq!(run(arguments, &[]).out.contains('\u{1b}'), colors, "{arguments:?}");
    }
    assert!(!run(&["show"], &[("CIPHERMETER_COLOR", "never")]).out.contains('\u{1b}'));
}

#[test]
fn help_shows_configured_values() {
    let folder = TestFolder::new();
    let files = "scenario = \"tls\"\nbudget = \"33s\"\nprecision = \"3%\"\npatience = \"44s\"\nthreshold = \"6%\"\ncolor = \"never\"";
    folder
        .write(OWN, format!("{files}\nworkers = \"w\"\nopenssl = [\"new.so\", \"/newer.so\"]\nagainst = \"old.so\"\n"));
    let said = say(bare(&folder, &["run", "--help"]));
    let config_folder = folder.path("config/ciphermeter").display().to_string();
    let (workers, openssl) = (format!("{config_folder}/w"), format!("{config_folder}/new.so /newer.so"));
    for default in ["tls", "33s", "3%", "44s", "6%", "never", &workers, &openssl, "old.so"] {
        assert!(one_line(&said).contains(&format!("[default: {default}]")), "no {default} in {}", said.out);
    }
    let said = say(bare(&folder, &["compare", "--help"]));
    assert!(one_line(&said).contains("[default: 6%]") && one_line(&said).contains("[default: never]"), "{}", said.out);
    let said = say(bare(&folder, &["workers"]));
    assert_eq!(said.code, Some(2));
    assert!(said.err.contains(&format!("cannot read the workers' folder {workers}")), "{}", said.err);
}

fn one_line(said: &CommandOutput) -> String {
    said.out.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn folders_configuration_runs_no_program() {
    let folder = TestFolder::new();
    for (key, value) in [
        ("workers", "\"./workers\""),
        ("workers", "\"\""),
        ("worker", "[\"./run-me\"]"),
        ("worker", "\"touch it\""),
        ("worker", "[]\nbudget = 5"),
        ("worker.run", "\"touch it\""),
        ("openssl", "[\"./lib.so\"]"),
        ("openssl", "\"a.so\""),
        ("against", "\"./run-me\""),
        ("against", "5"),
    ] {
        folder.write(HERE, format!("seed = 1\n{key} = {value}\n"));
        let key = key.split('.').next().expect("a word");
        let said = say(bare(&folder, &["list"]));
        assert_eq!((said.code, said.out.as_str(), said.err.lines().count()), (Some(2), "", 1), "{said:?}");
        let own = folder.path(OWN).display().to_string();
        for words in
            ["./ciphermeter.toml, line 2", &format!("`{key}` names programs to run"), &own, &format!("--{key}")]
        {
            assert!(said.err.contains(words), "no {words:?} in {}", said.err);
        }
    }
}

#[test]
fn error_in_a_file_is_reported_in_one_line() {
    let folder = TestFolder::new();
    let long = format!("budget = \"1s\"\n{}", "# a comment\n".repeat(6000));
    for (text, words) in [
        ("budgte = \"1s\"", ["line 1: unknown field `budgte`", "expected one of `scenario`, `budget`"]),
        ("\n\nbudget = \"soon\"", ["line 3: `soon` is not a time", "write it like `60s`"]),
        ("budget = 5", ["line 1: invalid type: integer `5`", "expected a string"]),
        ("precision = \"0%\"", ["line 1: `0%` is not a share", "write it like `2%`"]),
        ("patience = \"-1s\"", ["line 1: `-1s` is not a time", "write it like `60s`"]),
        ("threshold = \"5\"", ["line 1: `5` is not a share", "write it like `2%`"]),
        ("color = \"blue\"", ["line 1: unknown variant `blue`", "expected one of `auto`, `always`, `never`"]),
        ("quiet = \"yes\"", ["line 1: invalid type: string \"yes\"", "expected a boolean"]),
        ("scenario = \"tea\"", ["line 1: there is no scenario `tea`", "there are "]),
        ("scenario = \"a\\u001b[2Jb\"", [r"line 1: there is no scenario `a\u{1b}[2Jb`", "there are "]),
        ("seed = 5", ["line 1: unknown field `seed`", "expected one of"]),
        ("budget = \"1s\"\nbudget = \"2s\"", ["line 2: duplicate key", "correct it, or remove the line"]),
        ("Dear diary", ["line 1: ", "correct it, or remove the line"]),
        ("\"\\u001b[2J\" = 1", ["line 1: unknown field", "expected one of"]),
        (&long, [": it is longer than 64KiB", "correct the file, or remove it"]),
    ] {
        for file in [HERE, OWN] {
            let other = if file == HERE { OWN } else { HERE };
            folder.write(other, "");
            folder.write(file, text);
            refused(&folder, file, &words);
        }
    }
    // The current folder's file must not have them at all.
    for (text, words) in [
        ("workers = \"\"", ["line 1: an empty path", "give a path, or remove the line"]),
        ("store = [\"a\"]", ["line 1: invalid type: sequence", "expected a string"]),
        ("openssl = \"a.so\"", ["line 1: invalid type: string \"a.so\"", "expected a sequence"]),
    ] {
        folder.write(HERE, "");
        folder.write(OWN, text);
        refused(&folder, OWN, &words);
    }
    for file in [HERE, OWN] {
        folder.write(if file == HERE { OWN } else { HERE }, "");
        folder.write(file, [b'#', 0xff, 0xfe]);
        refused(&folder, file, &["cannot read", "UTF-8", "correct the file, or remove it"]);
        std::fs::remove_file(folder.path(file)).expect("removed");
        std::fs::create_dir(folder.path(file)).expect("a folder");
        refused(&folder, file, &[": it is not a regular file"]);
        std::fs::remove_dir(folder.path(file)).expect("removed");
    }
}

#[track_caller]
fn refused(folder: &TestFolder, file: &str, words: &[&str]) {
    for arguments in [&["list"][..], &["run", "tiny.toml"], &["--budget", "1s"], &["doctor"]] {
        let said = say(bare(folder, arguments));
        assert_eq!((said.code, said.out.as_str(), said.err.lines().count()), (Some(2), "", 1), "{said:?}");
        assert!(
            said.err.starts_with("ciphermeter: ") && !said.err.trim_end().contains(char::is_control),
            "{}",
            said.err
        );
        for words in [&[file], words].concat() {
            assert!(said.err.contains(words), "no {words:?} in {}", said.err);
        }
    }
}

#[test]
fn commands_without_options_ignore_broken_files() {
    let folder = TestFolder::new();
    folder.write(HERE, "nonsense");
    for arguments in
        [&["--help"][..], &["run", "-h"], &["help", "run"], &["--version"], &["man"], &["completions", "bash"]]
    {
        let said = say(bare(&folder, arguments));
        assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{arguments:?}");
        assert!(!said.out.is_empty());
    }
    // A worker is started in whatever folder its harness runs.
    assert_eq!(say(bare(&folder, &["worker", "native", "--list"])).code, Some(0));
}

#[test]
fn wrong_variable_is_named() {
    let folder = TestFolder::new();
    for (name, value, words) in [
        ("CIPHERMETER_BUDGET", "soon", "`soon` is not a time"),
        ("CIPHERMETER_PRECISION", "2", "`2` is not a share"),
        ("CIPHERMETER_PATIENCE", "-1s", "`-1s` is not a time"),
        ("CIPHERMETER_THRESHOLD", "0%", "`0%` is not a share"),
        ("CIPHERMETER_COLOR", "blue", "[possible values: auto, always, never]"),
        ("CIPHERMETER_QUIET", "perhaps", "--quiet"),
    ] {
        let mut command = bare(&folder, &["run", "tiny.toml"]);
        command.env(name, value);
        let said = say(command);
        assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "{said:?}");
        assert!(said.err.starts_with(&format!("ciphermeter: {name}: ")) && said.err.contains(words), "{}", said.err);
        assert!(said.err.lines().count() <= 2, "{}", said.err);
    }
}

#[test]
fn configured_scenario_does_not_prevent_resuming() {
    let folder = TestFolder::new();
    folder.write(OWN, "scenario = \"tls\"\nbudget = \"9s\"\nagainst = \"nobody\"\n");
    let said = say(bare(&folder, &["run", "tiny.toml", "--resume"]));
    assert!(said.err.contains("no interrupted run to resume"), "{}", said.err);
    let said = say(bare(&folder, &["run", "--resume"]));
    assert!(said.err.contains("no interrupted run to resume"), "{}", said.err);
}
