//! `--unfinished` and `--forget` of `recv` and `send`: what is kept of unfinished transfers, and its removal.

use std::path::Path;

use anyhow::{Result, bail};
use ciphermeter_core::quoted;
use ciphermeter_transfer::{Error, Kept, count_received, forget_received, forget_sent, kept_received, kept_sent};

use crate::args::{RecvOptions, SendOptions};
use crate::exit::Exit;
use crate::folders;
use crate::output;
use crate::transfer::kept::{Keeper, about, list};
use crate::transfer::{note, shown, size};

/// Does what `recv` is asked about unfinished transfers; `None` if it is to receive.
pub fn recv(options: &RecvOptions) -> Result<Option<Exit>> {
    let keeper = Keeper::Receiver(&options.into);
    if options.unfinished {
        return listed(&kept_received(&options.into)?, keeper).map(Some);
    }
    let Some(number) = &options.forget else { return Ok(None) };
    let all = kept_received(&options.into)?;
    let kept = chosen(&all, number.as_deref(), "--forget", keeper)?;
    removed(kept, forget_received(&options.into, kept.transfer)).map(Some)
}

/// Does what `send` is asked about unfinished transfers; `None` if it is to send.
pub fn send(options: &SendOptions) -> Result<Option<Exit>> {
    let folder = folders::sending();
    let all = || folder.as_deref().map(kept_sent).unwrap_or_default();
    if options.unfinished {
        return listed(&all(), Keeper::Sender).map(Some);
    }
    let (Some(number), Some(folder)) = (&options.forget, &folder) else { return Ok(None) };
    let all = all();
    let kept = chosen(&all, number.as_deref(), "--forget", Keeper::Sender)?;
    removed(kept, forget_sent(folder, kept.transfer)).map(Some)
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
        shown(&options.into),
        size(disk),
        Keeper::Receiver(&options.into).command("--unfinished")
    );
    note(options, &text);
}

fn listed(all: &[Kept], keeper: Keeper<'_>) -> Result<Exit> {
    let text = match all.is_empty() {
        true => format!("{}\n", keeper.nothing()),
        false => list(all, keeper, output::terminal_width()),
    };
    output::print(&text).map(|()| Exit::Fine)
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

fn removed(kept: &Kept, removed: Result<(), Error>) -> Result<Exit> {
    removed?;
    output::print(&format!("removed the unfinished transfer {} ({})\n", kept.number(), size(kept.disk)))
        .map(|()| Exit::Fine)
}
