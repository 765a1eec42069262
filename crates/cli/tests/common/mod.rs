//! What these tests share: a folder of their own, the harness run in it, and bad workers.

pub mod device;
pub mod ends;
pub mod hostile;
pub mod planted;
pub mod planted_run;
pub mod power_meter;
pub mod ssh;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use boon::{Compiler, Schemas};
use ciphermeter_core::Record;
use ciphermeter_store::Store;
use serde_json::Value;
use tempfile::TempDir;

pub use power_meter::{meter_that_sends, power_meter};

/// The harness.
pub const BINARY: &str = env!("CARGO_BIN_EXE_ciphermeter");

/// Six forks of a message of some megabytes fit into it on a busy machine, too; as a rule they are
/// precise enough.
pub const ENOUGH: [&str; 4] = ["--budget", "2min", "--precision", "100%"];

/// Half a second to a second of measuring: `xor`, which the built-in `ceiling` and the bad worker have.
pub const SCENARIO: &str = r#"name = "tiny"
title = "the smallest that is still a run"
budget = "1s"
precision = "50%"
[[cells]]
algorithms = ["xor"]
operations = ["encrypt", "decrypt"]
messages = ["64"]
forms = ["in-place", "into"]
"#;

/// The same of a libcrypto, to be called `one.toml`.
pub const ONE_MODE_OF_OPENSSL: &str = r#"name = "one"
title = "one mode"
budget = "1s"
precision = "50%"
[[cells]]
providers = ["openssl"]
algorithms = ["aes-256-gcm"]
operations = ["seal"]
messages = ["1KiB"]
"#;

/// Fourteen stored runs; `goldens/README.md` says how each was made.
pub const STORE: &[u8] = include_bytes!("../goldens/runs.db");

/// How long anything may take before it counts as hung: a little less than what tests/rust gives a
/// test.
const HUNG: Duration = Duration::from_secs(280);

/// The Rust sources of the workspace, tests left out, each with its path from the root.
pub fn source_files(root: &Path) -> Vec<(String, String)> {
    let mut open = vec![root.join("crates"), root.join("lab/src")];
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.strip_prefix(root).expect("below").to_string_lossy().into_owned();
            let is_test = name.contains("/tests") || name.ends_with("fixtures.rs");
            match path.is_dir() {
                true if !is_test => open.push(path),
                false if !is_test && name.ends_with(".rs") => {
                    found.push((name, fs::read_to_string(&path).expect("text")))
                }
                _ => {}
            }
        }
    }
    found
}

/// The system's libcrypto; without one, what needs it is skipped.
pub fn libcrypto() -> Option<PathBuf> {
    let found = ciphermeter_native::libcrypto_file();
    found.inspect_err(|why| eprintln!("skipped: this system has no libcrypto: {why}")).ok()
}

/// The documents of users.
pub const DOCS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");

/// The page of that name in docs/ is what the script of the same name writes, without measuring anything.
#[track_caller]
pub fn page_made_by(name: &str) -> String {
    let folder = TestFolder::new();
    let (kept, made) = (PathBuf::from(format!("{DOCS}/{name}.md")), folder.path("page.md"));
    let output = if std::env::var_os("CIPHERMETER_REGENERATE").is_some() { &kept } else { &made };
    let mut script = Command::new("python3");
    script.arg(format!("{DOCS}/{name}.py")).arg("--output").arg(output);
    let said = CommandOutput::of(script.output().expect("python3"));
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{said:?}");
    let page = fs::read_to_string(output).expect("a page");
    let why = format!("docs/{name}.md is not what docs/{name}.py writes: run that");
    assert!(fs::read_to_string(&kept).expect("the page that is kept") == page, "{why}");
    page
}

/// A command's output, and how it ended.
#[derive(Debug)]
pub struct CommandOutput {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl CommandOutput {
    pub fn of(output: std::process::Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        Self { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }

    /// Standard output as one JSON document.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error} in {self:?}"))
    }
}

/// One line on standard error with all of these words in it, nothing on standard output, exit code 2.
#[track_caller]
pub fn refuses(said: &CommandOutput, words: &[&str]) {
    assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "{said:?}");
    assert_eq!(said.err.trim_end().lines().count(), 1, "{}", said.err);
    assert!(said.err.starts_with("ciphermeter: "), "{}", said.err);
    for word in words {
        assert!(said.err.contains(word), "no {word:?} in {}", said.err);
    }
}

/// The remedy in a refusal, a command, works.
#[track_caller]
pub fn helps(refused: &CommandOutput) {
    let remedy = refused.err.split('`').nth(1).expect("a command");
    assert!(Command::new("sh").args(["-c", remedy]).status().expect("its end").success(), "{remedy}");
}

/// The command with another binary, started by a shell after it did something else: `umask 0`, say.
pub fn after(something: &str, binary: &Path, command: &Command) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{something}; exec \"$0\" \"$@\"")]).arg(binary).args(command.get_args());
    shell.current_dir(command.get_current_dir().expect("a folder"));
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    shell
}

/// A folder with its own scenario, store and workers; no others are visible from there.
pub struct TestFolder(TempDir);

impl TestFolder {
    pub fn new() -> Self {
        let folder = Self(tempfile::tempdir().expect("a temporary folder"));
        folder.write("tiny.toml", SCENARIO);
        fs::create_dir(folder.path("workers")).expect("a folder");
        folder
    }

    /// One with those runs in it, as its store.
    pub fn with_runs() -> Self {
        let folder = Self::new();
        folder.write("runs.db", STORE);
        folder
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    /// A file that can be run.
    pub fn program(&self, name: &str, text: impl AsRef<[u8]>) {
        self.write(name, text);
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o755)).expect("to make it a program");
    }

    /// What is stored of each cell of run 1, read without a process of its own: on a busy machine that
    /// would take longer than a fork.
    pub fn records(&self) -> Vec<Record> {
        let loaded = Store::open_read_only(&self.path("runs.db")).and_then(|store| store.load(1));
        loaded.map_or_else(|_| Vec::new(), |(_, records)| records)
    }

    /// Leaves a second to the stored run, which was to be interrupted and so has a long budget.
    pub fn shorten_the_run(&self) {
        let store = rusqlite::Connection::open(self.path("runs.db")).expect("a store");
        let changed = store.execute("UPDATE run SET scenario = json_set(scenario, '$.budget', '1s')", []);
        assert_eq!(changed.expect("a scenario"), 1);
    }

    /// Adds the bad worker; `mode` is its argument, optionally with the request at which it breaks.
    pub fn with_worker(self, mode: &str) -> Self {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bad_worker/worker.py");
        let run: Vec<&str> = ["python3", "-S", script].into_iter().chain(mode.split(' ')).collect();
        let manifest = format!(
            "name = \"bad\"\nlanguage = \"Python\"\nbuilt = \"worker.toml\"\nproviders = [\"bad\"]\ncheck = [\"python3\", \"--version\"]\nneeds = \"Python 3\"\n\
             build = [\"true\"]\nrun = {run:?}\n"
        );
        self.write("workers/bad/worker.toml", manifest);
        self
    }

    /// An export matches `schema`.
    #[track_caller]
    pub fn fits_the_schema(&self, document: &Value) {
        self.fits_the_schema_of("export", document);
    }

    /// Another command's JSON matches `schema`.
    #[track_caller]
    pub fn fits_the_schema_of(&self, command: &str, document: &Value) {
        let schema = self.run(&["schema", command]).json();
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        compiler.add_resource("own.schema.json", schema).expect("a schema");
        let index = compiler.compile("own.schema.json", &mut schemas).expect("a schema");
        schemas.validate(document, index).unwrap_or_else(|error| panic!("{error:#}"));
    }

    /// The harness, running in the folder; processes that it starts inherit the environment and are recognised by it.
    pub fn ciphermeter(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(BINARY);
        // The tester's own options must not affect these tests.
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("CIPHERMETER_")) {
            command.env_remove(name);
        }
        command
            .args(arguments)
            .current_dir(self.0.path())
            .env("CIPHERMETER_STORE", self.path("runs.db"))
            .env("CIPHERMETER_WORKERS", self.path("workers"))
            .env("XDG_DATA_HOME", self.path("data"))
            .env("XDG_CONFIG_HOME", self.path("config"))
            .env("XDG_STATE_HOME", self.path("state"))
            .env("XDG_CACHE_HOME", self.path("cache"))
            .env_remove("NO_COLOR")
            .stdin(Stdio::null());
        command
    }

    /// Runs the harness to its end.
    pub fn run(&self, arguments: &[&str]) -> CommandOutput {
        let output = assert_cmd::Command::from_std(self.ciphermeter(arguments)).timeout(HUNG).output();
        CommandOutput::of(output.unwrap_or_else(|error| panic!("{arguments:?}: {error}")))
    }

    /// Ids of living processes that were started from here, with their states (`R`, `S`, `T`, …).
    pub fn processes(&self) -> Vec<(u32, char)> {
        let mark = format!("CIPHERMETER_STORE={}\0", self.path("runs.db").display());
        let ids = fs::read_dir("/proc").into_iter().flatten().flatten();
        ids.filter_map(|entry| {
            let environment = fs::read(entry.path().join("environ")).ok()?;
            String::from_utf8_lossy(&environment).contains(&mark).then_some(())?;
            let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
            let state = stat.rsplit_once(") ")?.1.chars().next()?;
            Some((entry.file_name().to_str()?.parse().ok()?, state))
        })
        .collect()
    }
}

/// Waits until a condition is true.
pub fn wait_until(what: &str, mut is_true: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_true() {
        assert!(began.elapsed() < HUNG, "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
