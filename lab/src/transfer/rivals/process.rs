//! Starting other programs: their paths, their ports, and their ends.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// The path of a program, even if its folder is only in root's PATH.
pub fn installed(program: &str) -> Result<String> {
    let path = std::env::var("PATH").unwrap_or_default();
    let folders = path.split(':').chain(["/usr/sbin", "/usr/local/sbin"]);
    let found = folders.map(|folder| format!("{folder}/{program}")).find(|file| Path::new(file).is_file());
    found.with_context(|| format!("{program} is not installed"))
}

/// Runs a command that must succeed.
pub fn done(command: &mut Command) -> Result<()> {
    let output = command.stdin(Stdio::null()).output()?;
    if !output.status.success() {
        bail!("{:?} failed: {}", command.get_program(), String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(())
}

/// A port of this machine on which nothing listens now.
pub fn free_port() -> Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

/// Waits until a program listens there, without connecting: some programs accept one connection only.
pub fn wait_for(port: u16) -> Result<()> {
    let began = Instant::now();
    let wanted = format!("0100007F:{port:04X}");
    while began.elapsed() < Duration::from_secs(10) {
        let table = fs::read_to_string("/proc/net/tcp").unwrap_or_default();
        if table.lines().any(|line| line.contains(&wanted) && line.contains(" 0A ")) {
            return Ok(());
        }
        thread::sleep(Duration::from_millis(5));
    }
    bail!("nothing listens on port {port} after ten seconds")
}

/// A child that is killed when dropped.
pub struct Running(pub Child);

impl Running {
    /// Waits for its end, which must be a success.
    pub fn ended(mut self) -> Result<()> {
        let status = self.0.wait()?;
        if status.success() { Ok(()) } else { bail!("a receiving process ended with {status}") }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
