//! The arguments of `guard`.

use std::path::PathBuf;

use ciphermeter_core::{Seconds, Share};
use clap::Args;
use clap::builder::BoolishValueParser;

use super::options::{LookOptions, SpotOptions, StoreOption, seed};

/// Heading of the options that say for how long and how surely.
const HOW: &str = "How long and how surely";
/// Heading of the options on what is written where.
const OUTPUT: &str = "Output";

/// Below the options of `guard`.
pub const GUARD_AFTER: &str = "\
What is surely slower raises an alarm, which is measured again, in at most the same time: these cells alone, with new seeds, with copies \
of both files, and beside a second copy of OLD. It stands where the cell is slower again, by more than the two copies of OLD may differ. \
Without a scenario and lists, AES-256-GCM and ChaCha20-Poly1305 are measured where both sides have them, on three sizes.\n\n\
Exit codes: 0 nothing is slower, or the bytes are the same; 1 something is, and it was confirmed; 2 usage; 3 wrong output; 4 nothing \
was compared; 5 cells dropped out, an alarm was neither confirmed nor refuted, or more than --may-hide could hide.\n\n\
Examples:\n  \
ciphermeter guard base/libcrypto.so.3 head/libcrypto.so.3\n  \
ciphermeter guard base/worker head/worker --algorithm aegis-128l --message 64,1MiB\n  \
ciphermeter guard old/ciphermeter new/ciphermeter --provider rustcrypto --markdown comment.md";

/// How a change is guarded.
#[derive(Debug, Clone, Args)]
pub struct GuardOptions {
    /// What was there before: a libcrypto or its folder, a worker's command, a folder of built workers, or a ciphermeter binary
    pub old: String,
    /// What is there now, of the same kinds
    pub new: String,
    /// Measure a scenario's cells; its lists can be replaced
    #[arg(value_name = "SCENARIO")]
    pub cells: Option<String>,
    #[command(flatten)]
    pub spot: SpotOptions,
    /// The most time of each of the two measurements
    #[arg(long, value_name = "TIME", default_value = "60s", env = "CIPHERMETER_BUDGET", help_heading = HOW)]
    pub budget: Seconds,
    /// A slowdown that surely is larger than this share is an alarm
    #[arg(long, value_name = "SHARE", default_value = "0.3%", env = "CIPHERMETER_THRESHOLD", help_heading = HOW)]
    pub threshold: Share,
    /// End with exit code 5 where a larger slowdown than this could hide
    #[arg(long, value_name = "SHARE", default_value = "5%", help_heading = HOW)]
    pub may_hide: Share,
    /// How long to wait for a silent worker
    #[arg(long, value_name = "TIME", default_value = "20s", env = "CIPHERMETER_PATIENCE", help_heading = HOW)]
    pub patience: Seconds,
    /// Seed of the first measurement, by default a random one; the second has the next
    #[arg(long, value_name = "NUMBER", value_parser = seed, allow_negative_numbers = true, help_heading = HOW)]
    pub seed: Option<u64>,
    /// Write one comment for a pull request as Markdown to a file; `-`: to standard output, instead of the table
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-", help_heading = OUTPUT)]
    pub markdown: Option<PathBuf>,
    /// Write the decision and both measurements with raw samples as JSON, described by `ciphermeter schema guard`, to a file; `-`: to
    /// standard output
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-", help_heading = OUTPUT)]
    pub json: Option<PathBuf>,
    /// Append the change to this file, a JSON line each, and say how far cells have moved over all of them
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub history: Option<PathBuf>,
    /// Send both runs to a team's server; while the server is away, they wait in a queue
    #[arg(long, value_name = "URL", help_heading = OUTPUT)]
    pub push: Option<String>,
    /// No progress and no notes
    #[arg(long, short, env = "CIPHERMETER_QUIET", value_parser = BoolishValueParser::new(), help_heading = OUTPUT)]
    pub quiet: bool,
    #[command(flatten, next_help_heading = OUTPUT)]
    pub look: LookOptions,
    #[command(flatten, next_help_heading = OUTPUT)]
    pub store: StoreOption,
    /// The words that ask for the same again, without those on its time and its output.
    #[arg(skip)]
    pub asked: Vec<String>,
}
