//! `man`: manual pages, made from the commands themselves.

use anyhow::{Result, bail};
use ciphermeter_terminal::{Exit, output};
use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use crate::args;

/// Variables that aren't an option's.
const VARIABLES: [(&str, &str); 7] = [
    (
        "CIPHERMETER_LIBSODIUM",
        "The file to open for libsodium, instead of the system's; so CIPHERMETER_MBEDTLS, CIPHERMETER_LIBGCRYPT, CIPHERMETER_NETTLE and CIPHERMETER_BOTAN.",
    ),
    ("CIPHERMETER_OPENSSL", "The libcrypto to measure as the provider openssl, instead of the system's."),
    ("TERM", "If it is dumb, there are no colors unless --color always asks for them, and no cursor that moves."),
    ("NO_COLOR", "If it is set and not empty, tables have no colors unless --color always asks for them."),
    ("XDG_CONFIG_HOME", "Where ciphermeter/config.toml is; without it, .config in the home folder."),
    (
        "XDG_DATA_HOME",
        "Where ciphermeter/runs.db and ciphermeter/workers are; without it, .local/share in the home folder.",
    ),
    ("PATH", "Where toolchains and runtimes of workers are looked for."),
];

const FILES: [(&str, &str); 6] = [
    (
        "./ciphermeter.toml",
        "Options for this folder: those of the next file that say what is measured and how it is shown. A scenario's file must be below it.",
    ),
    ("$XDG_CONFIG_HOME/ciphermeter/config.toml", "Options for all folders. Relative paths start where the file is."),
    ("$XDG_DATA_HOME/ciphermeter/runs.db", "The stored runs, an SQLite database."),
    (
        "$XDG_DATA_HOME/ciphermeter/workers",
        "Workers of other languages, a folder each; those in workers, beside the binary, come first.",
    ),
    (
        "PREFIX/lib/ciphermeter/workers",
        "Workers that were installed with PREFIX/bin/ciphermeter; those of the same name in the other folders come first.",
    ),
    ("$XDG_DATA_HOME/ciphermeter/built", "Copies of installed workers, in which they are built."),
];

/// Every key of a file.
const EXAMPLE: [&str; 12] = [
    "scenario = \"messages\"",
    "budget = \"2min\"",
    "precision = \"1%\"",
    "patience = \"20s\"",
    "threshold = \"5%\"",
    "color = \"auto\"",
    "quiet = false",
    "store = \"runs.db\"",
    "workers = \"/opt/ciphermeter/workers\"",
    "worker = [\"python3 /home/me/worker.py\"]",
    "openssl = [\"/opt/openssl/lib/libcrypto.so.3\"]",
    "against = \"/opt/old/lib/libcrypto.so.3\"",
];

const EXITS: [(&str, &str); 7] = [
    ("0", "All well."),
    ("1", "Something is slower than it was."),
    ("2", "Wrong arguments, files or scenario: nothing was measured."),
    ("3", "A provider's output was wrong."),
    ("4", "Nothing here can be measured, or nothing can be compared."),
    ("5", "No answer yet, or some cells or workers failed."),
    ("130", "Interrupted; what was measured is kept."),
];

/// Prints the page of a command, or the main page, as `man -l -` reads it.
pub fn man(names: &[String]) -> Result<Exit> {
    let mut all = args::command().disable_help_subcommand(true);
    all = all.override_usage("ciphermeter [OPTIONS]\nciphermeter COMMAND");
    all.build();
    let mut command = &all;
    for name in names {
        command = match command.get_subcommands().find(|command| command.get_name() == name && !command.is_hide_set()) {
            Some(found) => found,
            None => bail!("there is no command `{name}`; {}", known(command)),
        };
    }
    let mut page = Vec::new();
    let man =
        Man::new(command.clone()).manual("Ciphermeter").source(concat!("ciphermeter ", env!("CARGO_PKG_VERSION")));
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    if command.get_arguments().next().is_some() {
        man.render_options_section(&mut page)?;
    }
    // What help says below the options: clap_mangen's section for it has a title of its own.
    if let Some(after) = command.get_after_help().filter(|_| !names.is_empty()) {
        let mut notes = Roff::new();
        notes.control("SH", ["NOTES"]);
        for paragraph in after.to_string().split("\n\n") {
            notes.control("PP", []);
            notes.text([roman(paragraph)]);
        }
        notes.to_writer(&mut page)?;
    }
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    if names.is_empty() {
        surroundings(command).to_writer(&mut page)?;
    }
    output::print(&String::from_utf8(page)?).map(|()| Exit::Fine)
}

fn known(command: &Command) -> String {
    let shown = command.get_subcommands().filter(|command| !command.is_hide_set());
    let names: Vec<&str> = shown.map(Command::get_name).collect();
    if names.is_empty() {
        format!("{} has none", command.get_name())
    } else {
        format!("there are {}", names.join(", "))
    }
}

/// The main page's sections on what is around the program.
fn surroundings(all: &Command) -> Roff {
    let mut page = Roff::new();
    section(
        &mut page,
        "ENVIRONMENT",
        "Flags take precedence over variables, variables over files. An empty variable counts as unset.",
    );
    for arg in all.find_subcommand("run").into_iter().flat_map(Command::get_arguments) {
        if let Some(name) = arg.get_env() {
            let like = arg.get_long().map_or("SCENARIO of run".into(), |long| format!("--{long}"));
            item(&mut page, &name.to_string_lossy(), &format!("Like {like}."));
        }
    }
    VARIABLES.iter().for_each(|(name, text)| item(&mut page, name, text));
    section(
        &mut page,
        "FILES",
        "Both files of options are TOML with keys named like the options; the first counts more.",
    );
    FILES.iter().for_each(|(name, text)| item(&mut page, name, text));
    page.control("PP", []);
    page.text([roman("All that such a file may hold; the last five not in ./ciphermeter.toml:")]);
    page.control("PP", []);
    page.control("nf", []);
    for line in EXAMPLE {
        page.text([roman(line)]);
    }
    page.control("fi", []);
    page.control("SH", ["EXIT STATUS"]);
    EXITS.iter().for_each(|(code, text)| item(&mut page, code, text));
    page
}

fn section(page: &mut Roff, title: &str, text: &str) {
    page.control("SH", [title]);
    page.text([roman(text)]);
}

fn item(page: &mut Roff, name: &str, text: &str) {
    page.control("TP", []);
    page.text([bold(name)]);
    page.text([roman(text)]);
}
