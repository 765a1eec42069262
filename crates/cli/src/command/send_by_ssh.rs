//! `send FILE… HOST:FOLDER`: starts the receiver there through ssh, then sends to it as to any other.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, bail};
use ciphermeter_core::quoted;
use ciphermeter_protocol::JsonLine;
use ciphermeter_transfer::{
    Error, Listing, Progress, Report, SendOptions as Sending, SshReceiver, State, Ticket, TransferId,
};

use crate::args::SendOptions;
use crate::exit::{Exit, WithExit};
use crate::output;
use crate::ssh::{
    Answer, Login, Place, ReceiveRequest, RemoteEnd, is_any_listening, reachable, tell_unreachable, unexpected,
};
use crate::transfer::{self, again};

/// The receiver that the last argument names, if it is `HOST:FOLDER`, and the files before it.
pub fn receiver(options: &SendOptions) -> Result<Option<(SshReceiver, &[PathBuf])>> {
    let Some((last, files)) = options.files.split_last().filter(|_| options.ticket_file.is_none()) else {
        return Ok(None);
    };
    let is_ticket = last.to_str().is_some_and(Ticket::looks_like);
    let place = if is_ticket { None } else { Place::parse(last.as_os_str())? };
    let Some(Place { host, path: folder }) = place else {
        match is_any_given(options) {
            true => {
                bail!("--ssh, --remote-program, --port and --existing are for a last argument HOST:FOLDER: give one")
            }
            false => return Ok(None),
        }
    };
    let receiver = given(options, SshReceiver { host, folder, ..SshReceiver::default() });
    if files.is_empty() {
        bail!("no file to send: give files or folders before {}{}", quoted(&last.to_string_lossy()), or_a_file(last));
    }
    Ok(Some((receiver, files)))
}

/// `HOST:FOLDER`, for a list.
pub fn shown(receiver: &SshReceiver) -> String {
    Place { host: receiver.host.clone(), path: receiver.folder.clone() }.to_string()
}

fn is_any_given(options: &SendOptions) -> bool {
    options.ssh.is_some() || options.remote_program.is_some() || options.port.is_some() || options.existing.is_some()
}

/// With what the command line says.
fn given(options: &SendOptions, receiver: SshReceiver) -> SshReceiver {
    SshReceiver {
        ssh: options.ssh.clone().or(receiver.ssh),
        program: options.remote_program.clone().or(receiver.program),
        port: options.port.or(receiver.port),
        ..receiver
    }
}

/// What to do if a file was meant that is here under that name.
fn or_a_file(argument: &Path) -> String {
    let name = argument.to_string_lossy();
    match argument.exists() {
        true => format!(
            "; to send the file {} of this machine, write {} for it",
            quoted(&name),
            quoted(&format!("./{name}"))
        ),
        false => String::new(),
    }
}

/// Sends the listed files.
pub fn send(
    receiver: &SshReceiver,
    paths: &[PathBuf],
    listing: &Listing,
    sending: Sending,
    progress: &Arc<Progress>,
    options: &SendOptions,
) -> Result<Exit> {
    let login = login(receiver)?;
    let sending = Sending { ssh: Some(receiver.clone()), ..sending };
    let started =
        start(&login, &request(receiver, None, options), options).map_err(|error| match options.files.last() {
            Some(argument) => WithExit { message: error.message + &or_a_file(argument), ..error },
            None => error,
        });
    let (remote, answer) = started?;
    let Answer::Ticket(ticket) = answer else { return Err(unexpected(&login)) };
    let mut ticket: Ticket = ticket.parse().map_err(|_| unexpected(&login))?;
    ticket.addresses = reachable(&login, &ticket.addresses);
    let sent = transfer::watched(progress, "sending", options.link.quiet, || {
        ciphermeter_transfer::send(&ticket, paths, listing, &sending, progress)
    });
    ended(sent, Some((remote, &login)), listing, progress, options)
}

/// Resumes a transfer whose receiver was started through ssh. It may still be there, for as long as its patience.
pub fn resume(
    state: State,
    receiver: SshReceiver,
    listing: &Listing,
    sending: &Sending,
    progress: &Arc<Progress>,
    options: &SendOptions,
) -> Result<Exit> {
    let go_on = |state: &State| {
        transfer::watched(progress, "sending", options.link.quiet, || {
            ciphermeter_transfer::resume(state, listing, sending, progress)
        })
    };
    if is_any_listening(&state.unfinished().addresses) {
        match go_on(&state) {
            // It is another receiver, or another program, that took the port.
            Err(Error::WrongKey(_) | Error::Tls { .. } | Error::OtherVersion { .. } | Error::NoHybrid { .. }) => {}
            // It has ended meanwhile.
            Err(error) if error.is_lost() && !is_any_listening(&state.unfinished().addresses) => {}
            sent => return ended(sent, None, listing, progress, options),
        }
    }
    let receiver = given(options, receiver);
    let (login, number) = (login(&receiver)?, state.unfinished().transfer);
    let (remote, answer) = start(&login, &request(&receiver, Some(number), options), options)?;
    match answer {
        Answer::Resumed(addresses) => {
            let addresses = reachable(&login, &addresses);
            if addresses.is_empty() {
                return Err(unexpected(&login));
            }
            ended(go_on(&state.at(addresses)), Some((remote, &login)), listing, progress, options)
        }
        Answer::Done { files, failed } => {
            remote.done();
            if let Some(folder) = &sending.states {
                State::forget(folder, number);
            }
            print_arrived(files, failed, options.link.json)
        }
        Answer::Ticket(_) | Answer::Refused(_) => Err(unexpected(&login)),
    }
}

/// Nothing had to be sent.
fn print_arrived(files: u32, failed: u32, is_json: bool) -> Result<Exit> {
    let count = transfer::files(files);
    output::print(&match (is_json, failed) {
        (true, _) => JsonLine::new("is", "sent").integer("files", files.into()).integer("bytes", 0).write(),
        (false, 0) => format!("sent {count}: all had arrived before, and are in their places now\n"),
        (false, _) => {
            format!("sent {count}: all had arrived before; {failed} more did NOT get their names, see above\n")
        }
    })?;
    Ok(if failed == 0 { Exit::Fine } else { Exit::Partial })
}

fn login(receiver: &SshReceiver) -> Result<Login> {
    Login::new(&receiver.host, receiver.ssh.as_deref(), receiver.program.as_deref())
}

fn request(receiver: &SshReceiver, resume: Option<TransferId>, options: &SendOptions) -> ReceiveRequest {
    ReceiveRequest {
        folder: receiver.folder.clone(),
        port: receiver.port,
        cipher: options.link.cipher,
        patience_ms: options.link.patience.duration().as_millis() as u64,
        resume,
        existing: options.existing.unwrap_or_default(),
        quiet: options.link.quiet,
    }
}

fn start(login: &Login, request: &ReceiveRequest, options: &SendOptions) -> Result<(RemoteEnd, Answer), WithExit> {
    let mut remote = RemoteEnd::start(login, "recv")?;
    let answer = remote.ask(request, &options.link)?;
    Ok((remote, answer))
}

/// After a transfer, the remote end exits by itself, or is ended.
fn ended(
    sent: Result<Report, Error>,
    remote: Option<(RemoteEnd, &Login)>,
    listing: &Listing,
    progress: &Progress,
    options: &SendOptions,
) -> Result<Exit> {
    match sent {
        Ok(report) => {
            if let Some((remote, _)) = remote {
                remote.done();
            }
            transfer::sent(&report, listing, options.existing, &options.link)
        }
        Err(error) => Err(match remote.and_then(|(_, login)| tell_unreachable(&error, login, "`ciphermeter recv`")) {
            Some(message) => WithExit { exit: Exit::Partial, message }.into(),
            None => transfer::failed(&error, again::after_send(options, progress, true).as_deref()),
        }),
    }
}
