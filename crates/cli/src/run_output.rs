//! What is printed of a run and written to files, and how colorful it may be.

use std::io::{self, IsTerminal, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};
use ciphermeter_core::{Record, Run, quoted_path};
use ciphermeter_report::{
    Finding, Screen, SelfCheck, TableOptions, against, answer, can_resume, costs, png, screen_above, self_check, svg,
    table, write_benchstat, write_bmf, write_csv, write_json, write_markdown, write_study_csv,
};
use ciphermeter_terminal::Exit;
use ciphermeter_terminal::output::{is_dumb, print, print_data, terminal_width, wrapped};

use crate::args::{Color, DetailOptions, Format, LookOptions, StoreOption};
use crate::notes::Notes;
use crate::{folders, new_file};

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
    if to == Path::new("-") {
        return print_data(into);
    }
    new_file::replace(to, |out| Ok(into(out)?)).with_context(|| {
        format!(
            "cannot write {}; the run is stored, and `{}` writes it",
            quoted_path(to),
            run.command(&format!("export {} --format {} -o FILE", run.id, format.name()))
        )
    })
}

/// How a command ends that prints a stored run, in whatever form: one in which nothing was measured is no success.
pub fn printed<'r>(records: impl IntoIterator<Item = &'r Record>) -> Exit {
    let is_empty = |record: &Record| [record.forks.len(), record.latency.len(), record.memory.len()] == [0; 3];
    if records.into_iter().all(is_empty) { Exit::Nothing } else { Exit::Fine }
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
pub fn show(
    run: &Run,
    records: &[Record],
    detail: DetailOptions,
    options: &LookOptions,
    notes: &Notes,
) -> Result<bool> {
    let options = table_options(options);
    if detail.costs {
        let Screen { text, is_answered } = costs(run, records, options);
        return print(&text).map(|()| is_answered);
    }
    if run.scenario.copies.is_some() {
        let checks = self_check(run, records);
        let sum = SelfCheck::sum(run, records, &checks);
        let text = checks.iter().map(ToString::to_string).fold(sum, |text, check| text + "\n" + &check);
        let text: String = text.lines().map(|line| wrapped(line, options.width)).collect();
        return print(&text).map(|()| SelfCheck::is_answered(&checks));
    }
    let below = (!detail.all).then(|| notes.lines());
    if let Some((text, _)) = against(run, records, below, options) {
        return print(&text).map(|()| true);
    }
    if let Some(below) = below {
        let Screen { text, is_answered } = screen_above(run, records, options, below);
        return print(&text).map(|()| is_answered);
    }
    let mut text = table(run, records, options);
    let answer = answer(run, records);
    let basis = answer.rests_on.sentence((0, 0));
    let resume = can_resume(run).then(|| format!("Continue it: `{}`", run.resume()));
    let below = answer.sentences.iter().chain(&answer.notes).chain(std::iter::once(&basis)).chain(&resume);
    for sentence in below.filter(|sentence| !sentence.is_empty()) {
        text.push('\n');
        text.push_str(&wrapped(sentence, options.width));
    }
    print(&text).map(|()| answer.answered)
}

/// Whether a run answers its question; one of comparisons has a verdict of its own.
pub fn is_answered(run: &Run, records: &[Record]) -> bool {
    match &run.scenario.copies {
        Some(_) => SelfCheck::is_answered(&self_check(run, records)),
        None => run.against.is_some() || answer(run, records).answered,
    }
}

/// How wide and colorful tables are on standard output.
pub fn table_options(options: &LookOptions) -> TableOptions {
    let color = match options.color {
        Color::Always => true,
        Color::Never => false,
        // https://no-color.org: any value but the empty one counts.
        Color::Auto => {
            let is_refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
            io::stdout().is_terminal() && !is_refused && !is_dumb()
        }
    };
    TableOptions { width: terminal_width(), color }
}

/// How a command ends that found this.
pub const fn exit(finding: Finding) -> Exit {
    match finding {
        Finding::Fine => Exit::Fine,
        Finding::Slower => Exit::Regression,
        Finding::WrongOutput => Exit::WrongOutput,
        Finding::Nothing => Exit::Nothing,
        Finding::Partial => Exit::Partial,
    }
}
