//! `--input` and `--keep-output`: files of the user's own for messages that are split from file to file.

use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf, absolute};
use std::rc::Rc;

use anyhow::{Context, Result, bail};
use ciphermeter_core::{Bytes, Fact, Form, Kind, Run, Scenario, quoted_path};
use ciphermeter_meter::{OwnInput, Source};
use ciphermeter_native::OwnFiles;

use crate::args::{RunOptions, SpotOptions};
use crate::spot::LISTS;

const FORMS: [Form; 3] = [Form::Mapped, Form::Buffered, Form::Direct];

/// What the options name, with whole paths.
pub fn read(options: &RunOptions) -> Result<OwnFiles> {
    let whole = |path: &PathBuf| {
        let whole = absolute(path)?;
        match whole.to_str() {
            Some(_) => Ok(whole),
            None => bail!("{}: give a path that is UTF-8", quoted_path(path)),
        }
    };
    let each = |path: &Option<PathBuf>| path.as_ref().map(whole).transpose();
    Ok(OwnFiles { input: each(&options.input)?, output: each(&options.keep_output)?, name: None })
}

/// Makes the scenario encrypt the file that is named, and sees that outputs can be kept.
pub fn adapt(scenario: &mut Scenario, files: &OwnFiles, spot: &SpotOptions) -> Result<()> {
    let OwnFiles { input, output, .. } = files;
    let named = [("input", input.is_some()), ("keep-output", output.is_some())];
    let Some((flag, _)) = named.into_iter().find(|(_, is_named)| *is_named) else { return Ok(()) };
    if scenario.kind != Kind::Parallel {
        bail!("--{flag} belongs to the kind parallel: `ciphermeter run parallel --{flag} …`");
    }
    if let Some(input) = input {
        if !spot.message.is_empty() {
            bail!("--input says how long the message is: remove --message");
        }
        let length = Bytes(length(input)?);
        scenario.title = LISTS.into();
        for block in &mut scenario.cells {
            block.messages = vec![length];
            if spot.form.is_empty() {
                block.forms = FORMS.into();
            }
        }
    }
    let mut forms = scenario.cells.iter().flat_map(|block| &block.forms);
    if let Some(form) = forms.find(|form| !form.is_of_files()) {
        let all = FORMS.map(|form| form.as_str()).join(",");
        bail!(
            "--{flag} is for messages that go from file to file, and {form} does not: use --form {all}, or some of them"
        );
    }
    scenario.check().context(LISTS)?;
    if let Some(folder) = output.as_ref().filter(|folder| folder.exists()) {
        bail!("--keep-output {}: it exists already, and a new folder is made; name another", quoted_path(folder));
    }
    Ok(())
}

/// Sees that temporary files can be made where messages go from file to file, before a provider gets the blame. Sizes for which there is
/// too little room are left out later, so only the smallest must fit.
pub fn check_temporary(scenario: &Scenario, files: &OwnFiles) -> Result<()> {
    let blocks = scenario.cells.iter().filter(|block| block.forms.iter().any(|form| form.is_of_files()));
    let least = blocks.flat_map(|block| &block.messages).map(|message| message.0).min();
    let checked = least.map_or(Ok(()), |least| files.check_room(least).map_err(anyhow::Error::msg));
    checked.context("messages from file to file need a folder for temporary files")
}

fn length(input: &Path) -> Result<u64> {
    let shown = quoted_path(input);
    let not = || format!("--input {shown}: it cannot be read; name another file");
    let metadata = fs::metadata(input).with_context(not)?;
    if !metadata.is_file() {
        bail!(
            "--input {shown}: it is a {}, and every way of encrypting reads the input again; name a regular file",
            sort(&metadata)
        );
    }
    fs::File::open(input).with_context(not)?;
    let (length, least) = (metadata.len(), Bytes(OwnFiles::LEAST));
    if length < least.0 {
        bail!(
            "--input {shown}: it has {length} bytes, too few to measure: name a file of {least} or more, or make one: \
             `head -c 64M /dev/urandom >FILE`"
        );
    }
    Ok(length)
}

/// What else a path may be.
fn sort(metadata: &fs::Metadata) -> &'static str {
    let sort = metadata.file_type();
    let sorts = [(sort.is_dir(), "folder"), (sort.is_fifo(), "pipe"), (sort.is_socket(), "socket")];
    sorts.into_iter().find_map(|(is_it, name)| is_it.then_some(name)).unwrap_or("device")
}

/// What the file holds is a fact of the run.
const CONTENT: &str = "input content";

/// The file that is encrypted, opened and read once. A resumed run must find in it what it had.
pub fn open(run: &mut Run, files: &OwnFiles) -> Result<Option<Rc<OwnInput>>> {
    let Some(path) = &files.input else { return Ok(None) };
    let not = || format!("--input {}: it cannot be read; name another file", quoted_path(path));
    let input = OwnInput::open(path).with_context(not)?;
    let now = input.content().with_context(not)?;
    match run.fact(CONTENT) {
        Some(then) if then != now => bail!(
            "--input {}: another program changed it since run {} began: it had {then}, and has {now}; start a new run",
            quoted_path(path),
            run.id
        ),
        Some(_) => {}
        None => run.host.push(Fact::present(CONTENT, now)),
    }
    Ok(Some(Rc::new(input)))
}

/// What a resumed run must be given again.
pub fn fact(files: &OwnFiles) -> Option<Fact> {
    files.input.as_ref().map(|input| Fact::present("input", input.to_string_lossy()))
}

/// The built-in worker of a source with these files.
pub fn given(mut source: Source, files: &OwnFiles) -> Source {
    let name = source.name.clone();
    let Some(command) = source.command_mut() else { return source };
    for (flag, path) in [("--input", &files.input), ("--keep-output", &files.output)] {
        if let Some(path) = path {
            command.arguments.extend([flag.into(), path.display().to_string()]);
        }
    }
    if files.output.is_some() {
        command.arguments.extend(["--keep-as".into(), name]);
    }
    source
}
