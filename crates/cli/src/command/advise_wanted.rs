//! What has to be measured to answer a question, as a scenario and as arguments of `run`.

use std::collections::BTreeSet;
use std::io::{self, Read};
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use ciphermeter_core::{
    Algorithm, Bytes, ColumnOrder, Form, Kind, MAX_HISTOGRAM, Mask, NoHistogramFile, Operation, Scenario, SizeCounts,
    escaped, option_words, shell_word,
};
use ciphermeter_report::{PROGRAMS, Program, asked_cells, costed_cells, program as program_named};

use crate::args::AdviseOptions;
use crate::{outside, scenarios, spot};

/// A question, read.
pub struct Wanted {
    /// The workload's name; `None`: that of the program, or of a mix alone.
    pub workload: Option<String>,
    pub mix: Option<SizeCounts>,
    pub program: Option<&'static Program>,
    /// What is to be in a run that answers.
    pub scenario: Scenario,
    /// The arguments with which `run` measures it.
    pub arguments: Vec<String>,
}

impl Wanted {
    pub fn read(options: &AdviseOptions) -> Result<Self> {
        let mix = options.mix.as_deref().map(|mix| histogram(mix, options.mix_order)).transpose()?;
        let named = options.workload.as_deref();
        let by_name = named.and_then(program_named);
        let program = match (by_name, options.program) {
            (Some(one), Some(other)) if one.name != other.name => {
                bail!("`{}` and `--for {}` are two programs: name one", one.name, other.name)
            }
            (by_name, asked) => asked.or(by_name),
        };
        // A program's name is no workload, but its own.
        let workload = named.filter(|_| by_name.is_none()).map(|name| match scenarios::is_curated(name) {
            true => name.to_ascii_lowercase(),
            false => name.to_owned(),
        });
        let wanted =
            |scenario, arguments| Self { workload: workload.clone(), mix: mix.clone(), program, scenario, arguments };
        if let Some(program) = program.filter(|program| !program.leaves_a_choice()) {
            if mix.is_some() {
                let title = &program.title;
                bail!("{title} leaves no cipher to choose by sizes: leave --mix out, or name another program");
            }
            // What it costs is that of its own cipher at its own sizes, whatever the workload.
            let scenario = scenarios::find(Some(&program.name))?;
            return Ok(wanted(scenario, vec!["run".into(), program.name.clone()]));
        }
        let (scenario, arguments) = match (workload.as_deref(), &mix, program) {
            (Some(name), ..) => of_workload(name, mix.as_ref(), program)?,
            (None, Some(mix), _) => of_sizes(mix, program)?,
            (None, None, Some(program)) => {
                (scenarios::find(Some(&program.name))?, vec!["run".into(), program.name.clone()])
            }
            (None, None, None) => of_workload(scenarios::DEFAULT, None, None)?,
        };
        if let (Some(program), Some((algorithm, size))) = (program, refused(&scenario)) {
            let program = &program.title;
            bail!("{algorithm} has no messages of {size}: ask for other sizes, or for {program} alone");
        }
        let workload =
            workload.clone().or_else(|| (mix.is_none() && program.is_none()).then(|| scenarios::DEFAULT.into()));
        Ok(Self { workload, ..wanted(scenario, arguments) })
    }

    /// What a run of that scenario cannot answer of it, to follow the run's name; `None`: nothing.
    pub fn lacks(&self, run: &Scenario) -> Option<String> {
        let wanted = &self.scenario;
        let libraries = || wanted.cells.iter().flat_map(|block| &block.providers).filter(|name| *name != "ceiling");
        if wanted.kind != run.kind {
            return Some(format!("is of kind {}", run.kind));
        }
        if run.copies.is_some() {
            return Some("compares copies of one library".into());
        }
        if let Some(name) = libraries().find(|name| !run.takes_provider(name)) {
            return Some(format!("has no cells of {}", escaped(name)));
        }
        let cells = if self.program.is_some_and(|own| !own.leaves_a_choice()) { costed_cells } else { asked_cells };
        let has = cells(run);
        let (algorithm, group) = cells(wanted).into_iter().find(|cell| !has.contains(cell))?;
        let at = Bytes(group.parameters.message());
        Some(format!("does not measure {algorithm}, {} {} of {at}", group.operation, group.form))
    }

    /// The command that measures it, for a user.
    pub fn command(&self, mask: Option<Mask>, store: &str) -> String {
        let mask = mask.map(|mask| format!(" --cpu {mask}")).unwrap_or_default();
        let arguments: Vec<_> = self.arguments.iter().map(shell_word).collect();
        format!("ciphermeter {}{mask}{store}", arguments.join(" "))
    }

    /// The same question under a mask, as a user types it.
    pub fn again(&self, options: &AdviseOptions, mask: Option<Mask>, store: &str) -> String {
        let workload = options.workload.as_deref().map(shell_word);
        let program = options.program.map(|program| format!("--for {}", program.name));
        let mix = options.mix.as_deref().map(|mix| option_words("--mix", mix));
        let order = options.mix_order.map(|order| format!("--mix-order {order}"));
        let mask = mask.map(|mask| format!("--cpu {mask}"));
        let words = [Some("ciphermeter advise".to_owned()), workload, program, mix, order, mask];
        words.into_iter().flatten().collect::<Vec<_>>().join(" ") + store
    }
}

fn of_workload(name: &str, mix: Option<&SizeCounts>, program: Option<&Program>) -> Result<(Scenario, Vec<String>)> {
    if !scenarios::is_file(name) && !scenarios::is_curated(name) && program_named(name).is_none() {
        return Err(unknown(name)?);
    }
    let mut scenario = scenarios::find(Some(name))?;
    if !is_workload(&scenario) {
        let (shown, known) = (escaped(name), workloads()?.join(", "));
        bail!(
            "{shown} has no ciphers with a tag to choose between: ask for one of {known}, or see what `ciphermeter run {}` says",
            shell_word(name)
        );
    }
    if let Some(mix) = mix {
        let known: BTreeSet<u64> = asked_cells(&scenario).iter().map(|(_, group)| group.parameters.message()).collect();
        if let Some(size) = mix.sizes().into_iter().find(|size| !known.contains(&size.0)) {
            let known: Vec<String> = known.into_iter().map(|size| Bytes(size).to_string()).collect();
            let (name, known) = (escaped(name), known.join(", "));
            bail!(
                "--mix: {name} has no message of {size}, its sizes are {known}; leave `{name}` out to measure your own"
            );
        }
        let is_in = |size: &Bytes| mix.count(size.0) > 0.0;
        scenario.cells.iter_mut().for_each(|block| block.messages.retain(is_in));
        scenario.cells.retain(|block| !block.messages.is_empty());
    }
    if let Some(program) = program.filter(|_| scenario.kind == Kind::Transfer) {
        let (name, program) = (escaped(name), &program.title);
        bail!("{name} moves files with programs of its own, {program} is none of them: leave {name} or --for out");
    }
    let mut arguments = vec!["run".to_owned(), name.to_owned()];
    if let Some(program) = program {
        let all = scenario.clone();
        scenarios::adapt(&mut scenario, program);
        let (name, title, left) = (escaped(name), &program.title, ciphers(&scenario));
        let have_sectors = |all: &BTreeSet<Algorithm>| all.iter().any(|algorithm| algorithm.is_of_sectors());
        if have_sectors(&ciphers(&all)) != have_sectors(&left) {
            bail!("of {name} and {title}, one has sectors of a disk and the other messages: leave {name} or --for out");
        }
        if let (Some(only), 1, 2..) = (left.first(), left.len(), program.algorithms.len()) {
            bail!("of {title}'s ciphers {name} has {only} alone, so there is no choice: leave {name} or --for out");
        }
        arguments.extend(ciphers_of(&all, &scenario));
        arguments.extend(of_program(program));
    }
    Ok((scenario, arguments))
}

/// A size that one of its ciphers cannot have.
fn refused(scenario: &Scenario) -> Option<(Algorithm, Bytes)> {
    let cells = asked_cells(scenario).into_iter();
    cells
        .filter(|(_, group)| group.operation != Operation::KeySetup)
        .map(|(algorithm, group)| (algorithm, group.parameters.message()))
        .find_map(|(algorithm, size)| algorithm.refuses(size).map(|_| (algorithm, Bytes(size))))
}

/// Whether there is something to choose between in it.
fn is_workload(scenario: &Scenario) -> bool {
    let is_answered = matches!(scenario.kind, Kind::Message | Kind::Transfer) && scenario.copies.is_none();
    is_answered && !asked_cells(scenario).is_empty()
}

fn workloads() -> Result<Vec<String>> {
    let all = scenarios::all()?.into_iter().filter(is_workload);
    Ok(all.map(|scenario| scenario.name).collect())
}

/// What to ask in place of a name that nothing has.
fn unknown(name: &str) -> Result<anyhow::Error> {
    let workloads = workloads()?;
    let programs = PROGRAMS.iter().map(|program| program.name.as_str()).collect::<Vec<_>>().join(", ");
    let is_asked = |known: &&str| workloads.iter().any(|name| name == known) || program_named(known).is_some();
    let meant = scenarios::similar(name).filter(is_asked).map(|known| format!("did you mean `{known}`? "));
    let (name, workloads, meant) = (escaped(name), workloads.join(", "), meant.unwrap_or_default());
    Ok(anyhow!(
        "`{name}` is no workload and no program; {meant}workloads: {workloads}; programs: {programs}; or give a file like ./{name}.toml"
    ))
}

/// Your own sizes, with the libraries of the default scenario or those of the program.
fn of_sizes(mix: &SizeCounts, program: Option<&Program>) -> Result<(Scenario, Vec<String>)> {
    let usual = spot::usual(spot::NAME).context("the usual lists are missing")?;
    let mut scenario = Scenario { kind: Kind::Message, ..usual };
    let own = program.map_or(&[][..], |program| &program.algorithms);
    let is_usual = own.is_empty() || Algorithm::USUAL.iter().all(|usual| own.contains(usual));
    let algorithms = if is_usual { Algorithm::USUAL.to_vec() } else { own.to_vec() };
    for block in &mut scenario.cells {
        block.algorithms.clone_from(&algorithms);
        // Each algorithm has its own of them.
        block.operations = vec![Operation::Seal, Operation::Open, Operation::Encrypt, Operation::Decrypt];
        block.messages = mix.sizes();
        block.forms = vec![Form::InPlace];
    }
    let list = |words: Vec<String>| words.join(",");
    let mut arguments: Vec<String> = vec!["run".into(), "--algorithm".into()];
    arguments.push(list(algorithms.iter().map(ToString::to_string).collect()));
    arguments.extend(["--message".into(), list(mix.sizes().iter().map(ToString::to_string).collect())]);
    if let Some(program) = program {
        scenarios::adapt(&mut scenario, program);
        arguments.extend(of_program(program));
    }
    Ok((scenario, arguments))
}

fn ciphers(scenario: &Scenario) -> BTreeSet<Algorithm> {
    scenario.cells.iter().flat_map(|block| block.algorithms.clone()).collect()
}

/// The ciphers that `run` has to be limited to, where the workload has others, too.
fn ciphers_of(all: &Scenario, adapted: &Scenario) -> Vec<String> {
    if ciphers(all) == ciphers(adapted) {
        return Vec::new();
    }
    let names: Vec<String> = ciphers(adapted).iter().map(ToString::to_string).collect();
    vec!["--algorithm".to_owned(), names.join(",")]
}

/// What limits `run` to a program's library, and to the form of its calls.
fn of_program(program: &Program) -> Vec<String> {
    let mut arguments = Vec::new();
    if !program.providers.is_empty() {
        arguments.extend(["--provider".to_owned(), program.providers.join(",")]);
    }
    arguments.extend(program.form.iter().flat_map(|form| ["--form".to_owned(), form.to_string()]));
    arguments
}

/// The histogram of an argument, or of the file that it names: `@FILE`, `@-` for standard input.
fn histogram(argument: &str, order: Option<ColumnOrder>) -> Result<SizeCounts> {
    let Some(file) = argument.strip_prefix('@') else {
        if order.is_some() {
            bail!("--mix-order is for the columns of a file: leave it out, or name the file with --mix @FILE");
        }
        return argument.parse().map_err(|why| anyhow!("--mix: {why}"));
    };
    if file.is_empty() {
        bail!("--mix: `@` names no file; write @FILE, or @- for standard input");
    }
    let shown = escaped(file);
    let most = MAX_HISTOGRAM as u64;
    let read = match file {
        "-" => {
            let mut text = String::new();
            io::stdin().take(most + 1).read_to_string(&mut text).map(|_| text)
        }
        file => outside::read(Path::new(file), most),
    };
    let text = read.with_context(|| {
        format!("--mix: cannot read {shown}; give a text file with SIZE:COUNT a line, or @- for standard input")
    })?;
    SizeCounts::from_file(&text, order).map_err(|NoHistogramFile { line, why }| match line {
        Some(line) => anyhow!("--mix: {shown}, line {line}: {why}"),
        None => anyhow!("--mix: {shown}: {why}"),
    })
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Asked {
        #[command(flatten)]
        options: AdviseOptions,
    }

    fn wanted(words: &[&str]) -> Result<Wanted, String> {
        let asked = Asked::try_parse_from(["advise"].iter().chain(words)).map_err(|error| error.to_string())?;
        Wanted::read(&asked.options).map_err(|error| format!("{error:#}"))
    }

    fn command(words: &[&str]) -> String {
        wanted(words).unwrap().command(None, "")
    }

    #[test]
    fn question_is_a_command_that_measures_it() {
        assert_eq!(command(&[]), "ciphermeter run messages");
        assert_eq!(command(&["tls"]), "ciphermeter run tls");
        assert_eq!(command(&["--for", "nginx"]), "ciphermeter run nginx");
        assert_eq!(command(&["HAProxy"]), "ciphermeter run haproxy");
        assert_eq!(command(&["packet", "--for", "go"]), "ciphermeter run packet --provider go");
        assert_eq!(
            command(&["tls", "--for", "node"]),
            "ciphermeter run tls --algorithm aes-256-gcm,chacha20-poly1305 --provider node-crypto --form fresh"
        );
        assert_eq!(
            command(&["messages", "--for", "go"]),
            "ciphermeter run messages --algorithm aes-256-gcm,chacha20-poly1305 --provider go"
        );
        assert_eq!(command(&["tls", "--mix", "64:9,16385:1"]), "ciphermeter run tls");
        assert_eq!(
            command(&["--for", "luks", "--mix", "4KiB:1"]),
            "ciphermeter run --algorithm aes-256-xts,adiantum --message 4KiB"
        );
        let own = "ciphermeter run --algorithm aes-256-gcm,chacha20-poly1305 --message 64,16KiB";
        assert_eq!(command(&["--mix", "64:9,16KiB:1"]), own);
        assert_eq!(command(&["--mix", "64:9,16KiB:1", "--for", "rustls"]), format!("{own} --provider aws-lc,ring"));
        let masked = wanted(&["tls"]).unwrap().command(Some(Mask::NoAes), " --store runs.db");
        assert_eq!(masked, "ciphermeter run tls --cpu no-aes --store runs.db");
        assert_eq!(wanted(&["wireguard"]).unwrap().scenario, scenarios::find(Some("wireguard")).unwrap());
        assert_eq!(command(&["luks"]), "ciphermeter run luks");
        assert_eq!(command(&["tls", "--for", "wireguard"]), "ciphermeter run wireguard", "its cipher and its sizes");
        assert_eq!(command(&["rage"]), "ciphermeter run rage");
    }

    #[test]
    fn run_with_more_cells_and_libraries_covers_a_question() {
        let covers = |words: &[&str], run: &Scenario| wanted(words).unwrap().lacks(run).is_none();
        let find = |name| scenarios::find(Some(name)).unwrap();
        let (tls, nginx, messages) = (find("tls"), find("nginx"), find("messages"));
        assert!(covers(&["tls"], &tls) && covers(&["--for", "nginx"], &tls) && covers(&["--for", "nginx"], &nginx));
        assert!(!covers(&["tls"], &nginx), "it has one library");
        assert!(!covers(&["tls"], &messages), "it has other sizes");
        assert!(covers(&["tls", "--mix", "64:1,1370:3"], &tls));
        assert!(covers(&["--mix", "64:1,1KiB:3"], &messages) && !covers(&["--mix", "65:1"], &messages));
        assert!(!covers(&["--for", "node"], &tls), "it has another form");
        let mut fewer = tls.clone();
        fewer.cells[0].messages.pop();
        assert!(!covers(&["tls"], &fewer));
        let mut all = tls;
        all.cells.iter_mut().for_each(|block| block.providers.clear());
        assert!(covers(&["tls"], &all) && covers(&["--for", "java"], &all));
    }

    #[test]
    fn question_that_cannot_be_asked_is_refused_with_the_remedy() {
        for (words, remedy) in [
            (&["tea"][..], "`tea` is no workload and no program; workloads: aad, "),
            (&["tomcat"], "; programs: nginx, haproxy, ssh, "),
            (&["nginx2"], "`nginx2` is no workload and no program; did you mean `nginx`? workloads: "),
            (&["t\u{1b}Ls"], "`t\\u{1b}Ls` is no workload and no program"),
            (&["nginx", "--for", "haproxy"], "`nginx` and `--for haproxy` are two programs: name one"),
            (&["parallel"], "parallel has no ciphers with a tag to choose between: ask for one of aad, "),
            (&["sustained"], "sustained has no ciphers"),
            (&["self-check"], "self-check has no ciphers"),
            (
                &["tls", "--mix", "100:1"],
                "--mix: tls has no message of 100, its sizes are 64, 1187, 1370, 4230, 16KiB, 16385; leave `tls` out",
            ),
            (&["--mix", "tea"], "--mix: `tea` is not a size with its count"),
            (&["--mix", "@"], "--mix: `@` names no file; write @FILE, or @- for standard input"),
            (&["--mix", "@/nowhere/sizes"], "--mix: cannot read /nowhere/sizes; give a text file"),
            (&["--for", "tea"], "invalid value 'tea'"),
            (&["--for", "gocryptf"], "a similar value exists: 'gocryptfs'"),
            (&["--for", "TLS"], "`tls` is a workload: ciphermeter advise tls"),
            (&["--for", "wireguard", "--mix", "64:1"], "WireGuard leaves no cipher to choose by sizes"),
            (
                &["tls", "--for", "luks"],
                "of tls and LUKS, one has sectors of a disk and the other messages: leave tls or ",
            ),
            (
                &["iot", "--for", "luks"],
                "of iot and LUKS, one has sectors of a disk and the other messages: leave iot or ",
            ),
            (&["disk", "--for", "nginx"], "of disk and nginx, one has sectors"),
            (
                &["aegis", "--for", "nginx"],
                "of nginx's ciphers aegis has aes-256-gcm alone, so there is no choice: leave ",
            ),
            (&["--for", "luks", "--mix", "16MiB:1"], "adiantum has no messages of 16MiB"),
            (&["transfer", "--for", "nginx"], "transfer moves files with programs of its own, nginx is none of them"),
        ] {
            let said = wanted(words).err().unwrap_or_default();
            assert!(said.contains(remedy), "{words:?}: {said}");
        }
        for far in ["goaccess", "gocr", "openssl"] {
            let said = wanted(&["--for", far]).err().unwrap_or_default();
            assert!(said.contains("invalid value") && !said.contains("similar"), "no typing error: {said}");
        }
        let said = wanted(&["tomcat"]).err().unwrap_or_default();
        assert!(
            !said.contains("parallel") && !said.contains("self-check"),
            "nothing that advise cannot answer: {said}"
        );
    }
}
