//! What a guard prints and writes.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use ciphermeter_core::{option_words, quoted_path, shell_word};
use ciphermeter_report::{
    Guarded, GuardedRuns, History, guard_screen, identical as in_words, write_guard_json, write_guard_markdown,
    write_identical_json, write_identical_markdown,
};
use ciphermeter_terminal::output::{self, print, print_data, say, terminal_width, wrapped};

use super::measured::Measured;
use crate::args::{DetailOptions, GuardOptions};
use crate::folders::is_same;
use crate::notes::Notes;
use crate::{new_file, run_output};

/// What writes an output.
type Writer<'a> = &'a dyn Fn(&mut dyn Write) -> std::io::Result<()>;

/// Sees that outputs go to different places, which can be written.
pub fn check(options: &GuardOptions) -> Result<()> {
    let all = || [&options.json, &options.markdown].into_iter().flatten();
    if all().filter(|to| is_standard(to)).count() > 1 {
        bail!("only one of --json and --markdown can go to standard output: give the other a file");
    }
    let named: Vec<&PathBuf> = all().chain(&options.history).filter(|to| !is_standard(to)).collect();
    for (place, to) in named.iter().enumerate() {
        if named[..place].iter().any(|other| is_same(to, other)) {
            bail!("--json, --markdown and --history: two of them name the same file; give each its own");
        }
        if files_of_sides(options).iter().any(|side| is_same(to, side)) {
            bail!("{} is what is compared: give the output another file", quoted_path(to));
        }
    }
    all().try_for_each(|to| run_output::check_writable(to, &options.store))
}

/// Files that OLD and NEW name, whole or as a word of a command.
fn files_of_sides(options: &GuardOptions) -> Vec<PathBuf> {
    let words = [&options.old, &options.new].into_iter().flat_map(|side| {
        let words = shlex::split(side).unwrap_or_default();
        words.into_iter().chain([side.clone()])
    });
    words.map(PathBuf::from).filter(|file| file.exists()).collect()
}

fn is_standard(to: &Path) -> bool {
    to == Path::new("-")
}

/// The command that does all of it again.
fn command(options: &GuardOptions) -> String {
    let words: Vec<String> = options.asked.iter().map(shell_word).collect();
    format!("ciphermeter {} {}", words.join(" "), option_words("--budget", options.budget.to_string()))
}

/// Says before the second measurement what it is for.
pub fn tell_alarm(options: &GuardOptions, cells: usize) {
    if !options.quiet {
        let cells = if cells == 1 { "1 cell seems".to_owned() } else { format!("{cells} cells seem") };
        say(&format!("{cells} slower, and will be measured again\n"));
    }
}

/// Prints the verdict, and writes the files that are asked for, these first: the reader of standard output may have gone. Reports what
/// cannot be written, and returns whether all was.
pub fn write(
    options: &GuardOptions,
    (first, again): (&Measured, Option<&Measured>),
    guarded: &Guarded,
    history: Option<&History>,
) -> bool {
    let command = command(options);
    let again_stored = again.map(Measured::stored);
    let runs = GuardedRuns { guarded, history, first: first.stored(), again: again_stored, command: &command };
    let notes = match options.quiet {
        true => Notes::default(),
        false => Notes::of(&first.run, &first.records, DetailOptions::default()),
    };
    // A job's log has room for all.
    let below = std::io::stdout().is_terminal().then(|| notes.lines());
    let screen = || guard_screen(&runs, below, run_output::table_options(&options.look));
    let json = |out: &mut dyn Write| write_guard_json(out, &runs);
    let markdown = |out: &mut dyn Write| write_guard_markdown(out, &runs);
    let is_written = written(options, screen, &json, &markdown);
    notes.tell();
    is_written
}

/// The same where both sides have the same bytes.
pub fn identical(options: &GuardOptions, hash: &str) -> bool {
    let (said, command) = (in_words(hash), command(options));
    let screen = || wrapped(&said, terminal_width());
    let json = |out: &mut dyn Write| write_identical_json(out, &said, &command);
    let markdown = |out: &mut dyn Write| write_identical_markdown(out, &said);
    written(options, screen, &json, &markdown)
}

fn written(options: &GuardOptions, screen: impl FnOnce() -> String, json: Writer, markdown: Writer) -> bool {
    let asked: Vec<(&PathBuf, Writer)> = [(&options.json, json), (&options.markdown, markdown)]
        .into_iter()
        .filter_map(|(to, write)| Some((to.as_ref()?, write)))
        .collect();
    let mut is_written = true;
    let mut report = |written: Result<()>| is_written &= written.inspect_err(output::tell_error).is_ok();
    for (to, write) in asked.iter().filter(|(to, _)| !is_standard(to)) {
        let written = new_file::replace(to, |out| Ok(write(out)?));
        report(written.with_context(|| format!("cannot write {}", quoted_path(to))));
    }
    report(match asked.iter().find(|(to, _)| is_standard(to)) {
        Some((_, write)) => print_data(|out| write(out)),
        None => print(&screen()),
    });
    is_written
}
