//! AES or ChaCha20, in sentences. They claim no size that has no verdict, and recommend no cipher from a library in which its output was
//! wrong or could not be read again.

use ciphermeter_core::escaped;
use ciphermeter_estimate::{Cipher, CipherPair, Side};

use super::contest::{Contest, Unfit, missing, reach, sentence};
use super::versus::{Tally, Versus};
use ciphermeter_answer::words::Figures;
use ciphermeter_answer::words::listed;

/// So many libraries are named.
const NAMED: usize = 3;

/// What to use, in a sentence, and what it rests on in others.
pub(super) fn answer(versus: &Versus) -> Vec<String> {
    let CipherPair { first, second, .. } = versus.pair;
    let tally = versus.tally();
    let mut sentences = match (tally.first, tally.second) {
        _ if !versus.is_fit => none_fit(versus, &tally),
        // The table knows more than all libraries together.
        _ if !tally.is_mostly_known() && versus.own_tally().is_mostly_known() => {
            let own = versus.contest();
            vec![format!("With {}, {}.", escaped(own.provider), own.sentence(versus.pair))]
        }
        (0, 0) => vec![neither(versus, &tally)],
        (faster, 0) => vec![one_of_them(versus, [first, second], faster, &tally)],
        (0, faster) => vec![one_of_them(versus, [second, first], faster, &tally)],
        _ => by_library(versus),
    };
    if versus.is_fit {
        sentences.extend(left_out(versus));
        sentences.extend(unread(versus));
    }
    if !first.has_tag() && !second.has_tag() && !versus.pair.moves_files() {
        sentences.push("Neither has a tag: changed data goes unnoticed.".into());
    }
    if first.has_tag() != second.has_tag() {
        let (with, without) = if first.has_tag() { (first, second) } else { (second, first) };
        let (with, without) = (with.title(), without.title());
        sentences.push(format!("{without} has no tag: it does not notice changed data, as {with} does."));
    }
    sentences
}

/// `open`
fn read(versus: &Versus) -> String {
    versus.pair.read().first.operation.to_string()
}

/// What of reading has no figure, of the libraries that count; why, unless it is all of many, which a line below says.
fn unread(versus: &Versus) -> Option<String> {
    let is_counted = |provider| versus.contests.iter().any(|contest| contest.provider == provider);
    let counted: Vec<_> = versus.reading.iter().filter(|contest| is_counted(contest.provider)).collect();
    let read = read(versus);
    let missing = missing(counted.iter().copied(), versus.pair.read());
    match () {
        () if read == versus.pair.first.operation.to_string() || missing.is_empty() => None,
        () if counted.len() > NAMED && counted.iter().all(|contest| contest.rows.is_empty()) => {
            Some(format!("No figure of {read}."))
        }
        () => Some(format!("No figure of {read}: {missing}.")),
    }
}

fn names(contests: &[&Contest]) -> String {
    listed(&contests.iter().map(|contest| escaped(contest.provider)).collect::<Vec<_>>())
}

/// Which ciphers are not to be recommended from which libraries: `AES-256-GCM gave wrong output with openssl and ring`.
fn unfit(contests: &[Contest], pair: CipherPair) -> String {
    let whys = [(Unfit::Wrong, "gave wrong output"), (Unfit::Unreadable, "could not be read again")];
    let each = [pair.first, pair.second].into_iter().flat_map(|cipher| whys.map(|why| (cipher, why)));
    let said = each.filter_map(|(cipher, (why, what))| {
        let those: Vec<_> = contests.iter().filter(|contest| contest.unfit(cipher, pair) == Some(why)).collect();
        let with = match those.len() {
            0 => return None,
            1..=NAMED => names(&those),
            more => format!("{more} libraries"),
        };
        Some(format!("{} {what} with {with}", cipher.title()))
    });
    listed(&said.collect::<Vec<_>>())
}

fn left_out(versus: &Versus) -> Option<String> {
    let said = unfit(&versus.left_out, versus.pair);
    (!said.is_empty()).then(|| format!("Left out: {said}."))
}

/// Where no library has a faster cipher that may be recommended.
fn none_fit(versus: &Versus, tally: &Tally) -> Vec<String> {
    let why = format!("No answer: {}.", unfit(&versus.contests, versus.pair));
    let ahead = match (tally.first, tally.second) {
        (1.., 0) => versus.pair.first,
        (0, 1..) => versus.pair.second,
        _ => return vec![why],
    };
    vec![why, format!("Where both have a figure, {} is faster, {}.", ahead.title(), ratios(versus))]
}

/// `1.99× to 2.01×`
fn ratios(versus: &Versus) -> String {
    let verdicts = versus.contests.iter().flat_map(|contest| contest.verdicts(versus.comparisons()));
    reach(verdicts.filter_map(|(_, verdict)| verdict.said()))
}

/// How many comparisons are not won: `1 equal and 1 without a figure (openssl's AES-256-GCM failed at 64 B)`.
fn rest(versus: &Versus, tally: &Tally) -> String {
    let why = missing(versus.contests.iter(), versus.pair);
    let without = format!("without a figure ({why})");
    let rest = [(tally.equal, "equal"), (tally.unknown, "without an answer yet"), (tally.missing, without.as_str())];
    let rest = rest.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
    listed(&rest.collect::<Vec<_>>())
}

fn one_of_them(versus: &Versus, [faster, slower]: [Cipher; 2], wins: usize, tally: &Tally) -> String {
    let (faster_title, slower_title) = (faster.title(), slower.title());
    let (counted, left_out) = (versus.contests.len(), versus.left_out.len());
    let own = escaped(versus.contest().provider);
    let without = || match versus.left_out.iter().collect::<Vec<_>>() {
        some if some.len() <= NAMED => names(&some),
        many => format!("{} libraries", many.len()),
    };
    let (only, with) = match (counted, left_out) {
        (1, 1..) if versus.winner().is_some() => (format!(" with {own}"), String::new()),
        (1, _) => (String::new(), format!(" with {own}")),
        (2, 0) => (String::new(), " in both libraries".into()),
        (all, 0) => (String::new(), format!(" in all {all} libraries")),
        (others, _) => (format!(", but not with {}", without()), format!(" in the other {others} libraries")),
    };
    let begin = match versus.winner() {
        Some(_) => format!("Use {faster_title}{only}. It is faster than {slower_title}"),
        None => format!("{faster_title} is faster than {slower_title}"),
    };
    let all = tally.all();
    if wins == all {
        // What was read has sizes without a figure.
        let of = if unread(versus).is_none() { String::new() } else { format!(" of {}", faster.operation) };
        let at = if versus.contest().rows.len() == 1 { String::new() } else { format!(" at every size{of}") };
        return format!("{begin}{with}{at}: {}.", ratios(versus));
    }
    let (rest, none) = (rest(versus, tally), tally.unknown + tally.missing);
    match versus.is_answered() {
        true if 2 * tally.equal > all => format!(
            "{} and {} are equal in {} of {all} comparisons. {faster_title} is faster in {wins}, {}{}.",
            versus.pair.first.title(),
            versus.pair.second.title(),
            tally.equal,
            ratios(versus),
            if none > 0 { format!("; {none} without an answer") } else { String::new() },
        ),
        true => format!("{begin} in {wins} of {all} comparisons, {}; {rest}.", ratios(versus)),
        false if tally.equal == 0 && tally.missing == 0 => format!(
            "No answer yet: {faster_title} is faster than {slower_title} in {} an answer, but {none} of {all} have none \
             yet.",
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

/// For libraries that differ: which cipher in which, the table's library first.
fn by_library(versus: &Versus) -> Vec<String> {
    let CipherPair { first, second, .. } = versus.pair;
    let [mut firsts, mut seconds, mut mixed]: [Vec<&Contest>; 3] = Default::default();
    let own = versus.contest();
    let others = versus.contests.iter().filter(|contest| contest.provider != own.provider);
    for contest in std::iter::once(own).chain(others) {
        let tally = Tally::of([contest], versus.comparisons());
        match tally.recommended {
            Some(Side::First) => firsts.push(contest),
            Some(Side::Second) => seconds.push(contest),
            None if tally.first + tally.second == 0 => {}
            None => mixed.push(contest),
        }
    }
    let mut alike: Vec<Vec<&Contest>> = Vec::new();
    for contest in &mixed {
        match alike.iter_mut().find(|known| known[0].agrees(contest, versus.comparisons())) {
            Some(known) => known.push(contest),
            None => alike.push(vec![contest]),
        }
    }
    let whole = [(first, firsts), (second, seconds)].into_iter().filter(|(_, contests)| !contests.is_empty());
    let whole: Vec<_> = whole.map(|(cipher, contests)| (cipher.title(), names(&contests))).collect();
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
            1..=NAMED => names(same),
            all if all == versus.contests.len() => format!("all {all} libraries"),
            some => format!("{some} libraries ({}, …)", escaped(same[0].provider)),
        };
        sentences.push(format!("With {with}, {}.", sentence(same, versus.pair, versus.comparisons())));
    }
    if alike.len() > most {
        sentences.push(format!("With {}, it depends on the size, too.", names(&alike[most..].concat())));
    }
    // Sentences by size name them already.
    let is_said = |provider| alike.iter().take(most).flatten().any(|contest| contest.provider == provider);
    let unsaid = versus.contests.iter().filter(|contest| !is_said(contest.provider));
    let missing = missing(unsaid, versus.pair);
    sentences.extend((!missing.is_empty()).then(|| format!("Without a figure: {missing}.")));
    sentences
}

fn neither(versus: &Versus, tally: &Tally) -> String {
    match (tally.equal, tally.unknown, tally.missing) {
        (_, 0, 0) => format!("{} and {} are equal here.", versus.pair.first.title(), versus.pair.second.title()),
        (0, _, 0) => "No answer yet.".into(),
        (equal, unknown, 0) => format!("Equal in {equal} comparisons, and no answer yet in {unknown}."),
        (0, 0, _) => format!("No answer: {}.", rest(versus, tally)),
        (0, _, _) => format!("No answer yet: {}.", rest(versus, tally)),
        _ => format!("Of {} comparisons, {}.", tally.all(), rest(versus, tally)),
    }
}
