//! The command line: a subcommand for each part, and the paths of the binary, the workers and the runs.

use std::path::PathBuf;

use ciphermeter_core::{Algorithm, Bytes, Operation, Seconds, Share};
use clap::{Parser, Subcommand};

use crate::guard::Setting;
#[cfg(target_os = "linux")]
use crate::link::Shape;

/// The workers of this repository.
const WORKERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../workers");

/// Compares the instrument with itself and with rivals; `make bench-self` runs every part
#[derive(Debug, Parser)]
#[command(name = "lab", max_term_width = 80)]
pub struct Arguments {
    /// What is compared.
    #[command(subcommand)]
    pub part: Part,
    /// Drive this ciphermeter, instead of the one beside this program
    #[arg(long, value_name = "FILE", global = true)]
    pub binary: Option<PathBuf>,
    /// Take workers from this folder, instead of the repository's `workers/`
    #[arg(long, value_name = "DIR", global = true, default_value = WORKERS, hide_default_value = true)]
    pub workers: PathBuf,
    /// Keep the runs in this store, instead of a temporary one
    #[arg(long, value_name = "FILE", global = true)]
    pub store: Option<PathBuf>,
}

/// One comparison.
#[derive(Debug, Subcommand)]
pub enum Part {
    /// The timed loop of one provider of each language against the same library's in a plain program
    Plain {
        /// Size of the messages
        #[arg(long, value_name = "SIZE", default_value = "1MiB")]
        message: Bytes,
    },
    /// Time and precision of the default scenario and of `languages`, CPU time of the harness, bytes in the store, memory of a worker
    Cost,
    /// `openssl speed` against a replica of its calls, both at once on one core, in CPU time
    Ruler {
        /// Windows of 2 s for each size
        #[arg(long, value_name = "NUMBER", value_parser = at_least_one(), default_value_t = 5)]
        windows: u32,
    },
    /// Where series of runs step: the server's rule beside ruptures and Apache Otava, on the same planted series
    Steps {
        /// How many series, unchanged ones and ones with a step each
        #[arg(long, value_name = "NUMBER", value_parser = at_least_one(), default_value_t = 500)]
        series: u32,
        /// Draws the same series each time
        #[arg(long, value_name = "NUMBER", default_value_t = 1)]
        seed: u64,
        /// A Python with numpy, ruptures and apache-otava
        #[arg(long, value_name = "FILE", default_value = "python3")]
        python: String,
    },
    /// A/A and A/B: `run self-check`, copies of a library and known slowdowns
    Still {
        /// How many runs
        #[arg(long, value_name = "NUMBER", value_parser = at_least_one(), default_value_t = 1)]
        runs: u32,
    },
    /// Copies of one libcrypto under several names: how far their ratios are from 1
    Copies {
        /// How many copies, the system's own included
        #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(2..=16), default_value_t = 4)]
        libcrypto: u32,
        /// Names of one copy instead, which share its pages in memory: what the places of pages are worth
        #[arg(long)]
        links: bool,
        /// How many runs
        #[arg(long, value_name = "NUMBER", value_parser = at_least_one(), default_value_t = 1)]
        runs: u32,
        /// The most time of one run
        #[arg(long, value_name = "TIME", default_value = "60s")]
        budget: Seconds,
    },
    /// The best of many equals, chosen afterwards: how many tables have an interval that misses
    Equals {
        /// How many names of one library
        #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(2..=16), default_value_t = 6)]
        names: u32,
        /// How many runs
        #[arg(long, value_name = "NUMBER", value_parser = at_least_one(), default_value_t = 1)]
        runs: u32,
        /// The most time of one run
        #[arg(long, value_name = "TIME", default_value = "60s")]
        budget: Seconds,
    },
    /// What the contention probe hears: our own workers before it, and a neighbour that is there or not
    Neighbour {
        /// Looks of each sort
        #[arg(long, value_name = "NUMBER", value_parser = at_least_one(), default_value_t = 200)]
        looks: u32,
    },
    /// What the places of stack, texts, nonce and key do to one cell, and how far off one layout is from the mean over layouts
    Layout {
        /// A built-in provider
        #[arg(long, value_name = "NAME", default_value = "aws-lc")]
        provider: String,
        /// Its algorithm
        #[arg(long, value_name = "NAME", default_value = "aes-256-gcm")]
        algorithm: Algorithm,
        /// seal, open, encrypt or decrypt
        #[arg(long, value_name = "NAME", default_value = "seal")]
        operation: Operation,
        /// The message
        #[arg(long, value_name = "SIZE", default_value = "16")]
        message: Bytes,
        /// Processes
        #[arg(long, value_name = "NUMBER", value_parser = at_least_one(), default_value_t = 24)]
        processes: u32,
    },
    /// p99 of a 16-byte seal, fork against fork
    Latency {
        /// The most time
        #[arg(long, value_name = "TIME", default_value = "40s")]
        budget: Seconds,
    },
    /// `run --against`: one library against itself, and with one algorithm slowed
    Against {
        /// How many runs of each
        #[arg(long, value_name = "NUMBER", value_parser = at_least_one(), default_value_t = 20)]
        runs: u32,
        /// The most time of one run
        #[arg(long, value_name = "TIME", default_value = "20s")]
        budget: Seconds,
        /// By how much one algorithm is slowed
        #[arg(long, value_name = "SHARE", default_value = "3%")]
        planted: Share,
        /// Sizes of messages
        #[arg(long, value_name = "SIZES", default_value = "16,1KiB,16KiB")]
        message: String,
        /// What is slower by less counts for nothing
        #[arg(long, value_name = "SHARE", default_value = "1%")]
        threshold: Share,
    },
    /// `guard` on pairs that did not change, as many as are missing in a file, then on pairs simulated from these
    Guard(Setting),
    /// One message split among threads against independent processes, OpenMP, memory alone and files
    Split {
        /// Size of the message
        #[arg(long, value_name = "SIZE", default_value = "1GB")]
        message: Bytes,
        /// Turns of each
        #[arg(long, value_name = "NUMBER", value_parser = at_least_one(), default_value_t = 15)]
        turns: u32,
    },
    /// A link with delay, rate and loss between TUN devices in two network namespaces, until standard input ends
    #[cfg(target_os = "linux")]
    Link {
        /// Two namespaces, by the names that `ip netns` gave them
        #[arg(value_name = "NAMESPACE", num_args = 2, required = true)]
        namespaces: Vec<String>,
        /// The TUN device's name, in both
        #[arg(long, value_name = "NAME", default_value = "link0")]
        device: String,
        /// What it does to packets.
        #[command(flatten)]
        shape: Shape,
        /// Which packets are lost
        #[arg(long, value_name = "NUMBER", default_value_t = 1)]
        seed: u64,
    },
    /// `send` and `recv` against what else moves files; their memory; many small files
    Transfer {
        /// Size of the file
        #[arg(long, value_name = "SIZE", default_value = "500MiB")]
        size: Bytes,
        /// Turns of each
        #[arg(long, value_name = "NUMBER", value_parser = at_least_one(), default_value_t = 9)]
        rounds: u32,
        /// Size of the sparse file for the look at memory
        #[arg(long, value_name = "SIZE", default_value = "50GiB")]
        sparse: Bytes,
    },
}

fn at_least_one() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(arguments: &[&str]) -> String {
        Arguments::try_parse_from([&["lab"], arguments].concat()).expect_err("it is wrong").to_string()
    }

    #[test]
    fn every_part_has_defaults() {
        for part in [
            "plain", "cost", "ruler", "still", "latency", "against", "guard", "copies", "neighbour", "split",
            "transfer",
        ] {
            assert!(Arguments::try_parse_from(["lab", part]).is_ok(), "{part}");
        }
    }

    #[test]
    fn names_what_is_wrong() {
        for (arguments, words) in [
            (&["brew"][..], "'brew'"),
            (&["ruler", "--windows", "0"], "0 is not in 1.."),
            (&["still", "--runs", "few"], "'few'"),
            (&["latency", "--budget", "soon"], "soon"),
            (&["against", "--planted", "lots"], "`lots` is not a share"),
            (&["plain", "--message", "big"], "big"),
            (&["transfer", "--rounds", "0"], "0 is not in 1.."),
            (&["split", "--turns", "0"], "0 is not in 1.."),
            (&["copies", "--libcrypto", "1"], "1 is not in 2..=16"),
            (&["neighbour", "--looks", "0"], "0 is not in 1.."),
            (&["cost", "--workers"], "--workers <DIR>"),
        ] {
            let error = refused(arguments);
            assert!(error.contains(words), "{arguments:?}: {error}");
        }
        assert!(refused(&[]).contains("Usage: lab"));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_link_has_two_ends_and_a_queue_only_with_a_rate() {
        for (arguments, words) in [
            (&["link", "one"][..], "2 values required"),
            (&["link", "one", "other", "--loss", "2"], "`2` is not a share"),
            (&["link", "one", "other", "--queue", "1MiB"], "--rate"),
        ] {
            let error = refused(arguments);
            assert!(error.contains(words), "{arguments:?}: {error}");
        }
        assert!(Arguments::try_parse_from(["lab", "link", "one", "other", "--rate", "1MiB", "--loss", "0.5%"]).is_ok());
    }
}
