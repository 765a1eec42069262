//! The command line of `ciphermeter serve` and `ciphermeter push`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::builder::TypedValueParser;
use clap::{Args as ClapArgs, Parser, Subcommand};

use crate::join;
use crate::tokens::Scope;

/// One place for the runs of many machines
#[derive(Parser)]
#[command(name = "ciphermeter-serve", bin_name = "ciphermeter", version, disable_help_subcommand = true)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Serve the runs of many machines: pages and an API, on this machine alone unless told otherwise
    Serve(Box<ServeArgs>),
    /// Send runs to a server; without it or without runs, what waits in the queue
    Push(PushArgs),
}

#[derive(ClapArgs)]
pub struct ServeArgs {
    #[command(subcommand)]
    pub command: Option<ServeCommand>,
    #[command(flatten)]
    pub options: ServeOptions,
}

#[derive(ClapArgs)]
pub struct ServeOptions {
    /// Address and port to listen on; other than loopback, it uses TLS and requires tokens
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8787", value_parser = address)]
    pub listen: SocketAddr,
    #[command(flatten)]
    pub database: DatabaseOption,
    /// A name under which others reach it; may be given several times
    #[arg(long, value_name = "NAME")]
    pub host: Vec<String>,
    /// A certificate with its chain, in PEM; without one, the server makes its own
    #[arg(long, value_name = "FILE", requires = "key")]
    pub certificate: Option<PathBuf>,
    /// The certificate's private key, in PEM
    #[arg(long, value_name = "FILE", requires = "certificate")]
    pub key: Option<PathBuf>,
    /// Run behind a TLS proxy on this machine: listen on loopback, require tokens
    #[arg(long, conflicts_with = "certificate")]
    pub behind_proxy: bool,
    /// The folder of the page that measures in a browser, which phones get at /join/; without it, the one beside this program
    #[arg(long, value_name = "DIR")]
    pub page: Option<PathBuf>,
    /// Remove runs older than this many days
    #[arg(long, value_name = "DAYS", value_parser = days())]
    pub retain: Option<u32>,
    /// Call a machine stale after this many days without a run
    #[arg(long, value_name = "DAYS", default_value_t = 30, value_parser = days())]
    pub stale_after: u32,
    /// How much each machine encrypts, in lines of `NAME = NUMBER`; without it the slowest machine decides for all
    #[arg(long, value_name = "FILE")]
    pub weights: Option<PathBuf>,
}

/// Days, a hundred years at most.
fn days() -> impl TypedValueParser<Value = u32> {
    clap::value_parser!(u32).range(1..=36_500)
}

/// An address with its port: what others may call this machine is for `--host`.
fn address(text: &str) -> Result<SocketAddr, &'static str> {
    text.parse().map_err(|_| "write an address and a port, as 127.0.0.1:8787 or [::1]:8787")
}

#[derive(ClapArgs, Clone)]
pub struct DatabaseOption {
    /// sqlite:FILE or postgres://USER@HOST/NAME; without it, a file of this user's, with the runs of this machine
    #[arg(long, value_name = "URL", env = "CIPHERMETER_DATABASE", hide_env_values = true, global = true)]
    pub database: Option<String>,
}

impl DatabaseOption {
    /// The named database. A variable that a script has cleared names none.
    pub fn url(&self) -> Option<&str> {
        self.database.as_deref().filter(|url| !url.is_empty())
    }
}

#[derive(Subcommand)]
pub enum ServeCommand {
    /// Make, list and remove tokens
    Token {
        #[command(subcommand)]
        command: TokenCommand,
    },
    /// Remove runs
    Remove {
        /// Their digests, as the pages' addresses have them; the first 8 digits are enough
        #[arg(value_name = "RUN", required = true)]
        runs: Vec<String>,
    },
    /// Give a machine another name; where there is one of that name, the two become one
    Rename {
        /// The name that it has
        old: String,
        /// The name that it gets
        new: String,
    },
    /// Make a link with which phones measure in their browser and send their run, and show its QR code
    Join {
        /// The server as phones reach it: https://HOST:PORT
        #[arg(value_name = "URL")]
        server: String,
        /// How many hours the link can be used to send runs
        #[arg(long, value_name = "HOURS", default_value_t = join::HOURS, value_parser = clap::value_parser!(u32).range(1..=join::MOST_HOURS))]
        hours: u32,
    },
    /// Write a copy of an SQLite database, also while the server runs
    Backup {
        /// The copy, which must not be there yet
        file: PathBuf,
    },
}

#[derive(Subcommand)]
pub enum TokenCommand {
    /// Make a token and print it, once
    Add {
        /// The machine or person that will use it
        name: String,
        /// What it allows
        #[arg(long, value_enum)]
        scope: Scope,
        /// Expire after this many days; without it, never
        #[arg(long, value_name = "DAYS", value_parser = days())]
        expires: Option<u32>,
    },
    /// List tokens, without their secrets
    List,
    /// Remove a token
    Remove {
        /// The token's name
        name: String,
    },
}

#[derive(ClapArgs)]
pub struct PushArgs {
    /// Numbers of runs; without one, the latest
    #[arg(value_name = "RUN")]
    pub runs: Vec<i64>,
    /// The server: https://HOST:PORT
    #[arg(long, value_name = "URL", env = "CIPHERMETER_PUSH_TO")]
    pub to: Option<String>,
    /// This machine's name there; without one, its host name
    #[arg(long, value_name = "NAME")]
    pub machine: Option<String>,
    /// The server's own certificate, in PEM, if it made it itself
    #[arg(long, value_name = "FILE")]
    pub certificate: Option<PathBuf>,
    /// The store to read
    #[arg(long, value_name = "FILE")]
    pub store: Option<PathBuf>,
}
