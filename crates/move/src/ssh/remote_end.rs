//! The remote end as the local end sees it: a running ssh.
//!
//! Promises: ssh never outlives this process's use of it, and Ctrl-C, which a terminal sends to both, reaches only this
//! process, which then ends the remote end in order. Should this process be killed, the remote end's input ends.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use ciphermeter_core::quoted;
use ciphermeter_terminal::{Exit, WithExit, output};
use rustix::process::{Pid, Signal, kill_process};
use serde::Serialize;

use super::failure::{no_answer, no_ssh, silent};
use super::line::{self, BadLine};
use super::login::Login;
use super::request::Answer;
use super::served::END;
use super::shown_lines::show;
use crate::options::{LinkOptions, PATIENCE};

/// How long the remote end may take to exit once it is told to, or is done.
const EXIT_TIME: Duration = Duration::from_secs(5);
/// How long ssh may take to exit once it is signalled, and how long its last lines may take.
const LAST_LINES: Duration = Duration::from_millis(500);
/// How long it may say nothing before the user is told; no patience is shorter.
const SILENCE: Duration = Duration::from_secs(5);
/// The exit code of an end that misses something.
const PARTIAL: i32 = 5;
/// How often to look whether it has exited.
const PAUSE: Duration = Duration::from_millis(10);

/// The one that runs: a signal ends it, too.
static RUNNING: Mutex<Option<Arc<Mutex<Running>>>> = Mutex::new(None);
/// A signal ends it, and this process after it.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

struct Running {
    child: Child,
    stdin: Option<ChildStdin>,
}

/// A remote end. Dropping it ends it.
pub struct RemoteEnd {
    login: Login,
    running: Arc<Mutex<Running>>,
    shown: Option<JoinHandle<()>>,
}

/// Ends the remote end of this process, if there is one, before the process exits; returns whether there was.
pub fn end_running() -> bool {
    let running = locked(&RUNNING).take();
    INTERRUPTED.store(running.is_some(), Ordering::SeqCst);
    running.inspect(end).is_some()
}

impl RemoteEnd {
    /// Starts a command of ciphermeter (`recv`) there, with that request, and waits for its answer.
    /// A password is asked for by ssh, on the terminal.
    pub fn start(
        login: &Login,
        subcommand: &str,
        request: &impl Serialize,
        link: &LinkOptions,
    ) -> Result<(Self, Answer), WithExit> {
        let mut command = login.command(subcommand);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        ignore_interrupts(&mut command);
        let mut child = command.spawn().map_err(|why| failed(no_ssh(login, &why)))?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let host = login.host.clone();
        let shown = stderr.map(|stderr| thread::spawn(move || show(stderr, &host)));
        let running = Arc::new(Mutex::new(Running { child, stdin }));
        *locked(&RUNNING) = Some(running.clone());
        // If ssh has ended, its exit code says why.
        let _ = locked(&running).stdin.as_mut().map(|stdin| line::write(stdin, request));
        let mut remote = Self { login: login.clone(), running, shown };
        let answer = remote.answer(stdout, link)?;
        Ok((remote, answer))
    }

    fn answer(&mut self, stdout: Option<ChildStdout>, link: &LinkOptions) -> Result<Answer, WithExit> {
        let Some(mut stdout) = stdout else { return Err(failed("ssh has no output".into())) };
        let (sender, answers) = channel();
        thread::spawn(move || {
            let read = line::read(&mut stdout);
            let is_answer = read.is_ok();
            let _ = sender.send(read);
            if is_answer {
                // What else it prints is for nobody, and must not stop it.
                let _ = io::copy(&mut stdout, &mut io::sink());
            }
        });
        match self.received(&answers, link) {
            None => Err(failed(silent(&self.login, link.patience))),
            Some(Ok(Answer::Refused(why))) => Err(failed(format!("{} refuses: {why}", quoted(&self.login.host)))),
            Some(Ok(answer)) => Ok(answer),
            Some(Err(why)) => {
                // How ssh ended, where it did by itself.
                let ended = if let BadLine::Ended = why { wait(&self.running, EXIT_TIME) } else { None };
                self.show_last_lines();
                Err(failed(no_answer(&self.login, &why, ended)))
            }
        }
    }

    /// What is read; `None` if patience ends first. A person whom ssh may ask for a password has
    /// any time, unless an option says otherwise.
    fn received(
        &self,
        answers: &Receiver<Result<Answer, BadLine>>,
        link: &LinkOptions,
    ) -> Option<Result<Answer, BadLine>> {
        if let Ok(read) = answers.recv_timeout(SILENCE) {
            return Some(read);
        }
        if !link.quiet {
            output::say(&format!("waiting for ssh {} to answer; Ctrl-C ends it\n", quoted(&self.login.host)));
        }
        match link.patience == PATIENCE && File::open("/dev/tty").is_ok() {
            true => answers.recv().ok(),
            false => answers.recv_timeout(link.patience.duration().saturating_sub(SILENCE)).ok(),
        }
    }

    /// Waits for a remote end that is done to exit; returns whether its exit code says that something is missing there.
    pub fn done(mut self) -> bool {
        let ended = wait(&self.running, EXIT_TIME);
        self.show_last_lines();
        ended.and_then(|status| status.code()) == Some(PARTIAL)
    }

    /// A process that ssh left behind may hold its standard error open, such as a shared connection's: then only for a
    /// while.
    fn show_last_lines(&mut self) {
        // That the remote end is gone is no news then.
        while INTERRUPTED.load(Ordering::SeqCst) {
            thread::park();
        }
        let Some(shown) = self.shown.take() else { return };
        let until = Instant::now() + LAST_LINES;
        while !shown.is_finished() && Instant::now() < until {
            thread::sleep(PAUSE);
        }
    }
}

impl Drop for RemoteEnd {
    fn drop(&mut self) {
        locked(&RUNNING).take();
        end(&self.running);
        self.show_last_lines();
    }
}

fn failed(message: String) -> WithExit {
    WithExit { exit: Exit::Partial, message }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Tells the remote end that the local one ends, and waits for it to exit.
fn end(running: &Arc<Mutex<Running>>) {
    if let Some(mut stdin) = locked(running).stdin.take() {
        // It may have ended already.
        let _ = stdin.write_all(END);
    }
    // While ssh still asks for a password, nothing can be sent. It gives the terminal back when it is signalled.
    for (signal, time) in [(None, LAST_LINES * 2), (Some(Signal::TERM), LAST_LINES), (Some(Signal::KILL), LAST_LINES)] {
        if let Some(signal) = signal {
            let process = i32::try_from(locked(running).child.id()).ok().and_then(Pid::from_raw);
            process.map(|process| kill_process(process, signal));
        }
        if wait(running, time).is_some() {
            return;
        }
    }
}

/// Waits for ssh to exit, for at most `time`.
fn wait(running: &Arc<Mutex<Running>>, time: Duration) -> Option<ExitStatus> {
    let until = Instant::now() + time;
    loop {
        match locked(running).child.try_wait() {
            Ok(None) if Instant::now() < until => {}
            ended => return ended.ok().flatten(),
        }
        thread::sleep(PAUSE);
    }
}

/// A terminal sends Ctrl-C to ssh, too, which would end before it could carry a word. It must stay in the terminal's
/// group, where it may ask for a password.
fn ignore_interrupts(command: &mut Command) {
    // SAFETY: between fork and exec the closure makes one system call and touches no memory that another thread may
    // have locked.
    unsafe {
        command.pre_exec(|| match libc::signal(libc::SIGINT, libc::SIG_IGN) {
            libc::SIG_ERR => Err(io::Error::last_os_error()),
            _ => Ok(()),
        });
    }
}
