//! Who accepts an offer: a person at the terminal, or nobody under `--yes`.

use std::io::{self, BufRead};
use std::net::SocketAddr;

use ciphermeter_core::quoted;
use ciphermeter_transfer::{Error, Offer, Person, Question};

use super::question::{Screen, every_name, summary};
use crate::output;

/// How to decide.
pub struct Asking {
    /// Without a person: a first offer is accepted, a wider one is not.
    pub yes: bool,
    /// Then also with hidden names at its top.
    pub hidden: bool,
    /// No notes.
    pub quiet: bool,
}

impl Person for Asking {
    fn accepts(&self, question: &Question<'_>) -> Result<(), Error> {
        match self.yes {
            true => self.accepts_alone(question),
            false => ask(question),
        }
    }

    fn lost(&self, error: &Error) {
        self.note(&format!("{error}; waiting for the sender to come back"));
    }

    fn turned_away(&self, outdated: SocketAddr) {
        self.note(&format!(
            "turned away a sender at {} that speaks an older version of the transfer format: install the same version of ciphermeter \
             there; the ticket stays valid",
            outdated.ip()
        ));
    }
}

impl Asking {
    fn accepts_alone(&self, question: &Question<'_>) -> Result<(), Error> {
        if let Some(beyond) = &question.beyond {
            return Err(Error::NotAccepted(format!(
                "{beyond}: more than was accepted needs a person at the receiver, who is asked by `ciphermeter recv --resume` without --yes"
            )));
        }
        let hidden: Vec<&str> = question.offer.tops().into_iter().filter(|top| top.starts_with('.')).collect();
        if let (Some(first), false) = (hidden.first(), self.hidden) {
            let others = match hidden.len() - 1 {
                0 => String::new(),
                others => format!(" and {others} more"),
            };
            return Err(Error::NotAccepted(format!(
                "{}{others} at the top of the offer is hidden, and recv --yes refuses such names: receive with --hidden, or without --yes",
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

/// Asks until there is an answer; the end of the input is a no.
fn ask(question: &Question<'_>) -> Result<(), Error> {
    let screen = screen();
    eprint!("{}", summary(question, true, screen));
    loop {
        eprint!("Receive all of it? [y/N, l lists every name] ");
        match answer().as_deref() {
            Some("y" | "Y" | "yes") => return Ok(()),
            Some("l" | "L" | "list") => list(question.offer, screen),
            _ => return Err(Error::Declined),
        }
    }
}

/// Every name, a screen at a time.
fn list(offer: &Offer, screen: Screen) {
    let mut lines = every_name(offer, screen.width).peekable();
    loop {
        for line in lines.by_ref().take(screen.height.saturating_sub(1).max(1)) {
            eprint!("{line}");
        }
        if lines.peek().is_none() {
            return;
        }
        eprint!("-- Enter shows more, q stops: ");
        if answer().is_none_or(|answer| answer.starts_with(['q', 'Q'])) {
            return;
        }
    }
}

/// A line of the person's; `None` at the end of the input.
fn answer() -> Option<String> {
    let mut answer = String::new();
    match io::stdin().lock().read_line(&mut answer) {
        Ok(1..) => Some(answer.trim().into()),
        _ => {
            eprintln!();
            None
        }
    }
}

/// That of standard error, where the question stands.
fn screen() -> Screen {
    let size = terminal_size::terminal_size_of(io::stderr());
    size.map_or(Screen { width: 80, height: 24 }, |(width, height)| Screen {
        width: width.0.into(),
        height: height.0.into(),
    })
}
