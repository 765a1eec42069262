//! `recv --started-by-ssh`: the remote end of `send FILE… HOST:FOLDER`.
//!
//! The user at the sender is the one who logged in here, so the first offer is accepted without a question, unless its
//! names are taken. Nothing of this end is printed but what the local end cannot know.

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use ciphermeter_core::quoted;
use ciphermeter_transfer::{Begun, Error, Excludes, Existing, Progress, ReceiveOptions, Receiver, Times};
use zeroize::Zeroizing;

use crate::exit::Exit;
use crate::ssh::{Answer, LocalEnd, ReceiveRequest, listening_address, path_here, remote_error, tell};
use crate::transfer::{self, Asking, Consent, Destination, Offerer, hosts};

/// Receives what the local end's user sends here.
pub fn recv_by_ssh() -> Result<Exit> {
    let (local, request) = match LocalEnd::request::<ReceiveRequest>() {
        Ok(asked) => asked,
        Err(why) => return LocalEnd::refuse(&why),
    };
    let (folder, destination) = match folder(&request) {
        Ok(folder) => folder,
        Err(why) => return LocalEnd::refuse(&why),
    };
    let receiver = match listen(&request, &folder) {
        Ok(receiver) => receiver,
        Err(why) => {
            destination.remove_unless_used();
            return LocalEnd::refuse(&why);
        }
    };
    if receiver.lacks_only_names() {
        return finish(&local, &receiver);
    }
    if let Err(why) = where_it_waits(&receiver).and_then(|answer| local.answer(&answer)) {
        destination.remove_unless_used();
        return Err(why);
    }
    if let Some(folder) = receiver.is_open_to_others().filter(|_| !request.quiet) {
        tell(&format!(
            "note: other users of this machine can read what arrives in {}, because its file system has no permissions",
            transfer::shown(folder)
        ));
    }
    receive(local, receiver, &request, destination)
}

/// The folder, and whether it was made now.
fn folder(request: &ReceiveRequest) -> Result<(PathBuf, Destination)> {
    let folder = path_here(&request.folder)?;
    if request.resume.is_some() {
        return Ok((folder, Destination::kept()));
    }
    let destination = Destination::make(&folder)?;
    Ok((folder, destination))
}

fn listen(request: &ReceiveRequest, folder: &Path) -> Result<Receiver> {
    let mut options = ReceiveOptions {
        into: Some(folder.to_owned()),
        listen: listening_address(request.port),
        gathers: false,
        wanted: request.cipher,
        rates: transfer::rates()?,
        patience: Duration::from_millis(request.patience_ms),
        times: Times::default(),
    };
    let Some(number) = request.resume else {
        return Receiver::listen(options).map(|receiver| receiver.begun(Begun::There)).map_err(remote_error);
    };
    let resumed = match Receiver::resume_numbered(options.clone(), &number.to_string()) {
        // The earlier port may be another program's by now, and the sender is told the new one.
        Err(Error::Listen { why, .. }) if why.kind() == ErrorKind::AddrInUse && request.port.is_none() => {
            options.listen.set_port(free_port(options.listen)?);
            Receiver::resume_numbered(options, &number.to_string())
        }
        resumed => resumed,
    };
    let Some(receiver) = resumed.map_err(remote_error)? else {
        bail!(
            "there is no such unfinished transfer in {}: it may have ended, or have been removed after seven days; send again",
            quoted(&folder.to_string_lossy())
        );
    };
    Ok(receiver)
}

fn free_port(at: SocketAddr) -> Result<u16> {
    let any = std::net::TcpListener::bind(SocketAddr::new(at.ip(), 0));
    Ok(any.and_then(|listener| listener.local_addr()).context("cannot find a free port")?.port())
}

fn where_it_waits(receiver: &Receiver) -> Result<Answer> {
    let hosts = hosts(&[], receiver.address())?;
    Ok(match receiver.ticket(&hosts) {
        Some(ticket) => Answer::Ticket(Zeroizing::new(ticket.to_string())),
        None => Answer::Resumed(hosts.iter().map(|host| format!("{host}:{}", receiver.address().port())).collect()),
    })
}

/// All had come before, and only names were missing.
fn finish(local: &LocalEnd, receiver: &Receiver) -> Result<Exit> {
    let (files, failed) = match receiver.finish() {
        Ok(done) => done,
        Err(error) => return LocalEnd::refuse(&error.into()),
    };
    failed.iter().for_each(|why| tell(&format!("NOT received: {why}")));
    let failed = u32::try_from(failed.len()).unwrap_or(u32::MAX);
    local.answer(&Answer::Done { files, failed })?;
    Ok(if failed == 0 { Exit::Fine } else { Exit::Partial })
}

fn receive(
    local: LocalEnd,
    mut receiver: Receiver,
    request: &ReceiveRequest,
    destination: Destination,
) -> Result<Exit> {
    let progress = Arc::new(Progress::default());
    // The user who logged in here sends.
    let consent = Consent {
        from: Offerer::Oneself,
        yes: true,
        terminal: false,
        hidden: true,
        existing: Some(request.existing),
        fills: request.existing != Existing::Refuse,
        excludes: Excludes::default(),
    };
    let user = Asking { consent, quiet: true };
    let is_met = {
        let progress = progress.clone();
        move || transfer::was_accepted() || progress.total() > 0
    };
    let destination = Arc::new(destination);
    let at_end = {
        let destination = destination.clone();
        move || destination.remove_unless_used()
    };
    local.end_with_it(Duration::from_millis(request.patience_ms), is_met, at_end);
    let received = receiver.receive(&user, &progress);
    Ok(match received {
        Ok(report) if report.failed.is_empty() => Exit::Fine,
        // The sender hears of them, too.
        Ok(_) => Exit::Partial,
        Err(error) => {
            destination.remove_unless_used();
            // Other errors are the local end's as well, or it is told by them.
            if matches!(error, Error::File { .. }) {
                tell(&error.to_string());
            }
            Exit::Partial
        }
    })
}
