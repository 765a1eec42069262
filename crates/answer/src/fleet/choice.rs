//! What a machine says of two ciphers, by one of its runs.

use ciphermeter_core::{Algorithm, Group, Operation, Record, Run};
use serde::{Deserialize, Serialize};

use crate::answer::{About, Answer};
use crate::pair::{Fastest, PairAnswer};
use crate::words::{size, workload};

/// What a machine says of two ciphers, small enough to be kept beside its run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// AES, then ChaCha20.
    pub ciphers: [Algorithm; 2],
    /// The cipher that its own comparisons recommend, if they do.
    pub recommended: Option<Algorithm>,
    /// Bytes of the messages for which the rates hold.
    pub message: u64,
    /// What calls do, as [`workload`] says it: `seal, 16 KiB message`; empty in what was kept before conditions were.
    #[serde(default)]
    pub conditions: String,
    /// GB/s of each cipher by its fastest library there.
    pub gb_per_s: [f64; 2],
    /// Those libraries; `None` in what was kept before libraries were.
    #[serde(default)]
    pub libraries: Option<[String; 2]>,
    /// Why the faster is not recommended, in a sentence, where that is for another reason than the comparisons.
    #[serde(default)]
    pub caveat: Option<String>,
}

impl Choice {
    /// `None` where the run does not compare the two under the same conditions, one of them has no figure or wrong output, or libraries
    /// ran as on another machine, or beside older ones or copies of themselves.
    pub(crate) fn of(run: &Run, records: &[Record]) -> Option<Self> {
        Self::of_pair(run, &PairAnswer::of(records)?)
    }

    /// The same of a run whose answer is known: what two ciphers decide is not computed twice.
    pub fn of_answer(run: &Run, records: &[Record], answer: &Answer) -> Option<Self> {
        match &answer.about {
            Some(About::Ciphers(pair)) => Self::of_pair(run, pair),
            _ => Self::of(run, records),
        }
    }

    /// The two ciphers and the conditions, in words of machines: only choices with the same ones are set side by side.
    pub fn kind(&self) -> String {
        format!("{} {} {}", self.ciphers[0], self.ciphers[1], self.conditions)
    }

    fn of_pair(run: &Run, pair: &PairAnswer) -> Option<Self> {
        let is_of_machine = run.mask.is_none() && run.switches().is_none();
        let is_alone = run.against.is_none() && run.scenario.copies.is_none();
        if !is_of_machine || !is_alone || !pair.is_fit {
            return None;
        }
        let fastest = pair.fastest.as_ref()?;
        let ciphers = [pair.first.algorithm, pair.second.algorithm];
        let [(first, aes, aes_by), (second, chacha20, chacha20_by)] =
            [best(fastest, ciphers[0])?, best(fastest, ciphers[1])?];
        let recommended = pair.to_use().map(|cipher| cipher.algorithm);
        (first.parameters == second.parameters).then(|| Self {
            ciphers,
            recommended,
            message: fastest.point.message,
            conditions: workload(first),
            gb_per_s: [aes, chacha20],
            libraries: Some([aes_by, chacha20_by].map(str::to_owned)),
            caveat: pair.caveat.clone().filter(|_| recommended.is_none()),
        })
    }

    /// What the rates hold for: `16 KiB`; where messages are not just sealed, all conditions.
    pub fn at(&self) -> String {
        if self.is_usual() { size(self.message) } else { self.conditions.clone() }
    }

    /// The same behind a rate: `in messages of 16 KiB`.
    pub(super) fn measured(&self) -> String {
        if self.is_usual() {
            format!("in messages of {}", self.at())
        } else {
            format!("under these conditions: {}", self.at())
        }
    }

    fn is_usual(&self) -> bool {
        let own = |operation| format!("{operation}, {} message", size(self.message));
        [Operation::Seal, Operation::Encrypt].map(own).contains(&self.conditions)
    }
}

/// The group of a cipher, its rate there and the library that has it.
fn best(fastest: &Fastest, cipher: Algorithm) -> Option<(&Group, f64, &str)> {
    let own = fastest.cipher(cipher)?;
    let first = own.libraries.iter().find_map(|standing| Some((standing.gb_per_s?, standing.provider.as_str())))?;
    Some((own.group.as_ref()?, first.0, first.1))
}

#[cfg(test)]
mod tests {
    use ciphermeter_core::{Against, Copies, Form, Mask, Outcome, Parameters, Scenario, Share};

    use super::*;
    use crate::fixtures::{self, Made, cell};

    const AES: Algorithm = Algorithm::Aes256Gcm;
    const CHACHA: Algorithm = Algorithm::ChaCha20Poly1305;

    #[test]
    fn run_as_on_another_cpu_says_nothing_of_its_machine() {
        let (run, records) = fixtures::run();
        let choice = Choice::of(&run, &records).unwrap();
        assert_eq!((choice.ciphers, choice.recommended, choice.message), ([AES, CHACHA], Some(AES), 16_384));
        assert_eq!(choice.libraries, Some(["aws-lc", "aws-lc"].map(str::to_owned)));
        let mut kept = serde_json::to_value(&choice).unwrap();
        kept.as_object_mut().unwrap().remove("libraries");
        assert_eq!(serde_json::from_value::<Choice>(kept).unwrap().libraries, None);
        assert_eq!(Choice::of(&Run { mask: Some(Mask::NoAes), ..run }, &records), None);
    }

    #[test]
    fn run_in_which_a_cipher_was_wrong_says_nothing_of_its_machine() {
        let (run, mut records) = fixtures::run();
        for record in records.iter_mut().filter(|record| record.cell.algorithm == AES) {
            record.outcome = Outcome::WrongOutput { why: "expected 00".into() };
        }
        assert_eq!(Choice::of(&run, &records), None);
    }

    /// What a run of one library says, whose cells are changed.
    fn choice(change: impl Fn(Made) -> Made) -> Option<Choice> {
        let made = [(AES, 2000.0), (CHACHA, 8000.0)]
            .map(|(cipher, ns)| change(cell("ring", cipher, Operation::Seal, 16_384, ns)));
        Choice::of(&fixtures::head(), &fixtures::records(&made, 6))
    }

    #[test]
    fn choices_under_other_conditions_are_of_another_kind() {
        for form in Form::IN_MEMORY {
            let kind = choice(|made| Made { form: *form, ..made }).unwrap().kind();
            assert_eq!(kind, "aes-256-gcm chacha20-poly1305 seal, 16 KiB message", "its output is a library's own");
        }
        let with = |name: &'static str, value: u64| {
            move |mut made: Made| {
                made.parameters.0.insert(name.into(), value);
                made
            }
        };
        let conditions = [
            choice(|made| Made { operation: Operation::Open, ..made }),
            choice(|made| Made { form: Form::Batch, ..made }),
            choice(with("aad", 13)),
            choice(with("working_set", 64 << 20)),
            choice(with("keys", 1000)),
        ]
        .map(|choice| choice.unwrap().conditions);
        assert_eq!(
            conditions,
            [
                "open, 16 KiB message",
                "seal batch, 16 KiB message",
                "seal, 16 KiB message, 13 B aad",
                "seal, 16 KiB message, 64 MiB working set",
                "seal, 16 KiB message, 1000 keys",
            ]
        );
    }

    #[test]
    fn ciphers_that_were_measured_under_different_conditions_are_no_choice() {
        // At 1 KiB both are compared; at 16 KiB, for which rates are given, each has aad of its own.
        let of_aes = |aad: u64| {
            let seal = |cipher, message, aad| Made {
                parameters: Parameters::message_cell(message, aad, 1),
                ..cell("ring", cipher, Operation::Seal, message, 2000.0)
            };
            let made = [seal(AES, 1024, 0), seal(CHACHA, 1024, 0), seal(AES, 16_384, aad), seal(CHACHA, 16_384, 0)];
            Choice::of(&fixtures::head(), &fixtures::records(&made, 6))
        };
        assert!(of_aes(0).is_some());
        assert_eq!(of_aes(13), None);
    }

    #[test]
    fn run_beside_an_older_version_or_of_copies_says_nothing_of_its_machine() {
        let (run, records) = fixtures::run();
        let beside = Against { old: "libcrypto.so.3".into(), threshold: Share(0.01), may_hide: None };
        assert_eq!(Choice::of(&Run { against: Some(beside), ..run.clone() }, &records), None);
        let scenario = Scenario { copies: Some(Copies { names: 2, ..Default::default() }), ..run.scenario.clone() };
        assert_eq!(Choice::of(&Run { scenario, ..run }, &records), None);
    }
}
