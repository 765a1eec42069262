//! From the command line to a command: flags count more than the environment, that more than files, those more than what is
//! built in.
//!
//! Clap keeps that order: what files say becomes its defaults. What is wrong is told in two lines at most, whatever clap
//! would have drawn around it.

use std::ffi::OsString;

use anyhow::{Result, anyhow, bail};
use ciphermeter_core::{Algorithm, escaped, excerpt, quoted, shell_word};
use ciphermeter_terminal::output;
use clap::builder::{OsStr, Resettable};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, CommandFactory, FromArgMatches};

use super::commands::{Arguments, Command};
use super::options::{Color, LookOptions, RunOptions, SpotOptions};
use crate::{config, run_output, scenarios};

/// A topic of `help` that is a hidden command.
const TOPIC: [&str; 2] = ["help", "openssl-speed"];

/// What is asked for; nothing if it was help or the version, which is printed.
pub fn parse() -> Result<Option<Command>> {
    let mut given: Vec<OsString> = std::env::args_os().collect();
    if given.get(1..).is_some_and(|words| words == TOPIC) {
        // Clap's own `help` knows commands alone.
        given.remove(1);
    }
    match command().try_get_matches_from(&given) {
        // A worker is started in any folder, again and again, and these print what is built in: files don't concern them.
        Ok(matches)
            if matches!(
                matches.subcommand_name(),
                Some("worker" | "completions" | "man" | "openssl-speed" | "schema")
            ) =>
        {
            return read(&matches).map(Some);
        }
        Ok(matches) if matches.subcommand_name().is_none() => given.insert(given.len().min(1), "run".into()),
        Ok(_) => {}
        Err(help) if !help.use_stderr() => return show(help, given).map(|()| None),
        Err(error) => bail!(brief(error, &given)),
    }
    let matches =
        config::apply(command())?.try_get_matches_from(&given).map_err(|error| anyhow!(brief(error, &given)))?;
    read(&matches).map(Some)
}

/// The commands with their arguments, as built in.
pub fn command() -> clap::Command {
    let everywhere = |command: clap::Command| command.mut_args(|arg| arg.global(true));
    with_environment(Arguments::command().mut_subcommand("workers", everywhere).mut_subcommand("study", everywhere))
}

/// An empty variable counts as unset; help names variables without their values.
fn with_environment(command: clap::Command) -> clap::Command {
    let empty = |name: &std::ffi::OsStr| std::env::var_os(name).is_some_and(|value| value.is_empty());
    let unset = |arg: clap::Arg| {
        let arg = arg.hide_env_values(true);
        if arg.get_env().is_some_and(empty) { arg.env(Resettable::<OsStr>::Reset) } else { arg }
    };
    command.mut_args(unset).mut_subcommands(with_environment)
}

/// What a command line asks for, once clap has read it.
pub fn read(matches: &ArgMatches) -> Result<Command> {
    let Arguments { command, run } =
        Arguments::from_arg_matches(matches).map_err(|error| anyhow!(brief(error, &[])))?;
    let mut command = command.unwrap_or(Command::Run { scenario: None, options: Box::new(run) });
    if let (Some(store), Some((_, matches))) = (command.store_mut(), matches.subcommand()) {
        store.is_typed = matches.value_source("store") == Some(ValueSource::CommandLine);
    }
    if let (Command::Advise(options), Some(matches)) = (&mut command, matches.subcommand_matches("advise")) {
        options.is_budget_typed = matches.value_source("budget") == Some(ValueSource::CommandLine);
    }
    if let (Command::Guard(options), Some(matches)) = (&mut command, matches.subcommand_matches("guard")) {
        options.asked = asked("guard", matches);
    }
    if let (Command::Run { scenario, options }, Some(matches)) = (&mut command, matches.subcommand_matches("run")) {
        let given = |name: &str| matches.value_source(name) == Some(ValueSource::CommandLine);
        options.given = matches.ids().map(|id| id.to_string()).filter(|name| given(name)).collect();
        options.asked = asked("run", matches);
        check_resume(options)?;
        if options.is_given("threshold") && options.against.is_none() {
            bail!("--threshold says what counts as slower than an older version: name that with --against");
        }
        // What is only usual stands back behind what was asked for.
        if !options.is_given("scenario") && (options.resume.is_some() || options.spot.is_given()) {
            let unused = scenario.take().filter(|name| name != scenarios::DEFAULT);
            if let Some(name) = unused.filter(|_| options.resume.is_none() && !options.quiet) {
                let is_variable = matches.value_source("scenario") == Some(ValueSource::EnvVariable);
                tell_unused(&name, if is_variable { "CIPHERMETER_SCENARIO" } else { "the configuration" });
            }
        }
        if !options.is_given("against") && options.resume.is_some() {
            options.against = None;
        }
    }
    Ok(command)
}

/// What another `run` or `guard` of the same does not repeat: for how long, what is done with it, and where it
/// is kept.
const NOT_REPEATED: [&str; 15] = [
    "budget", "resume", "json", "csv", "markdown", "history", "push", "quiet", "all", "costs", "verbose", "color",
    "store", "keep_output", "seed",
];

/// The command, and what was typed behind it; a ticket is a secret.
fn asked(name: &str, matches: &ArgMatches) -> Vec<String> {
    let all = command();
    let arguments = all.find_subcommand(name).into_iter().flat_map(clap::Command::get_arguments);
    let is_given = |name: &str| matches.value_source(name) == Some(ValueSource::CommandLine);
    let is_asked = |name: &str| is_given(name) && !NOT_REPEATED.contains(&name);
    let words = arguments.filter(|own| is_asked(own.get_id().as_str())).flat_map(|own| {
        let values = matches.get_raw(own.get_id().as_str()).into_iter().flatten();
        let values: Vec<String> = values.map(|value| escaped(&value.to_string_lossy())).collect();
        let Some(option) = own.get_long() else { return values };
        match (own.get_value_delimiter(), own.get_action().takes_values()) {
            (_, false) => vec![format!("--{option}")],
            _ if option == "peer" => vec!["--peer=TICKET".into()],
            (Some(_), _) => vec![format!("--{option}={}", values.join(","))],
            (None, _) => values.iter().map(|value| format!("--{option}={value}")).collect(),
        }
    });
    std::iter::once(name.to_owned()).chain(words).collect()
}

/// Says that cells that are named stand alone.
fn tell_unused(name: &str, of: &str) {
    let (shown, word) = (quoted(name), shell_word(name));
    output::say(&format!(
        "note: options name the cells, so the scenario {shown} of {of} is not used; for both: `ciphermeter run {word} ...`\n"
    ));
}

/// A stored run says itself what is measured, and for how long.
fn check_resume(options: &RunOptions) -> Result<()> {
    let settled = ["cpu", "transfer", "budget", "precision", "seed", "threshold"];
    let lists = SpotOptions::augment_args(clap::Command::new("run"));
    let lists = lists.get_arguments().map(|list| list.get_id().as_str());
    match lists.chain(settled).find(|argument| options.is_given(argument)).map(|argument| argument.replace('_', "-")) {
        Some(argument) if options.resume.is_some() => {
            bail!("--resume continues what the stored run measures, and for as long: leave --{argument} out")
        }
        _ => Ok(()),
    }
}

/// Help shows the defaults that files set, and is there even if a file is what is wrong.
fn show(help: clap::Error, given: Vec<OsString>) -> Result<()> {
    let configured = config::apply(command()).ok().and_then(|command| command.try_get_matches_from(given).err());
    let help = configured.unwrap_or(help).render();
    let is_styled = run_output::table_options(&LookOptions { color: Color::Auto }).color;
    output::print(&if is_styled { help.ansi().to_string() } else { help.to_string() })
}

/// What clap says of wrong arguments, without the usage: what is wrong in one line, where to read on in another.
fn brief(mut error: clap::Error, given: &[OsString]) -> String {
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return without_command(given);
    }
    if error.kind() == ErrorKind::MissingRequiredArgument && innermost(given).1.starts_with("study ") {
        return without_study();
    }
    let variable = variable(&error, given);
    // Clap leaves out what a terminal acts on.
    for kind in [ContextKind::InvalidValue, ContextKind::InvalidArg, ContextKind::InvalidSubcommand] {
        if let Some(ContextValue::String(typed)) = error.get(kind) {
            let shown = excerpt(typed);
            error.insert(kind, ContextValue::String(shown));
        }
    }
    let text = error.to_string();
    // A flag that a command lacks is hardly ever meant as the name of a file.
    let is_far_fetched = |line: &&str| line.starts_with("tip: to pass '");
    let lines = text.trim_start_matches("error: ").lines().map(str::trim).filter(|line| !line.is_empty());
    // Nor is one that overwrites the name of one that removes.
    let is_harmful = |line: &&str| line.starts_with("tip: ") && line.ends_with("'--forget'");
    let lines = lines.filter(|line| !is_far_fetched(line) && !is_harmful(line));
    let said = lines.take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more information"));
    let mut wrong = variable.map(|name| name + ": ").unwrap_or_default();
    for line in said.filter_map(authenticated) {
        // A list of arguments comes a line each, anything else is another sentence.
        wrong = match wrong.chars().last() {
            None => wrong,
            Some(' ' | ':') => wrong.trim_end().to_string() + " ",
            Some(_) if line.starts_with(['<', '-']) => wrong + ", ",
            Some(_) => wrong + "; ",
        };
        wrong += &ciphermeter_core::escaped(&line);
    }
    wrong + "\nfor more information, try '--help'"
}

/// The command that these words lead to, and its name with those of the commands around it.
fn innermost(given: &[OsString]) -> (clap::Command, String) {
    let mut command = command();
    let mut path = Vec::new();
    for word in given.iter().skip(1).filter_map(|word| word.to_str()) {
        if let Some(found) = command.find_subcommand(word).cloned() {
            command = found;
            path.push(word);
        }
    }
    (command, path.join(" "))
}

/// What of a command of commands is missing, in place of its whole help.
fn without_command(given: &[OsString]) -> String {
    let (command, path) = innermost(given);
    let names: Vec<&str> =
        command.get_subcommands().map(clap::Command::get_name).filter(|name| *name != "help").collect();
    format!(
        "{path}: a command is missing; there are {}\nfor more information, try 'ciphermeter {path} --help'",
        names.join(", ")
    )
}

/// Which studies there are, in place of the name of an argument.
fn without_study() -> String {
    let names: Vec<String> = ciphermeter_study::all().into_iter().flatten().map(|study| study.name).collect();
    format!(
        "which study? Name {}, a file like ./mine.toml, or give --all\nfor more information, try '--help'",
        names.join(", ")
    )
}

/// A line, or in place of a tip that would lead to a cipher without a tag, one that leads to its AEAD; none where it has none.
fn authenticated(line: &str) -> Option<String> {
    let suggested = line.strip_prefix("tip: ").and_then(|tip| tip.split('\'').nth(1)?.parse::<Algorithm>().ok());
    let Some(bare) = suggested.filter(|algorithm| algorithm.tag_bytes() == 0) else { return Some(line.into()) };
    let is_its = |aead: &&Algorithm| aead.tag_bytes() > 0 && aead.as_str().starts_with(bare.as_str());
    let aead = Algorithm::ALL.iter().find(is_its)?;
    Some(line.replace(&format!("'{bare}'"), &format!("'{aead}'")))
}

/// The environment variable that is what is wrong, if it is one: a user who gave no such flag does not look there.
fn variable(error: &clap::Error, given: &[OsString]) -> Option<String> {
    let wrong = matches!(error.kind(), ErrorKind::InvalidValue | ErrorKind::ValueValidation);
    let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg).filter(|_| wrong) else {
        return None;
    };
    let flag = argument.split([' ', '=', '[']).next()?;
    if given.iter().any(|given| given.to_string_lossy().starts_with(flag)) {
        return None;
    }
    let command = command();
    let found = command.get_arguments().find(|arg| arg.get_long().is_some_and(|long| flag == format!("--{long}")))?;
    let name = found.get_env()?;
    std::env::var_os(name).map(|_| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_command_is_named_with_its_choices() {
        let given = ["ciphermeter", "study"].map(OsString::from);
        let said = without_command(&given);
        assert!(said.starts_with("study: a command is missing; there are list, show, report, run\n"), "{said}");
        let error = command().try_get_matches_from(given.clone()).unwrap_err();
        assert_eq!(brief(error, &given), said);
    }

    #[test]
    fn command_that_takes_a_name_or_all_says_so() {
        for (words, expected) in [
            (&["ciphermeter", "study", "show"][..], ", a file like ./mine.toml, or give --all\n"),
            (&["ciphermeter", "compare"], "not provided: "),
        ] {
            let given: Vec<OsString> = words.iter().map(OsString::from).collect();
            let said = brief(command().try_get_matches_from(&given).unwrap_err(), &given);
            assert!(said.contains(expected) && said.contains("--all") == words.contains(&"study"), "{said}");
        }
    }

    #[test]
    fn what_was_typed_is_shown_escaped_and_not_the_whole_of_it() {
        let said = |words: &[&str]| {
            let given: Vec<OsString> = ["ciphermeter"].iter().chain(words).map(OsString::from).collect();
            brief(command().try_get_matches_from(&given).unwrap_err(), &given)
        };
        for option in ["advise --for", "run --form", "run --algorithm", "run --keys", "run --message"] {
            let (command, option) = option.split_once(' ').unwrap();
            let shown = said(&[command, option, "a\u{1b}[2Jb\u{7}c"]);
            assert!(shown.starts_with("invalid value 'a\\u{1b}[2Jb\\u{7}c' for"), "{shown}");
            let shown = ciphermeter_core::shortened(&said(&[command, option, &"x".repeat(10_000)])).into_owned();
            assert!(shown.len() < 1000, "{option}: {}", shown.len());
        }
        assert!(said(&["a\u{1b}[2J"]).contains("'a\\u{1b}[2J'"));
    }

    #[test]
    fn resumed_run_takes_again_whom_it_asks_and_not_what_it_measures() {
        let resumed = |option: &str| {
            let matches = command().try_get_matches_from(["ciphermeter", "run", "--resume=1", option]).unwrap();
            read(&matches).map(drop).map_err(|error| error.to_string())
        };
        assert_eq!(resumed("--meter=/dev/ttyUSB0"), Ok(()));
        for list in ["--message", "--working-set", "--keys"] {
            let why = resumed(&format!("{list}=16")).unwrap_err();
            assert!(why.ends_with(&format!(": leave {list} out")), "{why}");
        }
    }

    #[test]
    fn command_that_asks_again_leaves_out_time_output_and_tickets() {
        let asked = |typed: &str| {
            let matches = command().try_get_matches_from(format!("ciphermeter run {typed}").split(' ')).unwrap();
            let Ok(Command::Run { options, .. }) = read(&matches) else { panic!("{typed}") };
            options.asked.join(" ")
        };
        assert_eq!(asked("tls --budget 2s --provider ring,go --json - --quiet"), "run tls --provider=ring,go");
        assert_eq!(
            asked("--message=1KiB --latency --openssl a --openssl b"),
            "run --message=1KiB --latency --openssl=a --openssl=b"
        );
        assert_eq!(asked("transfer --peer secret"), "run transfer --peer=TICKET");
    }

    #[test]
    fn tips_lead_to_no_cipher_without_a_tag() {
        let tip = |word: &str| authenticated(&format!("tip: a similar value exists: '{word}'"));
        assert_eq!(tip("aes-256-gcm").as_deref(), Some("tip: a similar value exists: 'aes-256-gcm'"));
        assert_eq!(tip("chacha20").as_deref(), Some("tip: a similar value exists: 'chacha20-poly1305'"));
        assert_eq!(tip("aes-256-ctr").as_deref(), Some("tip: a similar value exists: 'aes-256-ctr-hs256'"));
        assert_eq!((tip("adiantum"), tip("xor")), (None, None));
        assert_eq!(tip("show").as_deref(), Some("tip: a similar value exists: 'show'"));
    }
}
