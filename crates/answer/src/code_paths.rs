//! Which code ran: what was set from outside to change it, and paths that leave instructions of
//! this CPU unused, whatever the reason.

use ciphermeter_core::{CipherKind, Mask, Record, Run, escaped};

use crate::measured::{is_here, measured};
use crate::words::{first_of, switches};

/// So many providers are named.
const NAMED: usize = 3;

/// What a reader has to know of the code that ran, a sentence each.
pub(crate) fn sentences(run: &Run, records: &[Record]) -> Vec<String> {
    let set = switches(run).map(|set| format!("This holds where {set} is set, which changes the code of libraries."));
    set.into_iter().chain(lesser(run, records)).collect()
}

/// Ciphers whose code path leaves instructions unused that this CPU has: `Without this CPU's AES
/// instructions: AES-256-GCM by openssl (soft).`
pub fn lesser(run: &Run, records: &[Record]) -> Option<String> {
    // Under a mask, that is what was asked for.
    if run.mask.is_some() {
        return None;
    }
    let features: Vec<&str> = run.fact("features")?.split(' ').collect();
    let said = [AES, VECTORS].iter().filter_map(|unused| unused.sentence(&features, records));
    let said: Vec<String> = said.collect();
    (!said.is_empty()).then(|| said.join(" "))
}

/// Instructions that a cipher's code can do without.
struct Unused {
    what: &'static str,
    kind: CipherKind,
    /// The CPU has them if it has one of these.
    features: &'static [&'static str],
    is_left_out: fn(&str) -> bool,
}

const AES: Unused = Unused {
    what: "AES instructions",
    kind: CipherKind::Aes,
    features: &["aes"],
    is_left_out: |path| Mask::NoAes.is_used_by(path) == Some(false),
};
const VECTORS: Unused = Unused {
    what: "vectors",
    kind: CipherKind::ChaCha,
    features: &["avx2", "neon"],
    is_left_out: |path| path == "soft",
};

impl Unused {
    fn sentence(&self, features: &[&str], records: &[Record]) -> Option<String> {
        features.iter().find(|feature| self.features.contains(feature))?;
        let mut names: Vec<String> = Vec::new();
        let is_of_cpu =
            |record: &&Record| is_here(record) && !record.cell.form.is_of_card() && measured(record).is_some();
        for record in records.iter().filter(is_of_cpu) {
            let (cell, from) = (&record.cell, record.provenance.as_ref());
            let path = from.map(|from| from.path.as_str()).filter(|path| (self.is_left_out)(path));
            if let Some(path) = path.filter(|_| cell.algorithm.is_cipher() && cell.algorithm.kind() == self.kind) {
                let (title, provider) = (cell.algorithm.title(), escaped(&cell.provider));
                let name = format!("{title} by {provider} ({})", escaped(path));
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        (!names.is_empty()).then(|| format!("Without this CPU's {}: {}.", self.what, first_of(names, NAMED)))
    }
}

#[cfg(test)]
mod tests {
    use ciphermeter_core::Fact;

    use super::*;
    use crate::fixtures;

    /// What is said on a CPU with these features, where AES and ChaCha20 by aws-lc have these
    /// paths.
    fn said(features: &str, [aes, chacha]: [&str; 2], mask: Option<Mask>) -> Option<String> {
        let (mut run, mut records) = fixtures::run();
        run.host.push(Fact::present("features", features));
        run.mask = mask;
        for record in records.iter_mut().filter(|record| record.cell.provider == "aws-lc") {
            let is_aes = record.cell.algorithm.kind() == CipherKind::Aes;
            let path = if is_aes { aes } else { chacha };
            record.provenance.iter_mut().for_each(|from| from.path = path.into());
        }
        lesser(&run, &records)
    }

    #[test]
    fn path_below_what_the_cpu_has_is_said() {
        let aes = "Without this CPU's AES instructions: AES-256-GCM by aws-lc (soft).";
        assert_eq!(said("aes avx2", ["soft", "avx2"], None).as_deref(), Some(aes));
        // Made up for this test.
        let bitsliced = aes.replace("soft", "ssse3");
        assert_eq!(said("aes ssse3", ["ssse3", "ssse3"], None), Some(bitsliced));
        let chacha = "Without this CPU's vectors: ChaCha20-Poly1305 by aws-lc (soft).";
        assert_eq!(said("aes avx2", ["aesni", "soft"], None).as_deref(), Some(chacha));
        assert_eq!(said("neon aes", ["soft", "soft"], None), Some(format!("{aes} {chacha}")));
        for (features, paths, mask) in [
            ("avx2 ssse3", ["soft", "avx2"], None),
            ("aes avx2", ["vaes-avx512", "unknown"], None),
            ("aes", ["unknown", "soft"], None),
            ("aes avx2", ["soft", "soft"], Some(Mask::NoAes)),
        ] {
            assert_eq!(said(features, paths, mask), None, "{features} {paths:?}");
        }
    }

    #[test]
    fn what_was_set_is_said_first() {
        let (mut run, records) = fixtures::run();
        run.host.push(Fact::present("switches", "none"));
        assert_eq!(sentences(&run, &records), Vec::<String>::new());
        run.host.pop();
        run.host.push(Fact::present("switches", format!("OPENSSL_CONF=/{}", "x".repeat(99))));
        let said = sentences(&run, &records).remove(0);
        assert!(said.starts_with("This holds where OPENSSL_CONF=/xxx") && said.contains("… is set, which"), "{said}");
        assert_eq!(crate::answer(&run, &records).notes.first(), Some(&said));
        assert!(crate::machine::machine(&run).last().unwrap().starts_with("with OPENSSL_CONF=/xxx"));
    }
}
