//! AES or ChaCha20, in sentences. They recommend no cipher from a library in which its output was wrong or could not be read again.

use ciphermeter_core::escaped;
use ciphermeter_estimate::{Cipher, CipherPair, Side};

use super::answer::PairAnswer;
use super::by_size::{NAMED, missing, names, sentence, undecided};
use super::library::{Library, Unfit};
use super::tally::Tally;
use crate::point::Point;
use crate::unlike;
use crate::words::{few, listed, reach, span};

impl PairAnswer {
    /// What to use, in a sentence, and what it rests on in others.
    pub fn sentences(&self) -> Vec<String> {
        let (first, second) = (self.first, self.second);
        let tally = self.tally();
        let mut sentences = match (tally.first, tally.second) {
            _ if !self.is_fit => self.none_fit(&tally),
            // Of the library in the table more is known than of all together.
            _ if !tally.is_mostly_known() && Tally::of([self.usual()]).is_mostly_known() => {
                let own = self.usual();
                vec![format!("With {}, {}.", escaped(&own.provider), own.sentence(self.pair()))]
            }
            (0, 0) => vec![self.neither(&tally)],
            (faster, 0) => vec![self.one_of_them([first, second], faster, &tally)],
            (0, faster) => vec![self.one_of_them([second, first], faster, &tally)],
            _ => self.by_library(),
        };
        if self.is_fit {
            sentences.extend(self.caveat.clone());
            sentences.extend(self.unfit_left_out());
            sentences.extend(self.unread());
            sentences.extend(self.alone());
        }
        sentences.extend(unlike::tags([first.algorithm, second.algorithm]));
        sentences
    }

    /// What of reading has no figure, of the libraries that count; why, unless it is all of many, which a line below says.
    fn unread(&self) -> Option<String> {
        let is_counted = |provider: &String| self.libraries.iter().any(|library| library.provider == *provider);
        let counted: Vec<_> = self.reading.iter().filter(|library| is_counted(&library.provider)).collect();
        let read = self.pair().read();
        let missing = missing(counted.iter().copied(), read);
        let read = read.first.operation;
        match () {
            () if read == self.first.operation || missing.is_empty() => None,
            () if counted.len() > NAMED && counted.iter().all(|library| library.rows.is_empty()) => {
                Some(format!("No cell of {read} has a figure."))
            }
            () => Some(format!("No figure of {read}: {missing}.")),
        }
    }

    /// The sizes of the usual library that were measured of one cipher alone.
    fn alone(&self) -> Option<String> {
        let points = self.usual().points();
        let said = [(self.first, self.second), (self.second, self.first)].into_iter().zip(&self.usual().alone);
        let said = said.filter_map(|((cipher, other), alone)| {
            // Why the other has none of these is said of all libraries.
            let may = |point: &&Point| other.algorithm.refuses_to(other.operation, point.message).is_none();
            let at: Vec<Point> = alone.iter().filter(may).copied().collect();
            (!at.is_empty()).then(|| format!("{} {}", cipher.title(), points.at(&at)))
        });
        let said: Vec<String> = said.collect();
        (!said.is_empty()).then(|| format!("Measured alone: {}.", listed(&said)))
    }

    fn unfit_left_out(&self) -> Option<String> {
        let said = unfit(&self.left_out, self.pair());
        (!said.is_empty()).then(|| format!("Left out: {said}."))
    }

    /// Where no library has a faster cipher that may be recommended.
    fn none_fit(&self, tally: &Tally) -> Vec<String> {
        let why = format!("No answer: {}.", unfit(&self.libraries, self.pair()));
        let ahead = match (tally.first, tally.second) {
            (1.., 0) => self.first,
            (0, 1..) => self.second,
            _ => return vec![why],
        };
        vec![why, format!("Where both have a figure, {} is faster, {}.", ahead.title(), self.ratios())]
    }

    /// `1.99× to 2.01×`
    fn ratios(&self) -> String {
        let rows = self.libraries.iter().flat_map(|library| &library.rows);
        span(reach(rows.filter_map(|row| row.comparison.ratio())))
    }

    /// How many comparisons are not won: `1 equal and 1 without a figure (openssl's AES-256-GCM failed at 64 B)`.
    fn rest(&self, tally: &Tally) -> String {
        let why = missing(self.libraries.iter(), self.pair());
        let without = format!("without a figure ({why})");
        let open = format!("without an answer yet ({})", undecided(&self.libraries));
        let rest = [(tally.equal, "equal"), (tally.unknown, open.as_str()), (tally.missing, without.as_str())];
        let rest = rest.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
        listed(&rest.collect::<Vec<_>>())
    }

    fn one_of_them(&self, [faster, slower]: [Cipher; 2], wins: usize, tally: &Tally) -> String {
        let (faster_title, slower_title) = (faster.title(), slower.title());
        let (counted, left_out) = (self.libraries.len(), self.left_out.len());
        let own = escaped(&self.usual().provider);
        let without = || few(&names(&self.left_out), NAMED, "libraries");
        let (only, with) = match (counted, left_out) {
            (1, _) if self.pair().is_of_sectors() && !self.pair().moves_files() => {
                (String::new(), format!(", each by its fastest library ({own})"))
            }
            (1, 1..) if self.recommended.is_some() => (format!(" with {own}"), String::new()),
            (1, _) => (String::new(), format!(" with {own}")),
            (2, 0) => (String::new(), " in both libraries".into()),
            (all, 0) => (String::new(), format!(" in all {all} libraries")),
            (others, _) => (format!(", but not with {}", without()), format!(" in the other {others} libraries")),
        };
        let begin = match self.recommended {
            Some(_) => format!("Use {faster_title}{only}. It is faster than {slower_title}"),
            None => format!("{faster_title} is faster than {slower_title}"),
        };
        let all = tally.all();
        if wins == all {
            // What was read has sizes without a figure.
            let rows: Vec<Point> = self.usual().rows.iter().map(|row| row.point).collect();
            let at = match self.usual().points().at(&rows) {
                _ if rows.len() == 1 => String::new(),
                at if self.unread().is_none() => format!(" {at}"),
                at => format!(" {at} of {}", faster.operation),
            };
            return format!("{begin}{with}{at}: {}.", self.ratios());
        }
        let (rest, none) = (self.rest(tally), tally.unknown + tally.missing);
        match self.is_answered() {
            true if 2 * tally.equal > all => format!(
                "{} and {} are equal in {} of {all} comparisons. {faster_title} is faster in {wins}, {}{}.",
                self.first.title(),
                self.second.title(),
                tally.equal,
                self.ratios(),
                if none > 0 { format!("; {none} without an answer") } else { String::new() },
            ),
            true => format!("{begin} in {wins} of {all} comparisons, {}; {rest}.", self.ratios()),
            false if tally.equal == 0 && tally.missing == 0 => format!(
                "No answer yet: {faster_title} is faster than {slower_title} in {} an answer, but {none} of {all} have \
                 none yet.",
                match wins {
                    1 => "the only comparison that has".to_string(),
                    wins => format!("all {wins} comparisons that have"),
                }
            ),
            false => {
                let yet = if tally.unknown > 0 { " yet" } else { "" };
                format!("No answer{yet}: {begin} in {wins} of {all} comparisons, {rest}.")
            }
        }
    }

    /// For libraries that differ: which cipher in which, the usual library first.
    fn by_library(&self) -> Vec<String> {
        let [mut firsts, mut seconds, mut mixed]: [Vec<&Library>; 3] = Default::default();
        let own = self.usual();
        let others = self.libraries.iter().filter(|library| library.provider != own.provider);
        for library in std::iter::once(own).chain(others) {
            let tally = Tally::of([library]);
            // Of sectors, a lead within the bound recommends nothing.
            match tally.recommended.filter(|_| self.recommended.is_some() || !self.pair().is_of_sectors()) {
                Some(Side::First) => firsts.push(library),
                Some(Side::Second) => seconds.push(library),
                None if tally.first + tally.second == 0 => {}
                None => mixed.push(library),
            }
        }
        let mut alike: Vec<Vec<&Library>> = Vec::new();
        for library in &mixed {
            match alike.iter_mut().find(|known| known[0].course() == library.course()) {
                Some(known) => known.push(library),
                None => alike.push(vec![library]),
            }
        }
        let whole = [(self.first, firsts), (self.second, seconds)].into_iter().filter(|(_, own)| !own.is_empty());
        let whole: Vec<_> = whole.map(|(cipher, own)| (cipher.title(), listed(&names(own)))).collect();
        let mut sentences = vec![match (whole.as_slice(), alike.len()) {
            ([], 1) => "It depends on the size.".to_string(),
            ([], _) => "It depends on the library and the size.".to_string(),
            (whole, 0) => format!(
                "Use {}.",
                listed(&whole.iter().map(|(title, with)| format!("{title} with {with}")).collect::<Vec<_>>())
            ),
            // Other libraries follow, each with its answer.
            (whole, _) => {
                whole.iter().map(|(title, with)| format!("With {with}, use {title}.")).collect::<Vec<_>>().join(" ")
            }
        }];
        let most = 2;
        for same in alike.iter().take(most) {
            let with = match same.len() {
                1..=NAMED => listed(&names(same.iter().copied())),
                all if all == self.libraries.len() => format!("all {all} libraries"),
                some => format!("{some} libraries ({}, …)", escaped(&same[0].provider)),
            };
            sentences.push(format!("With {with}, {}.", sentence(same, self.pair())));
        }
        if alike.len() > most {
            sentences.push(format!("With {}, it depends on the size, too.", listed(&names(alike[most..].concat()))));
        }
        // Sentences by size name them already.
        let is_said = |library: &Library| alike.iter().take(most).flatten().any(|own| own.provider == library.provider);
        let missing = missing(self.libraries.iter().filter(|library| !is_said(library)), self.pair());
        sentences.extend((!missing.is_empty()).then(|| format!("Without a figure: {missing}.")));
        sentences
    }

    fn neither(&self, tally: &Tally) -> String {
        match (tally.equal, tally.unknown, tally.missing) {
            (_, 0, 0) => format!("{} and {} are equal here.", self.first.title(), self.second.title()),
            (0, _, 0) => "No answer yet.".into(),
            (equal, unknown, 0) => format!(
                "{} and {} are equal in {equal} of {} comparisons; no answer yet in {unknown} ({}).",
                self.first.title(),
                self.second.title(),
                tally.all(),
                undecided(&self.libraries),
            ),
            (0, 0, _) => format!("No answer: {}.", self.rest(tally)),
            (0, _, _) => format!("No answer yet: {}.", self.rest(tally)),
            _ => format!("Of {} comparisons, {}.", tally.all(), self.rest(tally)),
        }
    }
}

/// Which ciphers are not to be recommended from which libraries: `AES-256-GCM gave wrong output with openssl and ring`.
fn unfit(libraries: &[Library], pair: CipherPair) -> String {
    let whys = [(Unfit::WrongOutput, "gave wrong output"), (Unfit::Unreadable, "could not be read again")];
    let each = pair.both().into_iter().enumerate().flat_map(|cipher| whys.map(|why| (cipher, why)));
    let said = each.filter_map(|((place, cipher), (why, what))| {
        let those = names(libraries.iter().filter(|library| library.unfit[place] == Some(why)));
        let with = few(&those, NAMED, "libraries");
        (!those.is_empty()).then(|| format!("{} {what} with {with}", cipher.title()))
    });
    listed(&said.collect::<Vec<_>>())
}
