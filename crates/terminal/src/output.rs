//! What goes to standard output and standard error, and how wide it may be.
//!
//! Nothing else writes to a terminal, and whatever does goes through [`escaped_lines`]: so no text from outside, quoted or
//! forgotten, reaches it raw.

use std::io::{self, BufWriter, IsTerminal, Write};

use anyhow::{Context, Result};
use ciphermeter_core::{escaped_json, escaped_lines, shortened};

use crate::exit::{Exit, WithExit};
pub use crate::wrapped::{hanging, joined, wrapped};

/// Writes text to standard output. A reader that has heard enough (`… | head`) is no error.
///
/// # Errors
/// It cannot be written.
pub fn print(text: &str) -> Result<()> {
    quietly(io::stdout().lock().write_all(escaped_lines(text).as_bytes()))
}

/// Writes JSON to standard output.
///
/// # Errors
/// As [`print`].
pub fn print_json(text: &str) -> Result<()> {
    print(&escaped_json(text))
}

/// Writes data for other programs to standard output as it is; to a terminal, as any text.
///
/// # Errors
/// As [`print`].
pub fn print_data(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    if io::stdout().is_terminal() {
        let mut text = Vec::new();
        write(&mut text)?;
        return print(&String::from_utf8_lossy(&text));
    }
    let mut out = BufWriter::new(io::stdout().lock());
    quietly(write(&mut out).and_then(|()| out.flush()))
}

fn quietly(written: io::Result<()>) -> Result<()> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.context("cannot write to standard output"),
    }
}

/// Writes a remark to standard error. That it cannot be written, as to a terminal that is gone, ends nothing.
pub fn say(text: &str) {
    let _ = io::stderr().lock().write_all(escaped_lines(text).as_bytes());
}

/// Whether standard error is a terminal whose cursor moves.
pub fn moves_cursor() -> bool {
    io::stderr().is_terminal() && !is_dumb()
}

/// Whether the terminal has neither colors nor a cursor that moves, as those in editors.
pub fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|name| name == "dumb")
}

/// The same in place of the line where a terminal's cursor stands, in one write, which is not torn
/// apart. Only where the cursor [moves](moves_cursor).
pub fn say_instead(text: &str) {
    let _ = io::stderr().lock().write_all(format!("\r\u{1b}[K{}", escaped_lines(text)).as_bytes());
}

/// Prints an error; what is no terminal gets it as it is, for programs that read it line by line.
pub fn tell_error(error: &anyhow::Error) {
    // What was in the way of a signal needs no remedy.
    let interrupted = error.downcast_ref::<WithExit>().filter(|with| with.exit == Exit::Interrupted);
    let text = interrupted.map_or_else(|| format!("{error:#}"), ToString::to_string);
    tell(&format!("ciphermeter: {}", shortened(&text)));
}

/// Writes a remark of one or more lines to standard error: on a terminal each broken between words, else as it is.
pub fn tell(text: &str) {
    let terminal = terminal_size::terminal_size_of(io::stderr()).filter(|_| io::stderr().is_terminal());
    say(&match terminal {
        Some((width, _)) => text.lines().map(|line| unbroken(line, width.0.into())).collect(),
        None => format!("{text}\n"),
    });
}

/// A line of a remark, wrapped; a row of a list stays whole.
fn unbroken(line: &str, width: usize) -> String {
    if line.starts_with(' ') { format!("{line}\n") } else { wrapped(line, width) }
}

/// Columns where there is no terminal.
const PAGE: usize = 80;

/// Columns of standard output's terminal, 80 where there is none.
pub fn terminal_width() -> usize {
    let terminal = io::stdout().is_terminal();
    terminal_size::terminal_size().filter(|_| terminal).map_or(PAGE, |(width, _)| width.0.into())
}

/// Columns of prose, whose lines are no longer on a wider terminal.
pub fn page_width() -> usize {
    terminal_width().min(PAGE)
}

/// A screen, in columns and lines.
#[derive(Debug, Clone, Copy)]
pub struct Screen {
    /// Columns.
    pub width: usize,
    /// Lines.
    pub height: usize,
}

/// That of standard error's terminal, where questions and progress are shown; 80 × 24 where there
/// is none.
pub fn screen() -> Screen {
    let size = terminal_size::terminal_size_of(io::stderr());
    size.map_or(Screen { width: 80, height: 24 }, |(width, height)| Screen {
        width: width.0.into(),
        height: height.0.into(),
    })
}
