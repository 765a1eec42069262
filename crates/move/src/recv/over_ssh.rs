//! `recv HOST:PATH…`: starts the sender there through ssh, then connects to it and receives.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, bail};
use ciphermeter_core::{Bytes, option_words, quoted_path};
use ciphermeter_terminal::Exit;
use ciphermeter_transfer::{Begun, Progress, ReceiveOptions, Receiver, Report};

use crate::ending::received;
use crate::options::{RecvOptions, refuse};
use crate::progress::with_progress;
use crate::question::{Consent, Offerer, TerminalUser};
use crate::ssh::{self, Login, Place, RemoteEnd, SendRequest};
use crate::unfinished::{self, CommandLine, recv_remedy, resume_option};

/// Refuses options of a receiver that waits for its sender.
pub fn check(options: &RecvOptions) -> Result<()> {
    let given = [
        (options.listen.is_some(), "--listen"),
        (!options.host.is_empty(), "--host"),
        (options.ticket_file.is_some(), "--ticket-file"),
    ];
    refuse(&given, "HOST:PATH: the sender listens there")
}

/// Receives what the arguments name. `asked`: how, as without them.
pub fn recv(options: &RecvOptions, asked: ReceiveOptions, consent: Consent, progress: &Arc<Progress>) -> Result<Exit> {
    let places = places(&options.from)?;
    let login = Login::new(&places[0].host, options.ssh.as_deref(), options.remote_program.as_deref())?;
    let names = names(&places);
    // The names that the user knows are asked for side by side, as a copy would put them.
    let asked = ReceiveOptions { gathers: asked.gathers && names.is_none(), ..asked };
    let resume = match unfinished::number_to_resume(options)? {
        None => None,
        Some(number) => {
            let found = Receiver::find(&asked, number)?;
            let (number, lacks_only_names) = found.ok_or_else(|| unfinished::nothing_to_resume(options))?;
            if lacks_only_names {
                let command = CommandLine::recv(&resume_option(number), &options.into);
                bail!("all had come before: `{command}` gives the names that are lacking")
            }
            Some(number)
        }
    };
    let link = &options.link;
    let request = SendRequest {
        paths: places.iter().map(|place| place.path.clone()).collect(),
        exclude: options.exclude.clone(),
        port: options.port,
        cipher: link.cipher,
        streams: options.streams,
        limit: options.limit.map(|Bytes(rate)| rate),
        patience_ms: link.patience.duration().as_millis() as u64,
        resume,
        quiet: link.quiet,
    };
    let (remote, answer) = RemoteEnd::start(&login, "send", &request, link)?;
    let ticket = ssh::ticket(answer, &login)?;
    let receiver = match resume {
        Some(number) => Receiver::call_again(&ticket, asked, number)?,
        None => Some(Receiver::call(&ticket, asked)?.begun(Begun::Here(unfinished::places(options)))),
    };
    let Some(mut receiver) = receiver else { bail!("the unfinished transfer is gone: receive without --resume") };
    let consent = Consent { from: Offerer::Machine(names), ..consent };
    let user = TerminalUser { consent, quiet: link.quiet };
    let confirmed = receiver.confirm(&user);
    unfinished::check_wanted(&receiver, options)?;
    let moved =
        confirmed.and_then(|()| with_progress(progress, "receiving", link.quiet, || receiver.receive(&user, progress)));
    match moved {
        Ok(report) => {
            remote.done();
            received(&Report { failed: user.consent.lacking(&report), ..report }, options)
        }
        Err(error) => Err(ssh::failed(&error, &login, "`ciphermeter send`", recv_remedy(options, progress).as_deref())),
    }
}

/// The places, all on one host.
fn places(arguments: &[OsString]) -> Result<Vec<Place>> {
    let mut places: Vec<Place> = Vec::new();
    for argument in arguments {
        if argument == "-" {
            bail!("`recv -` receives one stream or file from a sender that comes: give nothing else beside `-`");
        }
        let Some(place) = Place::parse(argument)? else {
            let (path, option) = (quoted_path(Path::new(argument)), option_words("--into", argument));
            bail!(
                "{path} is a path of this machine: to receive into it, write `{option}`; what to receive is HOST:PATH"
            );
        };
        if places.first().is_some_and(|first| first.host != place.host) {
            bail!("receive from one host at a time: {} is on another than {}", place, places[0]);
        }
        places.push(place);
    }
    Ok(places)
}

/// The last parts of the paths; none where one has no name that is known here, like the home folder.
fn names(places: &[Place]) -> Option<Vec<String>> {
    let name = |place: &Place| Some(Path::new(&place.path).file_name()?.to_str()?.to_owned());
    places.iter().map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_of_this_machine_is_proposed_as_a_shell_takes_it() {
        for (path, proposed) in [("-x", "`--into=-x`"), ("a  b", "`--into 'a  b'`"), ("in", "`--into in`")] {
            let why = places(&[path.into()]).unwrap_err().to_string();
            assert!(why.contains(&format!("write {proposed};")), "{why}");
        }
    }
}
