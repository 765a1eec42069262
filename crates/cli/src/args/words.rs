//! The words behind some commands: what to list, which format and schema, what to do with workers, and which one to be.

use std::path::PathBuf;

use ciphermeter_core::{Algorithm, Share};
use clap::{Subcommand, ValueEnum};

use super::options::{WorkersOption, algorithms};

/// What a JSON Schema describes. (No variant has a help of its own, so that `--help` stays short.)
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SchemaOf {
    Export,
    List,
    Compare,
    Guard,
    Rank,
    Machines,
    Advise,
    Study,
}

/// What there is to list other than runs.
#[derive(Debug, Clone, Subcommand)]
pub enum ListCommand {
    /// List the curated scenarios, or those named: what `run NAME` measures
    Scenarios {
        /// Scenarios, programs like nginx, or TOML files
        #[arg(value_name = "SCENARIO")]
        named: Vec<String>,
    },
    /// List what every worker offers, and what is missing with the reason
    Providers {
        #[command(flatten)]
        workers: WorkersOption,
    },
    /// List the algorithms, or what is known of those named: limits, repeated nonces, key commitment, sources
    Algorithms {
        /// Algorithms, like `aes-256-gcm`
        #[arg(value_name = "NAME", value_delimiter = ',', value_parser = algorithms(), ignore_case = true, hide_possible_values = true)]
        named: Vec<Algorithm>,
        /// Print all that is known of them, as JSON
        #[arg(long)]
        json: bool,
    },
}

/// Export formats. (No variant has a help of its own, so that `--help` stays short.)
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Json,
    Csv,
    Benchstat,
    Bmf,
    Markdown,
    Svg,
    Png,
    /// CSV with [`Columns::Study`].
    #[value(skip)]
    StudyCsv,
}

/// Other columns of CSV.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Columns {
    Study,
}

impl Format {
    /// As it stands on the command line.
    pub fn name(self) -> String {
        self.to_possible_value().map_or("csv --columns study".into(), |value| value.get_name().to_owned())
    }
}

/// What to do with workers.
#[derive(Debug, Clone, Subcommand)]
pub enum WorkersCommand {
    /// List the workers, and whether each is built
    List,
    /// Build the workers whose toolchain is here
    Build {
        /// Only these workers
        names: Vec<String>,
    },
    /// Start each worker and show what it offers
    Check {
        /// Only these workers
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
        /// Prolong only this algorithm's samples
        #[arg(long, value_name = "ALGORITHM", requires = "slowed")]
        only: Option<Algorithm>,
        /// Leave stack, buffers and keys where they happen to lie: forks at fixed layouts, for the instrument to be compared with
        #[arg(long)]
        fixed_layout: bool,
        /// Encrypt this file where messages are split from file to file
        #[arg(long, value_name = "FILE")]
        input: Option<PathBuf>,
        /// Keep the outputs of such messages in this folder
        #[arg(long, value_name = "DIR")]
        keep_output: Option<PathBuf>,
        /// Call the provider so there
        #[arg(long, value_name = "NAME", requires = "keep_output")]
        keep_as: Option<String>,
    },
    /// What `openssl speed` shows and what whole messages take, a line each
    Speed {
        /// The sizes of messages in bytes
        #[arg(long, required = true, value_delimiter = ',')]
        message: Vec<usize>,
        /// So often each is counted
        #[arg(long)]
        turns: usize,
    },
    /// The built-in worker that moves files
    Transfer {
        /// Which provider it hosts
        #[arg(long, required_unless_present_any = ["list", "receive"])]
        provider: Option<String>,
        /// Be a receiving process instead
        #[arg(long, conflicts_with_all = ["provider", "list"])]
        receive: bool,
        /// Only list the providers that are built in
        #[arg(long, conflicts_with = "provider")]
        list: bool,
    },
}
