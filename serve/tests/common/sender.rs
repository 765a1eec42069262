//! A machine that pushes runs: its home, with its queue, and a stand-in for the binary, which gives the runs out.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Output, Stdio};

use super::{export, program, run};

pub struct Sender {
    home: tempfile::TempDir,
    runs: u32,
}

impl Sender {
    pub fn new() -> Self {
        Self::in_folder(tempfile::tempdir().unwrap())
    }

    pub fn in_folder(home: tempfile::TempDir) -> Self {
        let sender = Self { home, runs: 0 };
        let home = sender.home.path().display();
        let script = format!(
            "#!/bin/sh\nif [ \"$1\" = list ]; then exec /bin/cat {home}/list.json; else exec /bin/cat {home}/$2.json; fi\n"
        );
        let file = sender.home.path().join("ciphermeter");
        fs::write(&file, script).unwrap();
        fs::set_permissions(file, fs::Permissions::from_mode(0o700)).unwrap();
        sender
    }

    /// Measures a run that began at a second of its own, and returns its number.
    pub fn measure(&mut self) -> u32 {
        self.measure_at(&self.started(self.runs + 1))
    }

    /// When a run began that [`Self::measure`] made.
    pub fn started(&self, run: u32) -> String {
        format!("2026-11-20T12:{:02}:{:02}Z", run / 60 % 60, run % 60)
    }

    pub fn runs(&self) -> u32 {
        self.runs
    }

    pub fn measure_at(&mut self, started: &str) -> u32 {
        self.runs += 1;
        fs::write(self.home.path().join(format!("{}.json", self.runs)), export(&run(started))).unwrap();
        let one =
            |number: u32| format!(r#"{{"run":{number},"started":"{started}","status":"complete","imported":false}}"#);
        let all: Vec<String> = (1..=self.runs).map(one).collect();
        let list = format!(r#"{{"schema":1,"runs":[{}]}}"#, all.join(","));
        fs::write(self.home.path().join("list.json"), list).unwrap();
        self.runs
    }

    /// Starts `ciphermeter push` with these words.
    pub fn start(&self, words: &[&str], variables: &[(&str, &str)]) -> Child {
        let mut command = program(self.home.path());
        command.env("PATH", self.home.path()).envs(variables.iter().copied()).arg("push").args(words);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// The exit code and all that is said.
    pub fn push(&self, words: &[&str]) -> (Option<i32>, String) {
        ended(self.start(words, &[]).wait_with_output().unwrap())
    }

    pub fn queue(&self) -> PathBuf {
        self.home.path().join(".local/share/ciphermeter/push")
    }

    /// The folders in the queue.
    pub fn waiting(&self) -> Vec<PathBuf> {
        fs::read_dir(self.queue()).map_or_else(|_| Vec::new(), |all| all.map(|entry| entry.unwrap().path()).collect())
    }
}

pub fn ended(output: Output) -> (Option<i32>, String) {
    (output.status.code(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
}
