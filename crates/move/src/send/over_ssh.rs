//! `send FILE… HOST:FOLDER`: starts the receiver there through ssh, then sends to it as to any other.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use ciphermeter_core::{quoted, quoted_path};
use ciphermeter_protocol::JsonLine;
use ciphermeter_terminal::{Exit, WithExit, output};
use ciphermeter_transfer::{Error, SshReceiver, State, TransferId};

use super::job::Job;
use crate::options::SendOptions;
use crate::ssh::{self, Answer, Login, Place, ReceiveRequest, RemoteEnd, is_any_listening, reachable, unexpected};
use crate::ticket::is_ticket;
use crate::words::counted;

/// The receiver that the last argument names, if it is `HOST:FOLDER`, and the files before it.
pub fn receiver(options: &SendOptions) -> Result<Option<(SshReceiver, &[PathBuf])>> {
    let Some((last, files)) = options.files.split_last().filter(|_| options.ticket_file.is_none()) else {
        return Ok(None);
    };
    let place = if is_ticket(last) { None } else { Place::parse(last.as_os_str())? };
    let Some(Place { host, path: folder }) = place else {
        if is_any_given(options) {
            bail!("--ssh, --remote-program, --port and --existing are for a last argument HOST:FOLDER: give one");
        }
        return Ok(None);
    };
    let receiver = given(options, SshReceiver { host, folder, ..SshReceiver::default() });
    if files.is_empty() {
        bail!("no file to send: give files or folders before {}{}", quoted_path(last), or_a_file(last));
    }
    Ok(Some((receiver, files)))
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

pub fn send(mut job: Job<'_>, receiver: &SshReceiver, paths: &[PathBuf]) -> Result<Exit> {
    let login = login(receiver)?;
    job.asked.ssh = Some(receiver.clone());
    let started = start(&login, receiver, None, job.options);
    let (remote, answer) = started.map_err(|error| match job.options.files.last() {
        Some(argument) => WithExit { message: error.message + &or_a_file(argument), ..error },
        None => error,
    })?;
    let ticket = ssh::ticket(answer, &login)?;
    job.ended_over_ssh(job.send(&ticket, paths), Some((remote, &login)))
}

/// Resumes a transfer whose receiver was started through ssh. It may still be there, for as long as its patience.
pub fn resume(job: &Job<'_>, state: State, receiver: SshReceiver) -> Result<Exit> {
    if is_any_listening(&state.unfinished().addresses) {
        match job.resume(&state) {
            // It is another receiver, or another program, that took the port.
            Err(Error::WrongKey(_) | Error::Tls { .. } | Error::OtherVersion { .. } | Error::NoHybrid { .. }) => {}
            // It has ended meanwhile.
            Err(error) if error.is_lost() && !is_any_listening(&state.unfinished().addresses) => {}
            moved => return job.ended_over_ssh(moved, None),
        }
    }
    let receiver = given(job.options, receiver);
    let (login, number) = (login(&receiver)?, state.unfinished().transfer);
    let (remote, answer) = start(&login, &receiver, Some(number), job.options)?;
    match answer {
        Answer::Resumed(addresses) => {
            let addresses = reachable(&login, &addresses);
            if addresses.is_empty() {
                return Err(unexpected(&login));
            }
            job.ended_over_ssh(job.resume(&state.at(addresses)), Some((remote, &login)))
        }
        Answer::Done { files, failed } => {
            remote.done();
            if let Some(folder) = &job.asked.states {
                State::forget(folder, number);
            }
            print_arrived(files, failed, job.options.link.json)
        }
        Answer::Ticket(_) | Answer::Refused(_) => Err(unexpected(&login)),
    }
}

/// Nothing had to be sent.
fn print_arrived(files: u32, failed: u32, is_json: bool) -> Result<Exit> {
    let count = counted(files as usize, "file");
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

/// Starts it, for a new transfer or for one to resume.
fn start(
    login: &Login,
    receiver: &SshReceiver,
    resume: Option<TransferId>,
    options: &SendOptions,
) -> Result<(RemoteEnd, Answer), WithExit> {
    let request = ReceiveRequest {
        folder: receiver.folder.clone(),
        port: receiver.port,
        cipher: options.link.cipher,
        patience_ms: options.link.patience.duration().as_millis() as u64,
        resume,
        existing: options.existing.unwrap_or_default(),
        quiet: options.link.quiet,
    };
    RemoteEnd::start(login, "recv", &request, &options.link)
}
