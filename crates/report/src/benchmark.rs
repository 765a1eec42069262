//! What formats of other benchmarks' tools want of a cell: a name that says all of it.

use ciphermeter_core::{Cell, Operation};

/// `Seal/algorithm=aes-256-gcm/provider=aws-lc/form=in-place/message=16KiB/aad=0-1`: parts as Go's sub-benchmarks have them,
/// behind the last `-` the threads.
pub(crate) fn name(cell: &Cell) -> String {
    let operation = match cell.operation {
        Operation::KeySetup => "KeySetup",
        Operation::Seal => "Seal",
        Operation::Open => "Open",
        Operation::Encrypt => "Encrypt",
        Operation::Decrypt => "Decrypt",
        Operation::Transfer => "Transfer",
    };
    let Cell { algorithm, form, parameters, .. } = cell;
    let (provider, threads) = (escaped(&cell.provider), parameters.threads());
    let message = ciphermeter_core::Bytes(parameters.message());
    let aad = ciphermeter_core::Bytes(parameters.aad());
    let mut name =
        format!("{operation}/algorithm={algorithm}/provider={provider}/form={form}/message={message}/aad={aad}");
    for (parameter, value) in &parameters.0 {
        // A device's name stands behind the provider's.
        let is_said = parameter == "device" && cell.device().is_some();
        if !is_said && !matches!(parameter.as_str(), "message" | "aad" | "threads") {
            name += &format!("/{}={value}", escaped(parameter));
        }
    }
    name + &format!("-{threads}")
}

/// Without what would end the name or one of its parts, and still another text for each other text.
fn escaped(text: &str) -> String {
    let ends = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '/' | '=' | '%');
    let mut bytes = [0; 4];
    let escape = |c: char| match ends(c) {
        true => c.encode_utf8(&mut bytes).bytes().map(|byte| format!("%{byte:02X}")).collect(),
        false => c.to_string(),
    };
    text.chars().map(escape).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ciphermeter_answer::fixtures;

    #[test]
    fn names_have_no_blanks_and_stay_apart() {
        let (_, records) = fixtures::run();
        let mut cell = records[0].cell.clone();
        assert_eq!(name(&cell), "Seal/algorithm=aes-256-gcm/provider=aws-lc/form=in-place/message=64/aad=0-1");
        cell.parameters = ciphermeter_core::Parameters::message_cell(16_384, 13, 4).on_cpus(8);
        (cell.operation, cell.provider) = (Operation::KeySetup, "a b/ü%20\n".into());
        let parts = "algorithm=aes-256-gcm/provider=a%20b%2Fü%2520%0A/form=in-place/message=16KiB/aad=13/cpus=8-4";
        assert_eq!(name(&cell), format!("KeySetup/{parts}"));
    }
}
