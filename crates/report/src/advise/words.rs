//! The answer in sentences.

use std::collections::BTreeSet;

use ciphermeter_core::{Algorithm, Operation, escaped};

use super::answer::Advice;
use super::choice::{Lead, Verdict, from, kind};
use super::flip::{AtSize, Flips};
use super::outcome::{Outcome, Standing};
use crate::figure::digits;
use crate::phrases::{listed, percent};
use crate::screen::{Compared, Point, Points};
use crate::text::size;

/// `1.35× (±0.8 %) as fast as …`; of a wide interval, `over 1.2× as fast as …`.
fn as_fast(lead: &Lead, what: &str) -> String {
    let (times, interval) = Compared::of(Some(lead.ratio)).figures();
    let interval = if interval.is_empty() { interval } else { format!(" ({interval})") };
    format!("{times} as fast{interval} as {what}")
}

impl Advice<'_> {
    /// What to use, how much faster, and how sure.
    pub(super) fn answer(&self, outcome: &Outcome) -> Vec<String> {
        let library = self.only_library();
        let named = |lead: &Lead| self.named(lead.algorithm, &lead.provider);
        match &outcome.verdict {
            _ if outcome.is_alone => vec![self.alone(outcome)],
            Verdict::Use { algorithm, also, lead } => {
                let from = match (library, outcome.providers.as_slice()) {
                    (Some(library), _) => format!(" ({})", versioned(outcome, library)),
                    (None, [only]) => format!(" from {}", escaped(only)),
                    (None, several) => {
                        let several: Vec<String> = several.iter().map(|name| escaped(name)).collect();
                        format!(" from {}, which cannot be told apart", several.join(" or "))
                    }
                };
                let lead = lead.as_ref().map(|lead| format!(" It is {}.", as_fast(lead, &named(lead))));
                let next = outcome.next_library.as_ref().filter(|_| library.is_none());
                let next =
                    next.map(|next| format!(" The next library, {}, {}.", escaped(&next.provider), slower(next)));
                let said = format!("Use {}{from}.", algorithm.title());
                let also: Vec<String> = also.iter().map(|algorithm| algorithm.title().to_owned()).collect();
                let also = (!also.is_empty()).then(|| format!(" {} may be as fast.", listed(&also)));
                let all: String = std::iter::once(said).chain(lead).chain(also).chain(next).collect();
                std::iter::once(all).chain(outcome.shorter.as_ref().map(|lead| shorter(lead, &named(lead)))).collect()
            }
            Verdict::Bound { algorithm, lead } => {
                let ahead = lead.as_ref().map(|lead| as_fast(lead, &named(lead))).unwrap_or_default();
                let (title, own) =
                    (self.question.program.map_or("the program", |program| program.title), algorithm.title());
                vec![format!(
                    "The measurements do not decide: {own} is {ahead}, but {title}'s own is slower than the one measured, so that is an \
                     upper bound."
                )]
            }
            Verdict::Level { among, at_most } => {
                let titles: Vec<String> = among.iter().map(|algorithm| algorithm.title().to_owned()).collect();
                let keep = self.overrated(among).unwrap_or_else(|| "keep what you have".into());
                let said = format!("{} are level here, within {}: {keep}.", listed(&titles), percent(*at_most));
                std::iter::once(said).chain(outcome.shorter.as_ref().map(|lead| shorter(lead, &named(lead)))).collect()
            }
            Verdict::BySize { .. } => {
                let said =
                    format!("It depends on the size: {}. Give yours with --mix to decide.", fastest_by_size(outcome));
                std::iter::once(said).chain(outcome.shorter.as_ref().map(|lead| shorter(lead, &named(lead)))).collect()
            }
            Verdict::Unknown { among, at_most } => {
                let titles: Vec<String> = among.iter().map(|algorithm| algorithm.title().to_owned()).collect();
                let most = match at_most {
                    // Such an interval spans anything.
                    Some(most) if *most < 1.0 => format!("; they differ by at most {}", percent(*most)),
                    _ => String::new(),
                };
                vec![format!("The measurements do not decide between {}{most}.", listed(&titles))]
            }
        }
    }
}

impl Advice<'_> {
    /// The one library that the program links.
    fn only_library(&self) -> Option<&'static str> {
        match self.question.program?.providers {
            [only] => Some(*only),
            _ => None,
        }
    }

    /// What level ciphers come to where the program's own one is slower than the one measured.
    fn overrated(&self, among: &BTreeSet<Algorithm>) -> Option<String> {
        let program = self.question.program?;
        let own = program.overrated.as_ref().map(|own| own.algorithm).filter(|own| among.contains(own))?;
        let others: Vec<String> =
            among.iter().filter(|other| **other != own).map(|other| other.title().to_owned()).collect();
        Some(format!("{} loses nothing, as {}'s own {} is slower", listed(&others), program.title, own.title()))
    }

    /// A cipher with its library, where there are several of them.
    fn named(&self, algorithm: Algorithm, provider: &str) -> String {
        if self.only_library().is_some() { algorithm.title().to_owned() } else { from(algorithm, provider) }
    }

    /// Where there is nothing to choose between.
    fn alone(&self, outcome: &Outcome) -> String {
        let Some(first) = outcome.standings.first() else { return "Nothing was measured for this.".into() };
        let only = from(first.algorithm, &first.provider);
        match self.wrong.is_empty() {
            true => format!("Only {only} was measured for this, so there is no choice between ciphers."),
            false => format!("Only {only} is left, so there is no choice between ciphers."),
        }
    }

    /// What there is in place of an answer where nothing can be compared.
    pub(super) fn no_figures(&self) -> &'static str {
        match self.is_all_wrong {
            true => "No answer: all output was wrong.",
            false => "No answer: the run has no figures for this.",
        }
    }

    /// The same answer in few words: `ChaCha20-Poly1305 from go, 9.59× as fast (±0.6 %) as AES-256-GCM from openssl`.
    pub(super) fn brief(&self, outcome: &Outcome) -> String {
        match (&outcome.verdict, outcome.providers.first()) {
            (Verdict::Use { algorithm, lead: Some(lead), .. }, Some(provider)) if !outcome.is_alone => {
                let named = |algorithm, provider| self.named(algorithm, provider);
                let ahead = as_fast(lead, &named(lead.algorithm, &lead.provider));
                format!("{}, {ahead}.", named(*algorithm, provider))
            }
            _ => self.answer(outcome).into_iter().next().unwrap_or_default(),
        }
    }
}

/// `takes 1.30× as long (±0.4 %)`, or `is level within 0.6 %`.
fn slower(lead: &Lead) -> String {
    match Compared::of(Some(lead.ratio)).figures() {
        (level, within) if level == "level" => format!("is {level} {within}"),
        (times, interval) if interval.is_empty() => format!("takes {times} as long"),
        (times, interval) => format!("takes {times} as long ({interval})"),
    }
}

fn shorter(lead: &Lead, name: &str) -> String {
    let (times, interval) = Compared::of(Some(lead.ratio)).figures();
    let interval = if interval.is_empty() { interval } else { format!(" ({interval})") };
    format!("{name} would be {times} as fast{interval}, with a key of {} bits.", lead.algorithm.key_bytes() * 8)
}

/// `openssl 3.0.19`.
fn versioned(outcome: &Outcome, provider: &str) -> String {
    let version = outcome.standings.iter().find(|one| one.provider == provider).map_or("", |one| &one.version);
    format!("{} {version}", escaped(provider)).trim_end().to_owned()
}

/// What a gigabyte costs with what is recommended, and with the best of the other kind.
pub(super) fn cost(outcome: &Outcome, is_mix: bool) -> Option<String> {
    let own = outcome.standings.first()?;
    let other = outcome.standings.iter().find(|one| kind(one.algorithm) != kind(own.algorithm));
    let beside = |of: &dyn Fn(&Standing) -> Option<String>| {
        let said = other.and_then(|one| Some(format!("; {} {}", one.algorithm.title(), of(one)?)));
        said.unwrap_or_default()
    };
    if is_mix || outcome.sizes.len() == 1 {
        let each = |one: &Standing| -> Option<Vec<(String, Operation)>> {
            one.costs.iter().map(|cost| Some((digits(cost.cpu_s_per_gb?), cost.operation))).collect()
        };
        let said: Vec<String> =
            each(own)?.into_iter().map(|(cost, operation)| format!("{cost} CPU-s to {operation}")).collect();
        let other = beside(&|one| Some(listed(&each(one)?.into_iter().map(|(cost, _)| cost).collect::<Vec<_>>())));
        return Some(format!("1 GB of these takes {}{other}.", listed(&said)));
    }
    let [small, large] = [outcome.sizes.first()?, outcome.sizes.last()?].map(|at| size(at.point.message));
    let ends = |one: &Standing| -> Option<[String; 2]> {
        let [small, large] = one.at_ends.each_ref().map(|costs| costs.first()?.cpu_s_per_gb.map(digits));
        Some([small?, large?])
    };
    let what = match own.at_ends[0].first()?.operation {
        Operation::Transfer => "Moving 1 GB takes, both ends together,",
        Operation::Open => "Opening 1 GB takes",
        _ => "Sealing 1 GB takes",
    };
    let [at_small, at_large] = ends(own)?;
    let other = beside(&|one| ends(one).map(|[small, large]| format!("{large} and {small}")));
    Some(format!("{what} {at_large} CPU-s at {large} and {at_small} at {small}{other}."))
}

/// At which sizes the answer is another.
pub(super) fn flips(outcome: &Outcome) -> Vec<String> {
    let points = Points(outcome.sizes.iter().map(|size| size.point).collect());
    let at = |sizes: &[&AtSize]| points.at(&sizes.iter().map(|size| size.point).collect::<Vec<Point>>());
    let [Some(first), Some(last)] = [points.0.first(), points.0.last()] else { return Vec::new() };
    if points.0.len() < 2 {
        return vec![format!("Whether another size flips it is not known: only {} was measured.", size(first.message))];
    }
    let Some(algorithm) = outcome.recommended() else { return undecided(outcome, &points) };
    let Flips { other, other_library, level, unknown } = Flips::of(&outcome.sizes, algorithm, &outcome.providers);
    let mut said = Vec::new();
    if !other.is_empty() {
        said.push(format!("It flips {}: {}", at(&other), fastest(&other)));
    }
    if !other_library.is_empty() {
        let names: BTreeSet<String> =
            other_library.iter().filter_map(|size| size.providers.first()).map(|one| escaped(one)).collect();
        let names = names.into_iter().collect::<Vec<_>>().join(" or ");
        let holds = if said.is_empty() { "it holds, though " } else { "" };
        said.push(format!("{holds}{names} is the faster library {}", at(&other_library)));
    }
    for (sizes, what) in [(level, "level"), (unknown, "not decided")] {
        if !sizes.is_empty() {
            said.push(format!("{what} {}", at(&sizes)));
        }
    }
    match said.is_empty() {
        true => vec![format!("It holds at every size measured, {} to {}.", size(first.message), size(last.message))],
        false => vec![capital(&said.join("; ")) + "."],
    }
}

pub(super) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().collect::<String>() + letters.as_str()).unwrap_or_default()
}

/// Which cipher is the fastest where: `ChaCha20-Poly1305 from openssl is 1.20× as fast`.
fn fastest(sizes: &[&AtSize]) -> String {
    let mut algorithms: Vec<Algorithm> =
        sizes.iter().filter_map(|size| size.fastest.as_ref()).map(|(algorithm, _)| *algorithm).collect();
    algorithms.dedup();
    let leads: Vec<f64> =
        sizes.iter().filter_map(|size| size.fastest.as_ref()?.1.as_ref()).map(|lead| lead.ratio.mid).collect();
    let provider = sizes.iter().filter_map(|size| size.providers.first()).next();
    let who = match (&algorithms[..], provider) {
        ([only], Some(provider)) => from(*only, provider),
        (several, _) => listed(&several.iter().map(|algorithm| algorithm.title().to_owned()).collect::<Vec<_>>()),
    };
    format!("{who} is {} as fast there", crate::screen::reach(leads.into_iter()))
}

/// What single sizes decide where all together do not.
fn undecided(outcome: &Outcome, points: &Points) -> Vec<String> {
    let those = |test: &dyn Fn(&AtSize) -> bool| {
        points.at(&outcome.sizes.iter().filter(|size| test(size)).map(|size| size.point).collect::<Vec<Point>>())
    };
    if matches!(outcome.verdict, Verdict::BySize { .. }) {
        let level = those(&|size| size.is_level);
        let unknown = those(&|size| size.fastest.is_none() && !size.is_level);
        let said: Vec<String> = [("level", level), ("not decided", unknown)]
            .into_iter()
            .filter(|(_, at)| !at.is_empty())
            .map(|(what, at)| format!("{what} {at}"))
            .collect();
        return (!said.is_empty()).then(|| capital(&said.join("; ")) + ".").into_iter().collect();
    }
    let by_algorithm = by_algorithm(outcome);
    let part =
        |(algorithm, at): &(Algorithm, Vec<Point>)| format!("{} is the fastest {}", algorithm.title(), points.at(at));
    let said: Vec<String> = by_algorithm.iter().map(part).collect();
    match said.is_empty() {
        true => Vec::new(),
        false => vec![format!("By size: {}.", said.join("; "))],
    }
}

/// The sizes at which each cipher surely is the fastest, that of the smallest size first.
fn by_algorithm(outcome: &Outcome) -> Vec<(Algorithm, Vec<Point>)> {
    let mut by_algorithm: Vec<(Algorithm, Vec<Point>)> = Vec::new();
    for size in &outcome.sizes {
        let Some((algorithm, _)) = size.fastest else { continue };
        match by_algorithm.iter_mut().find(|(known, _)| *known == algorithm) {
            Some((_, at)) => at.push(size.point),
            None => by_algorithm.push((algorithm, vec![size.point])),
        }
    }
    by_algorithm
}

/// `ChaCha20-Poly1305 up to 1370 B, AES-256-GCM from 4230 B`.
fn fastest_by_size(outcome: &Outcome) -> String {
    let points = Points(outcome.sizes.iter().map(|size| size.point).collect());
    let part = |(algorithm, at): (Algorithm, Vec<Point>)| {
        let place = match (&at[..], at.first(), at.last()) {
            (several, _, Some(last)) if several.len() > 1 && points.0.starts_with(several) => {
                format!("up to {}", size(last.message))
            }
            (several, Some(first), _) if several.len() > 1 && points.0.ends_with(several) => {
                format!("from {}", size(first.message))
            }
            _ => points.at(&at),
        };
        format!("{} {place}", algorithm.title())
    };
    by_algorithm(outcome).into_iter().map(part).collect::<Vec<_>>().join(", ")
}
