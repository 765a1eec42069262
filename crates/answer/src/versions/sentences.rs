//! What the newest version changes, in sentences.

use ciphermeter_core::{Record, Run, escaped};
use ciphermeter_estimate::{Comparison, Side};

use super::answer::{BesideOldest, OfCipher, Version, VersionsAnswer};
use crate::basis::no_answer;
use crate::point::{Point, Points};
use crate::words::{listed, ratio_columns, reach, span, within};

impl VersionsAnswer {
    /// How much faster or slower the newest is, and where it is otherwise.
    pub fn sentences(&self, run: &Run, records: &[Record]) -> Vec<String> {
        let (Some(oldest), Some(newest)) = (self.names.first(), self.names.last()) else { return Vec::new() };
        let library = escaped(&self.library);
        let [oldest, newest] = [oldest, newest].map(|name| escaped(name));
        if self.names.len() == 1 {
            return vec![format!("Only {library} {newest} was measured: add other versions with --openssl DIR.")];
        }
        let lacking = self.lacking_forks().map(|most| no_answer(run, records, most));
        let each = |said: fn(&Version) -> Option<BesideOldest>| -> Vec<String> {
            let known = self.newest().filter_map(|(cipher, own)| Some((cipher, said(own)?)));
            let known = known.filter(|(_, own)| !matches!(own.comparison, Comparison::Unknown(_)));
            let than = std::iter::once(format!(" as {oldest}")).chain(std::iter::repeat(String::new()));
            known
                .zip(than)
                .map(|((cipher, own), than)| format!("{} {}", cipher.algorithm.title(), as_fast(own, &than)))
                .collect()
        };
        let (whole, set_up) = (each(Version::whole), each(|own| own.key_set_up.as_ref()?.compared));
        let first = match whole.is_empty() {
            true => "No answer yet.".to_owned(),
            false => format!("{library} {newest} {}s {}{}.", self.operation, listed(&whole), self.mean()),
        };
        let set_up = (!set_up.is_empty()).then(|| format!("It sets up a key of {}.", listed(&set_up)));
        let open = self
            .newest()
            .filter(|(_, own)| own.whole().is_some_and(is_open))
            .map(|(cipher, _)| cipher.algorithm.title().to_owned());
        let open: Vec<String> = open.collect();
        let open = (!open.is_empty() && !whole.is_empty())
            .then(|| format!("With {}, neither version is known to be faster.", listed(&open)));
        let by_size = self.newest().filter_map(by_size);
        std::iter::once(first).chain(open).chain(by_size).chain(set_up).chain(lacking).collect()
    }

    /// What the ratios of the first sentence are.
    fn mean(&self) -> String {
        let sizes = self.newest().map(|(_, own)| own.at.len()).max().unwrap_or(0);
        if sizes > 1 { format!(" in the mean over {sizes} sizes") } else { String::new() }
    }
}

fn is_open(own: BesideOldest) -> bool {
    matches!(own.comparison, Comparison::Unknown(_))
}

/// `as fast as 3.3.1 (within 2.1 %)`, `1.07× as fast (±1.2 %)`.
fn as_fast(own: BesideOldest, than: &str) -> String {
    match (own.comparison, own.times.map(ratio_columns)) {
        (Comparison::Equal(far), _) => format!("as fast{than} ({})", within(far)),
        (_, Some((low, high))) if high.starts_with("to ") => format!("{low} {high} as fast{than}"),
        (_, Some((times, interval))) => format!("{times} as fast{than} ({interval})"),
        (_, None) => "with too few forks for a figure".into(),
    }
}

/// Where a cipher is faster or slower than all its sizes together: `AES-256-GCM is slower at 16 B (0.88×).`
fn by_size((cipher, own): (&OfCipher, &Version)) -> Option<String> {
    let whole = own.mean?.comparison.faster();
    let points = Points(own.gb_per_s.iter().map(|(point, _)| *point).collect());
    let sides =
        [("faster", Side::First), ("slower", Side::Second)].into_iter().filter(|(_, side)| whole != Some(*side));
    let said = sides.filter_map(|(what, side)| {
        let such = points.0.iter().zip(&own.at).filter(|(_, own)| own.comparison.faster() == Some(side));
        let (at, own): (Vec<Point>, Vec<BesideOldest>) = such.map(|(point, own)| (*point, *own)).unzip();
        let ratios = span(reach(own.iter().filter_map(|own| own.times)));
        (!at.is_empty()).then(|| format!("{what} {} ({ratios})", points.at(&at)))
    });
    let said: Vec<String> = said.collect();
    (!said.is_empty()).then(|| format!("{} is {}.", cipher.algorithm.title(), listed(&said)))
}

#[cfg(test)]
mod tests {
    use ciphermeter_core::{Algorithm, Operation};

    use crate::fixtures::{self, cell};

    /// What is said of these providers' versions, whose seal of either cipher takes so long at 64 B and 1 KiB, and key set-up.
    fn said(versions: &[(&'static str, &str, [f64; 3])]) -> (Vec<String>, bool) {
        let [aes, chacha20] = Algorithm::USUAL;
        let of = |(provider, _, [short, long, set_up]): &(&'static str, &str, [f64; 3])| {
            [
                cell(provider, aes, Operation::Seal, 64, *short),
                cell(provider, aes, Operation::Seal, 1024, *long),
                cell(provider, chacha20, Operation::Seal, 64, 100.0),
                cell(provider, aes, Operation::KeySetup, 0, *set_up),
            ]
        };
        let cells: Vec<_> = versions.iter().flat_map(of).collect();
        let mut records = fixtures::records(&cells, 8);
        for record in &mut records {
            let (_, version, _) = versions.iter().find(|(own, ..)| *own == record.cell.provider).unwrap();
            record.provenance.as_mut().unwrap().version = format!("OpenSSL {version}, built 2025");
        }
        let mut run = fixtures::head();
        run.scenario.name = "versions".into();
        let answer = crate::answer(&run, &records);
        assert_eq!(answer.question, "What does the version change?");
        (answer.sentences, answer.answered)
    }

    #[test]
    fn newest_is_compared_with_the_oldest_cipher_by_cipher() {
        let (said, answered) = said(&[
            ("openssl", "3.10.0", [100.0, 400.0, 200.0]),
            ("openssl@3.3.1", "3.3.1", [200.0, 800.0, 100.0]),
            ("openssl@3.9.0", "3.9.0", [1.0, 1.0, 1.0]),
        ]);
        let [first, set_up] = &said[..] else { panic!("{said:?}") };
        let begin = "openssl 3.10.0 seals AES-256-GCM 2.00× as fast as 3.3.1 (±";
        assert!(first.starts_with(begin) && first.contains(") and ChaCha20-Poly1305 as fast (within "), "{first}");
        assert!(first.ends_with(" in the mean over 2 sizes."), "{first}");
        assert!(
            set_up.starts_with("It sets up a key of AES-256-GCM 0.50× as fast as 3.3.1 (±") && answered,
            "{set_up}"
        );
    }

    #[test]
    fn size_that_is_otherwise_than_the_mean_is_named() {
        let (said, _) =
            said(&[("openssl", "1.1.1w", [100.0, 800.0, 9.0]), ("openssl@3", "3.0.0", [150.0, 400.0, 9.0])]);
        assert_eq!(said[1], "AES-256-GCM is slower at 64 B (0.67×).", "{said:?}");
    }

    #[test]
    fn one_version_has_the_option_that_adds_others() {
        let (said, answered) = said(&[("openssl", "3.0.19", [100.0, 400.0, 200.0])]);
        assert_eq!(said, ["Only openssl 3.0.19 was measured: add other versions with --openssl DIR."]);
        assert!(!answered);
    }
}
