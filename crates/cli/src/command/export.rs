//! `export`: a stored run for other programs, or as a figure.

use std::io::{self, IsTerminal};
use std::path::Path;

use anyhow::{Result, bail};
use ciphermeter_core::{Kind, Outcome, Record, Run, escaped};
use ciphermeter_terminal::{Exit, output};

use crate::args::{Columns, Format, StoreOption};
use crate::command::show::stored;
use crate::run_output;

pub fn export(
    id: Option<i64>,
    format: Option<Format>,
    columns: Option<Columns>,
    to: &Path,
    option: &StoreOption,
) -> Result<Exit> {
    let mut format = match format {
        Some(format) => format,
        None => by_ending(to)?,
    };
    if format == Format::Png && to == Path::new("-") && io::stdout().is_terminal() {
        bail!("a PNG is no text for a terminal: write it to a file with -o chart.png, or pipe it");
    }
    run_output::check_writable(to, option)?;
    let (run, records) = stored(id, option)?;
    if let Some(Columns::Study) = columns {
        if format != Format::Csv || run.scenario.kind != Kind::Transfer {
            bail!(
                "--columns study is for single transfers in --format csv; run {} is of kind {}",
                run.id,
                run.scenario.kind
            );
        }
        format = Format::StudyCsv;
    }
    if matches!(format, Format::Benchstat | Format::Bmf) {
        tell_what_has_no_line(&run, &records);
    }
    run_output::write(&run, &records, format, to)?;
    Ok(run_output::printed(&records))
}

/// What these formats have no word for.
fn tell_what_has_no_line(run: &Run, records: &[Record]) {
    let all = run.command(&format!("show {} --all", run.id));
    if !records.iter().any(|record| record.forks.iter().any(|fork| !fork.short)) {
        output::tell(&format!("run {} has no whole fork, so there is no line to export; `{all}` says why", run.id));
    }
    let wrong = records.iter().filter(|record| matches!(record.outcome, Outcome::WrongOutput { .. })).count();
    if wrong > 0 {
        let plural = if wrong == 1 { "" } else { "s" };
        output::tell(&format!("{wrong} cell{plural} with wrong output: no line; `{all}` has the reason"));
    }
}

/// The format that a file's ending names; JSON for standard output.
fn by_ending(to: &Path) -> Result<Format> {
    if to == Path::new("-") {
        return Ok(Format::Json);
    }
    let ending = to.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    Ok(match ending.as_deref() {
        Some("json") => Format::Json,
        Some("csv") => Format::Csv,
        Some("svg") => Format::Svg,
        Some("png") => Format::Png,
        Some("md" | "markdown") => Format::Markdown,
        _ => bail!(
            "cannot tell the format of {} by its ending: end its name in .json, .csv, .md, .svg or .png, or say --format json, csv, \
             benchstat, bmf, markdown, svg or png",
            escaped(&to.display().to_string())
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ending_says_the_format() {
        let format = |name: &str| by_ending(Path::new(name)).ok();
        assert_eq!(format("-"), Some(Format::Json));
        assert_eq!(format("a.b/run.json"), Some(Format::Json));
        assert_eq!(format("run.csv"), Some(Format::Csv));
        assert_eq!(format("chart.SVG"), Some(Format::Svg));
        assert_eq!(["README.md", "a.markdown"].map(format), [Some(Format::Markdown); 2]);
        assert_eq!(format("chart.x.png"), Some(Format::Png));
        assert_eq!(["chart.pdf", "chart", ".png", "a.png/chart", "chart.png.gz"].map(format), [None; 5]);
    }
}
