//! Another ciphermeter that a user names, asked what it is and which providers are built into it. Whatever it does instead of answering, it
//! is ended in time, and no more than so many bytes of it are kept.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use ciphermeter_core::{Bytes, Seconds, quoted_path};

/// How a ciphermeter begins what it says of its version.
const VERSION: &[u8] = b"ciphermeter ";
/// How long a program has to say its version.
const ASKED: Duration = Duration::from_secs(20);
/// The most bytes of a list of providers.
const MOST_LISTED: u64 = 64 << 10;

/// Whether a program says that it is a ciphermeter: it is ended after its first bytes, whatever else it would do.
pub fn is_ciphermeter(program: &Path) -> bool {
    let Ok(mut child) = started(program, &["--version"]) else { return false };
    let begin = printed(&mut child, VERSION.len() as u64, ASKED);
    end(&mut child);
    begin.is_some_and(|begin| begin == VERSION)
}

/// The built-in providers of another ciphermeter, which has so long to list them.
pub fn providers(binary: &Path, patience: Duration) -> Result<Vec<String>> {
    const LIST: [&str; 3] = ["worker", "native", "--list"];
    let (shown, began) = (quoted_path(binary), Instant::now());
    let mut child = started(binary, &LIST).with_context(|| format!("{shown} did not start"))?;
    let list = printed(&mut child, MOST_LISTED, patience);
    // One that prints more, or prints on, would wait for a reader that has gone.
    let is_whole = list.as_ref().is_some_and(|list| (list.len() as u64) < MOST_LISTED);
    let status = is_whole.then(|| status(&mut child, patience.saturating_sub(began.elapsed()))).flatten();
    end(&mut child);
    let see = format!("run `{shown} {}` to see why, or give another ciphermeter", LIST.join(" "));
    match (list, status) {
        (Some(_), None) if !is_whole => bail!("{shown} lists more than {} of providers; {see}", Bytes(MOST_LISTED)),
        (Some(list), Some(status)) if status.success() && list.trim_ascii().is_empty() => {
            bail!("{shown} lists no provider; {see}")
        }
        (Some(list), Some(status)) if status.success() => {
            Ok(String::from_utf8_lossy(&list).lines().map(String::from).collect())
        }
        (_, Some(status)) => bail!("{shown} did not list its providers, and ended with {status}; {see}"),
        _ => bail!("{shown} did not list its providers within {}; {see}", Seconds(patience.as_secs_f64())),
    }
}

fn started(program: &Path, arguments: &[&str]) -> std::io::Result<Child> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()
}

/// What a program prints, at most so many bytes of it; `None` where neither these nor its end come in time.
fn printed(child: &mut Child, most: u64, patience: Duration) -> Option<Vec<u8>> {
    let out = child.stdout.take()?;
    let (sender, printed) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = out.take(most).read_to_end(&mut bytes);
        let _ = sender.send(read.is_ok().then_some(bytes));
    });
    printed.recv_timeout(patience).ok().flatten()
}

/// How it ended, if it does in time.
fn status(child: &mut Child, patience: Duration) -> Option<ExitStatus> {
    let began = Instant::now();
    loop {
        match child.try_wait() {
            Ok(None) if began.elapsed() < patience => thread::sleep(Duration::from_millis(5)),
            ended => return ended.ok().flatten(),
        }
    }
}

fn end(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::PathBuf;

    use super::*;

    fn program(folder: &tempfile::TempDir, name: &str, text: &str) -> PathBuf {
        let file = folder.path().join(name);
        fs::write(&file, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        file
    }

    #[test]
    fn program_that_talks_without_end_is_no_ciphermeter() {
        let folder = tempfile::tempdir().unwrap();
        let program = |name: &str, text: &str| program(&folder, name, text);
        assert!(!is_ciphermeter(&program("talks", "exec yes ciphermeters")));
        assert!(!is_ciphermeter(&program("silent", "exec sleep 0")));
        assert!(is_ciphermeter(&program("ours", "echo ciphermeter 0.1.0; exec sleep 600")));
        assert!(!is_ciphermeter(folder.path()));
    }

    #[test]
    fn list_of_another_ciphermeter_is_bounded_in_time_and_size() {
        let folder = tempfile::tempdir().unwrap();
        let hour = Duration::from_secs(3600);
        let asked = |name: &str, text: &str, patience| providers(&program(&folder, name, text), patience);
        assert_eq!(asked("lists", "echo ceiling; echo ring", hour).unwrap(), ["ceiling", "ring"]);
        for (name, text, patience, why) in [
            ("fails", "echo ring; exit 7", hour, "did not list its providers, and ended with exit status: 7; run `"),
            ("empty", "exit 0", hour, "lists no provider; run `"),
            ("talks", "exec yes ring", hour, "lists more than 64KiB of providers; run `"),
            ("silent", "exec sleep 600", Duration::ZERO, "did not list its providers within 0s; run `"),
            ("stays", "echo ring; exec sleep 600 >&-", Duration::from_secs(1), "within 1s; run `"),
        ] {
            let error = asked(name, text, patience).unwrap_err().to_string();
            assert!(error.contains(why) && error.ends_with("give another ciphermeter"), "{error}");
        }
    }
}
