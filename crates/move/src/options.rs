//! Options of `recv` and `send`, and which of them mean nothing together.

use std::ffi::OsString;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use anyhow::{Result, bail};
use ciphermeter_core::{Bytes, Seconds, in_quotes};
use ciphermeter_terminal::output;
use ciphermeter_transfer::{Excludes, Existing, LEAST, MAX_STREAMS, Suite, is_address, listen_address};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::words::bracketed;

/// Below the options of `recv`.
const RECV_AFTER: &str = "Exit codes: 0, all that was wanted is here; 2, wrong arguments; 5, something is missing (named in the \
    summary), or nothing came (the last line says why and what to do); 130, interrupted.";

/// Below the options of `send`.
const SEND_AFTER: &str = "Without HOST:FOLDER, the ticket is asked for, or read from standard input where that is no terminal. It is a secret until it is used; \
    on the command line, every user of this machine can read it.\n\n\
    `tar c . | ciphermeter send -` sends a stream to `ciphermeter recv - | tar x`. A stream is not resumed: if either end \
    or the connection fails, both say so and exit with 5, and you begin again.\n\n\
    Exit codes: 0, the receiver has all of it; 2, wrong arguments; 5, something was not sent (named in the summary), or nothing was \
    (the last line says why and what to do); 130, interrupted.";

/// How long an end waits for the other one, unless it is told.
pub const PATIENCE: Seconds = Seconds(60.0);

/// What both ends have.
#[derive(Debug, Clone, Args)]
pub struct LinkOptions {
    /// Use this suite instead of the one that both ends are fastest with: aes-256-gcm or chacha20-poly1305
    #[arg(long, value_name = "SUITE", value_parser = suites(), hide_possible_values = true)]
    pub cipher: Option<Suite>,
    /// Show the speed of both ends with each suite, and the choice that follows
    #[arg(long)]
    pub explain: bool,
    /// Print the summary as JSON, a line for the whole and one for each file that failed; times in nanoseconds, memory in bytes
    #[arg(long, conflicts_with = "explain")]
    pub json: bool,
    /// How long to wait for the other end to come back after the connection was lost, and for an answer that is due (5s at least for that);
    /// a receiver waits for the first connection without end
    #[arg(long, value_name = "TIME", default_value_t = PATIENCE)]
    pub patience: Seconds,
    /// No progress and no notes
    #[arg(long, short)]
    pub quiet: bool,
}

/// How to receive.
#[derive(Debug, Clone, Args)]
#[command(after_help = RECV_AFTER)]
pub struct RecvOptions {
    /// Files and folders of another machine, whose sender is started through ssh; without them, this end waits for a sender. With -, it
    /// waits for one stream or one file and writes it to standard output: use that only if the exit code is 0
    #[arg(value_name = "HOST:PATH", conflicts_with_all = ["bench", "unfinished", "forget"])]
    pub from: Vec<OsString>,
    /// For HOST:PATH: the command that stands for ssh, like `ssh -p 2222 -i key`
    #[arg(long, value_name = "COMMAND", requires = "from", allow_hyphen_values = true)]
    pub ssh: Option<String>,
    /// For HOST:PATH: where ciphermeter is there, if the shell there doesn't find it: a path, or a command for that shell
    #[arg(long, value_name = "COMMAND", requires = "from")]
    pub remote_program: Option<String>,
    /// For HOST:PATH: receive at most this many bytes per second, like `10MiB`
    #[arg(long, value_name = "SIZE", value_parser = limit, requires = "from")]
    pub limit: Option<Bytes>,
    /// For HOST:PATH: receive over this many parallel connections
    #[arg(long, value_name = "NUMBER", requires = "from", value_parser = clap::value_parser!(u16).range(1..=i64::from(MAX_STREAMS)))]
    pub streams: Option<u16>,
    /// For HOST:PATH: the port to listen on there, if a firewall lets only some through
    #[arg(long, value_name = "PORT", requires = "from", value_parser = clap::value_parser!(u16).range(1..))]
    pub port: Option<u16>,
    /// The folder to receive into, made if it is missing; nothing in it is ever overwritten
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    pub into: PathBuf,
    /// Accept the offer without asking. Refused are hidden names at its top (see --hidden) and names that are taken (--no-folder,
    /// --existing); what a later offer adds is left out
    #[arg(long, short)]
    pub yes: bool,
    /// With --yes: also accept hidden names at the top of an offer
    #[arg(long, requires = "yes")]
    pub hidden: bool,
    /// Put several names side by side into the folder, or mix a folder with one that is there, instead of making a new folder for them
    #[arg(long)]
    pub no_folder: bool,
    /// What becomes of offered files whose names are taken, instead of asking: skip, rename (adds NAME-1) or compare (skips equal files,
    /// renames others), which imply --no-folder, or refuse the offer
    #[arg(long, value_name = "CHOICE", value_parser = existing())]
    pub existing: Option<Existing>,
    /// Leave out offered files and folders whose names match, like `*.tmp`, `photos/raw` or `/photos` (at the top only); may be repeated
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<String>,
    /// Where to listen: an address of this machine, with a port or without; 0.0.0.0 for all, [::] for those of IPv6, too [default:
    /// 127.0.0.1]
    #[arg(long, value_name = "ADDRESS", value_parser = listen_address)]
    pub listen: Option<SocketAddr>,
    /// Names or addresses under which the sender finds this machine, for the ticket, instead of those listened on
    #[arg(long, value_name = "HOSTS", value_delimiter = ',', value_parser = host)]
    pub host: Vec<String>,
    /// Write the ticket to a file that only you can read, instead of printing it
    #[arg(long, value_name = "FILE")]
    pub ticket_file: Option<PathBuf>,
    /// Resume an unfinished transfer in the folder: the latest, or the one whose number starts with this
    #[arg(long, value_name = "NUMBER", num_args = 0..=1, require_equals = true)]
    #[allow(clippy::option_option)] // clap's way to say: absent, alone, with a value
    pub resume: Option<Option<String>>,
    /// Show the unfinished transfers in the folder, and how to resume or remove each
    #[arg(long, conflicts_with_all = ["resume", "forget", "discard", "yes", "cipher", "explain", "json", "ticket_file"])]
    pub unfinished: bool,
    /// Remove what the folder keeps of an unfinished transfer: the only one, or the one whose number starts with this
    #[arg(long, value_name = "NUMBER", num_args = 0..=1, require_equals = true)]
    #[arg(conflicts_with_all = ["resume", "discard", "yes", "cipher", "explain", "json", "ticket_file"])]
    #[allow(clippy::option_option)]
    pub forget: Option<Option<String>>,
    /// Authenticate everything and discard it, to see how fast it would be without a disk
    #[arg(long, conflicts_with = "resume")]
    pub discard: bool,
    /// Serve `ciphermeter run transfer --peer` on another machine until you stop it
    #[arg(long, conflicts_with_all = ["resume", "unfinished", "forget", "discard", "yes", "cipher", "explain", "json"])]
    pub bench: bool,
    /// Be the other end of a transfer, with options from standard input
    #[arg(long, hide = true, exclusive = true)]
    pub started_by_ssh: bool,
    /// What both ends have.
    #[command(flatten)]
    pub link: LinkOptions,
}

impl LinkOptions {
    /// Says something besides the result.
    pub fn note(&self, text: &str) {
        if !self.quiet {
            output::tell(text);
        }
    }
}

impl RecvOptions {
    /// Whether what comes goes to standard output.
    pub fn is_pipe(&self) -> bool {
        self.from == ["-"]
    }

    /// Where to listen.
    pub fn address(&self) -> SocketAddr {
        self.listen.unwrap_or_else(|| (Ipv4Addr::LOCALHOST, 0).into())
    }
}

/// How to send.
#[derive(Debug, Clone, Args)]
#[command(after_help = SEND_AFTER)]
pub struct SendOptions {
    /// Files and folders, or - for standard input; the last may be the ticket, or HOST:FOLDER, which starts the receiver there through ssh
    #[arg(value_name = "FILE", required_unless_present_any = ["resume", "unfinished", "forget", "started_by_ssh"], conflicts_with = "resume")]
    pub files: Vec<PathBuf>,
    /// Leave out files and folders whose names match, like `*.tmp`, `photos/raw` or `/photos` (at the top only); may be repeated
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<String>,
    /// Read the ticket from a file that only you can read
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    pub ticket_file: Option<PathBuf>,
    /// Send over this many parallel connections, instead of one for every two CPUs, at most four
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=i64::from(MAX_STREAMS)))]
    pub streams: Option<u16>,
    /// Send at most this many bytes per second, like `10MiB`; a resumed send keeps it
    #[arg(long, value_name = "SIZE", value_parser = limit)]
    pub limit: Option<Bytes>,
    /// Resume an interrupted send: the only one, or the one whose number starts with this
    #[arg(long, value_name = "NUMBER", num_args = 0..=1, require_equals = true)]
    #[allow(clippy::option_option)] // clap's way to say: absent, alone, with a value
    pub resume: Option<Option<String>>,
    /// For HOST:FOLDER: the command that stands for ssh, like `ssh -p 2222 -i key`
    #[arg(long, value_name = "COMMAND", conflicts_with = "ticket_file", allow_hyphen_values = true)]
    pub ssh: Option<String>,
    /// For HOST:FOLDER: where ciphermeter is there, if the shell there doesn't find it: a path, or a command for that shell
    #[arg(long, value_name = "COMMAND", conflicts_with = "ticket_file")]
    pub remote_program: Option<String>,
    /// For HOST:FOLDER: the port to listen on there, if a firewall lets only some through
    #[arg(long, value_name = "PORT", conflicts_with = "ticket_file", value_parser = clap::value_parser!(u16).range(1..))]
    pub port: Option<u16>,
    /// Be the other end of a transfer, with options from standard input
    #[arg(long, hide = true, exclusive = true)]
    pub started_by_ssh: bool,
    /// For HOST:FOLDER: what becomes of files whose names are taken there: skip, rename (adds NAME-1), compare (skips equal files,
    /// renames others), or refuse all (the default), also where a folder's name is taken
    #[arg(long, value_name = "CHOICE", value_parser = existing(), conflicts_with = "ticket_file")]
    pub existing: Option<Existing>,
    /// Show your unfinished transfers, and how to resume or remove each
    #[arg(long, conflicts_with_all = ["files", "resume", "forget", "exclude", "cipher", "explain", "json", "ticket_file"])]
    pub unfinished: bool,
    /// Remove what is kept of an unfinished transfer: the only one, or the one whose number starts with this
    #[arg(long, value_name = "NUMBER", num_args = 0..=1, require_equals = true)]
    #[arg(conflicts_with_all = ["files", "resume", "exclude", "cipher", "explain", "json", "ticket_file"])]
    #[allow(clippy::option_option)]
    pub forget: Option<Option<String>>,
    /// Where the receiver is now, as HOST:PORT, if it isn't where it was
    #[arg(long, value_name = "ADDRESS", requires = "resume", conflicts_with = "files")]
    pub to: Option<String>,
    /// What both ends have.
    #[command(flatten)]
    pub link: LinkOptions,
}

/// Refuses options that mean nothing together with something else.
pub fn refuse(given: &[(bool, &str)], with: &str) -> Result<()> {
    match given.iter().find(|(is_given, _)| *is_given) {
        Some((_, option)) => bail!("{option} cannot be used with {with}; leave it out"),
        None => Ok(()),
    }
}

/// What to say of patterns that match nothing.
pub fn unmatched(excludes: &Excludes) -> impl Iterator<Item = String> {
    excludes.unmatched().map(|pattern| format!("note: --exclude {} matches nothing", in_quotes(pattern)))
}

fn suites() -> impl TypedValueParser<Value = Suite> {
    PossibleValuesParser::new(Suite::ALL.map(|suite| suite.algorithm().as_str())).try_map(|word| word.parse())
}

fn existing() -> impl TypedValueParser<Value = Existing> {
    PossibleValuesParser::new(["skip", "rename", "compare", "refuse"]).map(|word| match word.as_str() {
        "skip" => Existing::Skip,
        "rename" => Existing::Rename,
        "compare" => Existing::Compare,
        _ => Existing::Refuse,
    })
}

/// A name or an address; brackets around IPv6 are added.
fn host(text: &str) -> Result<String, String> {
    let written = bracketed(text);
    if is_address(&format!("{written}:1")) {
        return Ok(written);
    }
    Err("it is not a host name or address: write it like `--host files.example` or `--host fe80::1%eth0`".into())
}

fn limit(text: &str) -> Result<Bytes, String> {
    let rate: Bytes = text.parse().map_err(|error| format!("{error}"))?;
    if rate.0 < LEAST { Err(format!("the least is {}", Bytes(LEAST))) } else { Ok(rate) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_of_ipv6_gets_brackets() {
        for (text, written) in [
            ("files.example", "files.example"),
            ("192.168.1.5", "192.168.1.5"),
            ("2001:db8::1", "[2001:db8::1]"),
            ("[2001:db8::1]", "[2001:db8::1]"),
            ("fe80::1%eth0", "[fe80::1%eth0]"),
        ] {
            assert_eq!(host(text).as_deref(), Ok(written));
        }
        for wrong in ["a b", "", "[::1", "1::2::3", "fe80::1%"] {
            assert!(host(wrong).is_err(), "{wrong}");
        }
    }
}
