//! The user of this end, who decides on offers: by options, or asked at the terminal.

use std::net::SocketAddr;

use ciphermeter_core::quoted;
use ciphermeter_terminal::output::{say, screen, wrapped};
use ciphermeter_transfer::{Decision, Error, Existing, Name, Question, User};

use super::consent::{Consent, Offerer, Verdict};
use super::overview::overview;
use super::prompt::ask;
use super::selection::Selection;
use super::state::{accept, is_ending, while_asking};
use crate::options::unmatched;
use crate::progress::say_above;
use crate::words::size;

pub struct TerminalUser {
    pub consent: Consent,
    pub quiet: bool,
}

impl User for TerminalUser {
    fn accepts(&self, question: &Question<'_>) -> Result<Decision, Error> {
        let consent = &self.consent;
        let selection = Selection::new(question, consent.existing, &consent.excludes);
        unmatched(&consent.excludes).for_each(|text| self.note(&text));
        let decision = match consent.on(&selection.question()) {
            Verdict::Refuse(why) => return Err(Error::NotAccepted(why)),
            Verdict::Accept => {
                if !self.quiet && !question.is_resumed && !consent.refuses_taken(&selection.question()) {
                    say(&overview(&selection.question(), false, screen()));
                }
                selection.decision(Existing::Refuse, consent.fills)
            }
            Verdict::AcceptWithin => selection.decision_within(consent.fills),
            Verdict::Ask(remark) => {
                remark.iter().for_each(|remark| warn(remark));
                while_asking(|| ask(selection))?
            }
        };
        accept();
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

    fn restarted(&self, name: &Name, here: u64) {
        let name = quoted(name.as_str());
        self.note(&format!("{name} has changed since {} of it came: it begins anew", size(here)));
    }

    fn refused_outdated(&self, outdated: SocketAddr) {
        self.note(&format!(
            "refused a sender at {} that speaks an older version of the transfer format; install the same version of ciphermeter \
             there; the ticket stays valid",
            outdated.ip()
        ));
    }
}

impl TerminalUser {
    /// A remark besides the result.
    fn note(&self, text: &str) {
        if !self.quiet {
            warn(text);
        }
    }
}

/// A remark that the user needs for a question.
fn warn(text: &str) {
    say_above(&wrapped(text, screen().width));
}
