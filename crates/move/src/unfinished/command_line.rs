//! The commands that show, resume and remove an unfinished transfer, to be pasted: every one that is printed is made here.
//!
//! Promises: a command that resumes has the transfer's number, as there may be others, and every option of the first
//! command that matters and that no end has kept.

use std::ffi::OsStr;
use std::fmt;
use std::path::Path;

use ciphermeter_core::{Bytes, option_words, shell_word};
use ciphermeter_transfer::{Progress, TransferId};

use crate::options::{LinkOptions, PATIENCE, RecvOptions, SendOptions};

pub struct CommandLine(Vec<String>);

impl CommandLine {
    /// `recv` with this option, for a folder.
    pub fn recv(option: &str, into: &Path) -> Self {
        let mut command = Self(vec![format!("ciphermeter recv {option}")]);
        command.option("--into", Some(into).filter(|into| *into != Path::new(".")));
        command
    }

    pub fn send(option: &str) -> Self {
        Self(vec![format!("ciphermeter send {option}")])
    }

    /// With these places behind it, none of which is an option.
    pub fn with_places(mut self, places: &[String]) -> Self {
        if places.iter().any(|place| place.starts_with('-')) {
            self.0.push("--".into());
        }
        self.0.extend(places.iter().map(shell_word));
        self
    }

    fn option(&mut self, name: &str, value: Option<impl AsRef<OsStr>>) {
        self.0.extend(value.map(|value| option_words(name, value)));
    }

    fn number(&mut self, name: &str, value: Option<impl ToString>) {
        self.option(name, value.map(|value| value.to_string()));
    }

    /// Patterns beside those that the ends keep.
    fn exclude(&mut self, patterns: &[String]) {
        patterns.iter().for_each(|pattern| self.option("--exclude", Some(pattern)));
    }

    fn link(&mut self, link: &LinkOptions) {
        self.option("--cipher", link.cipher.map(|suite| suite.algorithm().as_str()));
        self.number("--patience", Some(link.patience).filter(|patience| *patience != PATIENCE));
    }
}

impl fmt::Display for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(" "))
    }
}

pub fn remove_folder(folder: &Path) -> String {
    format!("rm -r -- {}", shell_word(folder))
}

pub fn resume_option(transfer: TransferId) -> String {
    format!("--resume={}", transfer.short())
}

/// What to do after a receiver was ended, if something is kept.
pub fn recv_remedy(options: &RecvOptions, progress: &Progress) -> Option<String> {
    let transfer = progress.kept()?;
    let (again, option) = (recv(options, transfer), resume_option(transfer));
    Some(match options.from.is_empty() {
        true => format!("`{again}` resumes it, and on the sender `{}`", CommandLine::send(&option)),
        false => format!("`{again}` resumes it"),
    })
}

/// What to do after a sender was ended, if something is kept; `by_ssh`: its receiver was started through ssh.
pub fn send_remedy(options: &SendOptions, progress: &Progress, by_ssh: bool) -> Option<String> {
    let transfer = progress.kept()?;
    let again = send(options, transfer);
    let there = CommandLine::recv(&resume_option(transfer), Path::new("FOLDER"));
    Some(match by_ssh {
        true => format!("`{again}` continues it, and starts the other end again through ssh"),
        false => format!(
            "`{again}` continues it while the receiver waits; if the receiver has ended and keeps what came, run `{there}` there first"
        ),
    })
}

/// `recv` again, as it was started.
fn recv(options: &RecvOptions, transfer: TransferId) -> CommandLine {
    let mut again = CommandLine::recv(&resume_option(transfer), &options.into);
    for (given, option) in [(options.yes, "--yes"), (options.hidden, "--hidden")] {
        again.0.extend(given.then(|| option.into()));
    }
    again.number("--listen", options.listen);
    if options.resume.is_some() {
        again.exclude(&options.exclude);
    }
    again.link(&options.link);
    again.option("--ssh", options.ssh.as_ref());
    again.option("--remote-program", options.remote_program.as_ref());
    again.number("--port", options.port);
    again.number("--limit", options.limit.map(|Bytes(rate)| rate));
    again.number("--streams", options.streams);
    again.with_places(&places(options))
}

/// Where its files come from. They are kept with a transfer, and no program is: a folder from elsewhere may hold a transfer's
/// state, and what is printed of it names no command but ours.
pub fn places(options: &RecvOptions) -> Vec<String> {
    options.from.iter().map(|place| place.to_string_lossy().into_owned()).collect()
}

/// `send` again, as it was started. What a first one was told about its receiver, and its limit, is kept.
fn send(options: &SendOptions, transfer: TransferId) -> CommandLine {
    let mut again = CommandLine::send(&resume_option(transfer));
    again.number("--streams", options.streams);
    again.link(&options.link);
    if options.resume.is_some() {
        again.exclude(&options.exclude);
        again.option("--to", options.to.as_ref());
        again.option("--ssh", options.ssh.as_ref());
        again.option("--remote-program", options.remote_program.as_ref());
        again.number("--port", options.port);
        again.number("--limit", options.limit);
    }
    again
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt;

    use super::*;

    #[test]
    fn folder_that_is_no_text_is_named_by_its_bytes() {
        let folder = Path::new(OsStr::from_bytes(b"x\xff/a  b"));
        assert_eq!(
            CommandLine::recv("--unfinished", folder).to_string(),
            r"ciphermeter recv --unfinished --into $'x\377/a  b'"
        );
        assert_eq!(remove_folder(folder), r"rm -r -- $'x\377/a  b'");
        assert_eq!(
            CommandLine::recv("--unfinished", Path::new("-x")).to_string(),
            "ciphermeter recv --unfinished --into=-x"
        );
    }
}
