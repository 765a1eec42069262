//! The worker's process and the lines to and from it.
//!
//! Every wait has an end, every line a limit, and dropping a `Worker` kills and reaps the process that it started, and
//! no other.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::facts::{Facts, LINE_LIMIT};
use crate::reply::Reply;
use crate::report::{Check, Fault, clip, failed};

/// So many bytes of lines that are not the protocol's may come before an answer of a device.
const CHATTER_LIMIT: usize = 1 << 20;

/// What to test, and with which timeout.
#[derive(Clone, Debug)]
pub struct Config {
    /// The worker's program and its arguments; not empty.
    pub command: Vec<String>,
    /// How long one reply, or the worker's exit, may take.
    pub timeout: Duration,
    /// Unless empty: run only the checks whose title contains one of these, and those of `describe`, on which the
    /// others depend.
    pub only: Vec<String>,
}

/// A worker process and the link to it.
pub struct Worker {
    child: Child,
    requests: Option<Sender<Vec<u8>>>,
    lines: Receiver<Result<String, String>>,
    timeout: Duration,
    next_cell: u64,
    asked: String,
    lacks_empty: Option<String>,
    facts: Option<Facts>,
    chatter: Option<String>,
    folder: TempDir,
}

impl Worker {
    /// Starts the worker's command, with its own folder for temporary files. The facts are known once it was described.
    ///
    /// # Errors
    /// Failed, if the command cannot be started or the folder cannot be created.
    pub fn start(config: &Config, facts: Option<Facts>) -> Result<Worker, Fault> {
        let [program, arguments @ ..] = config.command.as_slice() else {
            return failed("no worker to start; put its command after --");
        };
        let mut command = Command::new(program);
        let folder = match tempfile::Builder::new().prefix("conformance-").tempdir() {
            Ok(folder) => folder,
            Err(why) => return failed(format!("no folder for the worker's temporary files: {why}; set TMPDIR")),
        };
        command.args(arguments).env("TMPDIR", folder.path()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = match command.spawn() {
            Ok(child) => child,
            Err(why) => return failed(format!("starting {program} failed: {why}; check the command after --")),
        };
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return failed(format!("{program} has no pipes"));
        };
        let requests = Some(write_requests(stdin));
        let lines = read_lines(stdout);
        let (timeout, asked) = (config.timeout, String::new());
        Ok(Worker {
            child,
            requests,
            lines,
            timeout,
            next_cell: 1,
            asked,
            lacks_empty: None,
            facts,
            chatter: None,
            folder,
        })
    }

    /// The worker's `TMPDIR`. Its content is removed with this `Worker`.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// What it said about itself.
    pub fn facts(&self) -> Facts {
        self.facts.unwrap_or_default()
    }

    /// Keeps what it said about itself.
    ///
    /// # Errors
    /// Failed, if it is no device and has sent lines that are not the protocol's.
    pub fn learn(&mut self, facts: Facts) -> Check {
        self.facts = Some(facts);
        match self.chatter.take() {
            Some(line) if !facts.is_device => failed(format!("expected a JSON object, got {}", clip(&line))),
            _ => Ok(()),
        }
    }

    /// How long one reply, or the worker's exit, may take.
    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Kills the process at once.
    pub fn kill(&mut self) {
        // Both fail only for a process that is already gone.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// A cell number that this process has not seen yet.
    pub fn fresh_cell(&mut self) -> u64 {
        self.next_cell += 1;
        self.next_cell
    }

    /// Sends a request and reads its one reply.
    pub fn ask(&mut self, request: &Value) -> Result<Reply, Fault> {
        self.ask_bytes(request.to_string().as_bytes())
    }

    /// Sends a line of any bytes (without its newline) and reads one reply.
    pub fn ask_bytes(&mut self, line: &[u8]) -> Result<Reply, Fault> {
        self.send(&[line, b"\n"].concat())?;
        self.read()
    }

    /// Sends bytes as they are. Fails if the worker sent something unrequested.
    pub fn send(&mut self, bytes: &[u8]) -> Check {
        self.expect_silence()?;
        self.asked = clip(String::from_utf8_lossy(bytes).trim_end());
        // If the worker closed its input, reading its answer will show that.
        if let Some(requests) = &self.requests {
            let _ = requests.send(bytes.to_vec());
        }
        Ok(())
    }

    /// Reads one reply. A device's lines that are not the protocol's are passed over.
    pub fn read(&mut self) -> Result<Reply, Fault> {
        let (mut passed, most) = (0, self.facts().max_line);
        loop {
            match self.lines.recv_timeout(self.timeout) {
                Ok(Ok(text)) if self.is_chatter(&text) && passed + text.len() <= CHATTER_LIMIT => {
                    passed += text.len();
                    self.chatter.get_or_insert(text);
                }
                Ok(Ok(text)) if text.len() >= most => {
                    return failed(format!("expected a line of at most {most} bytes, got {}", clip(&text)));
                }
                Ok(Ok(text)) => return Reply::parse(text),
                Ok(Err(why)) => return failed(why),
                Err(RecvTimeoutError::Timeout) => {
                    let wait = self.timeout.as_secs_f64();
                    return Err(Fault::Hung(format!("expected an answer within {wait} s, got none")));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return failed(format!("expected an answer, the worker ended ({})", self.fate()));
                }
            }
        }
    }

    /// Whether a line is a boot loader's or a log's: only devices have such lines.
    fn is_chatter(&self, line: &str) -> bool {
        self.facts.is_none_or(|facts| facts.is_device) && !line.starts_with('{')
    }

    /// Fails if the worker has sent an unrequested line.
    pub fn expect_silence(&mut self) -> Check {
        loop {
            match self.lines.try_recv() {
                Ok(Ok(text)) if self.is_chatter(&text) => {}
                Ok(Ok(text)) => {
                    return failed(format!("expected one answer a request, got another line: {}", clip(&text)));
                }
                Ok(Err(why)) => return failed(why),
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => return Ok(()),
            }
        }
    }

    /// The latest request, clipped for a message.
    pub fn asked(&self) -> &str {
        &self.asked
    }

    /// Accepts an `unsupported` for an empty message: the one size that a library may not support.
    ///
    /// # Errors
    /// Failed, if the reply is something else or gives no reason.
    pub fn forgive_empty(&mut self, reply: Reply) -> Check {
        self.lacks_empty = Some(reply.expect("unsupported")?.text("why")?.to_owned());
        Ok(())
    }

    /// Why the worker does not support the empty message, if that was accepted since the last call.
    pub fn take_forgiven(&mut self) -> Option<String> {
        self.lacks_empty.take()
    }

    /// Ends the worker's input and waits for its exit; lines that still arrive are dropped.
    pub fn finish(&mut self) -> Result<ExitStatus, Fault> {
        self.requests = None;
        match self.wait() {
            Some(status) => {
                while self.lines.recv_timeout(self.timeout).is_ok() {}
                Ok(status)
            }
            None => Err(Fault::Hung(format!(
                "expected an exit within {} s of the end of input, the worker still runs",
                self.timeout.as_secs_f64()
            ))),
        }
    }

    fn fate(&mut self) -> String {
        self.wait().map_or_else(|| "it closed its output and runs on".into(), |status| status.to_string())
    }

    fn wait(&mut self) -> Option<ExitStatus> {
        let deadline = Instant::now() + self.timeout;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(2)),
                _ => return None,
            }
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Writes from a separate thread, so that a worker that stops reading cannot block the suite.
fn write_requests(mut stdin: ChildStdin) -> Sender<Vec<u8>> {
    let (sender, requests) = channel::<Vec<u8>>();
    thread::spawn(move || {
        for request in requests {
            if stdin.write_all(&request).and_then(|()| stdin.flush()).is_err() {
                return;
            }
        }
    });
    sender
}

/// Reads from a separate thread, so that waiting for a line can time out.
fn read_lines(stdout: ChildStdout) -> Receiver<Result<String, String>> {
    let (sender, lines) = channel();
    thread::spawn(move || {
        let mut stdout = BufReader::new(stdout);
        while let Some(line) = read_line(&mut stdout) {
            let broken = line.is_err();
            if sender.send(line).is_err() || broken {
                return;
            }
        }
    });
    lines
}

/// One line without its newline; None at the end of output.
fn read_line(stdout: &mut impl BufRead) -> Option<Result<String, String>> {
    let mut line = Vec::new();
    match stdout.take(LINE_LIMIT as u64).read_until(b'\n', &mut line) {
        Ok(0) | Err(_) => return None,
        Ok(_) => {}
    }
    if line.pop_if(|last| *last == b'\n').is_none() {
        return Some(Err(if line.len() >= LINE_LIMIT {
            format!("expected a line of at most {LINE_LIMIT} bytes, got a longer one")
        } else {
            format!("expected a newline after {}", clip(&String::from_utf8_lossy(&line)))
        }));
    }
    Some(String::from_utf8(line).map_err(|_| "expected UTF-8, got other bytes".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_at_the_limit() {
        let fits = [vec![b'a'; LINE_LIMIT - 1], vec![b'\n']].concat();
        assert_eq!(read_line(&mut fits.as_slice()).unwrap().unwrap().len(), LINE_LIMIT - 1);
        let over = [vec![b'a'; LINE_LIMIT], vec![b'\n']].concat();
        assert!(read_line(&mut over.as_slice()).unwrap().is_err());
        assert!(read_line(&mut b"cut".as_slice()).unwrap().is_err());
        assert!(read_line(&mut b"".as_slice()).is_none());
    }
}
