//! The arguments, as `--help` shows them.

use std::path::PathBuf;

use ciphermeter_core::{Seconds, Share};
use clap::{Args, Parser, Subcommand, ValueEnum};

/// Measures symmetric encryption on this machine: which cipher, from which library, is fastest, by how much, and how
/// sure that is.
#[derive(Debug, Parser)]
#[command(version, args_conflicts_with_subcommands = true, max_term_width = 80)]
#[command(after_help = "Exit codes: 0 fine, 2 usage, 3 wrong output from a provider, 4 nothing measurable here, \
                        5 some cells or workers fell out, 130 interrupted (what was measured is kept).")]
pub struct Arguments {
    /// What to do; without it, `run`.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// How to run.
    #[command(flatten)]
    pub run: RunOptions,
}

/// What can be done.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Measure a scenario (default: messages)
    Run {
        /// A curated scenario's name, or a TOML file of your own (with a `/` or ending in `.toml`)
        scenario: Option<String>,
        /// How to run.
        #[command(flatten)]
        options: RunOptions,
    },
    /// List the stored runs
    List {
        /// Where runs are kept.
        #[command(flatten)]
        store: StoreOption,
    },
    /// Show a stored run's table
    Show {
        /// Its number; without it, the latest
        run: Option<i64>,
        /// Where runs are kept.
        #[command(flatten)]
        store: StoreOption,
        /// How it looks.
        #[command(flatten)]
        look: LookOptions,
    },
    /// Write a stored run for other programs, its raw samples included
    Export {
        /// Its number; without it, the latest
        run: Option<i64>,
        /// In which format
        #[arg(long, value_enum, default_value_t = Format::Json)]
        format: Format,
        /// To which file; `-`: standard output
        #[arg(long, short, default_value = "-")]
        output: PathBuf,
        /// Where runs are kept.
        #[command(flatten)]
        store: StoreOption,
    },
    /// Tell what on this machine spoils measurements, and which toolchains and libraries are missing
    Doctor {
        /// Where workers are.
        #[command(flatten)]
        workers: WorkersOption,
    },
    /// List, build or check the workers of other languages
    Workers {
        /// What to do; without it, list them
        #[command(subcommand)]
        command: Option<WorkersCommand>,
        /// Where workers are.
        #[command(flatten)]
        workers: WorkersOption,
    },
    /// Be a worker: speak PROTOCOL.md on standard input and output
    #[command(hide = true)]
    Worker {
        /// Which worker.
        #[command(subcommand)]
        kind: WorkerKind,
    },
    /// Hold the instrument against itself (`make bench-self` runs all of it)
    #[command(hide = true)]
    BenchSelf {
        /// What to hold against what.
        #[command(subcommand)]
        what: BenchSelf,
    },
}

/// How to run.
#[derive(Debug, Clone, Args)]
pub struct RunOptions {
    /// Write all records and raw samples as JSON to a file; `-`: to standard output, instead of the table
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write a line for each record as CSV to a file; `-`: to standard output, instead of the table
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// No progress and no notes
    #[arg(long, short)]
    pub quiet: bool,
    /// The most time to measure for, like `60s` or `5min`, instead of the scenario's
    #[arg(long, value_name = "TIME")]
    pub budget: Option<Seconds>,
    /// How precisely ratios are wanted, like `2%`, instead of the scenario's
    #[arg(long, value_name = "SHARE")]
    pub precision: Option<Share>,
    /// How long a worker may be silent before it is given up
    #[arg(long, value_name = "TIME", default_value = "20s")]
    pub patience: Seconds,
    /// Seed of keys, messages and orders; without it, one is drawn and stored
    #[arg(long, value_parser = clap::value_parser!(u64).range(0..=ciphermeter_core::MAX_INTEGER))]
    pub seed: Option<u64>,
    /// Go on with a run that was cut off: the latest, or the one of that number
    #[arg(long, value_name = "RUN", num_args = 0..=1, require_equals = true)]
    #[allow(clippy::option_option)] // clap's way to say: absent, alone, with a value
    pub resume: Option<Option<i64>>,
    /// How it looks.
    #[command(flatten)]
    pub look: LookOptions,
    /// Where runs are kept.
    #[command(flatten)]
    pub store: StoreOption,
    /// Where workers are.
    #[command(flatten)]
    pub workers: WorkersOption,
}

impl Default for RunOptions {
    /// As without any argument.
    fn default() -> Self {
        Arguments::parse_from(["ciphermeter"]).run
    }
}

/// How tables look.
#[derive(Debug, Clone, Args)]
pub struct LookOptions {
    /// Colors in the table
    #[arg(long, value_enum, default_value_t = Color::Auto)]
    pub color: Color,
}

/// Where runs are kept.
#[derive(Debug, Clone, Args)]
pub struct StoreOption {
    /// Keep runs in this file (default: ciphermeter/runs.db in the XDG data folder)
    #[arg(long, value_name = "FILE", env = "CIPHERMETER_STORE")]
    pub store: Option<PathBuf>,
}

/// Where workers of other languages are.
#[derive(Debug, Clone, Args)]
pub struct WorkersOption {
    /// Look for workers in this folder, instead of beside the binary and in the XDG data folder
    #[arg(long, value_name = "DIR", env = "CIPHERMETER_WORKERS", global = true)]
    pub workers: Option<PathBuf>,
}

/// When to use colors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Export formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// One document with host, records and raw samples.
    Json,
    /// A line for each record.
    Csv,
}

/// What to do with workers.
#[derive(Debug, Clone, Subcommand)]
pub enum WorkersCommand {
    /// List them, and whether each is built
    List,
    /// Build those whose toolchain is there
    Build {
        /// Only these
        names: Vec<String>,
    },
    /// Start each and show what it offers
    Check {
        /// Only these
        names: Vec<String>,
    },
}

/// Workers that are built in.
#[derive(Debug, Clone, Subcommand)]
pub enum WorkerKind {
    /// The built-in worker
    Native {
        /// Which provider it hosts
        #[arg(long, required_unless_present = "list")]
        provider: Option<String>,
        /// Only list the providers that are built in
        #[arg(long, conflicts_with = "provider")]
        list: bool,
        /// Prolong every sample by this share: a known slowdown for the instrument to find
        #[arg(long, value_name = "SHARE")]
        slowed: Option<Share>,
    },
}

/// Parts of `make bench-self`.
#[derive(Debug, Clone, Subcommand)]
pub enum BenchSelf {
    /// `openssl speed` against a replica of its calls, both at once on one core, in CPU time
    Ruler {
        /// Windows of 2 s for each size
        #[arg(long, default_value_t = 5)]
        windows: u32,
    },
    /// A/A and A/B: one library under forty names, and once slowed by 1 %
    Still {
        /// How many runs
        #[arg(long, default_value_t = 1)]
        runs: u32,
    },
    /// Time and precision of the default scenario, CPU time of the front, memory of a worker
    Cost,
}
