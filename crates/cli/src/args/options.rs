//! Options that commands share.

use std::error::Error;
use std::path::PathBuf;
use std::str::FromStr;

use ciphermeter_core::{Algorithm, Bytes, Form, MAX_INTEGER, Mask, Operation, Seconds, Share, Threads};
use clap::builder::{BoolishValueParser, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

use crate::devices::DeviceSpec;

/// Heading of the options that say what is measured.
const WHAT: &str = "What to measure";
/// Heading of the options that say for how long.
const HOW_LONG: &str = "How long and how precisely";
/// Heading of the options that compare new with old.
const COMPARING: &str = "Comparing";
/// Heading of the options on what is written where.
const OUTPUT: &str = "Output";

/// How to run.
#[derive(Debug, Clone, Args)]
pub struct RunOptions {
    #[command(flatten)]
    pub spot: SpotOptions,
    /// Also measure this libcrypto, or those of this folder; may be given several times
    #[arg(long, value_name = "FILE|DIR", help_heading = WHAT)]
    pub openssl: Vec<PathBuf>,
    /// Also measure the providers of this worker: the command of any program that speaks PROTOCOL.md; may be given several times
    #[arg(long, value_name = "COMMAND", help_heading = WHAT)]
    pub worker: Vec<String>,
    /// Also measure on these devices: a serial port, `tcp:HOST:PORT`, or an emulated core like `qemu:cortex-m4`; `ciphermeter device`
    /// lists those that are here
    #[arg(long, value_name = "DEVICES", value_delimiter = ',', conflicts_with_all = ["against", "cpu", "peer"])]
    #[arg(help_heading = WHAT)]
    pub device: Vec<DeviceSpec>,
    /// In a scenario of transfers, send to another machine, where `ciphermeter recv --bench` printed this ticket, or to the one whose
    /// ticket is in this file
    #[arg(long, value_name = "TICKET", conflicts_with_all = ["against", "cpu"], help_heading = WHAT)]
    pub peer: Option<String>,
    /// Measure as on a CPU without these instructions, using the libraries' own switches: no-aes, no-vaes, no-avx512, no-avx2
    #[arg(long, value_name = "NAME", hide_possible_values = true, help_heading = WHAT)]
    #[arg(value_parser = words(Mask::ALL.iter().copied(), Mask::as_str))]
    #[arg(conflicts_with = "against")]
    pub cpu: Option<Mask>,
    /// For `parallel`: encrypt this file, which is only read, instead of generated messages, from file to file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["against", "worker"], help_heading = WHAT)]
    pub input: Option<PathBuf>,
    /// For `parallel` from file to file: keep each way's last output in this new folder, with the command to decrypt it; the
    /// key comes from the seed and protects nothing
    #[arg(long, value_name = "DIR", conflicts_with_all = ["against", "worker"], help_heading = WHAT)]
    pub keep_output: Option<PathBuf>,
    /// For `sustained`: transfer files
    #[arg(long, help_heading = WHAT)]
    pub transfer: bool,
    /// For `sustained` and `parallel`: read an external power meter on this serial device, lines like `12.5 W` or `340.2 J`. With
    /// `--device`: read a board's bench meter there or from this named pipe, lines like `81.3 mA`. At least four lines a second
    #[arg(long, value_name = "DEVICE[@BAUD]", help_heading = WHAT)]
    pub meter: Option<String>,
    #[command(flatten, next_help_heading = WHAT)]
    pub workers: WorkersOption,
    /// The most time to measure, like `60s` or `5min`, instead of the scenario's
    #[arg(long, value_name = "TIME", env = "CIPHERMETER_BUDGET", help_heading = HOW_LONG)]
    pub budget: Option<Seconds>,
    /// Precision wanted of ratios, like `2%`, instead of the scenario's
    #[arg(long, value_name = "SHARE", env = "CIPHERMETER_PRECISION", help_heading = HOW_LONG)]
    pub precision: Option<Share>,
    /// How long to wait for a silent worker
    #[arg(long, value_name = "TIME", default_value = "20s", env = "CIPHERMETER_PATIENCE", help_heading = HOW_LONG)]
    pub patience: Seconds,
    /// Seed for keys, messages and orders; by default a random one, which is stored
    #[arg(long, value_name = "NUMBER", value_parser = seed, allow_negative_numbers = true, help_heading = HOW_LONG)]
    pub seed: Option<u64>,
    /// Resume an interrupted run: the latest, or the one with this number
    #[arg(long, value_name = "RUN", num_args = 0..=1, require_equals = true, value_parser = run_number)]
    #[arg(help_heading = HOW_LONG)]
    #[allow(clippy::option_option)] // clap's way to say: absent, alone, with a value
    pub resume: Option<Option<i64>>,
    /// Measure an older library, worker or ciphermeter in the same rounds, and end with exit code 1 if what is here is surely
    /// slower: a library's file or folder, a worker's command, or a ciphermeter binary
    #[arg(long, value_name = "OLD", help_heading = COMPARING)]
    pub against: Option<String>,
    #[command(flatten, next_help_heading = COMPARING)]
    pub threshold: ThresholdOption,
    /// Write all records and raw samples as JSON to a file; `-`: to standard output, instead of the table
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-", help_heading = OUTPUT)]
    pub json: Option<PathBuf>,
    /// Write a line for each record as CSV to a file; `-`: to standard output, instead of the table
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub csv: Option<PathBuf>,
    /// Send the run to a team's server when it has ended; while the server is away, the run waits in a queue
    #[arg(long, value_name = "URL", help_heading = OUTPUT)]
    pub push: Option<String>,
    /// No progress and no notes
    #[arg(long, short, env = "CIPHERMETER_QUIET", value_parser = BoolishValueParser::new(), help_heading = OUTPUT)]
    pub quiet: bool,
    #[command(flatten, next_help_heading = OUTPUT)]
    pub detail: DetailOptions,
    #[command(flatten, next_help_heading = OUTPUT)]
    pub look: LookOptions,
    #[command(flatten, next_help_heading = OUTPUT)]
    pub store: StoreOption,
    /// Names of the options that stand on the command line.
    #[arg(skip)]
    pub given: Vec<String>,
    /// The words that ask for the same again, without those on its time and its output.
    #[arg(skip)]
    pub asked: Vec<String>,
}

impl RunOptions {
    /// Whether that option stands on the command line: only there is it asked for, elsewhere it is usual.
    pub fn is_given(&self, name: &str) -> bool {
        self.given.iter().any(|given| given == name)
    }
}

/// A scenario made on the spot.
#[derive(Debug, Clone, Default, PartialEq, Args)]
#[command(next_help_heading = WHAT)]
pub struct SpotOptions {
    /// Algorithms, like `aes-256-gcm,chacha20-poly1305`; `ciphermeter list algorithms` shows them
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = algorithms(), ignore_case = true, hide_possible_values = true)]
    pub algorithm: Vec<Algorithm>,
    /// Providers, like `openssl,go`, or `all`; `ciphermeter list providers` shows them
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub provider: Vec<String>,
    /// Operations: seal, open, encrypt, decrypt, key-setup
    #[arg(long, value_name = "NAMES", value_delimiter = ',', hide_possible_values = true)]
    #[arg(value_parser = words(Operation::ALL.iter().copied(), Operation::as_str))]
    pub operation: Vec<Operation>,
    /// Message sizes, like `16,1KiB,1MiB`
    #[arg(long, value_name = "SIZES", value_delimiter = ',')]
    pub message: Vec<Bytes>,
    /// Sizes of aad, like `0,13`
    #[arg(long, value_name = "SIZES", value_delimiter = ',')]
    pub aad: Vec<Bytes>,
    /// Forms: in-place, into (a second buffer), fresh (memory that the library allocates), batch (32 messages at a time); of
    /// transfers discard, file, disk; of split messages static, dynamic, mapped, buffered, direct, and on graphics cards device, end-to-end, pageable
    #[arg(long, value_name = "NAMES", value_delimiter = ',', hide_possible_values = true)]
    #[arg(value_parser = words(Form::ALL.iter().copied(), Form::as_str))]
    pub form: Vec<Form>,
    /// Numbers of threads at once, like `1,2,all`, or `doubling`
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',')]
    pub threads: Vec<Threads>,
    /// For `parallel`: lengths of XOR's key, like `32,4096`
    #[arg(long, value_name = "SIZES", value_delimiter = ',')]
    pub key: Vec<Bytes>,
    /// Total size of the messages that calls cycle through, like `0,1MiB,64MiB`: beyond the caches, they come from memory; 0: one
    /// message, always cached
    #[arg(long, value_name = "SIZES", value_delimiter = ',')]
    pub working_set: Vec<Bytes>,
    /// Numbers of keys that calls cycle through, like `1,1000`, each in an object of its own
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',')]
    pub keys: Vec<u32>,
    /// Also time single calls, for percentiles
    #[arg(long)]
    pub latency: bool,
    /// Also measure each cell's memory, in separate processes
    #[arg(long)]
    pub memory: bool,
}

/// A parser that knows its words, so that shells complete them and errors list them.
pub(super) fn words<T>(all: impl Iterator<Item = T>, word: fn(T) -> &'static str) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err: Error + Send + Sync> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(all.map(word)).try_map(|word| word.to_lowercase().parse::<T>())
}

/// Ceilings stand in every group without being asked for.
pub fn algorithms() -> impl TypedValueParser<Value = Algorithm> {
    let ciphers = Algorithm::ALL.iter().copied().filter(|algorithm| !algorithm.is_ceiling());
    words(ciphers, Algorithm::as_str)
}

pub(super) fn seed(text: &str) -> Result<u64, String> {
    let seed = text.parse().ok().filter(|seed| *seed <= MAX_INTEGER);
    seed.ok_or_else(|| format!("a seed is a number from 0 to {MAX_INTEGER}"))
}

/// The number of a stored run.
pub fn run_number(text: &str) -> Result<i64, &'static str> {
    text.parse().map_err(|_| "a run has a number; `ciphermeter list` shows them")
}

/// What counts as slower.
#[derive(Debug, Clone, Args)]
pub struct ThresholdOption {
    /// A slowdown whose whole interval lies above this share is a regression
    #[arg(long, value_name = "SHARE", default_value = "5%", env = "CIPHERMETER_THRESHOLD")]
    pub threshold: Share,
}

/// How tables look.
#[derive(Debug, Clone, Args)]
pub struct LookOptions {
    /// Colors in the table; `auto`: on a terminal, unless NO_COLOR is set or TERM is dumb
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Color::Auto, env = "CIPHERMETER_COLOR")]
    pub color: Color,
}

/// How much of a run is printed.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct DetailOptions {
    /// Print every row instead of the first screen
    #[arg(long)]
    pub all: bool,
    /// Print what a call and what a byte cost each library, and the sizes at which its ciphers cross
    #[arg(long, conflicts_with = "all")]
    pub costs: bool,
    /// Print the notes on clocks, warm-up and other work, too, and each cell's warnings
    #[arg(long, short)]
    pub verbose: bool,
}

/// Where a page goes, and figures.
#[derive(Debug, Clone, Args)]
pub struct PageOptions {
    /// The file to write instead of report-RUN.html or report-STUDY.html; `-`: standard output
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write each figure into this folder as SVG, PNG and CSV; the page only with -o
    #[arg(long, value_name = "DIR")]
    pub figures: Option<PathBuf>,
    /// Draw the figures 84 mm wide, for one column of two, with letters as large as at 160 mm
    #[arg(long, requires = "figures")]
    pub column: bool,
}

/// Where runs are kept.
#[derive(Debug, Clone, Args)]
pub struct StoreOption {
    /// Keep runs in this file, instead of ciphermeter/runs.db in the XDG data folder
    #[arg(long, value_name = "FILE", env = "CIPHERMETER_STORE")]
    pub store: Option<PathBuf>,
    /// Whether it was typed: a command that leads to a run must name it then. A variable or a file is there for the next command, too.
    #[arg(skip)]
    pub is_typed: bool,
}

/// Where workers of other languages are.
#[derive(Debug, Clone, Default, Args)]
pub struct WorkersOption {
    /// Look for workers in this folder, instead of where they were installed and in the XDG data folder
    #[arg(long, value_name = "DIR", env = "CIPHERMETER_WORKERS")]
    pub workers: Option<PathBuf>,
}

/// When to use colors. (No variant has a help of its own, so that `--help` stays short.)
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Color {
    Auto,
    Always,
    Never,
}
