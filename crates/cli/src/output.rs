//! What goes to standard output, standard error and files, and how wide and colorful it may be.
//!
//! Nothing else writes to a terminal, and whatever does goes through [`escaped_lines`]: so no text from outside, quoted or
//! forgotten, reaches it raw.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};
use ciphermeter_core::{Record, Run, escaped_json, escaped_lines, quoted_path};
use ciphermeter_report::{
    Screen, SelfCheck, TableOptions, against, answer, costs, notes, png, screen, self_check, svg, table,
    write_benchstat, write_bmf, write_csv, write_json, write_markdown, write_study_csv,
};

use crate::args::{Color, DetailOptions, Format, LookOptions, StoreOption};
use crate::exit::{Exit, WithExit};
pub use crate::wrapped::{PAGE, hanging, joined, wrapped};
use crate::{folders, new_file};

/// Writes text to standard output. A reader that has heard enough (`… | head`) is no error.
pub fn print(text: &str) -> Result<()> {
    quietly(io::stdout().lock().write_all(escaped_lines(text).as_bytes()))
}

/// Writes JSON to standard output.
pub fn print_json(text: &str) -> Result<()> {
    print(&escaped_json(text))
}

/// Writes a remark to standard error. That it cannot be written, as to a terminal that is gone, ends nothing.
pub fn say(text: &str) {
    let _ = io::stderr().lock().write_all(escaped_lines(text).as_bytes());
}

/// The same in place of the line where a terminal's cursor stands, in one write, which is not torn apart.
pub fn say_instead(text: &str) {
    let _ = io::stderr().lock().write_all(format!("\r\u{1b}[K{}", escaped_lines(text)).as_bytes());
}

fn quietly(written: io::Result<()>) -> Result<()> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.context("cannot write to standard output"),
    }
}

/// Writes a run in a format for other programs, or its figure, to a file, or to standard output for `-`.
pub fn write(run: &Run, records: &[Record], format: Format, to: &Path) -> Result<()> {
    // Drawn before a file is opened, so that a run without a figure leaves what the file held.
    let figure = match format {
        Format::Svg => svg(run, records)?.into_bytes(),
        Format::Png => png(run, records)?,
        _ => Vec::new(),
    };
    let into = |out: &mut dyn Write| match format {
        Format::Json => write_json(out, run, records),
        Format::Csv => write_csv(out, run, records),
        Format::Benchstat => write_benchstat(out, run, records),
        Format::Bmf => write_bmf(out, run, records),
        Format::Markdown => write_markdown(out, run, records),
        Format::StudyCsv => write_study_csv(out, records),
        Format::Svg | Format::Png => out.write_all(&figure),
    };
    if to == Path::new("-") && io::stdout().is_terminal() {
        let mut text = Vec::new();
        into(&mut text)?;
        return print(&String::from_utf8_lossy(&text));
    }
    if to == Path::new("-") {
        let mut out = BufWriter::new(io::stdout().lock());
        return quietly(into(&mut out).and_then(|()| out.flush()));
    }
    new_file::replace(to, |out| Ok(into(out)?)).with_context(|| {
        format!(
            "cannot write {}; the run is stored, and `{}` writes it",
            quoted_path(to),
            run.command(&format!("export {} --format {} -o FILE", run.id, format.name()))
        )
    })
}

/// Sees that a file can be written, without touching what it holds, and that it is no store's, whether this one or another.
pub fn check_writable(to: &Path, option: &StoreOption) -> Result<()> {
    if to == Path::new("-") {
        return Ok(());
    }
    let store = folders::store(option)?;
    if folders::is_of_store(to, &store) || folders::is_database(to) {
        bail!("cannot write {}: runs are kept there; give another file", quoted_path(to));
    }
    new_file::check_is_replaceable(to).with_context(|| format!("cannot write {}: give another file", quoted_path(to)))
}

/// Prints the first screen, or all tables and the sentences below them; of copies of one library, only how far they are from being
/// equal; of a run that is compared with something older, the verdict. Comes back with whether the run answers its question.
pub fn show(run: &Run, records: &[Record], detail: DetailOptions, options: &LookOptions) -> Result<bool> {
    let options = table_options(options);
    if detail.costs {
        let Screen { text, is_answered } = costs(run, records, options);
        return print(&text).map(|()| is_answered);
    }
    if run.scenario.copies.is_some() {
        let checks = self_check(run, records);
        let text =
            checks.iter().map(ToString::to_string).fold(SelfCheck::sum(&checks), |text, check| text + "\n" + &check);
        let text: String = text.lines().map(|line| wrapped(line, options.width)).collect();
        return print(&text).map(|()| SelfCheck::is_answered(&checks));
    }
    if let Some((text, _)) = against(run, records, detail.all, options) {
        return print(&text).map(|()| true);
    }
    let Screen { text, is_answered } = screen(run, records, options);
    if !detail.all {
        return print(&text).map(|()| is_answered);
    }
    let mut text = table(run, records, options);
    let answer = answer(run, records);
    for sentence in answer.sentences.iter().chain(&answer.notes).filter(|sentence| !sentence.is_empty()) {
        text.push('\n');
        text.push_str(&wrapped(sentence, options.width));
    }
    print(&text).map(|()| is_answered)
}

/// Whether a run answers its question; one of comparisons has a verdict of its own.
pub fn is_answered(run: &Run, records: &[Record]) -> bool {
    match &run.scenario.copies {
        Some(_) => SelfCheck::is_answered(&self_check(run, records)),
        None => run.against.is_some() || screen(run, records, TableOptions::default()).is_answered,
    }
}

/// Prints what a reader should know of the whole run, to standard error: what is missing, and with `--verbose` all else.
pub fn tell_notes(run: &Run, records: &[Record], detail: DetailOptions) {
    for note in notes(run, records, detail.verbose) {
        tell(&note);
    }
}

/// Prints an error; what is no terminal gets it as it is, for programs that read it line by line.
pub fn tell_error(error: &anyhow::Error) {
    // What was in the way of a signal needs no remedy.
    let interrupted = error.downcast_ref::<WithExit>().filter(|with| with.exit == Exit::Interrupted);
    let text = interrupted.map_or_else(|| format!("{error:#}"), ToString::to_string);
    tell(&format!("ciphermeter: {text}"));
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

/// Columns of the terminal, 80 where there is none.
pub fn terminal_width() -> usize {
    table_options(&LookOptions { color: Color::Never }).width
}

pub fn table_options(options: &LookOptions) -> TableOptions {
    let terminal = io::stdout().is_terminal();
    let width = terminal_size::terminal_size().filter(|_| terminal).map_or(80, |(width, _)| width.0.into());
    let color = match options.color {
        Color::Always => true,
        Color::Never => false,
        // https://no-color.org: any value but the empty one counts.
        Color::Auto => terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
    };
    TableOptions { width, color }
}
