//! The question about an offer, and the answers that it takes.

use ciphermeter_core::{in_quotes, quoted};
use ciphermeter_terminal::output::{Screen, say, screen, wrapped};
use ciphermeter_transfer::{Decision, Error, Existing, Question};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::stdio::stdin;
use rustix::termios::{QueueSelector, tcflush};

use super::overview::{every_name, overview};
use super::selection::Selection;
use super::state::is_ending;
use crate::words::counted;

/// How often to look whether this process ends.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

/// What is asked, and what is said to anything that is no answer.
struct Prompt {
    text: &'static str,
    help: &'static str,
}

const ALL: Prompt = Prompt {
    text: "Receive all? [y/N, l lists every name, -NAME leaves it out] ",
    help: "Answer y, n, l, or - and a name.\n",
};
/// Where names are taken.
const TAKEN: Prompt = Prompt {
    text: "What exists: s skips it, r adds it as NAME-1, c skips equal files, adds others.\n\
           Receive? [s/r/c/N, l lists every name, -NAME leaves it out] ",
    help: "Answer s, r, c, n, l, or - and a name.\n",
};
const PIPE: Prompt = Prompt { text: "Receive it? [y/N] ", help: WHOLE };
/// Before an unfinished transfer goes on.
const RESUMED: Prompt = Prompt { text: "Go on? [y/N, l lists every name] ", help: WHOLE };
/// Of what is taken as a whole or not at all.
const WHOLE: &str = "Answer y, n or l.\n";

/// Asks until there is an answer. The end of the input means no, and so does an empty line, except the one typed while
/// reading the list.
pub fn ask(mut selection: Selection<'_>) -> Result<Decision, Error> {
    let screen = screen();
    say(&overview(&selection.question(), true, screen));
    let mut listed = false;
    loop {
        let question = selection.question();
        let is_whole = question.is_pipe || question.is_resumed;
        let are_taken = !is_whole && selection.existing.is_none() && !question.existing.is_empty();
        let prompt = match () {
            () if question.is_pipe => PIPE,
            () if question.is_resumed => RESUMED,
            () if are_taken => TAKEN,
            () => ALL,
        };
        match answer(prompt.text).as_deref() {
            Some("y" | "Y" | "yes") if !are_taken => return Ok(selection.decision(Existing::Refuse, true)),
            Some("s" | "S" | "skip") if are_taken => return Ok(selection.decision(Existing::Skip, true)),
            Some("r" | "R" | "rename") if are_taken => return Ok(selection.decision(Existing::Rename, true)),
            Some("c" | "C" | "compare") if are_taken => return Ok(selection.decision(Existing::Compare, true)),
            Some("l" | "L" | "list") => {
                list(&question, screen);
                listed = true;
            }
            Some(pattern) if pattern.starts_with('-') && !is_whole => {
                leave_out(&mut selection, pattern.trim_start_matches('-').trim(), screen);
                if selection.is_nothing() {
                    return Err(Error::Declined);
                }
            }
            Some("") if listed => listed = false,
            None | Some("" | "n" | "N" | "no") => return Err(Error::Declined),
            Some(_) => say(prompt.help),
        }
    }
}

/// Leaves out what the user named, and shows what is left.
fn leave_out(selection: &mut Selection<'_>, pattern: &str, screen: Screen) {
    let what = match selection.leave_out_pattern(pattern) {
        Err(error) => return say(&wrapped(&quoted(&error.to_string()), screen.width)),
        Ok((0, 0)) => return say(&wrapped(&matches_nothing(pattern), screen.width)),
        Ok(_) if selection.is_nothing() => return say("Nothing is left.\n"),
        Ok((files, 0)) => counted(files, "file"),
        Ok((0, folders)) => counted(folders, "folder"),
        Ok((files, folders)) => format!("{} in {}", counted(files, "file"), counted(folders, "folder")),
    };
    say(&format!("{what} left out.\n"));
    say(&overview(&selection.question(), true, screen));
}

/// What to say of a pattern without effect.
fn matches_nothing(pattern: &str) -> String {
    format!("No name matches {}: write one of the list, or a pattern like *.tmp or photos/*.jpg.", in_quotes(pattern))
}

/// Shows every name, a screen at a time.
fn list(question: &Question<'_>, screen: Screen) {
    let mut lines = every_name(question, screen.width).peekable();
    loop {
        for line in lines.by_ref().take(screen.height.saturating_sub(1).max(1)) {
            say(&line);
        }
        if lines.peek().is_none() {
            return;
        }
        let answer = answer("-- Enter shows more, q stops: ");
        if answer.is_none_or(|answer| answer.starts_with(['q', 'Q'])) {
            return;
        }
    }
}

/// A prompt in lines of a screen, with the cursor behind its last word.
fn within(prompt: &str, width: usize) -> String {
    let lines = prompt.lines().map(|line| wrapped(line, width.saturating_sub(1))).collect::<String>();
    format!("{} ", lines.trim_end())
}

/// The user's answer to this prompt; `None` at the end of the input. What was typed earlier was meant for something
/// else and is dropped.
fn answer(prompt: &str) -> Option<String> {
    let _ = tcflush(stdin(), QueueSelector::IFlush);
    say(&within(prompt, screen().width));
    // Read by the terminal's own lines: a buffer could swallow the next one, typed ahead.
    let (mut line, mut bytes) = (Vec::new(), [0; 256]);
    while line.len() < 4096 && !line.ends_with(b"\n") {
        if is_ending() {
            return None;
        }
        match poll(&mut [PollFd::new(&stdin(), PollFlags::IN)], Some(&LOOK)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => continue,
            // It ended, or can be read; where it cannot be waited for, reading waits.
            Ok(_) | Err(_) => {}
        }
        match rustix::io::read(stdin(), &mut bytes) {
            Ok(read @ 1..) => line.extend(&bytes[..read]),
            Err(rustix::io::Errno::INTR) => {}
            Ok(_) | Err(_) => {
                say("\n");
                return None;
            }
        }
    }
    Some(String::from_utf8_lossy(&line).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompt_stays_within_the_screen() {
        for prompt in [ALL, TAKEN, PIPE, RESUMED] {
            assert_eq!(within(prompt.text, 100), prompt.text);
            let narrow = within(prompt.text, 40);
            assert!(narrow.lines().all(|line| line.len() < 40) && narrow.ends_with("] "), "{narrow}");
        }
    }
}
