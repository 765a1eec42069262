//! What the cipher of a program that leaves no choice costs, from the figures of a run.

use std::collections::BTreeMap;

use ciphermeter_core::{Algorithm, Operation, Record, Scenario, escaped};

use super::cost::{Cost, cores, cost_of, dearest};
use super::question::{Question, costed_cells};
use crate::measured::{has_enough_forks, is_here, trusted};
use crate::program::Program;
use crate::words::{digits, listed, size};

/// At the largest of its messages, by its cheapest library: `1 GB in messages of 1420 B takes 0.35 CPU-s to seal and 0.36 CPU-s to open
/// (aws-lc): 1 Gbit/s keeps 0.05 cores busy, 10 Gbit/s 0.45.` `None` of a program that leaves a choice, and without figures.
/// Of a run that measured other messages, too, those of `scenario` count.
pub(crate) fn cost_of_program(
    program: &'static Program,
    scenario: Option<&Scenario>,
    records: &[Record],
) -> Option<String> {
    let question = Question { program: Some(program), ..Question::default() };
    let costed = scenario.map(costed_cells);
    let records = trusted(records);
    let is_own = |record: &&Record| {
        let cell = &record.cell;
        let is_one_call = cell.operation != Operation::KeySetup && cell.parameters.cpus().is_none();
        let is_costed = costed.as_ref().is_none_or(|cells| cells.contains(&(cell.algorithm, cell.group())));
        is_one_call && is_costed && question.asks(record) && is_here(record) && has_enough_forks(record)
    };
    let own: Vec<&Record> = records.iter().filter(|_| !program.leaves_a_choice()).filter(is_own).collect();
    let of = |algorithm: &Algorithm| {
        let own: Vec<&Record> = own.iter().copied().filter(|record| record.cell.algorithm == *algorithm).collect();
        let name = if program.algorithms.len() > 1 { format!(" with {}", algorithm.title()) } else { String::new() };
        cost_of_cipher(&own, &name)
    };
    let said: Vec<String> = program.algorithms.iter().filter_map(of).collect();
    (!said.is_empty()).then(|| said.join(" "))
}

/// `name` stands behind the messages.
fn cost_of_cipher(own: &[&Record], name: &str) -> Option<String> {
    let message = |record: &&Record| record.cell.parameters.message();
    let largest = own.iter().map(message).max()?;
    let mut libraries = BTreeMap::<&str, Vec<Cost>>::new();
    for record in own.iter().filter(|record| message(record) == largest) {
        libraries.entry(&record.cell.provider).or_default().extend(cost_of(record));
    }
    libraries.retain(|_, costs| !costs.is_empty());
    let cheapest = libraries.iter().min_by(|(_, one), (_, other)| dearest(one).total_cmp(&dearest(other)));
    let (library, costs) = cheapest?;
    let each = costs.iter().filter_map(|cost| Some(format!("{} CPU-s to {}", cost.said()?, cost.operation)));
    let busy = |gigabits: f64| digits(cores(dearest(costs), gigabits));
    Some(format!(
        "1 GB in messages of {}{name} takes {} ({}): 1 Gbit/s keeps {} cores busy, 10 Gbit/s {}.",
        size(largest),
        listed(&each.collect::<Vec<_>>()),
        escaped(library),
        busy(1.0),
        busy(10.0)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{cell, records};
    use crate::program::program;

    #[test]
    fn cost_is_that_of_the_cheapest_library_at_the_largest_message_by_the_dearer_operation() {
        let wireguard = program("wireguard").unwrap();
        let [own] = wireguard.algorithms[..] else { panic!("{wireguard:?}") };
        let made = |provider, message, seal, open| {
            [(Operation::Seal, seal), (Operation::Open, open)].map(|(one, ns)| cell(provider, own, one, message, ns))
        };
        let cells = [made("go", 1000, 900.0, 900.0), made("ring", 1000, 400.0, 800.0), made("ring", 64, 1.0, 1.0)];
        let said = cost_of_program(wireguard, None, &records(&cells.concat(), 8)).unwrap();
        let figures = |text: &str| -> Vec<f64> { text.split(' ').filter_map(|word| word.parse().ok()).collect() };
        let [_, bytes, seal, open, _, one, _] = figures(&said)[..] else { panic!("{said}") };
        let ten: f64 = said.trim_end_matches('.').rsplit(' ').next().unwrap().parse().unwrap();
        assert!(bytes == 1000.0 && said.contains("(ring): "), "{said}");
        assert!((1.9..2.1).contains(&(open / seal)) && (7.5..8.5).contains(&(open / one)), "{said}");
        assert!((9.0..11.0).contains(&(ten / one)), "{said}");
    }

    #[test]
    fn of_a_run_with_other_sizes_those_of_the_program_count() {
        let wireguard = program("wireguard").unwrap();
        let own = Algorithm::ChaCha20Poly1305;
        let cells = [64, 1420, 9000].map(|message| cell("ring", own, Operation::Seal, message, message as f64));
        let scenario = "name = \"wireguard\"\ntitle = \"t\"\nbudget = \"60s\"\nprecision = \"2%\"\n[[cells]]\n\
                        algorithms = [\"chacha20-poly1305\"]\noperations = [\"seal\"]\nmessages = [\"1420\"]\n";
        let scenario = Scenario::parse(scenario).unwrap();
        let said = cost_of_program(wireguard, Some(&scenario), &records(&cells, 8)).unwrap();
        assert!(said.starts_with("1 GB in messages of 1420 B takes "), "{said}");
    }

    #[test]
    fn nothing_is_said_of_another_cipher_nor_of_a_program_that_leaves_a_choice() {
        let of = |algorithm| records(&[cell("go", algorithm, Operation::Seal, 64, 9.0)], 8);
        let [aes, chacha20] = Algorithm::USUAL;
        assert_eq!(cost_of_program(program("wireguard").unwrap(), None, &of(aes)), None);
        assert_eq!(cost_of_program(program("go").unwrap(), None, &of(chacha20)), None);
        assert!(cost_of_program(program("age").unwrap(), None, &of(chacha20)).is_some());
    }
}
