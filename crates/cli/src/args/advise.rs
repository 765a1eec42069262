//! The arguments of `advise`.

use std::ffi::OsStr;
use std::path::PathBuf;

use ciphermeter_core::{ColumnOrder, Mask, Seconds};
use ciphermeter_report::{PROGRAMS, Program, program};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::{ContextKind, Error, ErrorKind};
use clap::{Arg, Args, Command};

use super::options::{LookOptions, StoreOption, WorkersOption, words};
use crate::scenarios;

/// Below the options of `advise`.
pub const ADVISE_AFTER: &str = "\
    Examples: `ciphermeter advise --for nginx`; `ciphermeter advise tls`; \
    `ciphermeter advise --mix 64:700,1370:200,16KiB:100`; `ciphermeter advise packet --for go --json -`.\n\n\
    The answer rests on the newest stored run that measured all of this on this machine: the same CPU, features, \
    microcode, cores, caches, hypervisor and method. Where none has measured it, `advise` measures, as `run` does: mostly for a minute, \
    for Node.js 3, for Java 5, for `bulk` and `transfer` 10. Where that run does not decide, it does so with --budget. With --stored it never does. \
    What a CPU without AES instructions would take is said only where a run with `--cpu no-aes` is stored; \
    `--cpu no-aes` asks for that alone.\n\n\
    Exit codes: 0 there is an answer, `no choice` among them; 5 the measurements do not decide; 4 nothing \
    of it can be measured, as where a worker is not built; 3 a cipher is left out, as its output was wrong; 2 wrong usage, or nothing stored and --stored.";

/// What `advise` is asked.
#[derive(Debug, Clone, Args)]
pub struct AdviseOptions {
    /// A workload: a scenario's name, such as tls, packet, iot, disk, transfer or bulk, or a program's; without it, the sizes of --mix,
    /// those of the program, or `messages`
    pub workload: Option<String>,
    /// The program to print configuration lines for
    #[arg(long = "for", value_name = "PROGRAM", value_parser = programs(), ignore_case = true, help = for_help())]
    pub program: Option<&'static Program>,
    /// How many messages of each size there are, like `64:700,1370:200,16KiB:100`, or `@FILE` with such an entry a line, with a size a
    /// line, or as `sort -n | uniq -c` counts them: the cost of all together decides; with a workload, sizes of that
    #[arg(long, value_name = "HISTOGRAM")]
    pub mix: Option<String>,
    /// Which of two columns in the file of --mix has the sizes, where that is not clear
    #[arg(long, value_name = "ORDER", requires = "mix")]
    #[arg(value_parser = words(ColumnOrder::ALL.iter().copied(), ColumnOrder::as_str))]
    pub mix_order: Option<ColumnOrder>,
    /// Answer as on a CPU without these instructions, as `run --cpu` disables them: no-aes, no-vaes, no-avx512, no-avx2
    #[arg(long, value_name = "NAME", hide_possible_values = true)]
    #[arg(value_parser = words(Mask::ALL.iter().copied(), Mask::as_str))]
    pub cpu: Option<Mask>,
    /// Answer for hardware that isn't here, from a run that was measured there: a machine's name (`ciphermeter report --site` shows the
    /// table), a file written by `export --share`, a CPU's model, or `nearest` for the one that is most like this CPU
    #[arg(long, value_name = "NAME", conflicts_with_all = ["cpu", "stored"])]
    pub machine: Option<String>,
    /// Measure nothing: answer from stored runs alone
    #[arg(long)]
    pub stored: bool,
    /// The most time to measure, like `60s` or `5min`, if no stored run decides
    #[arg(long, value_name = "TIME", env = "CIPHERMETER_BUDGET")]
    pub budget: Option<Seconds>,
    /// Whether it was typed: then it is measured again where no stored run decides.
    #[arg(skip)]
    pub is_budget_typed: bool,
    /// Write the answer as JSON to a file; `-`: to standard output, instead of the screen
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    pub json: Option<PathBuf>,
    /// Print all remarks, not only those that a screen has room for
    #[arg(long, short)]
    pub verbose: bool,
    #[command(flatten)]
    pub workers: WorkersOption,
    #[command(flatten)]
    pub store: StoreOption,
    #[command(flatten)]
    pub look: LookOptions,
}

/// With the other names, which a list of values leaves out.
fn for_help() -> String {
    let with_others = PROGRAMS.iter().filter(|program| !program.also.is_empty());
    let others: Vec<String> =
        with_others.map(|program| format!("{} for {}", program.also.join(" or "), program.name)).collect();
    format!("The program to print configuration lines for; other names: {}", others.join(", "))
}

fn programs() -> Programs {
    let value = |program: &'static Program| {
        PossibleValue::new(program.name.as_str()).aliases(program.also.iter().map(String::as_str))
    };
    Programs(PossibleValuesParser::new(PROGRAMS.iter().map(value)))
}

/// Reads a program's name, and knows what those mean who name a workload.
#[derive(Clone)]
struct Programs(PossibleValuesParser);

impl TypedValueParser for Programs {
    type Value = &'static Program;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<Self::Value, Error> {
        let name = value.to_string_lossy().to_ascii_lowercase();
        if scenarios::is_curated(&name) {
            let said = format!("--for: `{name}` is a workload: ciphermeter advise {name}\n");
            return Err(Error::raw(ErrorKind::InvalidValue, said));
        }
        let misspelt = |mut error: Error| {
            // Clap takes any name with a few of the same letters for one that is meant.
            if scenarios::similar(&name).is_none() {
                error.remove(ContextKind::SuggestedValue);
            }
            error
        };
        let name = self.0.parse_ref(command, arg, value).map_err(misspelt)?;
        program(&name).ok_or_else(|| Error::new(ErrorKind::InvalidValue))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        self.0.possible_values()
    }
}
