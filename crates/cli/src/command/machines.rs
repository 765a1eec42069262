//! `machines`: which cipher serves several machines best, from a run of each.

use std::str::FromStr;

use anyhow::{Result, bail};
use ciphermeter_core::{digest, in_quotes};
use ciphermeter_report::{MACHINE_NAME, MachineRow, machine_name, machines as screen, machines_json};
use ciphermeter_terminal::{Exit, output};

use crate::args::{LookOptions, StoreOption};
use crate::command::show::stored;
use crate::named_run::NamedRun;
use crate::run_output;

/// A machine's run as a user names it: `web1=3`, `web1=laptop.db:3`, or the run alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MachineRun {
    name: Option<String>,
    run: NamedRun,
}

impl FromStr for MachineRun {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let Some((name, run)) = text.split_once('=') else {
            return Ok(Self { name: None, run: text.parse()? });
        };
        let name = machine_name(name).ok_or_else(|| format!("{MACHINE_NAME}: write NAME=RUN"))?;
        Ok(Self { name: Some(name.into()), run: run.parse()? })
    }
}

/// Prints the machines. One run after the other is loaded: many do not fit into memory at once.
pub fn machines(runs: &[MachineRun], json: bool, option: &StoreOption, look: &LookOptions) -> Result<Exit> {
    let row = |MachineRun { name, run }: &MachineRun| {
        let other = run.store.clone().map(|file| StoreOption { store: Some(file), is_typed: true });
        let (run, records) = stored(run.id, other.as_ref().unwrap_or(option))?;
        Ok((digest(&run, &records), MachineRow::of(name.as_deref(), &run, &records)))
    };
    let rows: Vec<_> = runs.iter().map(row).collect::<Result<_>>()?;
    for (place, (digest, row)) in rows.iter().enumerate() {
        if rows[..place].iter().any(|(_, other)| other.machine == row.machine) {
            bail!("two runs are of {}: name one of each machine, as NAME=RUN", in_quotes(&row.machine));
        }
        // A run may be in two stores, or twice in one.
        if let Some((_, other)) = rows[..place].iter().find(|(other, _)| other == digest) {
            let [one, other] = [&other.machine, &row.machine].map(|machine| in_quotes(machine));
            bail!("the runs of {one} and {other} are one measurement: name a run of each machine");
        }
    }
    let rows: Vec<MachineRow> = rows.into_iter().map(|(_, row)| row).collect();
    let said = if json { machines_json(&rows) } else { screen(&rows, run_output::table_options(look)) };
    output::print(&said.text)?;
    Ok(if said.is_answered { Exit::Fine } else { Exit::Partial })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_may_have_the_name_of_its_machine() {
        let parsed = |text: &str| text.parse::<MachineRun>().map(|named| (named.name, named.run.store, named.run.id));
        assert_eq!(parsed("3"), Ok((None, None, Some(3))));
        assert_eq!(parsed("web 1=3"), Ok((Some("web 1".into()), None, Some(3))));
        assert_eq!(parsed("b=laptop.db:3"), Ok((Some("b".into()), Some("laptop.db".into()), Some(3))));
        for other in ["", "=3", " =3", "web1=", "web1=x", "a\nb=3", &format!("{}=3", "x".repeat(101))] {
            assert!(parsed(other).is_err(), "{other}");
        }
    }
}
