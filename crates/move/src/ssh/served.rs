//! The remote end's side: the request on standard input, the answer on standard output, and the end of the input.
//!
//! Standard output and standard error may be closed at any time, when ssh ends. So nothing here prints in a way that
//! panics then.

use std::io::{self, Read};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use ciphermeter_terminal::{Exit, output};
use ciphermeter_transfer::{Error, listen_address};
use serde::de::DeserializeOwned;

use super::line::{self, BadLine};
use super::request::Answer;

/// What the local end sends when it ends in order. Its input alone ending means that it may come back without ssh.
pub const END: &[u8] = b"end\n";
/// How long this end may still take to print why it failed, if that is why the local one ends.
const LAST_WORDS: Duration = Duration::from_millis(300);
/// The variable in which sshd says which addresses a connection has: client, its port, server, its port.
const CONNECTION: &str = "SSH_CONNECTION";

pub struct LocalEnd(());

impl LocalEnd {
    /// Reads its request and does it.
    pub fn serve<T: DeserializeOwned>(done: impl FnOnce(Self, &T) -> Result<Exit>) -> Result<Exit> {
        // Not in the `match`, which would keep the lock: another thread waits for the input's end.
        let (local, request) = (Self(()), line::read(&mut io::stdin().lock()));
        match request {
            Ok(request) => done(local, &request),
            Err(BadLine::OtherVersion | BadLine::Unknown) => local.refuse(&anyhow!(
                "the ciphermeter here is not of the version that asks; install the same version on both machines"
            )),
            Err(_) => local.refuse(&anyhow!(
                "nothing was asked for: `ciphermeter send FILE… HOST:FOLDER` or `recv HOST:PATH` starts this through ssh"
            )),
        }
    }

    /// Answers a request that cannot be read or done.
    pub fn refuse(&self, why: &anyhow::Error) -> Result<Exit> {
        self.answer(&Answer::Refused(format!("{why:#}").as_str().into()))?;
        Ok(Exit::Partial)
    }

    pub fn answer(&self, answer: &Answer) -> Result<()> {
        line::write(&mut io::stdout().lock(), answer).context("ssh has ended")
    }

    /// Ends this process after the local end: at once if it said so; if its input just ends, after `patience`, unless by
    /// then `is_met`: from then on the transfer itself waits for a lost end, and no longer than its patience.
    pub fn end_with_it(
        self,
        patience: Duration,
        is_met: impl Fn() -> bool + Send + 'static,
        at_end: impl Fn() + Send + 'static,
    ) {
        thread::spawn(move || {
            match io::stdin().lock().read(&mut [0]) {
                Ok(1..) => thread::sleep(LAST_WORDS),
                Ok(0) | Err(_) => {
                    thread::sleep(patience);
                    if is_met() {
                        return;
                    }
                }
            }
            at_end();
            process::exit(5);
        });
    }
}

/// Where to listen: on the address at which ssh reached this machine, and on no other. Where sshd does not tell it, for
/// this machine only.
pub fn listening_address(port: Option<u16>) -> SocketAddr {
    let address = std::env::var(CONNECTION).ok().and_then(|connection| server_address(&connection));
    let mut address = address.unwrap_or_else(|| SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
    address.set_port(port.unwrap_or(0));
    address
}

/// The third word, which for an address on a link has the interface behind it.
fn server_address(connection: &str) -> Option<SocketAddr> {
    let address = listen_address(connection.split(' ').nth(2)?).ok()?;
    Some(match address.ip().to_canonical() {
        IpAddr::V4(v4) => SocketAddr::from((v4, 0)),
        IpAddr::V6(_) => address,
    })
}

/// Why this end cannot listen, as the user at the local end can act on it.
pub fn remote_error(error: Error) -> anyhow::Error {
    match error {
        Error::Listen { address, why } if why.kind() == io::ErrorKind::AddrNotAvailable => anyhow!(
            "cannot listen on {address} there: it is no address of that machine, though ssh reached it there (SSH_CONNECTION); run the other \
             end there by hand, with --listen and --host"
        ),
        Error::Listen { address, why } => {
            anyhow!("cannot listen on {address} there: {why}; choose a port that is free with --port")
        }
        error => error.into(),
    }
}

/// How this end ends after an error: what the local one cannot know is told to its user. Other
/// errors are the local end's as well, or it is told by them.
pub fn exit_after(error: &Error) -> Exit {
    if matches!(error, Error::File { .. }) {
        output::tell(&error.to_string());
    }
    Exit::Partial
}

pub fn path_here(path: &str) -> Result<PathBuf> {
    if Path::new(path).is_absolute() {
        return Ok(path.into());
    }
    let home = etcetera::home_dir().context("this user has no home folder here: give the folder's full path")?;
    Ok(if path.is_empty() { home } else { home.join(path) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_is_that_which_ssh_reached() {
        let address = |text| server_address(text).map(|address| address.to_string());
        assert_eq!(address("192.0.2.1 50000 192.0.2.7 22").as_deref(), Some("192.0.2.7:0"));
        assert_eq!(address("2001:db8::1 50000 2001:db8::7 22").as_deref(), Some("[2001:db8::7]:0"));
        assert_eq!(address("::ffff:192.0.2.1 5 ::ffff:192.0.2.7 22").as_deref(), Some("192.0.2.7:0"));
        assert_eq!(address("fe80::1%3 5 fe80::7%3 22").as_deref(), Some("[fe80::7%3]:0"));
        #[cfg(target_os = "linux")]
        assert_eq!(address("fe80::1%lo 5 fe80::7%lo 22").as_deref(), Some("[fe80::7%1]:0"));
        for text in ["", "UNKNOWN 65535 UNKNOWN 65535", "192.0.2.1 5", "fe80::1 5 fe80::7%no-such 22"] {
            assert_eq!(address(text), None, "{text}");
        }
    }

    #[test]
    fn relative_path_begins_at_home() {
        assert_eq!(path_here("/srv/in").unwrap(), Path::new("/srv/in"));
        if let Ok(home) = etcetera::home_dir() {
            assert_eq!(path_here("").unwrap(), home);
            assert_eq!(path_here("a b/$(x)").unwrap(), home.join("a b/$(x)"));
        }
    }
}
