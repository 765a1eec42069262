//! Ciphers of sectors, which have no room for a tag and run in a kernel: what `advise` decides between two of them decides wherever a run is
//! asked, so that no page recommends what another one refuses.

use ciphermeter_core::{Algorithm, Record};
use ciphermeter_estimate::CipherPair;

use super::entries::Entries;
use super::field::Field;
use super::outcome::Outcome;
use super::question::Question;
use crate::words::capital;

/// What two ciphers of sectors come to.
pub(crate) struct Sectors {
    /// The one to use.
    pub(crate) recommended: Option<Algorithm>,
    /// Why a lead decides nothing, or what it holds of, in a sentence.
    pub(crate) caveat: Option<String>,
}

impl Sectors {
    /// By all libraries and operations of these records that have the pair's ciphers.
    pub(crate) fn of(records: &[Record], pair: CipherPair) -> Self {
        let is_own = |record: &&Record| {
            let cell = &record.cell;
            cell.form == pair.form && pair.both().iter().any(|own| own.algorithm == cell.algorithm)
        };
        let own: Vec<Record> = records.iter().filter(is_own).cloned().collect();
        let question = Question::default();
        let entries = Entries::of(&own, &question);
        let field = Field::of(&entries, &question);
        let outcome = field.map(|field| Outcome::of(&field, &entries.operations())).unwrap_or_default();
        let recommended = outcome.recommended();
        let caveat = outcome.caveat().map(|caveat| match recommended {
            Some(_) => format!("That holds {caveat}."),
            None => capital(&caveat) + ".",
        });
        Self { recommended, caveat }
    }
}

#[cfg(test)]
mod tests {
    use ciphermeter_core::{Form, Operation, Parameters};

    use crate::fixtures::{self, Made, cell};
    use crate::pair::PairAnswer;
    use crate::program::program;
    use crate::workload::{Evidence, Question, advise};

    use super::*;

    /// What every command recommends of XTS that takes 100 ns at 512 B and 400 at 4 KiB, and of Adiantum that takes so many times as long.
    fn recommended(times: [f64; 2]) -> (Option<Algorithm>, String) {
        let cells = [(512, 100.0, times[0]), (4096, 400.0, times[1])].into_iter().flat_map(|(message, ns, times)| {
            [Operation::Encrypt, Operation::Decrypt].into_iter().flat_map(move |operation| {
                [
                    cell("aws-lc", Algorithm::Aes256Xts, operation, message, ns),
                    cell("rustcrypto", Algorithm::Aes256Xts, operation, message, ns * 3.0),
                    cell("rustcrypto", Algorithm::Adiantum, operation, message, ns * times),
                ]
            })
        });
        let (run, records) = (fixtures::head(), fixtures::records(&cells.collect::<Vec<_>>(), 8));
        let own = PairAnswer::of(&records).unwrap();
        let asked = [None, program("luks")].map(|program| {
            let question = Question { program, ..Question::default() };
            advise(question, Evidence::of(&run, &records)).recommended().map(|(algorithm, _)| algorithm)
        });
        let kept = crate::fleet::Choice::of(&run, &records).unwrap().recommended;
        let of_run = own.recommended.map(|cipher| cipher.algorithm);
        assert_eq!((kept, asked), (of_run, [of_run, of_run]), "one rule");
        (of_run, own.sentences().join(" "))
    }

    #[test]
    fn one_bound_decides_for_every_command_whether_xts_is_recommended_over_adiantum() {
        let (none, said) = recommended([5.0, 5.0]);
        assert!(none.is_none() && said.starts_with("AES-256-XTS is faster than Adiantum"), "{said}");
        let why = "The kernel's Adiantum is faster than the one measured, so that lead is an upper bound.";
        assert!(said.contains(why), "{said}");
        // Beyond the bound in the mean and at 4 KiB, but not at 512 B.
        let (none, said) = recommended([25.0, 40.0]);
        assert!(none.is_none() && said.contains(why), "{said}");
        let (xts, said) = recommended([40.0, 25.0]);
        assert_eq!(xts, Some(Algorithm::Aes256Xts));
        let even_if = "That holds even if the kernel's Adiantum were 18 (4 KiB) to 30 times (512 B) as fast as the one measured here.";
        assert!(said.starts_with("Use AES-256-XTS. ") && said.contains(even_if), "{said}");
        let (adiantum, said) = recommended([0.5, 0.4]);
        assert!(adiantum == Some(Algorithm::Adiantum) && !said.contains("kernel"), "{said}");
    }

    #[test]
    fn kernels_own_code_needs_no_bound() {
        let made = |algorithm, ns| Made {
            form: Form::Disk,
            parameters: Parameters::transfer_cell(4096, 2),
            ..cell("dm-crypt", algorithm, Operation::Transfer, 4096, ns)
        };
        let cells = [made(Algorithm::Aes256Xts, 3e4), made(Algorithm::Adiantum, 6e4)];
        let records = fixtures::records(&cells, 8);
        let own = PairAnswer::of(&records).unwrap();
        assert_eq!(own.recommended.map(|cipher| cipher.algorithm), Some(Algorithm::Aes256Xts));
        assert_eq!(own.caveat, None);
        let run = fixtures::head();
        let advice = advise(Question::default(), Evidence::of(&run, &records));
        assert_eq!(advice.recommended().map(|(algorithm, _)| algorithm), Some(Algorithm::Aes256Xts));
    }
}
