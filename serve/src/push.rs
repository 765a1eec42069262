//! `ciphermeter push`: runs of this machine, sent to a server. What does not arrive waits in the queue.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use ciphermeter_core::in_quotes;
use ciphermeter_terminal::{Exit, output};
use ureq::http::uri::Authority;

use crate::args::PushArgs;
use crate::client::{Sent, Token, agent, send};
use crate::fault;
use crate::local::{self, Asked};
use crate::queue::{Envelope, Queue, Queued};

/// Queues the runs, and sends those that wait for the server; without one, all that wait.
pub fn push(args: &PushArgs) -> Result<Exit> {
    let queue = Queue::own()?;
    let token = Token::of_environment()?;
    // Empty is what a variable is that a script has cleared.
    let to = args.to.as_deref().filter(|to| !to.is_empty()).map(checked).transpose()?;
    let certificate = args.certificate.as_deref().map(std::path::absolute).transpose()?;
    if let Some(url) = &to {
        enqueue(&queue, args, (url, certificate.as_deref()), token.as_ref())?;
    } else if !args.runs.is_empty() {
        bail!("to which server? Name it with --to URL, or in CIPHERMETER_PUSH_TO");
    }
    let Some(_lock) = queue.lock()? else {
        output::tell("another `ciphermeter push` is still sending");
        tell_waiting(&queue, queue.waiting()?.len(), "");
        return Ok(Exit::Partial);
    };
    queue.sweep()?;
    let waiting = queue.waiting()?;
    if waiting.is_empty() {
        output::tell(match to {
            Some(_) => "another `ciphermeter push` sent the run, and said what became of it",
            None => "no run waits to be sent",
        });
    }
    let mut round = Round { to, certificate, token, ..Round::default() };
    for folder in waiting {
        round.send(folder)?;
    }
    if round.later > 0 {
        tell_waiting(&queue, round.later, "");
    }
    if round.others > 0 {
        tell_waiting(&queue, round.others, " for other servers");
    }
    Ok(if round.later + round.refused > 0 { Exit::Partial } else { Exit::Fine })
}

/// One way through the queue.
#[derive(Default)]
struct Round {
    to: Option<String>,
    certificate: Option<PathBuf>,
    token: Option<Token>,
    /// Runs that wait on, that were refused, and that are for other servers than `to`.
    later: usize,
    refused: usize,
    others: usize,
    /// Servers that take nothing now.
    away: Vec<String>,
}

impl Round {
    /// Sends the run of a folder, and says what became of it.
    fn send(&mut self, folder: PathBuf) -> Result<()> {
        let mut queued = match Queued::read(folder) {
            Ok(queued) => queued,
            Err(why) => {
                output::tell_error(&why);
                self.refused += 1;
                return Ok(());
            }
        };
        let url = queued.envelope.url.clone();
        if self.to.as_ref().is_some_and(|to| *to != url) {
            self.others += 1;
            return Ok(());
        }
        // What is named now holds for runs that wait for the same server, too: without it, they may wait for ever.
        if self.certificate.is_some() {
            queued.envelope.certificate.clone_from(&self.certificate);
        }
        if self.away.contains(&url) {
            self.later += 1;
            return Ok(());
        }
        match send(&queued, self.token.as_ref(), self.to.as_deref()) {
            Ok(Sent::Taken(said)) => {
                fault::point("taken");
                output::print(&said)?;
                return queued.done();
            }
            Ok(Sent::Refused(why)) => {
                output::tell(&format!("{url} refuses {}, which stays in the store alone: {why}", queued.run()));
                self.refused += 1;
                return queued.done();
            }
            Ok(Sent::Later(why)) => {
                output::tell(&format!("{url} did not take {}: {why}", queued.run()));
                self.away.push(url);
            }
            Ok(Sent::Waits(why)) => {
                output::tell(&format!("{url} did not take {} yet, which waits: {why}", queued.run()));
            }
            Err(why) => output::tell_error(&why),
        }
        self.later += 1;
        Ok(())
    }
}

fn tell_waiting(queue: &Queue, runs: usize, whose: &str) {
    let runs = if runs == 1 { "1 run waits" } else { &format!("{runs} runs wait") };
    let folder = queue.folder().display();
    output::tell(&format!(
        "{runs}{whose} in {folder}: `ciphermeter push` sends what waits; remove there what shall not be sent"
    ));
}

fn enqueue(
    queue: &Queue,
    args: &PushArgs,
    (url, certificate): (&str, Option<&Path>),
    token: Option<&Token>,
) -> Result<()> {
    // What would fail each time is said before anything waits.
    agent(certificate)?;
    let store: Vec<String> = match &args.store {
        Some(store) => vec!["--store".into(), store.to_str().context("the store's name is not UTF-8")?.into()],
        None => Vec::new(),
    };
    let all = local::runs(&store, Asked::Plainly)?;
    let last = all.last().map(|run| run.run);
    let wanted = if args.runs.is_empty() { last.into_iter().collect() } else { args.runs.clone() };
    if wanted.is_empty() {
        bail!("there is no run to send: measure with `ciphermeter run`");
    }
    for number in wanted {
        let run = all.iter().find(|run| run.run == number);
        let run = run.ok_or_else(|| anyhow!("there is no run {number}: `ciphermeter list` shows those that are"))?;
        if !run.has_ended() {
            bail!("run {number} has not ended: wait for it, or resume it with `ciphermeter run --resume={number}`");
        }
        let machine = match &args.machine {
            Some(name) => name.clone(),
            None if run.imported => {
                bail!(
                    "run {number} was imported, and the name of its machine is not known: name it with --machine NAME"
                )
            }
            None => local::host_name(),
        };
        let machine = Some(machine);
        let certificate = certificate.map(Path::to_owned);
        let envelope = Envelope { url: url.into(), machine, certificate, token: token.map(Token::hash) };
        queue.add(&envelope, &local::export(number, &store, Asked::Plainly)?)?;
    }
    Ok(())
}

/// The server's address without what comes behind its host.
pub fn checked(url: &str) -> Result<String> {
    let bare = url.trim_end_matches('/');
    let host = bare.strip_prefix("https://").or(bare.strip_prefix("http://"));
    let is_odd = |character: char| "/?#@".contains(character) || !character.is_ascii_graphic();
    let address = host.filter(|host| !host.contains(is_odd)).and_then(|host| host.parse::<Authority>().ok());
    let Some(address) = address.filter(|address| !address.host().is_empty()) else {
        bail!("{} is no server: write https://HOST:PORT", in_quotes(url));
    };
    // Where the port is none, requests would go to the scheme's own, and with them the token.
    if address.as_str() != address.host() && address.port_u16().is_none_or(|port| port == 0) {
        bail!("{} has no port from 1 to 65535: write https://HOST:PORT", in_quotes(url));
    }
    Ok(bare.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn server_has_the_port_that_is_written_or_none() {
        for fine in ["http://127.0.0.1:8787", "https://team.example", "https://[::1]:65535", "http://[::1]"] {
            assert_eq!(checked(&format!("{fine}/")).unwrap(), fine);
        }
        for port in ["99999", "65536", "0", "", "x", "-1", "80:80"] {
            for host in ["127.0.0.1", "team.example", "[::1]"] {
                checked(&format!("https://{host}:{port}")).unwrap_err();
            }
        }
    }
}
