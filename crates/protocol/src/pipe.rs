//! A worker as a child process, connected over its standard input and output.
//!
//! Promises: nothing that the child does, or leaves undone, blocks the harness for longer than the given time limit; of
//! its output, no more than one line and 4 KiB of its standard error are kept; neither it nor what it started outlives the link. At
//! the end its input is closed, then it is killed. It leads a process group of its own, so that Ctrl-C reaches the harness alone (which ends
//! the round in order) and so that, should the harness die while the child is stopped, the system ends it.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

use crate::complaints::Complaints;
use crate::incoming::Incoming;
use crate::polling::{Interruption, PollFlags, is_readable, write_all};
use crate::{Deadline, JsonLine, Link, LinkError};

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
    /// Runs in this folder, with nothing more in its environment.
    pub fn new(program: PathBuf, arguments: Vec<String>) -> Self {
        Self { program, arguments, folder: None, environment: Vec::new() }
    }

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
    stdin: Option<File>,
    stdout: File,
    complaints: Complaints,
    incoming: Incoming,
    interruption: Interruption,
    /// It is killed at the end of the link, without time to end by itself.
    killed_at_once: bool,
    /// How long it may take to end by itself.
    exit_time: Duration,
}

impl PipeLink {
    /// Starts the worker. `spawn` does the starting, so that the caller can set a CPU mask around it.
    pub fn start(
        command: &Command,
        spawn: impl FnOnce(&mut std::process::Command) -> io::Result<Child>,
    ) -> io::Result<Self> {
        let mut child = spawn(&mut command.build())?;
        let missing = || io::Error::other("the child has no pipes");
        let stdin = OwnedFd::from(child.stdin.take().ok_or_else(missing)?);
        // A child that does not read its input must not block the harness. Its own end of the pipe stays as it is.
        rustix::io::ioctl_fionbio(&stdin, true)?;
        let stdout = OwnedFd::from(child.stdout.take().ok_or_else(missing)?).into();
        let stderr = child.stderr.take().map(|stderr| OwnedFd::from(stderr).into());
        Ok(Self {
            child,
            stdin: Some(stdin.into()),
            stdout,
            complaints: Complaints::of(stderr),
            incoming: Incoming::default(),
            interruption: Interruption::default(),
            killed_at_once: false,
            exit_time: EXIT_TIME,
        })
    }

    /// The same for a process that needs longer to end than workers do.
    #[must_use]
    pub fn ends_within(mut self, exit_time: Duration) -> Self {
        self.exit_time = exit_time;
        self
    }

    /// The same for a worker that does not end with its input: it is killed with the link.
    #[must_use]
    pub fn killed_at_once(mut self) -> Self {
        self.killed_at_once = true;
        self
    }

    /// The same in a run that the user ends by setting this: requests under way get a moment more, and no other wait.
    #[must_use]
    pub fn interruptible(mut self, interrupted: Arc<AtomicBool>) -> Self {
        self.interruption = Interruption::new(interrupted);
        self
    }

    /// The group that the child leads: a worker may be started by a script that waits for it.
    fn group(&self) -> Option<Pid> {
        i32::try_from(self.child.id()).ok().and_then(Pid::from_raw)
    }

    /// Signals the whole group.
    fn signal(&self, signal: Signal) {
        if let Some(group) = self.group() {
            // It may have ended meanwhile; the next request will show that.
            let _ = kill_process_group(group, signal);
        }
    }

    /// Ends what the child has left behind: it would go on in others' samples. It has a moment to tidy up.
    fn end_the_rest(&self) {
        let until = Instant::now() + EXIT_TIME;
        while self.group().is_some_and(|group| test_kill_process_group(group).is_ok()) {
            if Instant::now() >= until {
                return self.signal(Signal::KILL);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn read_stdout(&mut self) -> Result<(), LinkError> {
        let mut chunk = [0; 16 * 1024];
        match self.stdout.read(&mut chunk) {
            Ok(0) => Err(self.ended("its output")),
            Ok(read) => {
                self.incoming.add(&chunk[..read]);
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Why a pipe has no other end any more: the child has ended, or closed it.
    fn ended(&mut self, closed: &str) -> LinkError {
        self.stdin = None;
        let status = self.wait_for_exit();
        self.complaints.read_all();
        let how = match status.map(|status| (status.code(), status.signal())) {
            Some((Some(code), _)) => format!("with exit code {code}"),
            Some((_, Some(KILLED))) => KILLED_HOW.into(),
            Some((_, Some(signal))) => format!("by signal {signal}"),
            _ => format!("{closed}, but lived on"),
        };
        LinkError::Ended { how, stderr: self.complaints.last() }
    }

    /// Waits a while for the child to exit, and no longer than for a worker once the user has ended the run.
    fn wait_for_exit(&mut self) -> Option<std::process::ExitStatus> {
        let began = Instant::now();
        loop {
            let most = if self.interruption.has_come() { self.exit_time.min(EXIT_TIME) } else { self.exit_time };
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if began.elapsed() < most => std::thread::sleep(Duration::from_millis(1)),
                _ => return None,
            }
        }
    }
}

impl Link for PipeLink {
    fn send(&mut self, line: &JsonLine, deadline: Deadline) -> Result<(), LinkError> {
        // A line that is there now would be taken for the answer to this request, and every later answer for another's.
        if !self.incoming.is_empty() || is_readable(self.stdout.as_fd()) {
            if self.incoming.is_empty() {
                self.read_stdout()?;
            }
            return Err(LinkError::Unasked);
        }
        let Some(stdin) = &mut self.stdin else { return Err(self.ended("its input")) };
        let (complaints, interruption) = (&mut self.complaints, &self.interruption);
        let wait = |stdin: BorrowedFd<'_>| complaints.wait_for((stdin, PollFlags::OUT), deadline, interruption);
        match write_all(stdin, line.write().as_bytes(), wait)? {
            true => Ok(()),
            false => Err(self.ended("its input")),
        }
    }

    fn receive(&mut self, deadline: Deadline) -> Result<JsonLine, LinkError> {
        loop {
            if let Some(line) = self.incoming.take_line()? {
                return Ok(line);
            }
            self.complaints.wait_for((self.stdout.as_fd(), PollFlags::IN), deadline, &self.interruption)?;
            self.read_stdout()?;
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
        self.end_the_rest();
    }
}

#[cfg(test)]
mod tests {
    use rustix::event::{PollFd, Timespec, poll};

    use super::*;
    use crate::{Reply, Request};

    /// What comes at all comes within it.
    const PATIENCE: Duration = Duration::from_secs(60);

    fn shell(script: &str) -> PipeLink {
        let command = Command {
            program: "/bin/sh".into(),
            arguments: vec!["-c".into(), script.into()],
            folder: None,
            environment: vec![],
        };
        PipeLink::start(&command, std::process::Command::spawn).unwrap()
    }

    /// Returns once no process of the group lives; of one that outlives its link only the test's own limit would end this.
    fn wait_for_the_end_of(group: Pid) {
        while test_kill_process_group(group).is_ok() {
            std::thread::sleep(Duration::from_millis(5));
        }
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
    fn requests_that_are_not_read_are_given_up() {
        let mut link = shell("sleep 600").killed_at_once();
        let mut send = || link.send(&Request::Clock.line(), Deadline::after(Duration::from_millis(50)));
        // At most a mebibyte fits into a pipe.
        let error = (0..100_000).find_map(|_| send().err()).expect("a pipe is full at some time");
        assert_eq!(error.to_string(), "it did not read the request within 0.1 s");
    }

    #[test]
    fn unrequested_line_is_an_error() {
        let mut link = shell(r#"read a; echo '{"is":"rejected"}'; echo '{"is":"rejected"}'; cat >/dev/null"#);
        link.ask(&Request::Clock, PATIENCE).unwrap();
        while link.incoming.is_empty() && !is_readable(link.stdout.as_fd()) {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(matches!(link.ask(&Request::Clock, PATIENCE), Err(LinkError::Unasked)));
    }

    #[test]
    fn stopped_worker_ends_with_its_link() {
        let mut link = shell("sleep 600");
        link.pause();
        let group = link.group().unwrap();
        drop(link);
        wait_for_the_end_of(group);
    }

    #[test]
    fn process_that_a_worker_leaves_behind_ends_with_the_link() {
        let mut link = shell(r#"(trap '' TERM HUP; sleep 600) & echo '{"is":"rejected"}'; read line"#);
        link.receive(Deadline::after(PATIENCE)).unwrap();
        let group = link.group().unwrap();
        drop(link);
        wait_for_the_end_of(group);
    }

    #[test]
    fn closed_input_is_told_from_an_end() {
        let mut link = shell(r#"exec <&-; echo '{"is":"rejected"}'; exec sleep 600"#).killed_at_once();
        link.receive(Deadline::after(PATIENCE)).unwrap();
        // Until it runs its own program, the child of another test holds the pipe's other end, too.
        let is_open = |stdin: &File| {
            let mut ends = [PollFd::new(stdin, PollFlags::OUT)];
            poll(&mut ends, Some(&Timespec::default())).unwrap();
            !ends[0].revents().contains(PollFlags::ERR)
        };
        while is_open(link.stdin.as_ref().unwrap()) {
            std::thread::sleep(Duration::from_millis(5));
        }
        let error = link.ask(&Request::Clock, PATIENCE).unwrap_err().to_string();
        assert!(error.starts_with("it ended its input, but lived on"), "{error}");
    }

    #[test]
    fn emulator_ends_at_once_with_all_that_it_started() {
        let mut link = shell("sleep 600 & echo '{\"is\":\"rejected\"}'; read line; wait").killed_at_once();
        link.receive(Deadline::after(PATIENCE)).unwrap();
        let group = link.group().unwrap();
        drop(link);
        wait_for_the_end_of(group);
    }

    #[test]
    fn flood_on_standard_error_is_drained_and_not_stored() {
        let mut link = shell("read line; head -c 3000000 /dev/zero >&2; echo '{\"is\":\"rejected\"}'; cat >/dev/null");
        assert_eq!(link.ask(&Request::Clock, PATIENCE).unwrap(), Reply::Rejected);
        assert!(link.complaints.kept() <= 4096);
    }
}
