//! The answer in sentences.

use std::collections::BTreeSet;

use ciphermeter_core::{Algorithm, Operation, escaped};
use ciphermeter_estimate::Comparison;

use super::by_part::{fastest_by_operation, fastest_by_size, leading};
use super::choice::{Margin, Verdict, from, times};
use super::cost::{cores, dearest};
use super::entries::Wrong;
use super::outcome::{Outcome, Shorter, Standing};
use super::question::{Question, is_candidate};
use super::reach::Reach;
use crate::basis::no_other_cipher;
use crate::words::{Figures, digits, doing, listed, percent, size, titles, within};

impl Question<'_> {
    /// What to use, how much faster, and how sure; `wrong` are the ciphers of its run that gave wrong output.
    pub(super) fn sentences(&self, outcome: &Outcome, wrong: &[Wrong]) -> Vec<String> {
        if outcome.is_alone {
            let others = self.without_others(outcome).filter(|_| wrong.is_empty());
            let alone = others.unwrap_or_else(|| alone(outcome, wrong));
            return std::iter::once(alone).chain(self.shorter_sentence(outcome)).collect();
        }
        let first = match &outcome.verdict {
            Verdict::Use { algorithm, also, lead } => self.one_cipher(outcome, *algorithm, also, lead.as_ref()),
            Verdict::Bound { algorithm, lead } => {
                let ahead = lead.as_ref().map(|lead| self.ahead(lead, outcome)).unwrap_or_default();
                let program = self.program.map_or("the program", |program| &program.title);
                let why = outcome.caveat().unwrap_or_else(|| {
                    format!("{program}'s own is slower than the one measured, so that lead is an upper bound")
                });
                let title = algorithm.title();
                format!("The measurements do not decide: {title} is {ahead}, but {why}.")
            }
            Verdict::Equal { among, at_most } => {
                let keep = self.overrated(among).unwrap_or_else(|| "keep what you have".into());
                format!("{} are equal here, {}: {keep}.", titles(among), within(*at_most))
            }
            Verdict::ByOperation { .. } => format!(
                "It depends on what is done: {}. Choose by what this machine does more.",
                fastest_by_operation(outcome)
            ),
            Verdict::BySize { .. } => {
                format!("It depends on the size: {}. Give yours with --mix to decide.", fastest_by_size(outcome))
            }
            Verdict::Unknown { among, at_most } => {
                let most = match at_most {
                    // Such an interval spans anything.
                    Some(most) if *most < 1.0 => format!("; they differ by at most {}", percent(*most)),
                    _ => String::new(),
                };
                format!("The measurements do not decide between {}{most}.", titles(among))
            }
        };
        let first = match &outcome.without[..] {
            [] => first,
            [operation, ..] => format!("No answer: {} is not compared. Without it: {first}", doing(*operation)),
        };
        let second = match &outcome.verdict {
            Verdict::Bound { .. } => None,
            Verdict::Unknown { .. } => leading(outcome),
            _ => self.shorter_sentence(outcome),
        };
        std::iter::once(first).chain(second).collect()
    }

    fn shorter_sentence(&self, outcome: &Outcome) -> Option<String> {
        let one = outcome.shorter.as_ref()?;
        shorter(one, &self.named(one.margin.algorithm, &one.margin.provider))
    }

    /// The same answer in few words: `ChaCha20-Poly1305 from go, 9.59× as fast (±0.6 %) as AES-256-GCM from openssl`.
    pub(super) fn brief(&self, outcome: &Outcome, wrong: &[Wrong]) -> String {
        match (&outcome.verdict, outcome.providers.first()) {
            (Verdict::Use { algorithm, lead: Some(lead), .. }, Some(provider)) if outcome.is_answered() => {
                format!("{}, {}.", self.named(*algorithm, provider), self.ahead(lead, outcome))
            }
            _ => self.sentences(outcome, wrong).into_iter().next().unwrap_or_default(),
        }
    }

    fn one_cipher(
        &self,
        outcome: &Outcome,
        algorithm: Algorithm,
        also: &BTreeSet<Algorithm>,
        lead: Option<&Margin>,
    ) -> String {
        let library = self.only_library();
        let stands_in = self.program.is_some_and(|program| program.stand_in.is_some() && program.providers.is_empty());
        let from = match (library, outcome.providers.as_slice()) {
            (Some(library), _) => format!(" ({})", versioned(outcome, library)),
            // None of them is what the program calls.
            (None, several) if stands_in => {
                format!(" (measured: {})", listed(&several.iter().map(|name| escaped(name)).collect::<Vec<_>>()))
            }
            (None, [only]) => format!(" from {}", escaped(only)),
            (None, several) => {
                let several: Vec<String> = several.iter().map(|name| escaped(name)).collect();
                format!(" from {}, which cannot be told apart", several.join(" or "))
            }
        };
        let has_choice = library.is_none() && !stands_in;
        let rest = [
            lead.map(|lead| {
                self.at_least(lead, outcome).unwrap_or_else(|| format!(" It is {}.", self.ahead(lead, outcome)))
            }),
            outcome.within.as_ref().filter(|_| has_choice).and_then(within_library),
            (!also.is_empty()).then(|| format!(" {} may be as fast.", titles(also))),
            outcome.next_library.as_ref().filter(|_| has_choice).map(behind),
            uncompared(outcome),
        ];
        format!("Use {}{from}.{}", algorithm.title(), rest.into_iter().flatten().collect::<String>())
    }

    /// The same of a lead over a cipher that runs in a faster form: what holds whatever that is.
    fn at_least(&self, lead: &Margin, outcome: &Outcome) -> Option<String> {
        let even_if = outcome.caveat()?;
        Some(format!(
            " It is faster than {} {even_if}. As libraries have them, it is {}.",
            lead.algorithm.title(),
            self.ahead(lead, outcome)
        ))
    }

    /// Where the run lacks the program's other ciphers, so that nothing is decided.
    fn without_others(&self, outcome: &Outcome) -> Option<String> {
        let first = outcome.contenders.first()?;
        let is_missing = |own: &&Algorithm| is_candidate(**own) && !own.is_alike(first.algorithm);
        let missing = self.program?.algorithms.iter().filter(is_missing);
        Some(format!("No answer: {}.", no_other_cipher(first.algorithm, missing)?))
    }

    /// How far it is ahead of what is named. A mean over sizes of which no one said how many there are stands behind their range.
    fn ahead(&self, margin: &Margin, outcome: &Outcome) -> String {
        let reach = outcome.reach.as_ref();
        let what = self.named(margin.algorithm, &margin.provider);
        let Some((times, interval)) = times(margin.ratio) else {
            let comparison = Comparison::of(Some(margin.ratio));
            return match comparison {
                Comparison::Equal(_) => format!("as fast as {what}, {}", comparison.figures().1),
                _ => format!("faster than {what}, by how much is not known yet"),
            };
        };
        match (reach.and_then(Reach::said), self.mix) {
            (None, _) => format!("{times} as fast{interval} as {what}"),
            (Some(reach), Some(_)) => format!("{times} as fast{interval} as {what} ({reach} by size)"),
            // Of this library alone: at that size another one has the cipher ahead.
            (Some(said), None) if reach.is_some_and(|reach| reach.lowest.ratio.mid < 1.0) => {
                let slower = reach.map_or(0, |reach| reach.lowest.point.message);
                format!(
                    "{times} as fast{interval} as {what} if all sizes weigh the same, but slower at {}: {said}",
                    size(slower)
                )
            }
            (Some(reach), None) => {
                let (interval, together) = (interval.replace(['(', ')'], ""), together(outcome));
                format!("{reach} as fast as {what}{together}, by size ({times}{interval} if all sizes weigh the same)")
            }
        }
    }

    /// The one library that the program links.
    fn only_library(&self) -> Option<&str> {
        match &self.program?.providers[..] {
            [only] => Some(only),
            _ => None,
        }
    }

    /// What equal ciphers come to where the program's own one is slower than the one measured.
    fn overrated(&self, among: &BTreeSet<Algorithm>) -> Option<String> {
        let program = self.program?;
        let own = program.overrated.as_ref().map(|own| own.algorithm).filter(|own| among.contains(own))?;
        let others = titles(among.iter().filter(|other| **other != own));
        Some(format!("{others} loses nothing, as {}'s own {} is slower", program.title, own.title()))
    }

    /// A cipher with its library, where there are several of them.
    fn named(&self, algorithm: Algorithm, provider: &str) -> String {
        if self.only_library().is_some() { algorithm.title().to_owned() } else { from(algorithm, provider) }
    }
}

/// Costs and other screens are of one operation: ` at sealing and opening together`.
fn together(outcome: &Outcome) -> String {
    let all: Vec<String> = outcome.operations.iter().map(|one| doing(one.operation).to_owned()).collect();
    if all.is_empty() { String::new() } else { format!(" at {} together", listed(&all)) }
}

/// Where there is nothing to choose between.
fn alone(outcome: &Outcome, wrong: &[Wrong]) -> String {
    let Some(first) = outcome.contenders.first() else { return "Nothing was measured for this.".into() };
    let providers: Vec<String> = outcome.contenders.iter().map(|one| escaped(&one.provider)).collect();
    let only = format!("{} from {}", first.algorithm.title(), listed(&providers));
    match wrong.is_empty() {
        true if outcome.shorter.is_some() => format!("Of what was measured, only {only} has a key of 256 bits."),
        true => format!("Only {only} was measured for this, so there is no choice between ciphers."),
        false => format!("Only {only} is left, so there is no choice between ciphers."),
    }
}

/// What may be faster, as it has too few forks: ` Not compared, for lack of forks: ChaCha20-Poly1305 from aws-lc.`
fn uncompared(outcome: &Outcome) -> Option<String> {
    let unplaced = outcome.contenders.iter().filter(|one| one.ratio.is_none());
    let names: Vec<String> = unplaced.map(|one| from(one.algorithm, &one.provider)).collect();
    (!names.is_empty()).then(|| format!(" Not compared, for lack of forks: {}.", listed(&names)))
}

/// How the next library compares: ` The next library, go, takes 1.30× as long (±0.4 %).`
fn behind(next: &Margin) -> String {
    let name = escaped(&next.provider);
    let comparison = Comparison::of(Some(next.ratio));
    match (times(next.ratio), comparison) {
        (Some((times, interval)), _) => format!(" The next library, {name}, takes {times} as long{interval}."),
        (None, Comparison::Equal(_)) => format!(" The next library, {name}, is equal {}.", comparison.figures().1),
        _ => format!(" How far behind {name} is, is not known yet."),
    }
}

/// A program that links one library can choose only there.
fn within_library(margin: &Margin) -> Option<String> {
    let (times, interval) = times(margin.ratio)?;
    Some(format!(" Within {}: {times}{interval}.", escaped(&margin.provider)))
}

fn shorter(Shorter { margin, key_bits }: &Shorter, name: &str) -> Option<String> {
    let (times, interval) = times(margin.ratio)?;
    Some(format!("{name} would be {times} as fast{interval}, with a key of {key_bits} bits."))
}

/// `openssl 3.0.19`.
fn versioned(outcome: &Outcome, provider: &str) -> String {
    let version = outcome.contenders.iter().find(|one| one.provider == provider).map_or("", |one| &one.version);
    format!("{} {version}", escaped(provider)).trim_end().to_owned()
}

/// Whether the choice is worth it, by the costs of the largest and of the smallest messages: `10 Gbit/s of AES-256-GCM keeps 0.29 to 4.0
/// cores busy.`
fn busy(algorithm: Algorithm, large: f64, small: f64) -> String {
    let [large, small] = [large, small].map(|cpu_s_per_gb| digits(cores(cpu_s_per_gb, 10.0)));
    let range = if large == small { large } else { format!("{large} to {small}") };
    format!("10 Gbit/s of {} keeps {range} cores busy.", algorithm.title())
}

impl Outcome {
    /// What a gigabyte costs with what is recommended, and with the best of the other kind.
    pub fn cost(&self, is_mix: bool) -> Option<String> {
        // Figures without an interval say nothing of what is not decided.
        if matches!(self.verdict, Verdict::Unknown { .. }) {
            return None;
        }
        let own = self.contenders.first()?;
        let is_other = |one: &&Standing| one.ratio.is_some() && !one.algorithm.is_alike(own.algorithm);
        let other = self.contenders.iter().find(is_other);
        let beside = |of: &dyn Fn(&Standing) -> Option<String>| {
            let said = other.and_then(|one| Some(format!("; {} {}", one.algorithm.title(), of(one)?)));
            said.unwrap_or_default()
        };
        if is_mix || self.sizes.len() == 1 {
            let each = |one: &Standing| -> Option<Vec<(String, Operation)>> {
                one.costs.iter().map(|cost| Some((cost.said()?, cost.operation))).collect()
            };
            let said: Vec<String> =
                each(own)?.into_iter().map(|(cost, operation)| format!("{cost} CPU-s to {operation}")).collect();
            if said.is_empty() {
                return None;
            }
            let other = beside(&|one| Some(listed(&each(one)?.into_iter().map(|(cost, _)| cost).collect::<Vec<_>>())));
            return Some(format!(
                "1 GB of these takes {}{other}. {}",
                listed(&said),
                busy(own.algorithm, dearest(&own.costs), dearest(&own.costs))
            ));
        }
        let [small, large] = [self.sizes.first()?, self.sizes.last()?].map(|at| size(at.point.message));
        let ends = |one: &Standing| -> Option<[String; 2]> {
            let [small, large] = one.at_ends.each_ref().map(|costs| costs.first()?.said());
            Some([small?, large?])
        };
        let what = match own.at_ends[0].first()?.operation {
            Operation::Transfer => "Moving 1 GB takes, both ends together,",
            Operation::Open => "Opening 1 GB takes",
            _ => "Sealing 1 GB takes",
        };
        let [at_small, at_large] = ends(own)?;
        let other = beside(&|one| ends(one).map(|[small, large]| format!("{large} and {small}")));
        let [small_s, large_s] = own.at_ends.each_ref().map(|costs| costs.first()?.cpu_s_per_gb);
        let busy = busy(own.algorithm, large_s?, small_s?);
        Some(format!("{what} {at_large} CPU-s at {large} and {at_small} at {small}{other}. {busy}"))
    }
}

#[cfg(test)]
mod tests {
    use ciphermeter_estimate::Ratio;

    use super::*;

    #[test]
    fn sentence_without_its_figure_is_left_out_or_says_so() {
        let of = |mid, range| Margin {
            algorithm: Algorithm::Aes128Gcm,
            provider: "go".into(),
            ratio: Ratio::new(mid, range),
        };
        let (unknown, sure) = (of(1.5, Some((0.5, 4.5))), of(1.5, Some((1.49, 1.51))));
        assert_eq!(behind(&unknown), " How far behind go is, is not known yet.");
        assert_eq!(behind(&sure), " The next library, go, takes 1.50× as long (±0.7 %).");
        assert_eq!(behind(&of(1.0, Some((0.995, 1.005)))), " The next library, go, is equal within 0.5 %.");
        let of_128_bits = Shorter { margin: unknown.clone(), key_bits: 128 };
        assert_eq!((within_library(&unknown), shorter(&of_128_bits, "AES-128-GCM")), (None, None));
        assert_eq!(within_library(&sure).as_deref(), Some(" Within go: 1.50× (±0.7 %)."));
    }
}
