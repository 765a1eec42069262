//! `--unfinished` and `--forget` of `recv` and `send`: what is kept of unfinished transfers, and its removal.

mod command_line;
mod list;

use std::path::Path;

use anyhow::{Result, bail};
use ciphermeter_core::quoted;
use ciphermeter_terminal::{Exit, output, own_folders};
use ciphermeter_transfer::{
    Error, Kept, TransferId, count_received, forget_received, forget_sent, kept_received, kept_sent,
};

pub use command_line::{CommandLine, places, recv_remedy, resume_option, send_remedy};
use list::{Keeper, about, list};

use crate::options::{RecvOptions, SendOptions};
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
            let kept = chosen(&all, number.as_deref(), "--forget", keeper)?;
            remove(kept.transfer)?;
            format!("removed the unfinished transfer {} ({})\n", kept.number(), size(kept.disk))
        }
        None if all.is_empty() => format!("{}\n", keeper.nothing()),
        None => list(&all, keeper, output::terminal_width()),
    };
    output::print(&text).map(|()| Some(Exit::Fine))
}

/// Refuses a number that several transfers in the folder have, because `recv --resume` takes the latest of them.
pub fn check_number(number: &str, into: &Path) -> Result<()> {
    let all = kept_received(into)?;
    if all.iter().any(|kept| is_meant(kept, number)) {
        chosen(&all, Some(number), "--resume", Keeper::Receiver(into))?;
    }
    Ok(())
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

/// The transfer that is meant: the only one, or the one whose number starts so.
fn chosen<'a>(all: &'a [Kept], number: Option<&str>, option: &str, keeper: Keeper<'_>) -> Result<&'a Kept> {
    let mut meant = all.iter().filter(|kept| is_meant(kept, number.unwrap_or_default()));
    match (meant.next(), meant.next(), number) {
        (Some(kept), None, _) => Ok(kept),
        (Some(_), Some(_), _) => {
            let row = |kept: &Kept| format!("\n  {option}={}  {}", kept.number(), about(kept));
            bail!("several transfers are unfinished; choose one:{}", all.iter().map(row).collect::<String>())
        }
        (None, _, Some(number)) if !all.is_empty() => bail!(
            "no unfinished transfer has a number that starts with {}; `{}` shows them",
            quoted(number),
            keeper.command("--unfinished")
        ),
        (None, ..) => bail!("{}; there is nothing to remove", keeper.nothing()),
    }
}

fn is_meant(kept: &Kept, number: &str) -> bool {
    kept.transfer.to_string().starts_with(number)
}
