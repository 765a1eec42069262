//! `report`: stored runs as one page, and their figures for a paper.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use ciphermeter_core::{Record, Run, quoted_path};
use ciphermeter_report::{Figure, FigureWidth, Stored, figures, html, side_by_side};
use ciphermeter_terminal::{Exit, output};

use crate::args::{PageOptions, StoreOption};
use crate::command::show::stored;
use crate::interrupt::Held;
use crate::named_run::NamedRun;
use crate::new_file::{check_is_free, write_new};
use crate::run_output;

/// More runs side by side are no longer seen.
const MOST: usize = 8;

pub fn report(runs: &[NamedRun], options: &PageOptions, store: &StoreOption) -> Result<Exit> {
    if runs.len() > MOST {
        bail!("a page holds at most {MOST} runs: name fewer");
    }
    let loaded = load(runs, store)?;
    let numbers: Vec<String> = loaded.iter().map(|(run, _)| run.id.to_string()).collect();
    let stored: Vec<Stored> = loaded.iter().map(|(run, records)| Stored { run, records }).collect();
    write(options, &numbers.join("-"), || Ok(html(&stored)?), || named(&loaded))?;
    Ok(run_output::printed(loaded.iter().flat_map(|(_, records)| records)))
}

/// Writes a page, into report-NAME.html unless another file is named, or figures; comes back when all of it is there.
pub fn write(
    options: &PageOptions,
    name: &str,
    html: impl FnOnce() -> Result<String>,
    figures: impl FnOnce() -> Result<Vec<(String, Figure)>>,
) -> Result<Exit> {
    let (to, folder) = (options.output.as_deref(), options.figures.as_deref());
    if folder == Some(Path::new("-")) {
        bail!("figures are several files: name a folder for them with --figures, `./-` for one of that name");
    }
    let made = folder.filter(|folder| !folder.exists());
    // Everything is drawn and every name seen to be free before anything is written. Figures alone are asked for without a page.
    let page = (folder.is_none() || to.is_some()).then(|| Page::drawn(html, name, to, made)).transpose()?;
    let width = if options.column { FigureWidth::Column } else { FigureWidth::Page };
    let figures = folder.map(|folder| Figures::drawn(&figures()?, folder, width)).transpose()?;
    // Without the page, the figures are taken back.
    let written = figures.as_ref().map(Figures::write).transpose()?;
    page.map_or(Ok(()), |page| page.write())?;
    if let (Some(figures), Some(written)) = (figures, written) {
        written.keep();
        // Standard output may be the page's.
        output::say(&figures.said());
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

/// A page, and where it goes.
struct Page {
    html: String,
    to: PathBuf,
}

impl Page {
    /// `made`: a folder that will be there when the page is written.
    fn drawn(
        html: impl FnOnce() -> Result<String>,
        name: &str,
        to: Option<&Path>,
        made: Option<&Path>,
    ) -> Result<Self> {
        let to = to.map_or_else(|| PathBuf::from(format!("report-{name}.html")), Path::to_owned);
        let ending = to.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default();
        if ["svg", "png", "pdf", "csv", "json"].contains(&ending.as_str()) {
            bail!("a report is HTML: end its name in .html, or draw figures with --figures DIR");
        }
        let folder = |path: &Path| std::path::absolute(path).ok();
        let is_made = made.is_some_and(|made| folder(made) == to.parent().and_then(folder));
        if to != Path::new("-") && !is_made {
            check_is_free(&to, "name another file with -o")?;
        }
        Ok(Self { html: html()?, to })
    }

    fn write(&self) -> Result<()> {
        if self.to == Path::new("-") {
            return output::print(&self.html);
        }
        write_new(&self.to, |out| Ok(out.write_all(self.html.as_bytes())?))?;
        output::print(&format!("{}: open it in a browser\n", quoted_path(&self.to)))
    }
}

/// Files with figures: each as SVG, PNG and CSV, none of them over a file that is there. All are drawn before the first is written, so
/// that what cannot be drawn leaves none.
struct Figures<'a> {
    folder: &'a Path,
    count: usize,
    files: Vec<(PathBuf, Vec<u8>)>,
}

impl<'a> Figures<'a> {
    fn drawn(named: &[(String, Figure)], folder: &'a Path, width: FigureWidth) -> Result<Self> {
        let mut files = Vec::new();
        for (name, figure) in named {
            let mut csv = Vec::new();
            figure.write_csv(&mut csv)?;
            let drawn = [("svg", figure.svg(width)?.into_bytes()), ("png", figure.png(width)?), ("csv", csv)];
            for (ending, content) in drawn {
                files.push((folder.join(format!("{name}.{ending}")), content));
            }
        }
        if folder.is_dir() {
            files.iter().try_for_each(|(file, _)| check_is_free(file, "name another folder with --figures"))?;
        }
        Ok(Self { folder, count: named.len(), files })
    }

    /// Comes back with what it wrote; where it fails, nothing of it is left.
    fn write(&self) -> Result<Written> {
        let held = Held::new()?;
        let shown = quoted_path(self.folder);
        let mut written = Written { files: Vec::new(), folder: None };
        match fs::create_dir(self.folder) {
            Ok(()) => written.folder = Some(self.folder.to_owned()),
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists || !self.folder.is_dir() => {
                let remedy = format!("cannot make the folder {shown}: name another one with --figures");
                return Err(error).context(remedy);
            }
            _ => {}
        }
        for (file, content) in &self.files {
            held.check()?;
            write_new(file, |out| Ok(out.write_all(content)?))?;
            written.files.push(file.clone());
        }
        Ok(written)
    }

    fn said(&self) -> String {
        let shown = quoted_path(self.folder);
        let plural = if self.count == 1 { "" } else { "s" };
        format!("{shown}: {} figure{plural} as SVG, PNG and CSV\n", self.count)
    }
}

/// Files that were written, and the folder if it was made for them. Dropped, they are removed: half of them would be in the way of all.
struct Written {
    files: Vec<PathBuf>,
    folder: Option<PathBuf>,
}

impl Written {
    fn keep(mut self) {
        self.files.clear();
        self.folder = None;
    }
}

impl Drop for Written {
    fn drop(&mut self) {
        // What can't be removed stays, and so does the folder, as it does with anything else in it.
        self.files.iter().for_each(|file| drop(fs::remove_file(file)));
        self.folder.iter().for_each(|folder| drop(fs::remove_dir(folder)));
    }
}

/// All figures of the runs, each with the name of its files.
fn named(loaded: &[Loaded]) -> Result<Vec<(String, Figure)>> {
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
    let both: Vec<(&Run, &[Record])> = loaded.iter().map(|(run, records)| (run, records.as_slice())).collect();
    all.extend(side_by_side(&both).map(|figure| (figure.name.clone(), figure)));
    Ok(all)
}
