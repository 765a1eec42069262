//! How an offer is accepted: by the user at the terminal, or without a question under `--yes`.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use ciphermeter_core::{in_quotes, quoted};
use ciphermeter_transfer::{Decision, Error, Existing, Question, User};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::stdio::stdin;
use rustix::termios::{QueueSelector, tcflush};

use super::aside::aside;
use super::choosing::Choice;
use super::consent::{Consent, Offerer, Verdict};
use super::listing::unmatched;
use super::numbers::counted;
use super::question::{Screen, every_name, summary};
use crate::output;

/// A question is on the screen, so nothing else may draw there. A process has one terminal.
static ASKING: AtomicBool = AtomicBool::new(false);
/// An offer was accepted.
static ACCEPTED: AtomicBool = AtomicBool::new(false);
/// Ctrl-C: a question is answered by no, and nothing more is announced.
static DECLINED: AtomicBool = AtomicBool::new(false);
/// How often to look whether it is.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };
/// The question.
const PROMPT: &str = "Receive all? [y/N, l lists every name, -NAME leaves it out] ";
/// The question for a pipe.
const PIPE_PROMPT: &str = "Receive it? [y/N] ";
/// The question before an unfinished transfer goes on.
const RESUME_PROMPT: &str = "Go on? [y/N, l lists every name] ";
/// The question where names are taken.
const TAKEN_PROMPT: &str = "What exists: s skips it, r adds it as NAME-1, c skips equal files, adds others.\n\
    Receive? [s/r/c/N, l lists every name, -NAME leaves it out] ";
/// A drawing thread that has not seen [`is_asking`] yet sees it within this time.
const SETTLED: Duration = Duration::from_millis(250);

/// Whether a question is on the screen.
pub fn is_asking() -> bool {
    ASKING.load(Ordering::SeqCst)
}

/// Whether this process accepted an offer.
pub fn was_accepted() -> bool {
    ACCEPTED.load(Ordering::SeqCst)
}

/// Whether Ctrl-C ends this process: an end that is lost now is lost by it.
pub fn is_ending() -> bool {
    DECLINED.load(Ordering::SeqCst)
}

/// From now on this process ends. Answers the question on the screen by no; returns whether there is one.
pub fn decline() -> bool {
    DECLINED.store(true, Ordering::SeqCst);
    is_asking()
}

/// The user of this end, who decides by [`Consent`].
pub struct Asking {
    pub consent: Consent,
    /// No notes.
    pub quiet: bool,
}

impl User for Asking {
    fn accepts(&self, question: &Question<'_>) -> Result<Decision, Error> {
        let consent = &self.consent;
        let choice = Choice::new(question, consent.existing, &consent.excludes);
        unmatched(&consent.excludes).iter().for_each(|text| self.note(text));
        let verdict = consent.on(&choice.question());
        let decision = match verdict {
            Verdict::Refuse(why) => return Err(Error::NotAccepted(why)),
            Verdict::Accept => {
                if !self.quiet && !question.is_resumed && !consent.refuses_taken(&choice.question()) {
                    output::say(&summary(&choice.question(), false, screen()));
                }
                choice.decision(Existing::Refuse, consent.fills)
            }
            Verdict::Ask(remark) => {
                remark.iter().for_each(|remark| warn(remark));
                ASKING.store(true, Ordering::SeqCst);
                thread::sleep(SETTLED);
                let answer = ask(choice);
                ASKING.store(false, Ordering::SeqCst);
                answer?
            }
        };
        ACCEPTED.store(true, Ordering::SeqCst);
        Ok(decision)
    }

    fn lost(&self, error: &Error) {
        if is_ending() {
            return;
        }
        self.note(&match self.consent.from {
            Offerer::Machine(_) => format!("{error}; calling the sender again"),
            Offerer::Ticket | Offerer::Oneself => format!("{error}; waiting for the sender to come back"),
        });
    }

    fn refused_outdated(&self, outdated: SocketAddr) {
        self.note(&format!(
            "refused a sender at {} that speaks an older version of the transfer format; install the same version of ciphermeter \
             there; the ticket stays valid",
            outdated.ip()
        ));
    }
}

impl Asking {
    /// A remark besides the result.
    fn note(&self, text: &str) {
        if !self.quiet {
            warn(text);
        }
    }
}

/// A remark that the user needs for a question.
fn warn(text: &str) {
    aside(&output::wrapped(text, screen().width));
}

/// Asks until there is an answer. The end of the input means no, and so does an empty line, except the one typed while
/// reading the list.
fn ask(mut choice: Choice<'_>) -> Result<Decision, Error> {
    let screen = screen();
    output::say(&summary(&choice.question(), true, screen));
    if choice.question().is_pipe {
        return ask_once(choice, PIPE_PROMPT);
    }
    if choice.question().is_resumed {
        return ask_once(choice, RESUME_PROMPT);
    }
    let mut listed = false;
    loop {
        let names_are_taken = choice.existing.is_none() && !choice.question().existing.is_empty();
        let prompt = match names_are_taken {
            true => TAKEN_PROMPT,
            false => PROMPT,
        };
        match answer(prompt).as_deref() {
            Some("y" | "Y" | "yes") if !names_are_taken => return Ok(choice.decision(Existing::Refuse, true)),
            Some("s" | "S" | "skip") if names_are_taken => return Ok(choice.decision(Existing::Skip, true)),
            Some("r" | "R" | "rename") if names_are_taken => return Ok(choice.decision(Existing::Rename, true)),
            Some("c" | "C" | "compare") if names_are_taken => return Ok(choice.decision(Existing::Compare, true)),
            Some("l" | "L" | "list") => {
                list(&choice.question(), screen);
                listed = true;
            }
            Some(pattern) if pattern.starts_with('-') => {
                leave_out(&mut choice, pattern.trim_start_matches('-').trim(), screen);
                if choice.is_nothing() {
                    return Err(Error::Declined);
                }
            }
            Some("") if listed => listed = false,
            None | Some("" | "n" | "N" | "no") => return Err(Error::Declined),
            Some(_) if names_are_taken => output::say("Answer s, r, c, n, l, or - and a name.\n"),
            Some(_) => output::say("Answer y, n, l, or - and a name.\n"),
        }
    }
}

/// Asks about what is taken as a whole or not at all.
fn ask_once(choice: Choice<'_>, prompt: &str) -> Result<Decision, Error> {
    loop {
        match answer(prompt).as_deref() {
            Some("y" | "Y" | "yes") => return Ok(choice.decision(Existing::Refuse, true)),
            Some("l" | "L" | "list") => list(&choice.question(), screen()),
            None | Some("" | "n" | "N" | "no") => return Err(Error::Declined),
            Some(_) => output::say("Answer y, n or l.\n"),
        }
    }
}

/// Leaves out what the user named, and shows what is left.
fn leave_out(choice: &mut Choice<'_>, pattern: &str, screen: Screen) {
    match choice.leave_out_pattern(pattern) {
        Ok((0, 0)) => output::say(&output::wrapped(&matches_nothing(pattern), screen.width)),
        Ok(_) if choice.is_nothing() => output::say("Nothing is left.\n"),
        Ok((files, 0)) => left_out(&counted(files, "file"), choice, screen),
        Ok((0, folders)) => left_out(&counted(folders, "folder"), choice, screen),
        Ok((files, folders)) => {
            left_out(&format!("{} in {}", counted(files, "file"), counted(folders, "folder")), choice, screen);
        }
        Err(error) => output::say(&output::wrapped(&quoted(&error.to_string()), screen.width)),
    }
}

/// Shows what is left after this was left out.
fn left_out(what: &str, choice: &Choice<'_>, screen: Screen) {
    output::say(&format!("{what} left out.\n"));
    output::say(&summary(&choice.question(), true, screen));
}

/// What to say of a pattern without effect.
fn matches_nothing(pattern: &str) -> String {
    format!("No name matches {}: write one of the list, or a pattern like *.tmp or photos/*.jpg.", in_quotes(pattern))
}

/// Shows every name, a screen at a time.
fn list(question: &Question<'_>, screen: Screen) {
    let mut lines = every_name(question, screen.width).peekable();
    loop {
        for line in lines.by_ref().take(screen.height.saturating_sub(1).max(1)) {
            output::say(&line);
        }
        if lines.peek().is_none() {
            return;
        }
        if answer("-- Enter shows more, q stops: ").is_none_or(|answer| answer.starts_with(['q', 'Q'])) {
            return;
        }
    }
}

/// The user's answer to this prompt; `None` at the end of the input. What was typed earlier was meant for something
/// else and is dropped.
fn answer(prompt: &str) -> Option<String> {
    let _ = tcflush(stdin(), QueueSelector::IFlush);
    output::say(prompt);
    // Read by the terminal's own lines: a buffer could swallow the next one, typed ahead.
    let (mut line, mut bytes) = (Vec::new(), [0; 256]);
    while line.len() < 4096 && !line.ends_with(b"\n") {
        if is_ending() {
            return None;
        }
        match poll(&mut [PollFd::new(&stdin(), PollFlags::IN)], Some(&LOOK)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => continue,
            // It ended, or can be read; where it cannot be waited for, reading waits.
            Ok(_) | Err(_) => {}
        }
        match rustix::io::read(stdin(), &mut bytes) {
            Ok(read @ 1..) => line.extend(&bytes[..read]),
            Err(rustix::io::Errno::INTR) => {}
            Ok(_) | Err(_) => {
                output::say("\n");
                return None;
            }
        }
    }
    Some(String::from_utf8_lossy(&line).trim().to_owned())
}

/// The size of standard error's terminal, where the question is shown.
pub fn screen() -> Screen {
    let size = terminal_size::terminal_size_of(io::stderr());
    size.map_or(Screen { width: 80, height: 24 }, |(width, height)| Screen {
        width: width.0.into(),
        height: height.0.into(),
    })
}
