//! A way that the kernel encrypts beside the same way bare: what else it takes, system calls and all, is in both.

use std::collections::BTreeMap;

use ciphermeter_core::{Algorithm, Form, Record, escaped};
use ciphermeter_estimate as estimate;

use crate::measured::has_enough_forks;
use crate::words::{listed, size, times};

/// A sentence for each provider and form of which both were measured.
pub(crate) fn beside_bare(records: &[Record]) -> Vec<String> {
    let moved = || records.iter().filter(|record| record.cell.is_transfer() && has_enough_forks(record));
    let mut ways = BTreeMap::<(&str, Form), BTreeMap<Algorithm, Vec<String>>>::new();
    for bare in moved().filter(|record| record.cell.algorithm.is_ceiling()) {
        let is_beside = |record: &&Record| {
            record.cell.provider == bare.cell.provider
                && record.cell.group() == bare.cell.group()
                && record.cell.algorithm.is_cipher()
        };
        for sealed in moved().filter(is_beside) {
            let Some(ratio) = estimate::between(sealed, bare) else { continue };
            let way = ways.entry((&bare.cell.provider, bare.cell.form)).or_default();
            let at = format!("{} at {}", times(ratio.mid), size(bare.cell.parameters.message()));
            way.entry(sealed.cell.algorithm).or_default().push(at);
        }
    }
    let version = |provider: &str| {
        let provenance = moved().find(|record| record.cell.provider == provider)?.provenance.as_ref();
        provenance.map(|provenance| provenance.version.as_str())
    };
    let sentence = |((provider, form), ciphers): (&(&str, Form), &BTreeMap<Algorithm, Vec<String>>)| {
        let (layer, bare) = match form {
            Form::Disk => ("the block layer", "the bare RAM disk"),
            _ => ("the network's layers", "the pair of virtual devices bare (not loopback)"),
        };
        let ciphers = ciphers.iter().map(|(cipher, at)| format!("{} {}", cipher.title(), listed(at)));
        format!(
            "Time ÷ that of {bare}, by {} of Linux {}, system calls and {layer} in both: {}.",
            escaped(provider),
            escaped(version(provider).unwrap_or_default()),
            ciphers.collect::<Vec<_>>().join("; ")
        )
    };
    ways.iter().map(sentence).collect()
}

#[cfg(test)]
mod tests {
    use ciphermeter_core::{Operation, Parameters};

    use super::*;
    use crate::fixtures::{self, Made};

    fn made(provider: &'static str, algorithm: Algorithm, form: Form, message: u64, ns: f64) -> Made {
        let parameters = Parameters::transfer_cell(message, 2);
        Made { provider, algorithm, operation: Operation::Transfer, form, message, ns, parameters }
    }

    #[test]
    fn what_the_kernel_encrypts_is_set_beside_its_own_way_bare() {
        let disk = |algorithm, message, ns| made("dm-crypt", algorithm, Form::Disk, message, ns);
        let network = |provider, algorithm, ns| made(provider, algorithm, Form::Discard, 1 << 20, ns);
        let cells = [
            disk(Algorithm::Aes256Xts, 4096, 3e4),
            disk(Algorithm::Adiantum, 4096, 4e4),
            disk(Algorithm::RamDisk, 4096, 1e4),
            disk(Algorithm::Aes256Xts, 1 << 20, 8e5),
            disk(Algorithm::RamDisk, 1 << 20, 2e5),
            network("rustls", Algorithm::Aes256Gcm, 9e5),
            network("ceiling", Algorithm::TcpPlain, 3e5),
            network("wireguard", Algorithm::ChaCha20Poly1305, 2e6),
            network("wireguard", Algorithm::TcpPlain, 4e5),
        ];
        let said = beside_bare(&fixtures::records(&cells, 6));
        assert_eq!(
            said,
            [
                "Time ÷ that of the bare RAM disk, by dm-crypt of Linux 1.2.3, system calls and the block layer in both: \
                 AES-256-XTS 3.00× at 4 KiB and 4.00× at 1 MiB; Adiantum 4.00× at 4 KiB.",
                "Time ÷ that of the pair of virtual devices bare (not loopback), by wireguard of Linux 1.2.3, system calls and the network's layers in both: \
                 ChaCha20-Poly1305 5.00× at 1 MiB.",
            ]
        );
    }
}
