//! `report --site`: machines as a static site. Whatever a run, an export or a store holds, only what would be shared is in it.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use ciphermeter_core::{Record, Run, in_quotes, quoted_path};
use ciphermeter_machines::{
    Machine, Shared, Source, TableQuestion, beyond_use, built_in, is_name, pack, questions, share as shared_run,
};
use ciphermeter_report::{
    MachineRow, SITE_SCRIPT, SITE_STYLE, SiteMachine, SiteRow, SiteRun, SiteTable, Stored, html_of_site, site_index,
};
use ciphermeter_terminal::{Exit, output};

use crate::args::StoreOption;
use crate::beyond_list::beyond_list;
use crate::command::share::document;
use crate::command::show::stored;
use crate::named_run::NamedRun;
use crate::site_folder::{SiteFile, SiteFolder};
use crate::{export_file, folders, outside};

/// The most machines of a site.
const MOST: usize = 200;
/// The most bytes of a packed run in a machine's folder, which is read whole before it is checked.
const MOST_FILE: u64 = 1 << 20;
/// The most bytes of a source.
const MOST_SOURCE: u64 = 16 << 10;

pub fn site(runs: &[NamedRun], to: &Path, store: &StoreOption) -> Result<Exit> {
    let folder = SiteFolder::check(to)?;
    let machines = if runs.is_empty() { built_in()?.into_iter().map(Row::of).collect() } else { all(runs, store)? };
    if machines.is_empty() {
        bail!("there is no machine to show: name runs, exports, or a folder of machines");
    }
    if machines.len() > MOST {
        bail!("a site has at most {MOST} machines: name fewer");
    }
    let files = files(&machines)?;
    folder.write(&files)?;
    let (shown, count) = (quoted_path(&to.join("index.html")), machines.len());
    let plural = if count == 1 { "" } else { "s" };
    output::print(&format!("{shown}: {count} machine{plural}; open it in a browser\n"))?;
    Ok(Exit::Fine)
}

/// A machine of the site.
struct Row {
    name: String,
    source: Option<Source>,
    runs: Vec<Shared>,
}

impl Row {
    fn of(machine: Machine) -> Self {
        let Machine { name, source, runs } = machine;
        Self { name, source: Some(source), runs }
    }

    fn cpu(&self) -> &str {
        self.runs.first().and_then(|shared| shared.run.fact("cpu")).unwrap_or("unknown")
    }

    /// `virtual`, `bare`, or what the hypervisor's fact says.
    fn setting(&self) -> &str {
        let seen = || self.runs.first().and_then(|shared| shared.run.fact("hypervisor"));
        match (&self.source, seen()) {
            (Some(source), _) => source.machine.as_str(),
            (None, Some("none seen")) => "no hypervisor seen",
            (None, Some(_)) => "virtual",
            (None, None) => "",
        }
    }

    fn file(&self, scenario: &str, ending: &str) -> String {
        format!("{}-{scenario}.{ending}", self.name)
    }
}

/// What the arguments name: folders of machines, exports, and stored runs. Runs of one name are one machine's.
fn all(runs: &[NamedRun], store: &StoreOption) -> Result<Vec<Row>> {
    let mut rows: Vec<Row> = Vec::new();
    for named in runs {
        let found = match &named.store {
            Some(path) if path.is_dir() => in_folder(path)?,
            Some(path) if named.id.is_none() && path.is_file() && !folders::is_database(path) => {
                let (run, records) = export_file::read(path)?;
                vec![row(&name_of(path, &run), &quoted_path(path), &run, &records)?]
            }
            other => {
                let other = other.clone().map(|file| StoreOption { store: Some(file), is_typed: true });
                let (run, records) = stored(named.id, other.as_ref().unwrap_or(store))?;
                vec![row(&name_of_cpu(&run), &format!("run {}", run.id), &run, &records)?]
            }
        };
        for new in found {
            match rows.iter_mut().find(|row| row.name == new.name) {
                Some(row) if new.source.is_none() && row.source.is_none() && row.cpu() == new.cpu() => {
                    // The same run may be named as a file and by its number.
                    let others = new.runs.into_iter().filter(|new| !row.runs.iter().any(|own| is_same(own, new)));
                    let others: Vec<Shared> = others.collect();
                    row.runs.extend(others);
                }
                Some(_) => bail!("two machines are called {}: rename the file or folder of one", in_quotes(&new.name)),
                None => rows.push(new),
            }
        }
    }
    for row in &rows {
        let mut scenarios = BTreeSet::new();
        if let Some(twice) = row.runs.iter().find(|shared| !scenarios.insert(&shared.run.scenario.name)) {
            let scenario = in_quotes(&twice.run.scenario.name);
            bail!(
                "{} has two runs of {scenario}: name one of them, or call files after their machines, such as a.json.gz and b.json.gz",
                in_quotes(&row.name)
            );
        }
    }
    Ok(rows)
}

fn row(name: &str, shown: &str, run: &Run, records: &[Record]) -> Result<Row> {
    let shared = shared_run(run, records).map_err(|why| anyhow!("{shown} cannot be shown to others: {why}"))?;
    if let Some(why) = beyond_use(&shared.run, &shared.records) {
        output::tell(&format!("{shown} is not fit for comparisons, and the site says so: {why}"));
    }
    Ok(Row { name: name.to_owned(), source: None, runs: vec![shared] })
}

/// Whether both are one run: a seed is drawn for each.
fn is_same(one: &Shared, other: &Shared) -> bool {
    let of = |shared: &Shared| (shared.run.seed, shared.run.scenario.name.clone(), shared.records.len());
    of(one) == of(other)
}

/// A machine's name by its export's; a file that is called after its scenario says only which run it is.
fn name_of(path: &Path, run: &Run) -> String {
    let file = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let stem = file.trim_end_matches(".gz").trim_end_matches(".json");
    if stem == run.scenario.name { name_of_cpu(run) } else { dashed(stem) }
}

fn name_of_cpu(run: &Run) -> String {
    dashed(&run.fact("cpu").unwrap_or_default().to_lowercase())
}

/// Letters and digits of a text, as a machine's name.
fn dashed(text: &str) -> String {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let dashed = words.collect::<Vec<_>>().join("-");
    let name = dashed[..dashed.len().min(40)].trim_matches('-').to_owned();
    if is_name(&name) { name } else { "machine".into() }
}

/// The machine of a folder with a source, or those of the folders in it.
fn in_folder(path: &Path) -> Result<Vec<Row>> {
    if path.join("source.toml").is_file() {
        return Ok(vec![Row::of(machine(path)?)]);
    }
    let folders: Vec<PathBuf> = sorted(path)?.into_iter().filter(|folder| folder.is_dir()).collect();
    if folders.len() > MOST {
        bail!("{} has more than {MOST} folders, the most machines of a site: name fewer", quoted_path(path));
    }
    let found = folders.iter().map(|folder| Ok(Row::of(machine(folder)?))).collect::<Result<Vec<_>>>()?;
    match found.is_empty() {
        true => bail!("{} has no machines: a machine is a folder with source.toml and runs", quoted_path(path)),
        false => Ok(found),
    }
}

/// Reads a machine's folder, as the table of machines has it.
pub fn machine(folder: &Path) -> Result<Machine> {
    let shown = quoted_path(folder);
    let name = folder.canonicalize().ok().and_then(|path| Some(path.file_name()?.to_string_lossy().into_owned()));
    let source = folder.join("source.toml");
    if !source.is_file() {
        bail!("{shown} is not a machine's folder: source.toml is missing");
    }
    let source = outside::read(&source, MOST_SOURCE).with_context(|| format!("cannot read source.toml of {shown}"))?;
    let mut runs = Vec::new();
    for file in sorted(folder)? {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name != "source.toml" {
            let packed = packed(&file).with_context(|| format!("cannot read {}", quoted_path(&file)))?;
            runs.push((name, packed));
        }
    }
    let runs: Vec<(&str, &[u8])> = runs.iter().map(|(name, packed)| (name.as_str(), packed.as_slice())).collect();
    let machine = Machine::read(&name.unwrap_or_default(), Some(&source), &runs);
    let machine = machine.map_err(|why| anyhow!("{shown}: {why}"))?;
    for (file, packed) in runs {
        if let Some(why) = beyond_list(packed)? {
            bail!("{shown}: {file}: {why}: write it with `ciphermeter export --share`");
        }
    }
    Ok(machine)
}

fn packed(file: &Path) -> io::Result<Vec<u8>> {
    let mut packed = Vec::new();
    ciphermeter_host::file::open(file)?.take(MOST_FILE + 1).read_to_end(&mut packed)?;
    Ok(packed)
}

fn sorted(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", quoted_path(folder)))?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

/// All files, the first page last.
fn files(machines: &[Row]) -> Result<Vec<SiteFile>> {
    let mut files = Vec::new();
    for machine in machines {
        for shared in &machine.runs {
            let scenario = &shared.run.scenario.name;
            let [page, export] = ["html", "json.gz"].map(|ending| machine.file(scenario, ending));
            let stored = Stored { run: &shared.run, records: &shared.records };
            let html = html_of_site(stored, &machine.name, &export)?;
            files.push(SiteFile { name: page, content: html.into_bytes() });
            files.push(SiteFile { name: export, content: pack(&document(shared)?)? });
        }
    }
    files.push(SiteFile { name: "site.css".into(), content: SITE_STYLE.into() });
    files.push(SiteFile { name: "site.js".into(), content: SITE_SCRIPT.into() });
    files.push(SiteFile { name: "index.html".into(), content: index(machines).into_bytes() });
    Ok(files)
}

fn index(machines: &[Row]) -> String {
    let row = |machine: &Row, shared: &Shared, records: &[Record]| SiteRow {
        row: MachineRow::of(Some(&machine.name), &shared.run, records),
        cpu: machine.cpu().to_owned(),
        setting: machine.setting().to_owned(),
        page: machine.file(&shared.run.scenario.name, "html"),
    };
    let table = |question: TableQuestion| {
        let of = |machine: &Row| {
            let counted = machine.runs.iter().find_map(|shared| Some((shared, question.counted(shared)?)));
            counted.map(|(shared, records)| row(machine, shared, &records))
        };
        SiteTable {
            rows: machines.iter().filter_map(of).collect(),
            id: question.id.clone(),
            title: question.title.clone(),
        }
    };
    let runs = machines.iter().flat_map(|machine| &machine.runs);
    let tables: Vec<SiteTable> = questions(runs).into_iter().map(table).collect();
    let machines: Vec<SiteMachine> = machines.iter().map(described).collect();
    site_index(&tables, &machines)
}

fn described(machine: &Row) -> SiteMachine {
    let of = |source: &Source| {
        let Source { title, by, measured, commit, how, machine, remark } = source.clone();
        let mut said = vec![
            ("machine", title),
            ("hardware", machine.as_str().to_owned()),
            ("measured by", by),
            ("on", measured),
            ("with", how),
            ("commit", commit),
        ];
        said.extend(remark.map(|remark| ("remark", remark)));
        said
    };
    let run = |shared: &Shared| SiteRun {
        scenario: shared.run.scenario.name.clone(),
        page: machine.file(&shared.run.scenario.name, "html"),
        export: machine.file(&shared.run.scenario.name, "json.gz"),
        unfit: beyond_use(&shared.run, &shared.records),
    };
    SiteMachine {
        name: machine.name.clone(),
        cpu: machine.cpu().to_owned(),
        source: machine.source.as_ref().map(of).unwrap_or_default(),
        runs: machine.runs.iter().map(run).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machine_is_named_after_its_file_or_cpu_and_never_leads_elsewhere() {
        for (text, name) in [
            ("xeon 8481c", "xeon-8481c"),
            ("amd epyc 7763 64-core processor", "amd-epyc-7763-64-core-processor"),
            ("m3", "m3"),
            ("../../..", "machine"),
            ("-", "machine"),
            ("<b>", "b"),
            ("é", "machine"),
            (&"a-".repeat(30), &"a-".repeat(20)[..39]),
        ] {
            assert_eq!(dashed(text), name, "{text}");
        }
    }
}
