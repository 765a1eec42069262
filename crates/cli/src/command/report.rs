//! `report`: stored runs as one page, and their figures for a paper.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use ciphermeter_core::{Record, Run, quoted};
use ciphermeter_report::{Figure, Stored, figures, html};

use crate::args::StoreOption;
use crate::command::show::stored;
use crate::exit::Exit;
use crate::named_run::NamedRun;
use crate::new_file::{check_is_free, write_new};
use crate::output;

/// More runs side by side are no longer seen.
const MOST: usize = 8;

/// Writes the page, and the figures where a folder for them is given.
pub fn report(runs: &[NamedRun], to: Option<&Path>, folder: Option<&Path>, option: &StoreOption) -> Result<Exit> {
    if runs.len() > MOST {
        bail!("a page holds at most {MOST} runs: name fewer");
    }
    let loaded = load(runs, option)?;
    if let Some(folder) = folder {
        write_figures(&loaded, folder)?;
    }
    // Who asks for figures alone gets no page.
    if folder.is_none() || to.is_some() {
        write_page(&loaded, to)?;
    }
    Ok(Exit::Fine)
}

type Loaded = (Run, Vec<Record>);

fn load(runs: &[NamedRun], option: &StoreOption) -> Result<Vec<Loaded>> {
    let latest = [NamedRun { store: None, id: None }];
    let runs = if runs.is_empty() { &latest } else { runs };
    let loaded = runs.iter().map(|named| {
        let other = named.store.clone().map(|file| StoreOption { store: Some(file), is_typed: true });
        stored(named.id, other.as_ref().unwrap_or(option))
    });
    let loaded = loaded.collect::<Result<Vec<Loaded>>>()?;
    for (place, (run, _)) in loaded.iter().enumerate() {
        if loaded[..place]
            .iter()
            .any(|(other, _)| (other.id, &other.started, &other.host) == (run.id, &run.started, &run.host))
        {
            bail!("run {} is named twice: name each once", run.id);
        }
    }
    Ok(loaded)
}

fn write_page(loaded: &[Loaded], to: Option<&Path>) -> Result<()> {
    let numbers: Vec<String> = loaded.iter().map(|(run, _)| run.id.to_string()).collect();
    let usual = PathBuf::from(format!("report-{}.html", numbers.join("-")));
    let to = to.unwrap_or(&usual);
    let is_file = to != Path::new("-");
    if is_file {
        check_is_free(to, "name another file with -o")?;
    }
    let runs: Vec<Stored> = loaded.iter().map(|(run, records)| Stored { run, records }).collect();
    let page = html(&runs)?;
    if !is_file {
        return output::print(&page);
    }
    write_new(to, |out| Ok(out.write_all(page.as_bytes())?))?;
    output::print(&format!("{}: open it in a browser\n", quoted(&to.to_string_lossy())))
}

/// Each figure as SVG, PNG and CSV, none of them over a file that is there.
fn write_figures(loaded: &[Loaded], folder: &Path) -> Result<()> {
    let mut all: Vec<(String, Figure)> = Vec::new();
    for (place, (run, records)) in loaded.iter().enumerate() {
        // Runs of two stores may have the same number.
        let is_again = loaded[..place].iter().any(|(other, _)| other.id == run.id);
        let again = if is_again { format!("-{}", place + 1) } else { String::new() };
        let own = figures(run, records);
        if own.is_empty() {
            // The reason, in the words of the one that is missing.
            ciphermeter_report::svg(run, records)?;
        }
        all.extend(own.into_iter().map(|figure| (format!("run-{}{again}-{}", run.id, figure.name), figure)));
    }
    let shown = quoted(&folder.to_string_lossy());
    for name in all.iter().flat_map(|(name, _)| ["svg", "png", "csv"].map(|ending| format!("{name}.{ending}"))) {
        check_is_free(&folder.join(name), "name another folder with --figures")?;
    }
    match fs::create_dir(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists || !folder.is_dir() => {
            return Err(error)
                .with_context(|| format!("cannot make the folder {shown}: name another one with --figures"));
        }
        _ => {}
    }
    for (name, figure) in &all {
        let file = |ending: &str| folder.join(format!("{name}.{ending}"));
        write_new(&file("svg"), |out| Ok(out.write_all(figure.svg()?.as_bytes())?))?;
        write_new(&file("png"), |out| Ok(out.write_all(&figure.png()?)?))?;
        write_new(&file("csv"), |mut out| Ok(figure.write_csv(&mut out)?))?;
    }
    output::print(&format!("{shown}: {} figures, each as SVG, PNG and CSV\n", all.len()))
}
