//! The commands and their arguments, as `--help` shows them.

use std::ffi::OsString;
use std::path::PathBuf;

use ciphermeter_core::Seconds;
use ciphermeter_move::{RecvOptions, SendOptions};
use clap::{Parser, Subcommand};
use clap_complete::Shell;

use super::advise::{ADVISE_AFTER, AdviseOptions};
use super::guard::{GUARD_AFTER, GuardOptions};
use super::options::{
    DetailOptions, LookOptions, PageOptions, RunOptions, StoreOption, ThresholdOption, WorkersOption, run_number,
};
use super::share::{ShareOptions, SiteOption};
use super::words::{Columns, Format, ListCommand, SchemaOf, WorkerKind, WorkersCommand};
use crate::command::machines::MachineRun;
use crate::devices::DeviceSpec;
use crate::named_run::NamedRun;
use crate::scenarios::DEFAULT;

/// Measures symmetric encryption on this machine: which cipher, from which library, is fastest, by how much, and how
/// sure that is.
#[derive(Debug, Parser)]
#[command(version, args_conflicts_with_subcommands = true, max_term_width = 80, after_help = AFTER)]
pub struct Arguments {
    /// What to do; without it, `run`.
    #[command(subcommand)]
    pub command: Option<Command>,
    #[command(flatten)]
    pub run: RunOptions,
}

/// How lists on the command line go with scenarios.
macro_rules! lists {
    () => {
        "Lists are separated by commas. They replace the scenario's own; without a scenario's name, they replace those of one with \
         four AEADs (and operations of bare ciphers, too) on messages of 16 bytes to 1 MiB, in a time that fits them."
    };
}

/// Below the commands and options.
const AFTER: &str = concat!(
    "The default command is `run`: `ciphermeter --algorithm aes-256-gcm --message 1KiB`. ",
    lists!(),
    "\n\n\
     Flags take precedence over environment variables, which take precedence over ./ciphermeter.toml, which takes precedence \
     over ciphermeter/config.toml in the XDG config folder; `ciphermeter man` describes these files.\n\n\
     `ciphermeter help openssl-speed` measures what `openssl speed` shows here, and says why that differs.\n\n\
     Exit codes: 0 success, 1 something became slower, 2 usage, 3 wrong output from a provider, 4 nothing measured \
     or measurable, or nothing to compare, rank or draw, 5 no answer yet, or some cells or workers failed, 130 interrupted (what was measured is kept)."
);

/// Below the options of `report`.
const REPORT_AFTER: &str = "\
    The page is one file that needs no network: the answer, all figures with their values as tables, every cell, the machine. Several runs \
    stand side by side, without ratios between them. Nothing is overwritten.\n\n\
    Examples:\n  \
    ciphermeter report                  the latest run, into report-RUN.html\n  \
    ciphermeter report 3 laptop.db:7    two machines side by side\n  \
    ciphermeter report --figures fig    each figure as SVG, PNG, CSV, 160 mm wide\n  \
    ciphermeter report --figures fig --column    for a page of two columns: 84 mm\n  \
    ciphermeter report --site site      the table of machines as a static site";

/// Below the options of `import`.
const IMPORT_AFTER: &str = "\
    Each run gets the next number here and keeps its samples, so that `show`, `report`, `compare` and `rank` work on it. A run that is \
    stored already, with the same samples, is not added again. An imported run counts as one of another machine: `advise` leaves it out, a study names it \
    as such, and `--resume` does not continue it.";

const SERVE_AFTER: &str = "\
Examples:
  ciphermeter serve               this machine's runs, at http://127.0.0.1:8787
  ciphermeter serve token add NAME --scope push|read|admin
  ciphermeter serve --listen 0.0.0.0:8787 --host NAME --database postgres://…
  ciphermeter serve join https://HOST:8787    a link for phones
  ciphermeter serve remove RUN…, serve rename OLD NEW, serve backup FILE
`ciphermeter-serve serve --help` prints all options.";
const PUSH_AFTER: &str = "\
Examples:
  ciphermeter push --to https://HOST:8787         the latest run
  ciphermeter push 3 7 --to URL --machine NAME --certificate FILE
  ciphermeter push                                what waits in the queue
`ciphermeter-serve push --help` prints all options.";

/// Below the options of `machines`.
const MACHINES_AFTER: &str = "\
The slowest machine decides, by its own comparison; rates of different machines
within 5 % of each other decide nothing. Runs count that compare the same two
ciphers under the same conditions, as most of them do.

Exit codes: 0 one cipher serves all; 5 which is not known, or most do not count.

Example:
  ciphermeter machines web1=3 web2=4 laptop.db:7";
const FLEET_AFTER: &str = "\
Examples:
  ciphermeter fleet run --hosts FILE              over ssh, a host a line
  ciphermeter fleet run iot --scheduler tls://HOST:8786 --push URL
  ciphermeter fleet status
`ciphermeter-fleet run --help` prints all options.";

/// What can be done.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Measure a scenario
    #[command(after_help = lists!())]
    Run {
        /// A scenario's name (`ciphermeter list scenarios`), a program's, like nginx, or a TOML file (with a `/` or ending in
        /// `.toml`)
        #[arg(default_value = DEFAULT, env = "CIPHERMETER_SCENARIO")]
        scenario: Option<String>,
        #[command(flatten)]
        options: Box<RunOptions>,
    },
    /// List the stored runs, or what can be measured
    #[command(args_conflicts_with_subcommands = true)]
    List {
        /// What to list; without it, the stored runs
        #[command(subcommand)]
        what: Option<ListCommand>,
        /// Print the stored runs as one JSON document, described by `ciphermeter schema list`
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        store: StoreOption,
    },
    /// Print a stored run's results
    Show {
        /// The run's number; without it, the latest
        #[arg(value_parser = run_number)]
        run: Option<i64>,
        #[command(flatten)]
        detail: DetailOptions,
        /// Write all records and raw samples as JSON, as `run --json` does, to a file; `-`, or no
        /// file: to standard output, instead of the table
        #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
        json: Option<PathBuf>,
        #[command(flatten)]
        store: StoreOption,
        #[command(flatten)]
        look: LookOptions,
    },
    /// Write a stored run for other programs, including raw samples, or draw its main figure
    Export {
        /// The run's number; without it, the latest
        #[arg(value_parser = run_number)]
        run: Option<i64>,
        /// One JSON document with raw samples; CSV, one line per record; the Go benchmark format, one line per cell and
        /// fork, as benchstat reads it; the Bencher Metric Format; the answer with a table, in Markdown; or the main
        /// figure, as SVG or PNG. Without it, the ending of the file's name says which: .json, .csv, .md, .svg or
        /// .png; standard output gets JSON
        #[arg(long, value_enum)]
        format: Option<Format>,
        /// CSV of transfers with the columns of a study of file transfer (tcp-sockets), one line per sample and side
        #[arg(long, value_enum)]
        columns: Option<Columns>,
        /// The file to write; `-`: standard output
        #[arg(long, short, value_name = "FILE", default_value = "-")]
        output: PathBuf,
        #[command(flatten)]
        share: ShareOptions,
        #[command(flatten)]
        store: StoreOption,
    },
    /// Take runs of other machines into the store, from their JSON exports
    #[command(after_help = IMPORT_AFTER)]
    Import {
        /// Files written by `export --format json` or `--share`, `run --json` or the page in a browser; `-`: standard input
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        #[command(flatten)]
        store: StoreOption,
    },
    /// Write stored runs as a page that opens in any browser, or their figures for a paper
    #[command(after_help = REPORT_AFTER)]
    Report {
        /// The runs' numbers; without any, the latest; of another store, its file and the number: laptop.db:3
        #[arg(value_name = "RUN")]
        runs: Vec<NamedRun>,
        #[command(flatten)]
        page: PageOptions,
        #[command(flatten)]
        site: SiteOption,
        #[command(flatten)]
        store: StoreOption,
    },
    /// Compare two stored runs by the cells that both measured: what became slower, what faster
    Compare {
        /// The number of the earlier run
        #[arg(value_parser = run_number)]
        a: i64,
        /// The number of the later run
        #[arg(value_parser = run_number)]
        b: i64,
        #[command(flatten)]
        threshold: ThresholdOption,
        /// Print one JSON document, described by `ciphermeter schema compare`
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        store: StoreOption,
        #[command(flatten)]
        look: LookOptions,
    },
    /// Say whether a change made a library slower; an alarm is confirmed before it is raised
    #[command(after_help = GUARD_AFTER)]
    Guard(Box<GuardOptions>),
    /// Rank algorithms and providers over the cells that they have in common
    Rank {
        /// The run's number; without it, the latest
        #[arg(value_parser = run_number)]
        run: Option<i64>,
        /// Print one JSON document, described by `ciphermeter schema rank`
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        store: StoreOption,
        #[command(flatten)]
        look: LookOptions,
    },
    /// Say which cipher serves several machines best, from a run of each
    #[command(after_help = MACHINES_AFTER)]
    Machines {
        /// A machine's run: its number, or of another store its file and number, like laptop.db:3; before it the machine's name
        #[arg(required = true, value_name = "[NAME=]RUN")]
        runs: Vec<MachineRun>,
        /// Print one JSON document, described by `ciphermeter schema machines`
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        store: StoreOption,
        #[command(flatten)]
        look: LookOptions,
    },
    /// Say which cipher and library to use here for a workload, and print the lines for a program's configuration
    #[command(after_help = ADVISE_AFTER)]
    Advise(AdviseOptions),
    /// Measure published studies of AES and ChaCha20 again, judge their claims, and check their numbers
    Study {
        /// What to do
        #[command(subcommand)]
        command: StudyCommand,
        #[command(flatten)]
        store: StoreOption,
    },
    /// Receive files: print a ticket and wait for a sender
    Recv(RecvOptions),
    /// Send files and folders to a receiver
    Send(SendOptions),
    /// Print the JSON Schema of `export --format json`, or of another command's JSON
    Schema {
        /// The command whose JSON it describes
        #[arg(value_enum, default_value = "export")]
        of: SchemaOf,
    },
    /// Print completions for a shell
    Completions {
        /// Which shell
        #[arg(value_enum)]
        shell: Shell,
    },
    /// Print a manual page: `ciphermeter man run | man -l -`
    Man {
        /// The command whose page it is; without it, the main page
        #[arg(value_name = "COMMAND")]
        names: Vec<String>,
    },
    /// Report what on this machine spoils measurements, which energy counters it has, and which toolchains and libraries
    /// are missing
    Doctor {
        /// Print every fact, check, version and reason
        #[arg(long, short)]
        verbose: bool,
        #[command(flatten)]
        workers: WorkersOption,
    },
    /// List serial ports and emulated devices, or check those that you name: board, libraries, known answers
    Device {
        /// A serial port, `tcp:HOST:PORT`, or an emulated device like `qemu:cortex-m4`; without any, list those that are here
        #[arg(value_name = "DEVICE")]
        devices: Vec<DeviceSpec>,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        workers: WorkersOption,
    },
    /// List, build or check the workers of other languages
    Workers {
        /// What to do; without it, list them
        #[command(subcommand)]
        command: Option<WorkersCommand>,
        #[command(flatten)]
        workers: WorkersOption,
    },
    /// Serve the runs of many machines: pages and an API
    #[command(after_help = SERVE_AFTER)]
    Serve {
        /// What the program ciphermeter-serve takes
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
        arguments: Vec<OsString>,
    },
    /// Send runs to a team's server
    #[command(after_help = PUSH_AFTER)]
    Push {
        /// What the program ciphermeter-serve takes
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
        arguments: Vec<OsString>,
    },
    /// Measure many machines at once, each alone, and collect their runs here
    #[command(after_help = FLEET_AFTER)]
    Fleet {
        /// What the program ciphermeter-fleet takes
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
        arguments: Vec<OsString>,
    },
    /// Explain why `openssl speed` shows other figures, with both measured here: `help openssl-speed`
    #[command(hide = true)]
    OpensslSpeed,
    /// Be a worker: speak PROTOCOL.md on standard input and output
    #[command(hide = true, arg_required_else_help = false)]
    Worker {
        /// Which worker.
        #[command(subcommand)]
        kind: WorkerKind,
    },
}

impl Command {
    /// Where it keeps or reads runs, if it does.
    pub fn store_mut(&mut self) -> Option<&mut StoreOption> {
        match self {
            Self::Run { options, .. } => Some(&mut options.store),
            Self::Guard(options) => Some(&mut options.store),
            Self::Advise(options) => Some(&mut options.store),
            Self::List { store, .. }
            | Self::Show { store, .. }
            | Self::Export { store, .. }
            | Self::Import { store, .. }
            | Self::Report { store, .. }
            | Self::Compare { store, .. }
            | Self::Rank { store, .. }
            | Self::Machines { store, .. }
            | Self::Study { store, .. } => Some(store),
            _ => None,
        }
    }
}

/// What to do with studies.
#[derive(Debug, Clone, Subcommand)]
pub enum StudyCommand {
    /// List the studies, and how their claims stand here
    List {
        /// Print one JSON document, described by `ciphermeter schema study`
        #[arg(long)]
        json: bool,
    },
    /// Show how a study's claims stand here
    Show {
        /// The study's name, or a file of your own like ./mine.toml
        #[arg(required_unless_present = "all")]
        name: Option<String>,
        /// Also its ratios beside those measured here, and which of its numbers contradict each other; without a name, all
        /// studies in brief, and why they disagree: one factor at a time, on this machine
        #[arg(long)]
        all: bool,
        /// Print one JSON document, described by `ciphermeter schema study`
        #[arg(long)]
        json: bool,
        /// Print CSV, a row for each ratio: published and measured
        #[arg(long, conflicts_with = "json")]
        csv: bool,
    },
    /// Write a study as a page that opens in any browser, or its figures for a paper: published values beside those measured
    /// here
    Report {
        /// The study's name, or a file of your own like ./mine.toml
        name: String,
        #[command(flatten)]
        page: PageOptions,
    },
    /// Measure a study again, then show it
    Run {
        /// The study's name, or a file of your own like ./mine.toml
        #[arg(required_unless_present = "all")]
        name: Option<String>,
        /// Show all of it, as `show --all`; without a name, measure all studies, which takes about 22 minutes
        #[arg(long)]
        all: bool,
        /// The most time for each measurement, like `5min`; a study has several, each with a time of its own
        #[arg(long, value_name = "TIME")]
        budget: Option<Seconds>,
        /// For a study of several libcryptos, the file or folder of each; may be given several times
        #[arg(long, value_name = "FILE|DIR")]
        openssl: Vec<PathBuf>,
        #[command(flatten)]
        workers: WorkersOption,
    },
}
