//! How fast this machine seals and opens with each suite, and which suite is best for both ends together.
//!
//! Measured before any connection is made or accepted, never for a stranger, for 20 ms in all, or 80 where other work interferes. Kept in
//! a small file as long as library, CPU and boot are the same.

use std::path::Path;
use std::time::{Duration, Instant};

use ciphermeter_core::SWITCHES;
use ciphermeter_host::private;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::frame::{FrameKind, Header};
use crate::key::FrameKey;
use crate::seal::{Opener, Sealer};
use crate::suite::{Suite, TAG};

/// The most time that measuring takes in all on a machine with nothing else to do.
pub const BUDGET: Duration = Duration::from_millis(20);
/// The most time for the first rounds, where other work interferes or a CPU is slow.
const MOST: Duration = Duration::from_millis(80);
/// One round alone may be a disturbed one.
const LEAST_ROUNDS: usize = 3;
/// Bytes of the frame that is sealed and opened: longer frames change the rate by less than the machine's own
/// variation.
const SAMPLE: usize = 64 * 1024;
/// AES wins unless it is slower than this share of the other: future hardware accelerates AES, and measured rates vary
/// by that much.
const AES_MARGIN: f64 = 0.9;

/// How fast one suite is here, in MB/s (10⁶ bytes), never 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rate {
    /// Which suite.
    pub suite: Suite,
    /// Sealing.
    pub seal: u32,
    /// Opening.
    pub open: u32,
}

/// The chosen suite, and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Which suite.
    pub suite: Suite,
    /// The reason, as a clause for a person.
    pub why: String,
}

/// Measures each of the suites, in turns. The fastest call counts: disturbances only ever slow a call down.
pub fn measure() -> Result<Vec<Rate>, Error> {
    let mut frame = vec![0x5a; SAMPLE + TAG];
    let header = Header::new(FrameKind::Data, SAMPLE);
    let mut best = Suite::ALL.map(|suite| (suite, Duration::MAX, Duration::MAX));
    let began = Instant::now();
    repeat(
        || began.elapsed(),
        || {
            for (suite, seal, open) in &mut best {
                let key = FrameKey::new([0x5a; 32]);
                let mut sealer = Sealer::new(*suite, key.clone());
                let mut opener = Opener::new(*suite, key);
                let start = Instant::now();
                sealer.seal(&header, false, &mut frame)?;
                let middle = Instant::now();
                opener.open(&header, false, &mut frame)?;
                *open = middle.elapsed().min(*open);
                *seal = (middle - start).min(*seal);
            }
            Ok(())
        },
    )?;
    let rate = |time: Duration| ((SAMPLE as f64 / time.as_secs_f64() / 1e6) as u32).max(1);
    Ok(best.map(|(suite, seal, open)| Rate { suite, seal: rate(seal), open: rate(open) }).into())
}

/// Repeats a round as often as the budget has room for the longest yet, by a clock that began at zero. A round that other work disturbed
/// may have spent the budget by itself, and the rates are kept until the machine starts anew, so there are three in any case that
/// [`MOST`] has room for. Comes back with how many there were.
fn repeat(elapsed: impl Fn() -> Duration, mut round: impl FnMut() -> Result<(), Error>) -> Result<usize, Error> {
    let (mut rounds, mut longest) = (0, Duration::ZERO);
    loop {
        let before = elapsed();
        round()?;
        rounds += 1;
        longest = longest.max(elapsed() - before);
        let limit = if rounds < LEAST_ROUNDS { MOST } else { BUDGET };
        if elapsed() + longest > limit {
            return Ok(rounds);
        }
    }
}

/// The suite with the highest min(seal there, open here) of those that both have, or the one that either end requests.
pub fn choose(sender: &[Rate], receiver: &[Rate], wanted: Option<Suite>) -> Option<Choice> {
    let pair = |suite| {
        let rate_in = |rates: &[Rate]| rates.iter().find(|rate| rate.suite == suite).copied();
        Some((suite, rate_in(sender)?.seal.min(rate_in(receiver)?.open)))
    };
    if let Some(wanted) = wanted {
        return pair(wanted).map(|(suite, _)| Choice { suite, why: "it was asked for".into() });
    }
    match (pair(Suite::Aes256Gcm), pair(Suite::ChaCha20Poly1305)) {
        (Some((aes, a)), Some((chacha, c))) => {
            let (suite, own, other) =
                if f64::from(a) >= AES_MARGIN * f64::from(c) { (aes, a, c) } else { (chacha, c, a) };
            Some(Choice { suite, why: format!("the slower end does {own} MB/s with it, {other} MB/s with the other") })
        }
        (only, None) | (None, only) => {
            only.map(|(suite, _)| Choice { suite, why: "it is the only one that both ends have".into() })
        }
    }
}

/// The conditions under which the rates are valid.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Conditions {
    library: String,
    cpu: String,
    boot: String,
}

#[derive(Serialize, Deserialize)]
struct StoredRates {
    conditions: Conditions,
    rates: Vec<Rate>,
}

/// What both users read when they request different suites.
pub(crate) const DIFFERENT_SUITES: &str =
    "both ends' users ask for different suites; leave --cipher away on one of them";

/// The most bytes of a stored file of rates.
const MAX_STORED: u64 = 64 * 1024;

/// The stored rates if they are valid here and now; otherwise measured anew and stored. A file that cannot be read or
/// written costs the 20 ms again, nothing else.
pub fn known_or_measured(stored: Option<&Path>) -> Result<Vec<Rate>, Error> {
    let conditions = conditions();
    if let Some(rates) = stored.and_then(|file| read(file, conditions.as_ref()?)) {
        return Ok(rates);
    }
    let rates = measure()?;
    if let Some((file, conditions)) = stored.zip(conditions) {
        let _ = write(file, &StoredRates { conditions, rates: rates.clone() });
    }
    Ok(rates)
}

/// `None` where the boot cannot be identified: then nothing is stored.
fn conditions() -> Option<Conditions> {
    let facts = ciphermeter_host::facts();
    let fact = |name: &str| facts.iter().find(|fact| fact.name == name).and_then(|fact| fact.value.clone());
    Some(Conditions {
        library: concat!("aws-lc-rs ", env!("VERSION_AWS_LC_RS")).into(),
        cpu: format!("{:?} {:?} {:?}", fact("cpu"), fact("features"), fact(SWITCHES)),
        boot: ciphermeter_host::boot()?,
    })
}

fn read(file: &Path, conditions: &Conditions) -> Option<Vec<Rate>> {
    let stored: StoredRates = serde_json::from_slice(&private::read(file, MAX_STORED).ok()?).ok()?;
    let complete = Suite::ALL.iter().all(|suite| stored.rates.iter().any(|rate| rate.suite == *suite));
    (stored.conditions == *conditions && complete).then_some(stored.rates)
}

fn write(file: &Path, stored: &StoredRates) -> std::io::Result<()> {
    if let Some(folder) = file.parent() {
        private::make_folder(folder)?;
    }
    // Two processes may write at once: each writes its own file, and one of them stays.
    let own = file.with_extension(format!("{}", std::process::id()));
    private::write(&own, file, &serde_json::to_vec(stored)?).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rates(aes: u32, chacha: u32) -> Vec<Rate> {
        let rate = |suite, rate| Rate { suite, seal: rate, open: rate };
        vec![rate(Suite::Aes256Gcm, aes), rate(Suite::ChaCha20Poly1305, chacha)]
    }

    fn chosen(sender: (u32, u32), receiver: (u32, u32)) -> Suite {
        choose(&rates(sender.0, sender.1), &rates(receiver.0, receiver.1), None).unwrap().suite
    }

    #[test]
    fn slower_end_decides() {
        assert_eq!(chosen((5000, 2000), (5000, 2000)), Suite::Aes256Gcm);
        assert_eq!(chosen((5000, 2000), (150, 900)), Suite::ChaCha20Poly1305);
        assert_eq!(chosen((150, 900), (5000, 2000)), Suite::ChaCha20Poly1305);
    }

    #[test]
    fn aes_wins_within_a_tenth() {
        assert_eq!(chosen((900, 1000), (5000, 5000)), Suite::Aes256Gcm);
        assert_eq!(chosen((899, 1000), (5000, 5000)), Suite::ChaCha20Poly1305);
    }

    #[test]
    fn requested_suite_must_be_supported() {
        let both = rates(5000, 2000);
        let wanted = choose(&both, &both, Some(Suite::ChaCha20Poly1305)).unwrap();
        assert_eq!((wanted.suite, wanted.why.as_str()), (Suite::ChaCha20Poly1305, "it was asked for"));
        assert_eq!(choose(&both, &both[..1], Some(Suite::ChaCha20Poly1305)), None);
        assert_eq!(choose(&both, &both[..1], None).unwrap().suite, Suite::Aes256Gcm);
        assert_eq!(choose(&both[1..], &both[..1], None), None);
        assert_eq!(choose(&[], &[], None), None);
    }

    /// Rounds of so many milliseconds each, the last one's again and again.
    fn rounds(lengths: &[u64]) -> usize {
        let now = std::cell::Cell::new(0);
        let mut place = 0;
        let round = || {
            now.set(now.get() + lengths[place.min(lengths.len() - 1)]);
            place += 1;
            Ok(())
        };
        repeat(|| Duration::from_millis(now.get()), round).unwrap()
    }

    #[test]
    fn one_disturbed_round_never_decides() {
        assert_eq!(rounds(&[1]), 20);
        assert_eq!(rounds(&[16, 1]), 3);
        assert_eq!(rounds(&[1, 16, 1]), 3);
        assert_eq!(rounds(&[30]), 2, "a slow CPU");
        assert_eq!(rounds(&[90]), 1);
    }

    #[test]
    fn stored_rates_are_used_only_where_valid() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("new/rates.json");
        let measured = known_or_measured(Some(&file)).unwrap();
        assert_eq!(measured.len(), 2);
        let Some(here) = conditions() else { return };
        assert_eq!(read(&file, &here).unwrap(), measured);
        assert_eq!(known_or_measured(Some(&file)).unwrap(), measured);
        assert!(read(&file, &Conditions { boot: "another".into(), ..here }).is_none());
        for broken in ["", "{}", "[1]"] {
            std::fs::write(&file, broken).unwrap();
            assert_eq!(known_or_measured(Some(&file)).unwrap().len(), 2);
        }
    }
}
