//! `--unfinished` and `--forget` of `recv` and `send`: what is kept of unfinished transfers, and its removal.

mod command_line;
mod list;

use anyhow::{Context, Result, anyhow, bail};
use ciphermeter_core::quoted;
use ciphermeter_terminal::{Exit, output, own_folders};
use ciphermeter_transfer::{
    Error, Kept, Receiver, SshReceiver, Standing, State, TransferId, count_received, forget_received, forget_sent,
    kept_received, kept_sent,
};

pub use command_line::{CommandLine, places, recv_remedy, resume_option, send_remedy};
use list::{Keeper, about, list};

use crate::options::{RecvOptions, SendOptions};
use crate::ssh::Place;
use crate::words::{absolute, size};

/// Does what `recv` is asked about unfinished transfers; `None` if it is to receive.
pub fn recv(options: &RecvOptions) -> Result<Option<Exit>> {
    let (into, forget) = (&options.into, options.forget.as_ref());
    let remove = |transfer| forget_received(into, transfer);
    done(Keeper::Receiver(into), options.unfinished, forget, || kept_received(into), remove)
}

/// Does what `send` is asked about unfinished transfers; `None` if it is to send.
pub fn send(options: &SendOptions) -> Result<Option<Exit>> {
    let folder = own_folders::sending();
    let all = || Ok(folder.as_deref().map(kept_sent).unwrap_or_default());
    let remove = |transfer| folder.as_deref().map_or(Ok(()), |folder| forget_sent(folder, transfer));
    done(Keeper::Sender, options.unfinished, options.forget.as_ref(), all, remove)
}

fn done(
    keeper: Keeper<'_>,
    unfinished: bool,
    forget: Option<&Option<String>>,
    all: impl FnOnce() -> Result<Vec<Kept>, Error>,
    remove: impl FnOnce(TransferId) -> Result<(), Error>,
) -> Result<Option<Exit>> {
    if !unfinished && forget.is_none() {
        return Ok(None);
    }
    let all = all()?;
    let text = match forget {
        Some(number) => {
            if all.is_empty() {
                bail!("{}; there is nothing to remove", keeper.nothing());
            }
            let kept = chosen(&all, number.as_deref().unwrap_or_default(), "--forget", keeper)?;
            remove(kept.transfer)?;
            format!("removed the unfinished transfer {} ({})\n", kept.number(), size(kept.disk))
        }
        None if all.is_empty() => format!("{}\n", keeper.nothing()),
        None => list(&all, keeper, output::terminal_width()),
    };
    output::print(&text).map(|()| Some(Exit::Fine))
}

/// The interrupted send that is meant.
pub fn to_resume(number: &str) -> Result<State> {
    let folder = own_folders::sending();
    // First, as it removes those that are too old.
    let states = folder.as_deref().map(State::all).unwrap_or_default();
    let of = |kept: &Kept| states.iter().find(|state| state.unfinished().transfer == kept.transfer);
    let mut all = folder.as_deref().map(kept_sent).unwrap_or_default();
    for kept in &mut all {
        if let Some(SshReceiver { host, folder, .. }) = of(kept).and_then(|state| state.ssh.as_ref()) {
            // As its user knows it.
            kept.addresses = vec![Place { host: host.clone(), path: folder.clone() }.to_string()];
        }
    }
    let (readable, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|kept| of(kept).is_some());
    let is_other = |kept: &Kept| kept.standing == Standing::OtherVersion && is_meant(kept, number);
    if !readable.iter().any(|kept| is_meant(kept, number)) && others.iter().any(is_other) {
        bail!(
            "another version of ciphermeter started your unfinished transfer: resume it with that version, or send again with a ticket"
        );
    }
    let nothing = "no unfinished transfer to resume: send again with a ticket";
    if readable.is_empty() {
        bail!(nothing);
    }
    of(chosen(&readable, number, "--resume", Keeper::Sender)?).cloned().context(nothing)
}

/// How the number of the transfer that `recv --resume` means begins; nothing where it is to begin one. One that several
/// in the folder have is refused: without a number, the latest is meant.
pub fn number_to_resume(options: &RecvOptions) -> Result<Option<&str>> {
    let Some(number) = &options.resume else { return Ok(None) };
    let number = number.as_deref().unwrap_or_default();
    let all = if number.is_empty() { Vec::new() } else { kept_received(&options.into)? };
    if all.iter().any(|kept| is_meant(kept, number)) {
        chosen(&all, number, "--resume", Keeper::Receiver(&options.into))?;
    }
    Ok(Some(number))
}

/// Why `recv --resume` does nothing.
pub fn nothing_to_resume(options: &RecvOptions) -> anyhow::Error {
    let nothing = Keeper::Receiver(&options.into).nothing();
    anyhow!("{nothing}: give its folder with --into, or receive without --resume")
}

/// Sees that something is left to wait for.
pub fn check_wanted(receiver: &Receiver, options: &RecvOptions) -> Result<()> {
    let Some((transfer, ..)) = receiver.unfinished().filter(|_| receiver.wants_nothing()) else { return Ok(()) };
    let forget = Keeper::Receiver(&options.into).command(&format!("--forget={}", transfer.short()));
    bail!(
        "nothing is left to receive: all of it is left out; what came before is kept: resume with less left out, or remove it with `{forget}`"
    )
}

/// Says that the folder keeps unfinished transfers, which nothing else shows.
pub fn note_kept(options: &RecvOptions) {
    if options.link.quiet {
        return;
    }
    let (count, disk) = count_received(&options.into);
    let what = match count {
        0 => return,
        1 => "an unfinished transfer is".to_owned(),
        count => format!("{count} unfinished transfers are"),
    };
    let text = format!(
        "note: {what} kept in {} ({}); `{}` shows what can be resumed or removed",
        absolute(&options.into),
        size(disk),
        Keeper::Receiver(&options.into).command("--unfinished")
    );
    options.link.note(&text);
}

/// The transfer that is meant, of one or more: the only one, or the one whose number starts so.
fn chosen<'a>(all: &'a [Kept], number: &str, option: &str, keeper: Keeper<'_>) -> Result<&'a Kept> {
    let mut meant = all.iter().filter(|kept| is_meant(kept, number));
    match (meant.next(), meant.next()) {
        (Some(kept), None) => Ok(kept),
        (Some(_), Some(_)) => {
            let row = |kept: &Kept| format!("\n  {option}={}  {}", kept.number(), about(kept));
            bail!("several transfers are unfinished; choose one:{}", all.iter().map(row).collect::<String>())
        }
        (None, _) => bail!(
            "no unfinished transfer has a number that starts with {}; `{}` shows them",
            quoted(number),
            keeper.command("--unfinished")
        ),
    }
}

fn is_meant(kept: &Kept, number: &str) -> bool {
    kept.transfer.to_string().starts_with(number)
}
