//! Verdicts on records made up.

mod guarded;
mod olds;
mod runs;

use ciphermeter_core::{Algorithm, Fact, Operation, Record, Run};

use ciphermeter_answer::fixtures::{self, Made, cell};

/// Seal and open of one size, as a worker whose program is known measured them.
fn records(cells: &[Made]) -> Vec<Record> {
    let mut records = fixtures::records(cells, 6);
    for record in &mut records {
        if let Some(provenance) = &mut record.provenance {
            provenance.program = Some("5f".repeat(32));
        }
    }
    records
}

fn seal(provider: &'static str, algorithm: Algorithm, message: u64, ns: f64) -> Made {
    cell(provider, algorithm, Operation::Seal, message, ns)
}

fn run(id: i64) -> Run {
    let fact = Fact::present;
    let host = vec![
        fact("cpu", "Example EPYC 9"),
        fact("microcode", "0x1"),
        fact("cores", "2 logical, 2 allowed to this process (0-1)"),
        fact("memory", "23.5 GiB in all, 23.0 GiB available"),
        fact("kernel", "Linux 6.18.1"),
        fact("load", "0.10 over 1 min"),
        Fact::absent("governor", "no cpufreq on this machine"),
    ];
    Run { id, host, seed: id.cast_unsigned(), ..fixtures::head() }
}

/// Whatever the lines' ends.
fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text at 80 columns; that it fits is checked at every width.
fn at_80(text: impl Fn(crate::TableOptions) -> String) -> String {
    use unicode_width::UnicodeWidthStr;
    for width in [0, 40, 50, 60, 79, 80, 120] {
        for line in text(crate::TableOptions { width, color: false }).lines() {
            assert!(line.width() <= width.max(40), "{width}: {line}");
            assert!(line.trim_end() == line, "blanks at the end of {line:?}");
        }
    }
    text(crate::TableOptions::default())
}
