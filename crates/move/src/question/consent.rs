//! The one decision on an offer, whichever way it comes: by ticket, from another machine that was asked for files, or from
//! this user's own sender on one.
//!
//! Promises: without a question, nothing is accepted that the user did not ask for, and nothing goes into a folder that is
//! there.

use std::io::{self, IsTerminal};
use std::path::Path;

use anyhow::{Result, bail};
use ciphermeter_core::quoted;
use ciphermeter_transfer::{Excludes, Existing, FailedFile, Question, Report};

use crate::options::RecvOptions;

const UNKNOWN: &str = "this path names no file, so what would arrive is unknown, and there is no terminal to ask: add --yes, or name a file or folder";

pub struct Consent {
    pub from: Offerer,
    /// `--yes`: a first offer is accepted without a question, one that goes beyond it is not.
    pub yes: bool,
    /// Whether there is a terminal to ask at.
    pub terminal: bool,
    /// With `yes`, also accepts hidden names at its top.
    pub hidden: bool,
    /// What becomes of files whose names are taken; `None`: it is asked, or without a question the offer is refused.
    pub existing: Option<Existing>,
    /// Whether names may go into folders that are there.
    pub fills: bool,
    /// Names that are left out of every offer.
    pub excludes: Excludes,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Offerer {
    /// The owner of the ticket.
    Ticket,
    /// Another machine, which was asked for these names, or for what only it knows.
    Machine(Option<Vec<String>>),
    /// This user, on another machine.
    Oneself,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is accepted without a question. Taken names are not: unless it is said what becomes of them, the offer is refused.
    Accept,
    /// The same, without what goes beyond the offer that was accepted before.
    AcceptWithin,
    /// The user is asked, after this remark.
    Ask(Option<String>),
    Refuse(String),
}

impl Consent {
    /// By options of `recv`, for what a ticket's owner offers. Refuses to wait for an offer that
    /// nobody can be asked about.
    pub fn of(options: &RecvOptions) -> Result<Self> {
        let terminal = io::stdin().is_terminal();
        if !options.yes && !terminal && (options.is_pipe() || options.from.is_empty()) {
            bail!("cannot ask for confirmation without a terminal: use --yes to accept without asking");
        }
        Ok(Self {
            from: Offerer::Ticket,
            yes: options.yes,
            terminal,
            hidden: options.hidden,
            existing: options.existing,
            fills: options.no_folder || options.existing.is_some_and(|existing| existing != Existing::Refuse),
            excludes: Excludes::new(&options.exclude)?,
        })
    }

    /// Decides on an offer without what is excluded.
    pub fn on(&self, question: &Question<'_>) -> Verdict {
        let asks = self.terminal && !self.yes;
        if let Some(other) = self.stranger(question) {
            let why = format!("{} was not asked for, and the other end offers it", quoted(other));
            return if asks { Verdict::Ask(Some(why)) } else { Verdict::Refuse(why) };
        }
        match (&self.from, question.excess.is_empty()) {
            (Offerer::Oneself, true) => Verdict::Accept,
            (Offerer::Oneself, false) => Verdict::AcceptWithin,
            _ if asks && !self.is_settled(question) => {
                let is_decided = self.existing == Some(Existing::Refuse) && self.refuses_taken(question);
                if is_decided { Verdict::Accept } else { Verdict::Ask(None) }
            }
            (_, false) => Verdict::AcceptWithin,
            (Offerer::Machine(Some(_)), true) => Verdict::Accept,
            (Offerer::Machine(None), true) if !self.yes => Verdict::Refuse(UNKNOWN.into()),
            (Offerer::Ticket | Offerer::Machine(None), true) => {
                self.hidden_at_top(question).map_or(Verdict::Accept, Verdict::Refuse)
            }
        }
    }

    /// Whether names are taken, and what was said of such names is nothing, or to refuse them: then the transfer does, with
    /// the remedy.
    pub fn refuses_taken(&self, question: &Question<'_>) -> bool {
        let files = !question.existing.is_empty() && matches!(self.existing, None | Some(Existing::Refuse));
        files || !question.taken_folders.is_empty() && !self.fills
    }

    /// A name at the top of an offer that was not asked for, if others were.
    fn stranger<'a>(&self, question: &Question<'a>) -> Option<&'a str> {
        let Offerer::Machine(Some(names)) = &self.from else { return None };
        question.offer.tops().into_iter().find(|top| !names.iter().any(|name| name == top))
    }

    /// What failed, with the names that were asked for and never offered.
    pub fn lacking(&self, report: &Report) -> Vec<FailedFile> {
        let names = match &self.from {
            Offerer::Machine(Some(names)) => &names[..],
            _ => &[],
        };
        let is_lacking = |name: &&String| !report.tops.contains(*name) && !self.excludes.covers(Path::new(name));
        let why = || "the other end did not offer it".to_owned();
        let missing = |name: &String| FailedFile { name: name.clone(), why: why(), is_told: false };
        let lacking = names.iter().filter(is_lacking).map(missing);
        report.failed.iter().cloned().chain(lacking).collect()
    }

    /// Whether nothing is left to ask: the user named what comes, and said what becomes of names that are taken.
    fn is_settled(&self, question: &Question<'_>) -> bool {
        let is_named = matches!(self.from, Offerer::Machine(Some(_)));
        let files = question.existing.is_empty() || self.existing.is_some();
        is_named && question.excess.is_empty() && files && (question.taken_folders.is_empty() || self.fills)
    }

    /// Why `--yes` does not cover an offer. What goes to a pipe gets no name.
    fn hidden_at_top(&self, question: &Question<'_>) -> Option<String> {
        let mut hidden = question.offer.tops().into_iter().filter(|top| top.starts_with('.'));
        let first = hidden.next().filter(|_| !self.hidden && !question.is_pipe)?;
        let others = match hidden.count() {
            0 => String::new(),
            others => format!(" and {others} more"),
        };
        Some(format!(
            "{}{others} at the top of the offer is hidden, and recv --yes refuses such names; receive with --hidden, or without --yes",
            quoted(first)
        ))
    }
}

#[cfg(test)]
mod tests {
    use ciphermeter_transfer::{Disk, Excess, ExcessKind, Name, Offer};

    use super::*;

    fn consent(from: Offerer, terminal: bool) -> Consent {
        let excludes = Excludes::default();
        Consent { from, yes: false, terminal, hidden: false, existing: None, fills: false, excludes }
    }

    fn offer(tops: &[&str]) -> Offer {
        let folder = |name: &&str| (Name::parse(name).unwrap(), 0o755);
        Offer { folders: tops.iter().map(folder).collect(), ..Offer::default() }
    }

    fn question(offer: &Offer) -> Question<'_> {
        Question {
            offer,
            into: None,
            is_pipe: false,
            is_new_folder: false,
            is_resumed: false,
            excess: Vec::new(),
            existing: Vec::new(),
            taken_folders: Vec::new(),
            disk: Disk::default(),
            lacks_room: false,
        }
    }

    fn named() -> Offerer {
        Offerer::Machine(Some(vec!["photos".into(), ".ssh".into()]))
    }

    fn refuses(verdict: &Verdict, words: &str) -> bool {
        matches!(verdict, Verdict::Refuse(why) if why.contains(words))
    }

    #[test]
    fn names_that_were_asked_for_need_no_question() {
        let offer = offer(&["photos", ".ssh"]);
        for terminal in [true, false] {
            assert_eq!(consent(named(), terminal).on(&question(&offer)), Verdict::Accept);
        }
        let other = self::offer(&["photos", "bin"]);
        assert!(matches!(consent(named(), true).on(&question(&other)), Verdict::Ask(Some(_))));
        assert!(refuses(&consent(named(), false).on(&question(&other)), "bin was not asked for"));
        let yes = Consent { yes: true, hidden: true, ..consent(named(), true) };
        assert!(refuses(&yes.on(&question(&other)), "bin was not asked for"));
    }

    #[test]
    fn taken_names_need_a_question_or_an_option() {
        let offer = offer(&["photos"]);
        let file = Question { existing: vec![0], ..question(&offer) };
        let folder = Question { taken_folders: vec!["photos".into()], ..question(&offer) };
        for taken in [&file, &folder] {
            assert_eq!(consent(named(), true).on(taken), Verdict::Ask(None));
            // The transfer refuses it.
            assert_eq!(consent(named(), false).on(taken), Verdict::Accept);
            let refusing = Consent { existing: Some(Existing::Refuse), ..consent(named(), true) };
            assert_eq!(refusing.on(taken), Verdict::Accept, "it asks nothing, and the transfer refuses it");
            assert!(refusing.refuses_taken(taken) && consent(named(), false).refuses_taken(taken));
            let told = Consent { existing: Some(Existing::Skip), fills: true, ..consent(named(), true) };
            assert_eq!(told.on(taken), Verdict::Accept);
            assert!(!told.refuses_taken(taken));
        }
    }

    #[test]
    fn what_only_the_other_machine_knows_is_asked_about() {
        let (plain, hidden) = (offer(&["me"]), offer(&[".ssh"]));
        let unknown = |terminal| consent(Offerer::Machine(None), terminal);
        assert_eq!(unknown(true).on(&question(&plain)), Verdict::Ask(None));
        assert!(refuses(&unknown(false).on(&question(&plain)), "add --yes"));
        let yes = Consent { yes: true, ..unknown(true) };
        assert_eq!(yes.on(&question(&plain)), Verdict::Accept);
        assert!(refuses(&yes.on(&question(&hidden)), "--hidden"));
    }

    #[test]
    fn offer_of_a_ticket_is_asked_about_unless_the_user_says_yes() {
        let (plain, hidden) = (offer(&["me"]), offer(&[".ssh"]));
        assert_eq!(consent(Offerer::Ticket, true).on(&question(&plain)), Verdict::Ask(None));
        let yes = Consent { yes: true, ..consent(Offerer::Ticket, true) };
        assert_eq!(yes.on(&question(&plain)), Verdict::Accept);
        assert!(refuses(&yes.on(&question(&hidden)), "--hidden"));
        assert_eq!(yes.on(&Question { is_pipe: true, ..question(&hidden) }), Verdict::Accept);
    }

    #[test]
    fn only_a_person_accepts_what_a_later_offer_adds() {
        let offer = offer(&["photos"]);
        let excess = vec![Excess { name: Name::parse("photos").unwrap(), kind: ExcessKind::New }];
        let wider = Question { excess, ..question(&offer) };
        for from in [Offerer::Ticket, named(), Offerer::Machine(None)] {
            assert_eq!(consent(from.clone(), true).on(&wider), Verdict::Ask(None));
            assert_eq!(consent(from.clone(), false).on(&wider), Verdict::AcceptWithin);
            assert_eq!(Consent { yes: true, ..consent(from, true) }.on(&wider), Verdict::AcceptWithin);
        }
        assert_eq!(consent(Offerer::Oneself, false).on(&wider), Verdict::AcceptWithin);
        assert_eq!(consent(Offerer::Oneself, false).on(&question(&offer)), Verdict::Accept);
    }
}
