//! A plain program: a library called in the loop that a user would write, by a program without any worker code.
//!
//! It gets algorithm, form and message size as arguments, reads a number of calls a line, seals so often, and prints the
//! nanoseconds.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use anyhow::{Context, Result};
use ciphermeter_core::Cell;
use ciphermeter_host::cpus;
use ciphermeter_protocol::Command;

/// A running plain program.
pub struct PlainProgram {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl PlainProgram {
    /// Starts it for one cell on one CPU.
    pub fn start(program: &Command, cell: &Cell, cpu: usize) -> Result<Self> {
        let shown = program.program.display();
        let mut command = std::process::Command::new(&program.program);
        let Cell { algorithm, form, parameters, .. } = cell;
        command.args(&program.arguments).args([algorithm.as_str(), form.as_str()]);
        command.arg(parameters.message().to_string());
        command.envs(program.environment.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        if let Some(folder) = &program.folder {
            command.current_dir(folder);
        }
        let spawned = cpus::with_mask(&[cpu], || command.spawn())?;
        let mut child = spawned.with_context(|| format!("{shown} did not start"))?;
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().context("the plain program has no output")?);
        Ok(Self { child, input, output })
    }

    /// Makes that many calls; returns the nanoseconds that they took.
    pub fn calls(&mut self, calls: u64) -> Result<u64> {
        let said = || "its plain program does not do this".to_string();
        let input = self.input.as_mut().with_context(said)?;
        writeln!(input, "{calls}").and_then(|()| input.flush()).with_context(said)?;
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        line.trim().parse().ok().with_context(said)
    }
}

impl Drop for PlainProgram {
    fn drop(&mut self) {
        // It exits at the end of its input.
        self.input = None;
        let _ = self.child.wait();
    }
}
