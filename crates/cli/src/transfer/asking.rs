//! How an offer is accepted: by the user at the terminal, or without a question under `--yes`.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use ciphermeter_core::quoted;
use ciphermeter_transfer::{Error, Question, User};
use rustix::stdio::stdin;
use rustix::termios::{QueueSelector, tcflush};

use super::question::{Screen, every_name, summary};
use crate::output;

/// A question is on the screen, so nothing else may draw there. A process has one terminal.
static ASKING: AtomicBool = AtomicBool::new(false);
/// An offer was accepted, so there is something to resume.
static ACCEPTED: AtomicBool = AtomicBool::new(false);
/// A drawing thread that has not seen [`is_asking`] yet sees it within this time.
const SETTLED: Duration = Duration::from_millis(250);

/// Whether a question is on the screen.
pub fn is_asking() -> bool {
    ASKING.load(Ordering::SeqCst)
}

/// Whether an offer was accepted, now or by an earlier process.
pub fn was_accepted() -> bool {
    ACCEPTED.load(Ordering::SeqCst)
}

/// An earlier process accepted one.
pub fn accepted_before() {
    ACCEPTED.store(true, Ordering::SeqCst);
}

/// How to decide.
pub struct Asking {
    /// Without a question: a first offer is accepted, one that goes beyond it is not.
    pub yes: bool,
    /// With `yes`, also accepts hidden names at its top.
    pub hidden: bool,
    /// No notes.
    pub quiet: bool,
}

impl User for Asking {
    fn accepts(&self, question: &Question<'_>) -> Result<(), Error> {
        match self.yes {
            true => self.accepts_alone(question),
            false => {
                ASKING.store(true, Ordering::SeqCst);
                thread::sleep(SETTLED);
                let answer = ask(question);
                ASKING.store(false, Ordering::SeqCst);
                answer
            }
        }?;
        ACCEPTED.store(true, Ordering::SeqCst);
        Ok(())
    }

    fn lost(&self, error: &Error) {
        self.note(&format!("{error}; waiting for the sender to come back"));
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
    fn accepts_alone(&self, question: &Question<'_>) -> Result<(), Error> {
        if let Some(excess) = question.excess.first() {
            let others = match question.excess.len() - 1 {
                0 => String::new(),
                others => format!(" (and {others} more such)"),
            };
            return Err(Error::NotAccepted(format!(
                "{excess}{others}: --yes accepts no more than before; receive again with --resume and without --yes to decide"
            )));
        }
        let hidden: Vec<&str> = question.offer.tops().into_iter().filter(|top| top.starts_with('.')).collect();
        if let (Some(first), false) = (hidden.first(), self.hidden) {
            let others = match hidden.len() - 1 {
                0 => String::new(),
                others => format!(" and {others} more"),
            };
            return Err(Error::NotAccepted(format!(
                "{}{others} at the top of the offer is hidden, and recv --yes refuses such names; receive with --hidden, or without --yes",
                quoted(first)
            )));
        }
        if !self.quiet {
            eprint!("{}", summary(question, false, screen()));
        }
        Ok(())
    }

    fn note(&self, text: &str) {
        if !self.quiet {
            eprint!("{}", output::wrapped(text, screen().width));
        }
    }
}

/// Asks until there is an answer. The end of the input means no, and so does an empty line, except the one typed while
/// reading the list.
fn ask(question: &Question<'_>) -> Result<(), Error> {
    let screen = screen();
    eprint!("{}", summary(question, true, screen));
    let mut listed = false;
    loop {
        match answer("Receive all? [y/N, l lists every name] ").as_deref() {
            Some("y" | "Y" | "yes") => return Ok(()),
            Some("l" | "L" | "list") => {
                list(question, screen);
                listed = true;
            }
            Some("") if listed => listed = false,
            None | Some("" | "n" | "N" | "no") => return Err(Error::Declined),
            Some(_) => eprintln!("Answer y, n or l."),
        }
    }
}

/// Shows every name, a screen at a time.
fn list(question: &Question<'_>, screen: Screen) {
    let mut lines = every_name(question, screen.width).peekable();
    loop {
        for line in lines.by_ref().take(screen.height.saturating_sub(1).max(1)) {
            eprint!("{line}");
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
    eprint!("{prompt}");
    // Read by the terminal's own lines: a buffer could swallow the next one, typed ahead.
    let (mut line, mut bytes) = (Vec::new(), [0; 256]);
    while line.len() < 4096 && !line.ends_with(b"\n") {
        match rustix::io::read(stdin(), &mut bytes) {
            Ok(read @ 1..) => line.extend(&bytes[..read]),
            Err(rustix::io::Errno::INTR) => {}
            Ok(_) | Err(_) => {
                eprintln!();
                return None;
            }
        }
    }
    Some(String::from_utf8_lossy(&line).trim().to_owned())
}

/// The size of standard error's terminal, where the question is shown.
fn screen() -> Screen {
    let size = terminal_size::terminal_size_of(io::stderr());
    size.map_or(Screen { width: 80, height: 24 }, |(width, height)| Screen {
        width: width.0.into(),
        height: height.0.into(),
    })
}
