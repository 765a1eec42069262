//! One cipher for many machines: which one serves all, by what each of them says.

use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_core::{Algorithm, escaped};
use ciphermeter_estimate::Thresholds;
use serde::Serialize;

pub use choice::Choice;

use crate::words::{first_of, listed, percent};

mod choice;

/// Characters of a machine's name.
const MOST_OF_NAME: usize = 100;
/// What a machine's name has to be.
pub const MACHINE_NAME: &str = "a machine's name has 1 to 100 printable characters";

/// A machine's name, as it is stored; `None` where it is none.
pub fn machine_name(name: &str) -> Option<&str> {
    let name = name.trim();
    let is_odd = matches!(name, "" | "." | "..") || name.chars().count() > MOST_OF_NAME || name != escaped(name);
    (!is_odd).then_some(name)
}

/// A machine's name and what it says; `None` where it says nothing of ciphers.
pub type Machine = (String, Option<Choice>);

/// The newest run of a machine of one [`Choice::kind`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compared {
    /// The machine's name.
    pub machine: String,
    /// The kind.
    pub kind: String,
    /// When it began, RFC 3339, UTC.
    pub started: String,
}

/// The kind that most machines have, in any of their runs; of several that as many have, that of a run as `ciphermeter run` makes it, else that
/// of the newest run.
pub fn usual(runs: &[Compared]) -> Option<&str> {
    let mut kinds: BTreeMap<&str, (BTreeSet<&str>, &str)> = BTreeMap::new();
    for run in runs {
        let (machines, newest) = kinds.entry(&run.kind).or_default();
        machines.insert(&run.machine);
        *newest = (*newest).max(&run.started);
    }
    let [aes, other] = Algorithm::USUAL;
    let unasked = format!("{aes} {other} seal, 16 KiB message");
    let rank = |(kind, (machines, newest)): &(&str, (BTreeSet<&str>, &str))| {
        (machines.len(), *kind == unasked, newest.to_string(), kind.to_string())
    };
    kinds.into_iter().max_by_key(rank).map(|(kind, _)| kind)
}

/// Which cipher serves all machines.
#[derive(Debug, Clone, Serialize)]
pub struct FleetAnswer {
    /// The two ciphers of the machines that were counted.
    #[serde(skip)]
    pub ciphers: Option<[Algorithm; 2]>,
    /// The cipher with which the slowest machine is fastest; `None` where that is not known.
    pub serves_all: Option<Algorithm>,
    /// Machines that are faster with the other cipher.
    pub wrong_on: Vec<String>,
    /// Machines that were not counted: without a comparison, or with one of other ciphers or under other conditions.
    pub not_counted: Vec<String>,
    /// The same in sentences, the first of them what to do.
    pub sentences: Vec<String>,
}

impl FleetAnswer {
    /// What columns of rates are called: the usual ciphers in short, others by their names: `AES, GB/s`.
    pub fn columns(&self) -> [String; 2] {
        let names = match self.ciphers {
            Some(ciphers) if ciphers != Algorithm::USUAL => ciphers.map(Algorithm::title),
            _ => Algorithm::USUAL.map(|cipher| cipher.kind().title()),
        };
        names.map(|cipher| format!("{cipher}, GB/s"))
    }

    /// The name of a cipher, if it is not the one of such a column.
    pub fn named(&self, column: usize, cipher: Algorithm) -> Option<&'static str> {
        (self.ciphers.map(|ciphers| ciphers[column]) != Some(cipher)).then(|| cipher.title())
    }
}

/// Machines that a sentence names.
pub const NAMED: usize = 8;

/// How much each machine encrypts, in any unit; one without a weight counts 1.
pub type Weights = BTreeMap<String, f64>;

/// The slowest machine of a kind decides, by its own comparison. Where one machine is slowest with one cipher and another with the other, their
/// rates decide, if they are further apart than what is called equal everywhere.
pub fn for_all(machines: &[Machine], kind: Option<&str>) -> FleetAnswer {
    of_counted(machines, kind, |counted| {
        let slowest = slowest(counted, 0).zip(slowest(counted, 1))?;
        Some(decided(counted, [slowest.0, slowest.1], machines.len()))
    })
}

/// The time decides that all machines of a kind together take for what each of them encrypts. A machine that does not know which cipher is faster
/// counts as equally fast with both.
pub fn by_weight(machines: &[Machine], kind: Option<&str>, weights: &Weights) -> FleetAnswer {
    of_counted(machines, kind, |counted| (!counted.is_empty()).then(|| weighed(counted, weights)))
}

fn of_counted(
    machines: &[Machine],
    kind: Option<&str>,
    decide: impl Fn(&[(&String, &Choice)]) -> Option<FleetAnswer>,
) -> FleetAnswer {
    let is_of_kind = |choice: &Choice| Some(choice.kind().as_str()) == kind;
    let (counted, others): (Vec<_>, Vec<_>) =
        machines.iter().partition(|(_, choice)| choice.as_ref().is_some_and(is_of_kind));
    let counted: Vec<(&String, &Choice)> =
        counted.into_iter().filter_map(|(name, choice)| Some((name, choice.as_ref()?))).collect();
    let not_counted: Vec<String> = others.iter().map(|(name, _)| name.clone()).collect();
    let Some(mut answer) = decide(&counted) else {
        let said =
            "No machine has a run yet that compares AES with ChaCha20, on all instructions and without --against.";
        let sentences = vec![said.into()];
        return FleetAnswer { ciphers: None, serves_all: None, wrong_on: Vec::new(), not_counted, sentences };
    };
    answer.sentences.extend(counted.first().and_then(|(_, choice)| why_not(&others, choice)));
    FleetAnswer { not_counted, ..answer }
}

/// Which machines were not counted, with what they compare, and what they lack beside those that were.
fn why_not(others: &[&Machine], counted: &Choice) -> Option<String> {
    let mut named: Vec<(String, Vec<String>)> = Vec::new();
    for (name, choice) in others {
        let compares = match choice {
            None => String::new(),
            Some(own) if own.ciphers == counted.ciphers => format!(" ({})", own.conditions),
            Some(own) => format!(" ({})", own.ciphers.map(Algorithm::title).join(" and ")),
        };
        match named.iter_mut().find(|(known, _)| *known == compares) {
            Some((_, names)) => names.push(name.clone()),
            None => named.push((compares, vec![name.clone()])),
        }
    }
    let named: Vec<String> =
        named.iter().map(|(compares, names)| format!("{}{compares}", first_of(names.clone(), NAMED))).collect();
    let [aes, other] = counted.ciphers.map(Algorithm::title);
    (!named.is_empty()).then(|| {
        format!(
            "Not counted: {}. No run of theirs compares {aes} with {other} under the same conditions ({}), on all instructions and \
             without --against.",
            listed(&named),
            counted.conditions
        )
    })
}

fn slowest<'a>(machines: &[(&'a String, &'a Choice)], cipher: usize) -> Option<(&'a String, &'a Choice)> {
    machines.iter().copied().min_by(|(_, a), (_, b)| a.gb_per_s[cipher].total_cmp(&b.gb_per_s[cipher]))
}

/// Of so many machines, those that count, and the slowest of them with each cipher.
fn decided(machines: &[(&String, &Choice)], slowest: [(&String, &Choice); 2], all: usize) -> FleetAnswer {
    let rates = [slowest[0].1.gb_per_s[0], slowest[1].1.gb_per_s[1]];
    let ahead = usize::from(rates[1] > rates[0]);
    // Where the other cipher is slowest, the better one must be the faster by that machine's own comparison.
    let (deciding, choice) = slowest[1 - ahead];
    let (best, other) = (choice.ciphers[ahead], choice.ciphers[1 - ahead]);
    let with = |cipher: usize| {
        let (name, choice) = slowest[cipher];
        let by = choice.libraries.as_ref().map(|by| format!(", {}", by[cipher])).unwrap_or_default();
        format!("{:.2} GB/s with {} ({name}{by})", rates[cipher], choice.ciphers[cipher].title())
    };
    let which = match machines.len() {
        1 if all == 1 => "this machine".into(),
        1 => "the only machine counted".into(),
        own if own == all => format!("the slowest of {own} machines"),
        own => format!("the slowest of the {own} machines counted"),
    };
    let figures = format!("{which} does {} and {}, {}", with(ahead), with(1 - ahead), choice.measured());
    let open = if slowest[0].0 == slowest[1].0 { None } else { across(machines, rates) };
    let is_decided = open.is_none() && choice.recommended == Some(best);
    let first = match (choice.recommended, &choice.caveat) {
        _ if is_decided => format!("Use {}: {figures}.", best.title()),
        _ if let Some(why) = open => format!("Not known: {figures}. {why}"),
        (Some(_), _) => {
            format!("Not known: {figures}, but all sizes and libraries of {deciding} recommend {}.", other.title())
        }
        (None, Some(why)) => format!("Not known: {figures}. {why}"),
        (None, None) => format!("Not known: {figures}, and {deciding} does not know which of the two is faster."),
    };
    said(machines, is_decided.then_some((best, other)), first)
}

/// Why figures to which several machines contribute decide nothing.
fn across(machines: &[(&String, &Choice)], figures: [f64; 2]) -> Option<String> {
    let [low, high] = [figures[0].min(figures[1]), figures[0].max(figures[1])];
    let is_apart = high / low > 1.0 + Thresholds::EQUAL;
    let [first, second] = machines[0].1.ciphers;
    let has = |cipher| machines.iter().any(|(_, choice)| choice.recommended == Some(cipher));
    match () {
        () if !is_apart => Some(format!("Figures within {} of each other are equal.", percent(Thresholds::EQUAL))),
        // By how much a kernel's own code is faster is known of no machine.
        () if first.is_of_sectors() && has(first) && has(second) => {
            Some(format!("Machines differ, and kernels have a faster {} than the one measured.", second.title()))
        }
        () => None,
    }
}

fn weighed(machines: &[(&String, &Choice)], weights: &Weights) -> FleetAnswer {
    let ciphers = machines[0].1.ciphers;
    let given = |name: &String| weights.get(name).copied().unwrap_or(1.0);
    // Sums of the largest numbers have no end.
    let largest = machines.iter().map(|(name, _)| given(name)).fold(0.0, f64::max);
    let weight = |name: &String| given(name) / largest;
    let time = |cipher: usize| -> f64 {
        let of = |(name, choice): &(&String, &Choice)| {
            let times = choice.gb_per_s.map(|rate| weight(name) / rate);
            if choice.recommended.is_some() { times[cipher] } else { times[0].min(times[1]) }
        };
        machines.iter().map(of).sum::<f64>() / machines.iter().map(|(name, _)| weight(name)).sum::<f64>()
    };
    let times = [time(0), time(1)];
    let ahead = usize::from(times[1] < times[0]);
    let (best, other) = (ciphers[ahead], ciphers[1 - ahead]);
    let each = |cipher: usize| format!("{:.3} s with {}", times[cipher], ciphers[cipher].title());
    let on =
        if machines.len() == 1 { "one machine".into() } else { format!("the average of {} machines", machines.len()) };
    let measured = machines[0].1.measured();
    let figures = format!("by weight, a GB takes {} and {} on {on}, {measured}", each(ahead), each(1 - ahead));
    // Machines that know nothing add the same to both.
    let open = across(machines, times);
    let first = match &open {
        None => format!("Use {}: {figures}.", best.title()),
        Some(why) => format!("Not known: {figures}. {why}"),
    };
    said(machines, open.is_none().then_some((best, other)), first)
}

/// The answer by its first sentence, and the cipher that serves all with the other one.
fn said(machines: &[(&String, &Choice)], decided: Option<(Algorithm, Algorithm)>, first: String) -> FleetAnswer {
    let other = decided.map(|(_, other)| other);
    let wrong = machines.iter().filter(|(_, choice)| other.is_some() && choice.recommended == other);
    let wrong_on: Vec<String> = wrong.map(|(name, _)| (*name).clone()).collect();
    let wrong = other.filter(|_| !wrong_on.is_empty());
    let wrong = wrong.map(|other| format!("{} is faster on {}.", other.title(), first_of(wrong_on.clone(), NAMED)));
    FleetAnswer {
        ciphers: machines.first().map(|(_, choice)| choice.ciphers),
        serves_all: decided.map(|(best, _)| best),
        wrong_on,
        not_counted: Vec::new(),
        sentences: [first].into_iter().chain(wrong).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AES: Algorithm = Algorithm::Aes256Gcm;
    const CHACHA: Algorithm = Algorithm::ChaCha20Poly1305;
    const CONDITIONS: &str = "seal, 16 KiB message";
    const KIND: Option<&str> = Some("aes-256-gcm chacha20-poly1305 seal, 16 KiB message");

    fn machine(name: &str, gb_per_s: [f64; 2], recommended: Option<Algorithm>) -> Machine {
        let (ciphers, conditions) = ([AES, CHACHA], CONDITIONS.into());
        let choice =
            Choice { ciphers, recommended, message: 16_384, conditions, gb_per_s, libraries: None, caveat: None };
        (name.into(), Some(choice))
    }

    fn under(conditions: &str, (name, choice): Machine) -> Machine {
        (name, choice.map(|choice| Choice { conditions: conditions.into(), ..choice }))
    }

    #[test]
    fn slowest_machine_decides() {
        let fleet = [machine("server", [9.0, 2.0], Some(AES)), machine("router", [0.1, 0.3], Some(CHACHA))];
        let answer = for_all(&fleet, KIND);
        assert_eq!((answer.serves_all, answer.wrong_on), (Some(CHACHA), vec!["server".to_owned()]));
        assert_eq!(
            answer.sentences,
            [
                "Use ChaCha20-Poly1305: the slowest of 2 machines does 0.30 GB/s with ChaCha20-Poly1305 (router) and 0.10 GB/s \
                 with AES-256-GCM (router), in messages of 16 KiB.",
                "AES-256-GCM is faster on server.",
            ]
        );
    }

    #[test]
    fn what_each_machine_encrypts_decides_where_it_is_known() {
        let fleet = [machine("server", [9.0, 2.0], Some(AES)), machine("router", [0.1, 0.3], Some(CHACHA))];
        let weights = |server: f64| Weights::from([("server".into(), server)]);
        let answer = by_weight(&fleet, KIND, &weights(1000.0));
        assert_eq!((answer.serves_all, answer.wrong_on), (Some(AES), vec!["router".to_owned()]));
        assert_eq!(
            answer.sentences[0],
            "Use AES-256-GCM: by weight, a GB takes 0.121 s with AES-256-GCM and 0.503 s with ChaCha20-Poly1305 on the average of 2 \
             machines, in messages of 16 KiB."
        );
        assert_eq!(by_weight(&fleet, KIND, &weights(1.0)).serves_all, Some(CHACHA));
        assert_eq!(by_weight(&[machine("a", [2.0, 1.0], None)], KIND, &weights(1.0)).serves_all, None);
        assert_eq!(by_weight(&[], KIND, &weights(1.0)).serves_all, None);
    }

    #[test]
    fn rates_of_two_machines_that_are_equal_decide_nothing() {
        let fleet =
            |edge: f64| [machine("edge", [edge, 4.0 * edge], Some(CHACHA)), machine("core", [8.0, 3.57], Some(AES))];
        let said = for_all(&fleet(3.58), KIND);
        assert_eq!(said.serves_all, None);
        let why = "Figures within 5 % of each other are equal.";
        assert!(said.sentences[0].starts_with("Not known") && said.sentences[0].ends_with(why), "{said:?}");
        assert_eq!(for_all(&fleet(3.8), KIND).serves_all, Some(AES));
        assert_eq!(for_all(&fleet(3.3), KIND).serves_all, Some(CHACHA));
        let weighed = |core: f64| by_weight(&fleet(1.0), KIND, &Weights::from([("core".into(), core)])).serves_all;
        assert_eq!([weighed(1.0), weighed(5.0), weighed(100.0)], [Some(CHACHA), None, Some(AES)]);
        let huge = Weights::from([("edge".into(), 1e308), ("core".into(), 1e308)]);
        assert_eq!(by_weight(&fleet(1.0), KIND, &huge).serves_all, Some(CHACHA), "weights are relative");
    }

    #[test]
    fn disks_of_machines_that_differ_have_no_cipher_for_all() {
        let disk = [Algorithm::Aes256Xts, Algorithm::Adiantum];
        let of = |name: &str, rates: [f64; 2], best: Algorithm| {
            let (name, choice) = machine(name, rates, Some(best));
            (name, choice.map(|choice| Choice { ciphers: disk, ..choice }))
        };
        let fleet = [of("old", [0.47, 0.9], disk[1]), of("new", [9.0, 0.3], disk[0])];
        let kind = fleet[0].1.as_ref().unwrap().kind();
        let said = for_all(&fleet, Some(&kind));
        assert!(said.serves_all.is_none() && said.sentences[0].ends_with("than the one measured."), "{said:?}");
        assert_eq!(for_all(&fleet[1..], Some(&kind)).serves_all, Some(disk[0]));
    }

    #[test]
    fn sentences_name_eight_machines_at_most() {
        let fleet: Vec<Machine> = (0..300).map(|place| machine(&format!("m{place}"), [9.0, 0.1], Some(AES))).collect();
        let fleet = [fleet, vec![machine("slow", [0.05, 0.09], Some(CHACHA))]].concat();
        let said = for_all(&fleet, KIND);
        assert_eq!((said.serves_all, said.wrong_on.len()), (Some(CHACHA), 300));
        assert!(said.sentences[1].ends_with("m6, m7 and 292 more."), "{:?}", said.sentences);
    }

    #[test]
    fn nothing_is_said_where_the_deciding_machine_does_not_know() {
        let fleet = [machine("server", [9.0, 2.0], Some(AES)), machine("router", [0.31, 0.3], None)];
        let answer = for_all(&fleet, KIND);
        assert_eq!(answer.serves_all, None);
        assert!(answer.sentences[0].contains("router"), "{:?}", answer.sentences);
    }

    #[test]
    fn machines_with_other_sizes_are_named_and_not_counted() {
        let other = under("seal, 1 KiB message", machine("phone", [0.1, 0.2], Some(CHACHA)));
        let fleet =
            [machine("a", [9.0, 2.0], Some(AES)), machine("b", [8.0, 2.0], Some(AES)), other, ("c".into(), None)];
        let answer = for_all(&fleet, KIND);
        assert_eq!((answer.serves_all, answer.not_counted), (Some(AES), vec!["phone".to_owned(), "c".to_owned()]));
        assert_eq!(
            answer.sentences[1],
            "Not counted: phone (seal, 1 KiB message) and c. No run of theirs compares AES-256-GCM with ChaCha20-Poly1305 under \
             the same conditions (seal, 16 KiB message), on all instructions and without --against."
        );
        assert!(answer.sentences[0].contains("the slowest of the 2 machines counted does"), "{:?}", answer.sentences);
    }

    #[test]
    fn conditions_that_are_not_the_usual_ones_are_named_beside_the_rates() {
        let opened = "open, 16 KiB message, 13 B aad, 64 MiB working set, 1000 keys";
        let fleet = [under(opened, machine("a", [9.0, 2.0], Some(AES))), machine("b", [8.0, 2.0], Some(AES))];
        let kind = fleet[0].1.as_ref().unwrap().kind();
        let said = for_all(&fleet, Some(&kind)).sentences;
        let rates = "9.00 GB/s with AES-256-GCM (a) and 2.00 GB/s with ChaCha20-Poly1305 (a)";
        assert_eq!(
            said[0],
            format!("Use AES-256-GCM: the only machine counted does {rates}, under these conditions: {opened}.")
        );
        assert!(said[1].starts_with("Not counted: b (seal, 16 KiB message).") && said[1].contains(opened), "{said:?}");
    }

    #[test]
    fn reason_why_the_faster_is_not_recommended_is_said() {
        let why = "The kernel's Adiantum is faster than the one measured, so that lead is an upper bound.";
        let (name, mut choice) = machine("nas", [9.0, 2.0], None);
        choice.as_mut().unwrap().caveat = Some(why.into());
        let said = for_all(&[(name, choice)], KIND).sentences.concat();
        assert!(
            said.starts_with("Not known: this machine does 9.00 GB/s") && said.ends_with(&format!("16 KiB. {why}")),
            "{said}"
        );
    }

    #[test]
    fn kind_that_most_machines_have_is_the_usual_one_however_old_its_runs_are() {
        let run = |machine: &str, kind: &str, day: u32| Compared {
            machine: machine.into(),
            kind: kind.into(),
            started: format!("2026-11-{day:02}T12:00:00Z"),
        };
        let runs = [run("vm", "gcm", 1), run("web", "gcm", 2), run("vm", "xts", 9), run("vm", "long", 8)];
        assert_eq!(usual(&runs), Some("gcm"));
        assert_eq!(usual(&runs[1..]), Some("xts"), "of as many machines, the newest run counts");
        assert_eq!(usual(&[]), None);
        let tied = [run("vm", KIND.unwrap(), 1), run("web", "gcm", 2)];
        assert_eq!(usual(&tied), KIND, "of as many machines, what nobody had to ask for counts");
        let again = [run("vm", "xts", 9), run("vm", "xts", 8), run("vm", "gcm", 3), run("web", "gcm", 2)];
        assert_eq!(usual(&again), Some("gcm"), "machines count, not runs");
    }

    #[test]
    fn columns_have_the_names_of_the_ciphers_that_are_counted() {
        let disk = [Algorithm::Aes256Xts, Algorithm::Adiantum];
        let mut other = machine("vm", [9.0, 2.0], Some(disk[0]));
        other.1.as_mut().unwrap().ciphers = disk;
        let kind = other.1.as_ref().unwrap().kind();
        let fleet = [machine("a", [9.0, 2.0], Some(AES)), other];
        let usual = for_all(&fleet, KIND);
        assert_eq!(usual.columns(), ["AES, GB/s", "ChaCha20, GB/s"]);
        assert_eq!([usual.named(0, AES), usual.named(1, disk[1])], [None, Some("Adiantum")]);
        let of_disks = for_all(&fleet, Some(&kind));
        assert_eq!(of_disks.columns(), ["AES-256-XTS, GB/s", "Adiantum, GB/s"]);
        assert_eq!([of_disks.named(0, AES), of_disks.named(1, disk[1])], [Some("AES-256-GCM"), None]);
    }

    #[test]
    fn no_machine_gives_no_answer() {
        assert_eq!(for_all(&[], None).serves_all, None);
        assert_eq!(for_all(&[("a".into(), None)], None).not_counted, ["a"]);
    }
}
