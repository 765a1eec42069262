//! A server of the test's own, on a database of its own, and exports to send to it.

pub mod engine;
pub mod relay;
pub mod sender;

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Output, Stdio};

use ciphermeter_answer::fixtures;
use ciphermeter_core::{Algorithm, Fact, Operation, Record, Run};
use ureq::Agent;
use ureq::Body;
use ureq::http::Response;

use engine::Engine;

/// A server, which ends with the test.
pub struct Server {
    pub child: Child,
    _output: BufReader<ChildStdout>,
    pub url: String,
    _home: Option<tempfile::TempDir>,
}

impl Server {
    /// A server on loopback, with this database and these arguments.
    pub fn start(engine: &Engine, arguments: &[&str]) -> Self {
        Self::with(engine, arguments, &[])
    }

    /// The same, with these variables.
    pub fn with(engine: &Engine, arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let home = tempfile::tempdir().unwrap();
        let mut command = program(home.path());
        command.envs(variables.iter().copied());
        Self::started(command, home, engine, arguments)
    }

    /// A server that is started with a command of the test's own, and with this home.
    pub fn started(mut command: Command, home: tempfile::TempDir, engine: &Engine, arguments: &[&str]) -> Self {
        command.args(["serve", "--listen", "127.0.0.1:0", "--database", &engine.url]).args(arguments);
        Self::spawned(command, Some(home))
    }

    /// A server of the runs of the machine with this home, where a stand-in for the binary is.
    pub fn own(home: &Path) -> Self {
        let mut command = program(home);
        command.env("PATH", home).args(["serve", "--listen", "127.0.0.1:0"]);
        Self::spawned(command, None)
    }

    fn spawned(mut command: Command, home: Option<tempfile::TempDir>) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut url = String::new();
        output.read_line(&mut url).unwrap();
        assert!(url.starts_with("http"), "the server said {url:?}");
        Self { child, _output: output, url: url.trim().into(), _home: home }
    }

    pub fn get(&self, path: &str) -> Response<Body> {
        agent().get(format!("{}{path}", self.url)).call().unwrap()
    }

    pub fn json(&self, path: &str) -> serde_json::Value {
        let mut answer = self.get(path);
        assert_eq!(answer.status(), 200, "{path}");
        serde_json::from_str(&answer.body_mut().read_to_string().unwrap()).unwrap()
    }

    pub fn page(&self, path: &str) -> String {
        let mut answer = self.get(path);
        assert_eq!(answer.status(), 200, "{path}");
        answer.body_mut().read_to_string().unwrap()
    }

    /// How many runs it has.
    pub fn count(&self) -> usize {
        self.json("/api/runs").as_array().unwrap().len()
    }

    /// The status and the JSON of a push.
    pub fn push(&self, query: &str, export: &[u8]) -> (u16, serde_json::Value) {
        let mut answer = agent().post(format!("{}/api/runs{query}", self.url)).send(export).unwrap();
        let text = answer.body_mut().read_to_string().unwrap();
        (answer.status().as_u16(), serde_json::from_str(&text).unwrap_or(text.into()))
    }

    /// Ends it without warning.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// The signal that ends it, for which it waits a minute at most.
    pub fn ended_by(&mut self) -> Option<i32> {
        use std::os::unix::process::ExitStatusExt;
        for _ in 0..6000 {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.signal();
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        None
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The program, which finds nothing of this user's.
pub fn program(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ciphermeter-serve"));
    command.env_clear().env("HOME", home).env("PATH", "/nowhere").stdin(Stdio::null());
    command
}

/// A new token, made with these words for `token add`.
pub fn token(engine: &Engine, words: &[&str]) -> String {
    let home = tempfile::tempdir().unwrap();
    let mut command = program(home.path());
    let output = command.args(["serve", "token", "add"]).args(words).args(["--database", &engine.url]).output();
    let Output { status, stdout, stderr } = output.unwrap();
    assert!(status.success(), "{}", String::from_utf8_lossy(&stderr));
    String::from_utf8(stdout).unwrap().trim().into()
}

/// A cell or a machine in a link.
pub fn link(name: &str) -> String {
    name.replace(' ', "%20")
}

/// The folder of a home's store, with the store in it. What the store has is what a stand-in for the binary says.
pub fn with_store(home: &Path) -> PathBuf {
    let data = home.join(".local/share/ciphermeter");
    fs::create_dir_all(&data).unwrap();
    for folder in [".local", ".local/share", ".local/share/ciphermeter"] {
        fs::set_permissions(home.join(folder), fs::Permissions::from_mode(0o700)).unwrap();
    }
    fs::write(data.join("runs.db"), "").unwrap();
    data
}

/// Statuses are answers here, not errors.
pub fn agent() -> Agent {
    Agent::config_builder().http_status_as_error(false).max_redirects(0).build().into()
}

/// A run of a machine, which began at a moment: AES is faster there.
pub fn run(started: &str) -> (Run, Vec<Record>) {
    let (run, records) = fixtures::run();
    (Run { started: started.into(), ..run }, records)
}

/// A run of two ciphers at one size: of the first, it encrypts four times as much.
pub fn of_ciphers([first, second]: [Algorithm; 2], message: u64, started: &str) -> (Run, Vec<Record>) {
    let made = |algorithm: Algorithm, rate: f64| {
        let operation = if algorithm.has(Operation::Seal) { Operation::Seal } else { Operation::Encrypt };
        fixtures::cell("openssl", algorithm, operation, message, message as f64 / rate)
    };
    let records = fixtures::records(&[made(first, 8.0), made(second, 2.0)], 6);
    (Run { started: started.into(), ..fixtures::head() }, records)
}

/// A run's export.
pub fn export((run, records): &(Run, Vec<Record>)) -> Vec<u8> {
    let mut json = Vec::new();
    ciphermeter_report::write_json(&mut json, run, records).unwrap();
    json
}

/// The same on another CPU.
pub fn on(cpu: &str, (run, records): (Run, Vec<Record>)) -> (Run, Vec<Record>) {
    (Run { host: vec![Fact::present("cpu", cpu)], ..run }, records)
}
