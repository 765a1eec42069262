//! One push over HTTP: what is sent, what may be sent where, and what the server's answer means.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use axum::http::Uri;
use ciphermeter_core::{escaped, shortened};
use ciphermeter_host::file;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use ureq::Agent;
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use zeroize::Zeroizing;

use crate::push::checked;
use crate::queue::{Envelope, Queued};
use crate::unreached;

/// A server that is away is not waited for.
const PATIENCE: Duration = Duration::from_secs(60);
/// Bytes of a server's answer.
const MOST_OF_ANSWER: u64 = 64 << 10;
/// Digits of a run's digest.
const DIGEST: usize = 64;
const MOST_OF_CERTIFICATE: u64 = 64 << 10;

/// What became of a run.
pub enum Sent {
    /// The server has it; what is to be printed.
    Taken(String),
    /// The server will never take it, and why.
    Refused(String),
    /// It may be sent again, and why the server takes nothing now.
    Later(String),
    /// The same, where the server takes others.
    Waits(String),
}

#[derive(Deserialize)]
struct Taken {
    run: String,
    machine: String,
    is_new: bool,
    #[serde(default)]
    in_place_of: Option<String>,
    answer: String,
}

#[derive(Deserialize)]
struct Problem {
    error: String,
}

/// The token of the environment.
pub struct Token(Zeroizing<String>);

impl Token {
    /// `None`: there is none.
    pub fn of_environment() -> Result<Option<Self>> {
        match std::env::var("CIPHERMETER_TOKEN").map(Zeroizing::new) {
            Ok(token) if token.is_empty() => Ok(None),
            Ok(token) if token.bytes().all(|byte| byte.is_ascii_graphic()) => Ok(Some(Self(token))),
            Err(std::env::VarError::NotPresent) => Ok(None),
            _ => bail!("CIPHERMETER_TOKEN is no token: set it to what `ciphermeter serve token add` printed"),
        }
    }

    /// What is kept of it beside a queued run.
    pub fn hash(&self) -> String {
        hex::encode(Sha256::digest(self.0.as_bytes()))
    }
}

/// Sends a run. The token goes to the server of this call, and to servers for which it was set when the run was queued: never to another.
pub fn send(queued: &Queued, token: Option<&Token>, to: Option<&str>) -> Result<Sent> {
    let Envelope { url, machine, certificate, token: wanted } = &queued.envelope;
    let mut request = agent(certificate.as_deref())?
        .post(format!("{url}/api/runs"))
        .header("content-type", "application/json")
        .header("content-encoding", "zstd");
    if let Some(machine) = machine {
        request = request.query("machine", machine);
    }
    let is_meant = |token: &&Token| to == Some(url) || *wanted == Some(token.hash());
    if let Some(token) = token.filter(is_meant) {
        // A token that anybody on the way may read is a token of anybody.
        if url.starts_with("http://") && !is_loopback(url) {
            bail!("a token is sent over HTTPS alone: write https:// in --to");
        }
        request = request.header("authorization", &*Zeroizing::new(format!("Bearer {}", &*token.0)));
    }
    let body = zstd::encode_all(queued.export.as_slice(), 0)?;
    let mut answer = match request.send(&body[..]) {
        Ok(answer) => answer,
        Err(why) => return Ok(Sent::Later(unreached::why(url, &why))),
    };
    if let Some(to) = answer.headers().get("location").filter(|_| answer.status().is_redirection()) {
        return Ok(Sent::Later(elsewhere(url, &String::from_utf8_lossy(to.as_bytes()))));
    }
    let text = answer.body_mut().with_config().limit(MOST_OF_ANSWER).read_to_string().unwrap_or_default();
    let status = answer.status();
    let why =
        serde_json::from_str::<Problem>(&text).ok().map(|problem| shortened(&escaped(&problem.error)).into_owned());
    Ok(match (status.as_u16(), why) {
        (200 | 201, _) => taken(url, machine.as_deref(), &text),
        // A proxy in between may have limits of its own.
        (413 | 422, Some(why)) => Sent::Refused(why),
        (409, Some(why)) => Sent::Waits(why),
        (413, None) => Sent::Later("a proxy before it takes no run of this length: raise its limit to 64 MiB".into()),
        (401, _) => Sent::Later(format!("it wants a token: set CIPHERMETER_TOKEN, then `ciphermeter push --to {url}`")),
        (_, why) => Sent::Later(format!("{status}: {}", why.as_deref().unwrap_or("no reason is given"))),
    })
}

/// What to do where a server sends elsewhere. Neither run nor token goes there unless the user says so.
fn elsewhere(url: &str, location: &str) -> String {
    let there = location.split_once("/api/runs").map_or(location, |(server, _)| server);
    match checked(there) {
        Ok(server) if server != url => {
            format!("it sends you to {server}; if you trust that server, `ciphermeter push --to {server}`")
        }
        _ => format!(
            "it sends you to {}, which is no server: write in --to the address to which it does not send elsewhere",
            shortened(&escaped(location))
        ),
    }
}

/// What a server says that took a run under this machine's name, or has it under another one.
fn taken(url: &str, wanted: Option<&str>, text: &str) -> Sent {
    match serde_json::from_str::<Taken>(text) {
        Ok(taken) if taken.run.len() == DIGEST && taken.run.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            let already = if taken.is_new { "" } else { " already" };
            let resumed =
                if taken.in_place_of.is_some() { ", in the place of its part before it was resumed" } else { "" };
            let (machine, answer) = (escaped(&taken.machine), escaped(&taken.answer));
            let is_renamed = !taken.is_new && wanted.is_some_and(|wanted| wanted != taken.machine);
            let renamed = if is_renamed {
                ", whose name it keeps (`ciphermeter serve rename` on the server changes it)"
            } else {
                ""
            };
            Sent::Taken(format!(
                "{url}/runs/{} has the run{already}, of {machine}{renamed}{resumed}: {}\n",
                taken.run,
                shortened(&answer)
            ))
        }
        _ => Sent::Later("it is no server of runs: its answer is another one".into()),
    }
}

/// Whether what is sent there stays on this machine.
pub fn is_loopback(url: &str) -> bool {
    let Ok(url) = url.parse::<Uri>() else { return false };
    let name = url.host().unwrap_or_default().trim_matches(['[', ']']);
    name == "localhost" || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// What speaks to a server, with the one certificate that it trusts.
///
/// # Errors
/// The certificate cannot be used.
pub fn agent(certificate: Option<&Path>) -> Result<Agent> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_is_known_with_and_without_a_port() {
        for url in ["http://[::1]", "http://[::1]:8787", "http://127.0.0.1", "http://localhost:8787"] {
            assert!(is_loopback(url), "{url}");
        }
        for url in ["http://[2001:db8::1]:8787", "http://192.0.2.7", "http://localhost.example", "http://"] {
            assert!(!is_loopback(url), "{url}");
        }
    }
}
