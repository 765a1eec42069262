//! `ciphermeter push`: runs of this machine, sent to a server. What does not arrive waits in the queue.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use ciphermeter_host::file;
use ciphermeter_terminal::{Exit, output};
use serde::Deserialize;
use ureq::Agent;
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use zeroize::Zeroizing;

use crate::args::PushArgs;
use crate::local;
use crate::queue::{Envelope, Queue, Queued};

/// A server that is away is not waited for.
const PATIENCE: Duration = Duration::from_secs(60);
/// Bytes of a server's answer.
const MOST_OF_ANSWER: u64 = 64 << 10;
const MOST_OF_CERTIFICATE: u64 = 64 << 10;

/// What became of a run.
enum Sent {
    /// The server has it.
    Taken(Taken),
    /// The server will never take it, and why.
    Refused(String),
    /// It may be sent again, and why it was not now.
    Later(String),
}

#[derive(Deserialize)]
struct Taken {
    page: String,
    is_new: bool,
    answer: String,
}

#[derive(Deserialize)]
struct Problem {
    error: String,
}

/// Queues the runs, and sends all that wait.
pub fn push(args: &PushArgs) -> Result<Exit> {
    let queue = Queue::own()?;
    if let Some(url) = &args.to {
        enqueue(&queue, args, url)?;
    } else if !args.runs.is_empty() {
        bail!("to which server? Name it with --to URL, or in CIPHERMETER_PUSH_TO");
    }
    let (mut later, mut refused) = (0, 0);
    let waiting = queue.waiting()?;
    if waiting.is_empty() {
        output::say("no run waits to be sent");
    }
    for folder in waiting {
        let queued = match Queued::read(folder) {
            Ok(queued) => queued,
            Err(why) => {
                output::tell_error(&why);
                refused += 1;
                continue;
            }
        };
        let url = queued.envelope.url.clone();
        match send(&queued) {
            Ok(Sent::Taken(taken)) => {
                let new = if taken.is_new { "" } else { " already" };
                output::print(&format!("{url}{} has the run{new}: {}\n", taken.page, taken.answer))?;
                queued.done()?;
            }
            Ok(Sent::Refused(why)) => {
                output::say(&format!("{url} refuses a run, which stays in the store alone: {why}"));
                queued.done()?;
                refused += 1;
            }
            Ok(Sent::Later(why)) => {
                output::say(&format!("{url} did not take the run: {why}"));
                later += 1;
            }
            Err(why) => {
                output::tell_error(&why);
                later += 1;
            }
        }
    }
    if later > 0 {
        output::say(&format!("{later} wait in {}: `ciphermeter push` sends them", queue.folder().display()));
    }
    Ok(if later + refused > 0 { Exit::Partial } else { Exit::Fine })
}

fn enqueue(queue: &Queue, args: &PushArgs, url: &str) -> Result<()> {
    let url = checked(url)?;
    let store: Vec<String> = match &args.store {
        Some(store) => vec!["--store".into(), store.to_str().context("the store's name is not UTF-8")?.into()],
        None => Vec::new(),
    };
    let all = local::runs(&store)?;
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
        let own_name = || (!run.imported).then(local::host_name);
        let machine = args.machine.clone().or_else(own_name);
        let certificate = args.certificate.as_deref().map(std::path::absolute).transpose()?;
        queue.add(&Envelope { url: url.clone(), machine, certificate }, &local::export(number, &store)?)?;
    }
    Ok(())
}

/// The server's address without what comes behind its host.
fn checked(url: &str) -> Result<String> {
    let bare = url.trim_end_matches('/');
    let host = bare.strip_prefix("https://").or(bare.strip_prefix("http://"));
    if host.is_none_or(|host| host.is_empty() || host.contains(['/', '?', '#', '@', ' '])) {
        bail!("{} is no server: write https://HOST:PORT", ciphermeter_core::in_quotes(url));
    }
    Ok(bare.into())
}

fn send(queued: &Queued) -> Result<Sent> {
    let Envelope { url, machine, certificate } = &queued.envelope;
    let agent = agent(certificate.as_deref())?;
    let mut request = agent
        .post(format!("{url}/api/runs"))
        .header("content-type", "application/json")
        .header("content-encoding", "zstd");
    if let Some(machine) = machine {
        request = request.query("machine", machine);
    }
    if let Some(token) = token()? {
        // A token that anybody on the way may read is a token of anybody.
        if url.starts_with("http://") && !is_loopback(url) {
            bail!("a token is sent over HTTPS alone: write https:// in --to");
        }
        request = request.header("authorization", &*Zeroizing::new(format!("Bearer {}", &*token)));
    }
    let body = zstd::encode_all(queued.export.as_slice(), 0)?;
    let mut answer = match request.send(&body[..]) {
        Ok(answer) => answer,
        Err(why) => return Ok(Sent::Later(format!("{why}"))),
    };
    let text = answer.body_mut().with_config().limit(MOST_OF_ANSWER).read_to_string().unwrap_or_default();
    let status = answer.status();
    Ok(match (status.as_u16(), serde_json::from_str(&text)) {
        (200 | 201, Ok(taken)) => Sent::Taken(taken),
        (413 | 422, _) => Sent::Refused(why(&text)),
        (200 | 201, Err(_)) => Sent::Later("it is no server of runs: its answer is another one".into()),
        _ => Sent::Later(format!("{status}: {}", why(&text))),
    })
}

fn why(text: &str) -> String {
    let problem =
        serde_json::from_str::<Problem>(text).map_or_else(|_| "no reason is given".into(), |problem| problem.error);
    ciphermeter_core::escaped(&problem)
}

fn token() -> Result<Option<Zeroizing<String>>> {
    match std::env::var("CIPHERMETER_TOKEN").map(Zeroizing::new) {
        Ok(token) if token.is_empty() => Ok(None),
        Ok(token) if token.bytes().all(|byte| byte.is_ascii_graphic()) => Ok(Some(token)),
        Err(std::env::VarError::NotPresent) => Ok(None),
        _ => bail!("CIPHERMETER_TOKEN is no token: set it to what `ciphermeter serve token add` printed"),
    }
}

fn is_loopback(url: &str) -> bool {
    let host = url.strip_prefix("http://").unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name).trim_matches(['[', ']']);
    name == "localhost" || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn agent(certificate: Option<&Path>) -> Result<Agent> {
    let mut tls = TlsConfig::builder();
    if let Some(file) = certificate {
        let shown = file.display();
        let mut pem = Vec::new();
        let read = file::open(file).and_then(|file| file.take(MOST_OF_CERTIFICATE).read_to_end(&mut pem));
        read.with_context(|| format!("cannot read {shown}"))?;
        let certificate = Certificate::from_pem(&pem).with_context(|| format!("{shown} is no certificate in PEM"))?;
        tls = tls.root_certs(RootCerts::Specific(Arc::new(vec![certificate])));
    }
    let config = Agent::config_builder().tls_config(tls.build()).timeout_global(Some(PATIENCE));
    // A server that sends elsewhere would get the run, and the token, there.
    Ok(config.max_redirects(0).http_status_as_error(false).build().into())
}
