//! `conformance -- COMMAND ARGS…`: checks a worker. Exit code 0 if every check passed, 1 if one failed, 2 for wrong
//! arguments.

use std::process::ExitCode;
use std::time::Duration;

use conformance::Config;

const USAGE: &str = "\
usage: conformance [--timeout SECONDS] [--only WORDS]… -- COMMAND ARGS…

Starts COMMAND as a worker, runs every check of PROTOCOL.md against it and
prints a line for each. --timeout is the wait for one reply (default 30).
--only runs the checks whose line contains WORDS, and those of `describe`.
Exit code: 0 all passed, 1 some failed, 2 usage.";

fn main() -> ExitCode {
    let config = match arguments(std::env::args().skip(1)) {
        Ok(Some(config)) => config,
        Ok(None) => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        Err(why) => {
            eprintln!("conformance: {why}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match conformance::run(&config, &mut std::io::stdout().lock()) {
        Ok(tally) => ExitCode::from(u8::from(tally.failed > 0)),
        Err(error) => {
            eprintln!("conformance: writing the results failed: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The configuration from the arguments; None where they request help.
fn arguments(mut given: impl Iterator<Item = String>) -> Result<Option<Config>, String> {
    let (mut timeout, mut only) = (Duration::from_secs(30), Vec::new());
    loop {
        match given.next().as_deref() {
            Some("--help" | "-h") => return Ok(None),
            Some("--timeout") => timeout = seconds(given.next())?,
            Some("--only") => only.push(given.next().ok_or("--only takes words of a check's line")?),
            Some("--") => break,
            Some(other) => return Err(format!("unknown argument {other}; put -- before the worker's command")),
            None => return Err("no worker; put its command after --".into()),
        }
    }
    let command: Vec<String> = given.collect();
    if command.is_empty() {
        return Err("no worker; put its command after --".into());
    }
    Ok(Some(Config { command, timeout, only }))
}

fn seconds(given: Option<String>) -> Result<Duration, String> {
    match given.as_deref().map(str::parse) {
        Some(Ok(n @ 1..=3600)) => Ok(Duration::from_secs(n)),
        _ => Err("--timeout takes whole seconds, 1 to 3600".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Option<Config>, String> {
        arguments(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn everything_after_the_dashes_is_the_command() {
        let config = parse("--timeout 5 --only memory --only clock -- go --help").unwrap().unwrap();
        assert_eq!(config.command, ["go", "--help"]);
        assert_eq!(config.timeout, Duration::from_secs(5));
        assert_eq!(config.only, ["memory", "clock"]);
    }

    #[test]
    fn a_missing_command_and_a_bad_timeout_are_usage_errors() {
        for line in ["", "--", "worker", "--timeout", "--timeout 0 -- w", "--timeout x -- w", "--only"] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
