//! AES or ChaCha20, in sentences. They claim no size that has no comparison, and recommend no cipher from a library in which its output
//! was wrong or could not be read again.

use std::collections::BTreeSet;

use ciphermeter_core::escaped;
use ciphermeter_estimate::{Cipher, CipherPair, Comparison, Side};

use super::answer::PairAnswer;
use super::exceptions::{Condition, Exception};
use super::library::{Lack, Library, Row, Unfit};
use super::tally::Tally;
use crate::point::{Point, Points};
use crate::words::{Figures, few, listed, of_library, times, within};

/// So many libraries are named.
const NAMED: usize = 3;

/// At most so many sizes without a figure are named.
const NAMED_GAPS: usize = 2;

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
            sentences.extend(self.unfit_left_out());
            sentences.extend(self.unread());
        }
        if !first.has_tag() && !second.has_tag() && !self.pair().moves_files() {
            sentences.push("Neither has a tag: changed data goes unnoticed.".into());
        }
        if first.has_tag() != second.has_tag() {
            let (with, without) = if first.has_tag() { (first, second) } else { (second, first) };
            let (with, without) = (with.title(), without.title());
            sentences.push(format!("{without} has no tag, so changed data goes unnoticed; {with} notices it."));
        }
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
        reach(rows.filter_map(|row| row.comparison.reaches()))
    }

    /// How many comparisons are not won: `1 equal and 1 without a figure (openssl's AES-256-GCM failed at 64 B)`.
    fn rest(&self, tally: &Tally) -> String {
        let why = missing(self.libraries.iter(), self.pair());
        let without = format!("without a figure ({why})");
        let rest =
            [(tally.equal, "equal"), (tally.unknown, "without an answer yet"), (tally.missing, without.as_str())];
        let rest = rest.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
        listed(&rest.collect::<Vec<_>>())
    }

    fn one_of_them(&self, [faster, slower]: [Cipher; 2], wins: usize, tally: &Tally) -> String {
        let (faster_title, slower_title) = (faster.title(), slower.title());
        let (counted, left_out) = (self.libraries.len(), self.left_out.len());
        let own = escaped(&self.usual().provider);
        let without = || few(&names(&self.left_out), NAMED, "libraries");
        let (only, with) = match (counted, left_out) {
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
            let of = if self.unread().is_none() { String::new() } else { format!(" of {}", faster.operation) };
            let at = if self.usual().rows.len() == 1 { String::new() } else { format!(" at every size{of}") };
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
            match tally.recommended {
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
                "{} and {} are equal in {equal} of {} comparisons; no answer yet in {unknown}.",
                self.first.title(),
                self.second.title(),
                tally.all(),
            ),
            (0, 0, _) => format!("No answer: {}.", self.rest(tally)),
            (0, _, _) => format!("No answer yet: {}.", self.rest(tally)),
            _ => format!("Of {} comparisons, {}.", tally.all(), self.rest(tally)),
        }
    }

    /// What reading comes to beside protecting: nothing where it was not measured.
    pub fn reading_sentence(&self) -> Option<String> {
        let is_usual = |library: &&Library| library.provider == self.usual().provider;
        let reading = self.reading.iter().find(is_usual).filter(|library| !library.rows.is_empty())?;
        let [own, other] = [self.first.operation, self.pair().read().first.operation];
        if own == other || !self.is_answered() {
            return None;
        }
        let (before, after) = (&self.usual().rows, &reading.rows);
        let kind = |row: &Row| (row.point, std::mem::discriminant(&row.comparison));
        let same = before.len() == after.len() && before.iter().map(kind).eq(after.iter().map(kind));
        let far = before.iter().zip(after).filter_map(|(one, two)| {
            let (one, two) = (one.comparison.ratio()?.mid, two.comparison.ratio()?.mid);
            Some((one / two).max(two / one) - 1.0)
        });
        let far = far.fold(0.0, f64::max);
        let by = if self.libraries.len() > 1 { format!(" with {}", escaped(&reading.provider)) } else { String::new() };
        Some(match same && far < 0.15 {
            true if far > 0.0 => format!("{other}{by} gives the same answer as {own} (ratios {}).", within(far)),
            true => format!("{other}{by} gives the same answer as {own}."),
            false => format!("{other}{by}: {}.", reading.sentence(self.pair())),
        })
    }

    /// A sentence for each condition under which another cipher is faster somewhere.
    pub fn exception_sentences(&self) -> Vec<String> {
        let conditions = [
            (Condition::NewKey, "With a new key for each message"),
            (Condition::Contended, "With other work on the core"),
            (Condition::Mean, "By mean times, in which rare slow calls count"),
        ];
        let all: BTreeSet<Point> =
            self.libraries.iter().flat_map(|library| &library.rows).map(|row| row.point).collect();
        let points = Points(all.into_iter().collect());
        let sentence = |(condition, when): (Condition, &str)| {
            let of = |side: Side, cipher: Cipher| {
                let own = self.exceptions.iter().filter(|one| (one.condition, one.faster) == (condition, side));
                let places: Vec<String> = own.map(|exception| place(exception, &points)).collect();
                (!places.is_empty()).then(|| format!("{} is faster {}", cipher.title(), listed(&places)))
            };
            let both: Vec<String> =
                [of(Side::First, self.first), of(Side::Second, self.second)].into_iter().flatten().collect();
            (!both.is_empty()).then(|| format!("{when}, {}.", listed(&both)))
        };
        conditions.into_iter().filter_map(sentence).collect()
    }

    /// The ciphers of libraries that set the key up in every call, so that their figures hold for a new key each time.
    pub fn keyed_sentence(&self) -> Option<String> {
        let rows = |library: &Library| {
            let titles = library.rows.iter().flat_map(|row| row.figures.iter().zip([self.first, self.second]));
            let keyed = titles.filter(|(figure, _)| figure.sets_key_up);
            keyed.map(|(_, cipher)| of_library(cipher.algorithm, &library.provider)).collect::<Vec<_>>()
        };
        let named: BTreeSet<String> = self.libraries.iter().flat_map(rows).collect();
        let names: Vec<String> = named.into_iter().collect();
        let few = few(&names, NAMED, "ciphers of these libraries");
        (!names.is_empty()).then(|| format!("Each call of {few} sets up its key."))
    }

    /// Of transfers, which program is fastest; `None` where none has a figure.
    pub fn programs_sentence(&self) -> Option<String> {
        let points = Points(self.usual().rows.iter().map(|row| row.point).collect());
        let said: Vec<_> = self
            .programs
            .iter()
            .map(|programs| {
                let names: Vec<String> = programs.providers.iter().map(|name| escaped(name)).collect();
                format!("{} {}", names.join(" or "), points.at(&programs.at))
            })
            .collect();
        (!said.is_empty()).then(|| format!("Fastest program with {}: {}.", self.first.title(), listed(&said)))
    }

    /// Libraries that have too few forks for a figure, of both ciphers.
    pub fn unsettled_sentence(&self) -> Option<String> {
        let fastest = self.fastest.as_ref()?;
        let both = [self.first, self.second].into_iter().flat_map(|cipher| fastest.of_cipher(cipher.algorithm));
        let names: BTreeSet<String> =
            both.filter(|standing| !standing.is_settled).map(|standing| escaped(&standing.provider)).collect();
        let names: Vec<_> = names.into_iter().collect();
        let few = few(&names, 5, "libraries");
        (!names.is_empty()).then(|| format!("Too few undisturbed forks for some figures of {few}."))
    }
}

impl Library {
    /// Where each is faster, where they are equal, and where there is no answer: `AES-256-GCM is faster at every size (1.21× to 2.10×)`.
    pub fn sentence(&self, pair: CipherPair) -> String {
        sentence(&[self], pair)
    }

    /// What each size came to, without its figures.
    fn course(&self) -> Vec<(Point, Option<std::mem::Discriminant<Comparison>>)> {
        let known = self.rows.iter().map(|row| (row.point, Some(std::mem::discriminant(&row.comparison))));
        known.chain(self.gaps.iter().map(|gap| (gap.point, None))).collect()
    }

    /// What has no figure, and why: `openssl's AES-256-GCM failed at 64 B`.
    fn missing(&self, pair: CipherPair) -> Vec<String> {
        let points = self.points();
        let sorts: [(&str, &[Lack]); 4] = [
            ("gave wrong output", &[Lack::WrongOutput]),
            ("failed", &[Lack::Failed]),
            ("was not measured", &[Lack::Unsupported, Lack::LeftOut]),
            ("has no samples", &[Lack::NoSamples]),
        ];
        let each = pair.both().into_iter().enumerate().flat_map(|each| sorts.map(|sort| (each, sort)));
        let said = each.filter_map(|((place, cipher), (what, lacks))| {
            let gaps = self.gaps.iter().filter(|gap| gap.why[place].is_some_and(|why| lacks.contains(&why)));
            let at: Vec<Point> = gaps.map(|gap| gap.point).collect();
            (!at.is_empty())
                .then(|| format!("{} {what} {}", of_library(cipher.algorithm, &self.provider), points.at(&at)))
        });
        said.collect()
    }
}

fn names<'l>(libraries: impl IntoIterator<Item = &'l Library>) -> Vec<String> {
    libraries.into_iter().map(|library| escaped(&library.provider)).collect()
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

/// `with openssl and ring at 1 MiB (1.09×)`
fn place(exception: &Exception, points: &Points) -> String {
    let names: Vec<String> = exception.providers.iter().map(|provider| escaped(provider)).collect();
    let with = few(&names, NAMED, "libraries");
    format!("with {with} {} ({})", points.at(&exception.at), reach([exception.ratios.into()].into_iter()))
}

/// Of libraries that agree, the ratios reaching from the least to the most.
fn sentence(alike: &[&Library], pair: CipherPair) -> String {
    let Some(any) = alike.first() else { return String::new() };
    let points = any.points();
    let rows: Vec<(Point, Comparison)> =
        alike.iter().flat_map(|library| &library.rows).map(|row| (row.point, row.comparison)).collect();
    let those = |test: fn(&Comparison) -> bool| {
        let some: Vec<_> = rows.iter().filter(|(_, comparison)| test(comparison)).collect();
        let at: BTreeSet<Point> = some.iter().map(|(point, _)| *point).collect();
        let ratios = some.iter().filter_map(|(_, comparison)| comparison.reaches());
        (!some.is_empty()).then(|| (at.into_iter().collect::<Vec<_>>(), reach(ratios)))
    };
    let mut parts = Vec::new();
    let faster = [
        (pair.first, those(|comparison| matches!(comparison, Comparison::First(_)))),
        (pair.second, those(|comparison| matches!(comparison, Comparison::Second(_)))),
    ];
    for (cipher, (at, reach)) in faster.into_iter().filter_map(|(cipher, those)| Some((cipher, those?))) {
        parts.push(format!("{} is faster {} ({reach})", cipher.title(), points.at(&at)));
    }
    if let Some((at, _)) = those(|comparison| matches!(comparison, Comparison::Equal(_))) {
        parts.push(format!("they are equal {}", points.at(&at)));
    }
    if let Some((at, _)) = those(|comparison| matches!(comparison, Comparison::Unknown(_))) {
        parts.push(format!("there is no answer yet {}", points.at_any(&at)));
    }
    let gaps: Vec<Point> = any.gaps.iter().map(|gap| gap.point).collect();
    if !gaps.is_empty() {
        parts.push(format!("there is no figure {}", points.at_any(&gaps)));
    }
    listed(&parts)
}

/// What has no figure, and why; of many the first.
fn missing<'l>(libraries: impl Iterator<Item = &'l Library>, pair: CipherPair) -> String {
    let mut said: Vec<String> = libraries.flat_map(|library| library.missing(pair)).collect();
    if said.len() > NAMED_GAPS {
        let more = format!("{} more", said.len() + 1 - NAMED_GAPS);
        said.truncate(NAMED_GAPS - 1);
        said.push(more);
    }
    listed(&said)
}

/// From the least to the most: `1.21× to 2.10×`.
pub fn reach(ratios: impl Iterator<Item = (f64, f64)>) -> String {
    let wider = |(least, most): (f64, f64), (low, high): (f64, f64)| (least.min(low), most.max(high));
    let (least, most) = ratios.fold((f64::INFINITY, 0.0_f64), wider);
    match (times(least), times(most)) {
        (least, most) if least == most => least,
        (least, most) => format!("{least} to {most}"),
    }
}
