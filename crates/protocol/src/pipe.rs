//! A worker as a child process, connected over its standard input and output.
//!
//! Promises: nothing that the child does blocks the harness for longer than the given time limit; of its output, no
//! more than one line and 4 KiB of its standard error are kept; it never outlives the link. At the end its input is
//! closed, then it is killed. It leads a process group of its own, so that Ctrl-C reaches the harness alone (which ends
//! the round in order) and so that, should the harness die while the child is stopped, the system ends it.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::incoming::Incoming;
use crate::link::excerpt;
use crate::polling::{is_readable, wait_readable};
use crate::{JsonLine, Link, LinkError};

/// How much of a worker's standard error is kept for messages.
const STDERR_TAIL: usize = 4096;
/// How long a worker may take to exit by itself before it is killed.
const EXIT_TIME: Duration = Duration::from_millis(500);

/// The signal with which the system ends a process when memory runs out; the harness never sends it to a live worker.
const KILLED: i32 = 9;
const KILLED_HOW: &str = "by signal 9, as the system does when memory runs out: free some, or take smaller messages";

/// How to start a worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The folder in which it runs; `None`: this one.
    pub folder: Option<PathBuf>,
    /// Environment variables in addition to the inherited ones.
    pub environment: Vec<(String, String)>,
}

impl Command {
    fn build(&self) -> std::process::Command {
        let mut command = std::process::Command::new(&self.program);
        command
            .args(&self.arguments)
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        #[cfg(any(target_os = "linux", target_os = "android"))]
        die_with_parent(&mut command);
        command
    }
}

/// Makes the system end the child when the harness is killed: a child that is stopped at that moment would never read
/// the end of its input.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn die_with_parent(command: &mut std::process::Command) {
    use rustix::process::{getpid, getppid, set_parent_process_death_signal};

    let parent = getpid();
    // SAFETY: between fork and exec the closure makes two system calls and touches no memory that another thread may
    // have locked.
    unsafe {
        command.pre_exec(move || {
            set_parent_process_death_signal(Some(Signal::KILL))?;
            // The harness may have been killed before that took effect.
            if getppid() == Some(parent) { Ok(()) } else { Err(io::ErrorKind::NotConnected.into()) }
        });
    }
}

/// A link to a child process.
pub struct PipeLink {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: File,
    stderr: Option<File>,
    incoming: Incoming,
    said: Vec<u8>,
    /// It is killed at the end of the link, without time to end by itself.
    killed_at_once: bool,
}

impl PipeLink {
    /// Starts the worker. `spawn` does the starting, so that the caller can set a CPU mask around it.
    pub fn start(
        command: &Command,
        spawn: impl FnOnce(&mut std::process::Command) -> io::Result<Child>,
    ) -> io::Result<Self> {
        let mut child = spawn(&mut command.build())?;
        let missing = || io::Error::other("the child has no pipes");
        let stdout = OwnedFd::from(child.stdout.take().ok_or_else(missing)?).into();
        let stderr = child.stderr.take().map(|stderr| OwnedFd::from(stderr).into());
        Ok(Self {
            stdin: child.stdin.take(),
            child,
            stdout,
            stderr,
            incoming: Incoming::default(),
            said: Vec::new(),
            killed_at_once: false,
        })
    }

    /// The same for a worker that does not end with its input: it is killed with the link.
    #[must_use]
    pub fn killed_at_once(mut self) -> Self {
        self.killed_at_once = true;
        self
    }

    /// Signals the whole group: a worker may be started by a script that waits for it.
    fn signal(&self, signal: Signal) {
        if let Some(pid) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            // It may have ended meanwhile; the next request will show that.
            let _ = kill_process_group(pid, signal);
        }
    }

    /// Waits until the child has sent something, and reads it. False when the time is over.
    fn wait(&mut self, until: Instant) -> Result<bool, LinkError> {
        let (said, complained) = match &self.stderr {
            Some(stderr) => {
                let [said, complained] = wait_readable([self.stdout.as_fd(), stderr.as_fd()], until)?;
                (said, complained)
            }
            None => (wait_readable([self.stdout.as_fd()], until)?[0], false),
        };
        if complained {
            self.read_stderr();
        }
        match said {
            true => self.read_stdout(),
            false => Ok(Instant::now() < until),
        }
    }

    fn read_stdout(&mut self) -> Result<bool, LinkError> {
        let mut chunk = [0; 16 * 1024];
        match self.stdout.read(&mut chunk) {
            Ok(0) => Err(self.ended()),
            Ok(read) => {
                self.incoming.add(&chunk[..read]);
                Ok(true)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(true),
            Err(error) => Err(error.into()),
        }
    }

    fn read_stderr(&mut self) {
        let mut chunk = [0; 4096];
        let read = self.stderr.as_mut().map_or(Ok(0), |stderr| stderr.read(&mut chunk));
        match read {
            Ok(0) | Err(_) => self.stderr = None,
            Ok(read) => self.said.extend_from_slice(&chunk[..read]),
        }
        let excess = self.said.len().saturating_sub(STDERR_TAIL);
        self.said.drain(..excess);
    }

    fn ended(&mut self) -> LinkError {
        self.stdin = None;
        let status = self.wait_for_exit();
        while self.stderr.as_ref().is_some_and(|stderr| is_readable(stderr.as_fd())) {
            self.read_stderr();
        }
        let how = match status.map(|status| (status.code(), status.signal())) {
            Some((Some(code), _)) => format!("with exit code {code}"),
            Some((_, Some(KILLED))) => KILLED_HOW.into(),
            Some((_, Some(signal))) => format!("by signal {signal}"),
            _ => "its output but lived on".into(),
        };
        let tail = String::from_utf8_lossy(&self.said);
        let last = tail.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        LinkError::Ended { how, stderr: excerpt(last.trim().as_bytes()) }
    }

    /// Waits a while for the child to exit.
    fn wait_for_exit(&mut self) -> Option<std::process::ExitStatus> {
        let until = Instant::now() + EXIT_TIME;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < until => std::thread::sleep(Duration::from_millis(1)),
                _ => return None,
            }
        }
    }
}

impl Link for PipeLink {
    fn send(&mut self, line: &JsonLine) -> Result<(), LinkError> {
        // A line that is there now would be taken for the answer to this request, and every later answer for another's.
        if !self.incoming.is_empty() || is_readable(self.stdout.as_fd()) {
            if self.incoming.is_empty() {
                self.read_stdout()?;
            }
            return Err(LinkError::Unasked);
        }
        let text = line.write();
        let written = self.stdin.as_mut().map(|stdin| stdin.write_all(text.as_bytes()));
        match written {
            Some(Ok(())) => Ok(()),
            _ => Err(self.ended()),
        }
    }

    fn receive(&mut self, patience: Duration) -> Result<JsonLine, LinkError> {
        let until = Instant::now() + patience;
        loop {
            if let Some(line) = self.incoming.take_line()? {
                return Ok(line);
            }
            if !self.wait(until)? {
                return Err(LinkError::TimedOut(patience));
            }
        }
    }

    fn pause(&mut self) {
        self.signal(Signal::STOP);
    }

    fn resume(&mut self) {
        self.signal(Signal::CONT);
    }

    fn process(&self) -> Option<u32> {
        Some(self.child.id())
    }
}

impl Drop for PipeLink {
    fn drop(&mut self) {
        self.stdin = None;
        if self.killed_at_once {
            self.signal(Signal::KILL);
        }
        self.resume();
        if self.wait_for_exit().is_none() {
            // It is our own child: the handle cannot refer to another process.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Reply, Request};

    const PATIENCE: Duration = Duration::from_secs(5);

    fn shell(script: &str) -> PipeLink {
        let command = Command {
            program: "/bin/sh".into(),
            arguments: vec!["-c".into(), script.into()],
            folder: None,
            environment: vec![],
        };
        PipeLink::start(&command, std::process::Command::spawn).unwrap()
    }

    fn error(script: &str, patience: Duration) -> String {
        shell(script).ask(&Request::Clock, patience).unwrap_err().to_string()
    }

    #[test]
    fn reply_is_carried() {
        let mut link = shell(r#"read line; echo '{"is":"released","cell":3}'; cat >/dev/null"#);
        assert_eq!(link.ask(&Request::Release { cell: 3 }, PATIENCE).unwrap(), Reply::Released { cell: 3 });
    }

    #[test]
    fn each_failure_has_its_own_message() {
        assert!(error("read line; echo hello", PATIENCE).starts_with("it answered `hello`: not one flat JSON object"));
        assert!(error("read line; sleep 9", Duration::from_millis(50)).contains("no reply within 0.1 s"));
        assert_eq!(
            error("read line; echo oh dear >&2; exit 4", PATIENCE),
            "it ended with exit code 4; the end of its standard error: oh dear"
        );
        assert_eq!(
            error("read line; kill -9 $$", PATIENCE),
            "it ended by signal 9, as the system does when memory runs out: free some, or take smaller messages"
        );
        assert!(
            error("read line; head -c 200000 /dev/zero | tr '\\0' x", PATIENCE).contains("longer than 65536 bytes")
        );
    }

    #[test]
    fn unrequested_line_is_an_error() {
        let mut link = shell(r#"read a; echo '{"is":"rejected"}'; echo '{"is":"rejected"}'; cat >/dev/null"#);
        link.ask(&Request::Clock, PATIENCE).unwrap();
        std::thread::sleep(Duration::from_millis(50));
        assert!(matches!(link.ask(&Request::Clock, PATIENCE), Err(LinkError::Unasked)));
    }

    #[test]
    fn stopped_worker_ends_with_its_link() {
        let mut link = shell("sleep 600");
        link.pause();
        let began = Instant::now();
        drop(link);
        assert!(began.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn emulator_ends_at_once_with_all_that_it_started() {
        let mut link = shell("sleep 600 & echo '{\"is\":\"rejected\"}'; read line; wait").killed_at_once();
        let began = Instant::now();
        link.receive(PATIENCE).unwrap();
        let group = link.child.id();
        drop(link);
        assert!(began.elapsed() < EXIT_TIME, "it had no time to end by itself");
        let is_gone = || {
            let pid = i32::try_from(group).ok().and_then(Pid::from_raw).unwrap();
            rustix::process::test_kill_process_group(pid).is_err()
        };
        while !is_gone() {
            assert!(began.elapsed() < PATIENCE);
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn flood_on_standard_error_is_drained_and_not_stored() {
        let mut link = shell("read line; head -c 3000000 /dev/zero >&2; echo '{\"is\":\"rejected\"}'; cat >/dev/null");
        assert_eq!(link.ask(&Request::Clock, PATIENCE).unwrap(), Reply::Rejected);
        assert!(link.said.len() <= STDERR_TAIL);
    }
}
