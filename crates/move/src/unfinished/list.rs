//! Unfinished transfers as lines of text, each with the commands that resume and remove it.

use std::path::{Path, PathBuf};

use ciphermeter_core::{in_quotes, quoted_path, thousands};
use ciphermeter_terminal::{output, utc};
use ciphermeter_transfer::{Begun, Kept, Standing};

use super::command_line::{CommandLine, remove_folder, resume_option};
use crate::words::{shortened, size};

/// The most columns of a name.
const NAME: usize = 60;

#[derive(Debug, Clone, Copy)]
pub enum Keeper<'a> {
    Sender,
    Receiver(&'a Path),
}

impl Keeper<'_> {
    pub fn command(self, option: &str) -> CommandLine {
        match self {
            Self::Sender => CommandLine::send(option),
            Self::Receiver(into) => CommandLine::recv(option, into),
        }
    }

    /// The command that resumes it, and where it is to be given.
    fn resume(self, kept: &Kept) -> String {
        let option = resume_option(kept.transfer);
        match (self, &kept.begun) {
            _ if kept.standing == Standing::NamesMissing => {
                format!("every byte is here; name its files: {}", self.command(&option))
            }
            (_, Begun::AtBoth) => format!("resume: {}", self.command(&option)),
            (_, Begun::Here(places)) => {
                format!("resume, with the options for ssh that began it: {}", self.command(&option).with_places(places))
            }
            (Self::Receiver(_), Begun::There) => format!("resume, on the sender: {}", CommandLine::send(&option)),
            (Self::Sender, Begun::There) => {
                let command = CommandLine::recv("--unfinished", Path::new("."));
                format!("resume, on the receiver: {command} in its folder shows how")
            }
        }
    }

    pub fn nothing(self) -> String {
        match self {
            Self::Sender => "no unfinished transfer of yours".into(),
            Self::Receiver(into) => format!("no unfinished transfer in {}", quoted_path(into)),
        }
    }

    /// The folder that keeps a received transfer.
    fn folder(self, kept: &Kept) -> PathBuf {
        let into = if let Self::Receiver(into) = self { into } else { Path::new("") };
        into.join(format!(".ciphermeter-{}", kept.transfer))
    }

    /// The command that removes it, and what to do before.
    fn remove(self, kept: &Kept) -> String {
        let folder = self.folder(kept);
        match kept.has_others {
            true => format!("remove, once you have looked at the other files in it: {}", remove_folder(&folder)),
            false => format!("remove: {}", self.command(&format!("--forget={}", kept.number()))),
        }
    }

    /// What cannot be resumed, and why; `None` if it can.
    fn hindrance(self, kept: &Kept) -> Option<String> {
        let program = if let Self::Sender = self { "send" } else { "recv" };
        let why = match kept.standing {
            Standing::Resumable | Standing::NamesMissing => return None,
            Standing::InUse => return Some(format!("another `ciphermeter {program}` is using it")),
            Standing::TooOld => "it is older than seven days".into(),
            Standing::TooOldButComplete => format!(
                "it is older than seven days. Its files are complete and lack only their names: they are in {}",
                quoted_path(&self.folder(kept))
            ),
            Standing::OtherVersion => "another version of ciphermeter began it; that version may resume it".into(),
            Standing::Unreadable => "its state is missing or damaged".to_owned(),
        };
        Some(format!("cannot be resumed: {why}"))
    }
}

/// All that is known of a transfer besides its number, in one line.
pub fn about(kept: &Kept) -> String {
    let began = kept.began.and_then(utc::minute).unwrap_or_else(|| "unknown".into());
    let bytes = match kept.bytes {
        Some((here, total)) => format!("{} of {}", size(here), size(total)),
        None if kept.addresses.is_empty() => format!("{} on the disk", size(kept.disk)),
        None => format!("to {}", kept.addresses.join(",")),
    };
    let names: Vec<_> = kept.names.iter().map(|name| shortened(&in_quotes(name), NAME)).collect();
    let names = match kept.count - kept.names.len() {
        _ if names.is_empty() => "no names known".into(),
        0 => names.join(", "),
        more => format!("{} and {} more", names.join(", "), thousands(more)),
    };
    format!("began {began}, {bytes}: {names}")
}

/// All transfers, each with what to do about it, in lines of that width where no command is cut.
pub fn list(all: &[Kept], keeper: Keeper<'_>, width: usize) -> String {
    let mut text = String::new();
    for kept in all {
        let number = kept.number();
        text += &output::wrapped(&format!("{number}, {}", about(kept)), width);
        if let Some(why) = keeper.hindrance(kept) {
            text += &output::hanging(2, "", &why, width);
        } else {
            text += &format!("  {}\n", keeper.resume(kept));
        }
        if kept.standing != Standing::InUse {
            text += &format!("  {}\n", keeper.remove(kept));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use ciphermeter_transfer::TransferId;

    use super::*;

    fn kept(standing: Standing) -> Kept {
        Kept {
            transfer: TransferId([0xab; 16]),
            began: Some(UNIX_EPOCH + Duration::from_secs(1_700_000_000)),
            bytes: Some((5_000_000, 61_000_000)),
            names: vec!["a\u{1b}[2J".into(), "b".repeat(300)],
            count: 1002,
            addresses: Vec::new(),
            disk: 62_000_000,
            has_others: false,
            standing,
            begun: Begun::default(),
        }
    }

    #[test]
    fn line_says_what_is_known_and_nothing_that_a_terminal_acts_on() {
        let text = about(&kept(Standing::Resumable));
        assert!(text.starts_with("began 2023-11-14 22:13 UTC, 5.00 MB of 61.0 MB: \"a\\u{1b}[2J\", \"bbb"), "{text}");
        assert!(text.contains('…') && text.ends_with("bb\" and 1,000 more"), "{text}");
        let unknown = Kept { began: None, bytes: None, names: Vec::new(), count: 0, ..kept(Standing::Unreadable) };
        assert_eq!(about(&unknown), "began unknown, 62.0 MB on the disk: no names known");
    }

    #[test]
    fn what_came_through_ssh_is_resumed_by_the_command_that_began_it() {
        let into = Keeper::Receiver(Path::new("my files"));
        let begun = |begun, keeper| list(&[Kept { begun, ..kept(Standing::Resumable) }], keeper, 80);
        let fetched = |place: &str| begun(Begun::Here(vec![place.into()]), into);
        let command = "ciphermeter recv --resume=abababab --into 'my files' 'host:my files'\n";
        let text = fetched("host:my files");
        assert!(text.contains(&format!("  resume, with the options for ssh that began it: {command}")), "{text}");
        // The state may be a stranger's: what it names is a place, never a program.
        let planted = fetched("--ssh=sh -c id");
        assert!(planted.contains(" --into 'my files' -- '--ssh=sh -c id'\n"), "{planted}");
        let sent = begun(Begun::There, into);
        assert!(sent.contains("  resume, on the sender: ciphermeter send --resume=abababab\n"), "{sent}");
        let asked_for = begun(Begun::There, Keeper::Sender);
        assert!(asked_for.contains("on the receiver: ciphermeter recv --unfinished in its folder"), "{asked_for}");
        assert!(!asked_for.contains("--resume"), "{asked_for}");
    }

    #[test]
    fn each_has_the_commands_for_it() {
        let into = Keeper::Receiver(Path::new("my files"));
        let listed = |standing| list(&[kept(standing)], into, 80);
        let resume = "  resume: ciphermeter recv --resume=abababab --into 'my files'\n";
        let remove = "  remove: ciphermeter recv --forget=abababab --into 'my files'\n";
        assert!(listed(Standing::Resumable).ends_with(&format!("{resume}{remove}")));
        assert!(
            listed(Standing::NamesMissing).contains("  every byte is here; name its files: ciphermeter recv --resume")
        );
        for (standing, why) in [
            (Standing::TooOld, "older than seven days"),
            (Standing::TooOldButComplete, "lack only their names: they are in"),
            (Standing::OtherVersion, "another version of ciphermeter"),
            (Standing::Unreadable, "missing or damaged"),
        ] {
            let text = listed(standing);
            assert!(text.contains(why) && !text.contains("--resume") && text.ends_with(remove), "{text}");
        }
        let others = list(&[Kept { has_others: true, ..kept(Standing::Unreadable) }], into, 80);
        let command = format!("rm -r -- 'my files/.ciphermeter-{}'", "ab".repeat(16));
        assert!(others.ends_with(&format!("looked at the other files in it: {command}\n")), "{others}");
        let used = listed(Standing::InUse);
        assert!(used.ends_with("  another `ciphermeter recv` is using it\n"), "{used}");
        assert_eq!(Keeper::Receiver(Path::new(".")).command("--resume=12").to_string(), "ciphermeter recv --resume=12");
        assert_eq!(Keeper::Sender.command("--forget=12").to_string(), "ciphermeter send --forget=12");
    }
}
