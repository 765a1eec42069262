//! `recv --started-by-ssh`: the remote end of `send FILE… HOST:FOLDER`.
//!
//! The user at the sender is the one who logged in here, so the first offer is accepted without a question, unless its
//! names are taken. Nothing of this end is printed but what the local end cannot know.

use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use ciphermeter_core::quoted_path;
use ciphermeter_terminal::{Exit, output};
use ciphermeter_transfer::{Begun, Error, Excludes, Existing, FailedFile, Progress, Receiver};
use zeroize::Zeroizing;

use super::destination::Destination;
use crate::hosts::hosts;
use crate::library_options::receive_options;
use crate::question::{Consent, Offerer, TerminalUser, was_accepted};
use crate::ssh::{Answer, LocalEnd, ReceiveRequest, exit_after, listening_address, path_here, remote_error};
use crate::summary::{by_reason, listed};
use crate::words::absolute;

/// Receives what the local end's user sends here.
pub fn recv() -> Result<Exit> {
    LocalEnd::serve(|local, request: &ReceiveRequest| {
        let (folder, destination) = match folder(request) {
            Ok(folder) => folder,
            Err(why) => return local.refuse(&why),
        };
        let exit = match listen(request, &folder) {
            Ok(receiver) if receiver.lacks_only_names() => finish(&local, &receiver),
            Ok(receiver) => receive(local, receiver, request, &destination),
            Err(why) => local.refuse(&why),
        };
        destination.remove_unless_used();
        exit
    })
}

/// The folder, and whether it was made now.
fn folder(request: &ReceiveRequest) -> Result<(PathBuf, Destination)> {
    let folder = path_here(&request.folder)?;
    let destination = if request.resume.is_some() { Destination::kept() } else { Destination::make(&folder)? };
    Ok((folder, destination))
}

fn listen(request: &ReceiveRequest, folder: &Path) -> Result<Receiver> {
    let listen = listening_address(request.port);
    let patience = Duration::from_millis(request.patience_ms);
    let mut options = receive_options(Some(folder.into()), listen, request.cipher, patience)?;
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
            quoted_path(folder)
        );
    };
    Ok(receiver)
}

fn free_port(at: SocketAddr) -> Result<u16> {
    let any = TcpListener::bind(SocketAddr::new(at.ip(), 0));
    Ok(any.and_then(|listener| listener.local_addr()).context("cannot find a free port")?.port())
}

fn where_it_waits(receiver: &Receiver) -> Result<Answer> {
    let hosts = hosts(&[], receiver.address())?.named;
    Ok(match receiver.ticket(&hosts) {
        Some(ticket) => Answer::Ticket(Zeroizing::new(ticket.to_string())),
        None => Answer::Resumed(hosts.iter().map(|host| format!("{host}:{}", receiver.address().port())).collect()),
    })
}

/// All had come before, and only names were missing.
fn finish(local: &LocalEnd, receiver: &Receiver) -> Result<Exit> {
    let (files, failed) = match receiver.finish() {
        Ok(done) => done,
        Err(error) => return local.refuse(&error.into()),
    };
    failed.iter().for_each(|why| output::tell(&format!("NOT received: {why}")));
    let failed = u32::try_from(failed.len()).unwrap_or(u32::MAX);
    local.answer(&Answer::Done { files, failed })?;
    Ok(if failed == 0 { Exit::Fine } else { Exit::Partial })
}

fn receive(
    local: LocalEnd,
    mut receiver: Receiver,
    request: &ReceiveRequest,
    destination: &Destination,
) -> Result<Exit> {
    local.answer(&where_it_waits(&receiver)?)?;
    if let Some(folder) = receiver.is_open_to_others().filter(|_| !request.quiet) {
        output::tell(&format!(
            "note: other users of this machine can read what arrives in {}, because its file system has no permissions",
            absolute(folder)
        ));
    }
    let progress = Arc::new(Progress::default());
    let (moved, made) = (progress.clone(), destination.clone());
    let is_met = move || was_accepted() || moved.total() > 0;
    local.end_with_it(Duration::from_millis(request.patience_ms), is_met, move || made.remove_unless_used());
    let consent = Consent {
        // The user who logged in here sends.
        from: Offerer::Oneself,
        yes: true,
        terminal: false,
        hidden: true,
        existing: Some(request.existing),
        fills: request.existing != Existing::Refuse,
        excludes: Excludes::default(),
    };
    Ok(match receiver.receive(&TerminalUser { consent, quiet: true }, &progress) {
        Ok(report) if report.failed.is_empty() => Exit::Fine,
        Ok(report) => {
            let failed = report.failed.into_iter().filter(|failed| !failed.is_told);
            for (names, why) in by_reason(failed.map(|FailedFile { name, why, .. }| (name, why))) {
                output::tell(&format!("NOT received: {}: {why}", listed(&names)));
            }
            Exit::Partial
        }
        Err(error) => exit_after(&error),
    })
}
