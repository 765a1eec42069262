//! `ssh … cat`, with a separate server that offers one cipher.

use std::fs;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Result, bail};

use super::process::{Running, done, free_port, installed, wait_for};
use crate::transfer::mover::{Mover, To, Took};
use crate::transfer::place::Place;

/// With one cipher.
pub struct Ssh {
    program: String,
    cipher: &'static str,
    port: u16,
    _server: Running,
}

impl Ssh {
    pub fn new(place: &Place, cipher: &'static str) -> Result<Self> {
        let (program, server) = (installed("ssh")?, installed("sshd")?);
        let (host, user) = (place.path("ssh.host"), place.path("ssh.user"));
        for key in [&host, &user] {
            if !key.exists() {
                done(Command::new(installed("ssh-keygen")?).args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(key))?;
            }
        }
        let port = free_port()?;
        let config = place.path(&format!("sshd.{port}"));
        let text = format!(
            "ListenAddress 127.0.0.1:{port}\nHostKey {}\nAuthorizedKeysFile {}.pub\nPidFile none\nStrictModes no\nUsePAM no\nCiphers {cipher}\n",
            host.display(),
            user.display()
        );
        fs::write(&config, text)?;
        done(Command::new(&server).args(["-t", "-f"]).arg(&config))?;
        let mut command = Command::new(server);
        let server = Running(command.args(["-D", "-f"]).arg(&config).stderr(Stdio::null()).spawn()?);
        wait_for(port)?;
        Ok(Self { program, cipher, port, _server: server })
    }
}

impl Mover for Ssh {
    fn move_file(&mut self, place: &Place, to: To) -> Result<Took> {
        let sink = match to {
            To::Nowhere => "/dev/null".to_owned(),
            To::File => place.into().join("big").display().to_string(),
        };
        let mut command = Command::new(&self.program);
        command.args(["-F", "none", "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null"]);
        command.args(["-o", "LogLevel=ERROR", "-o", "IdentitiesOnly=yes", "-i"]).arg(place.path("ssh.user"));
        command.args(["-c", self.cipher, "-p", &self.port.to_string(), "127.0.0.1", &format!("cat > '{sink}'")]);
        command.stdin(fs::File::open(&place.file)?);
        let began = Instant::now();
        let output = command.output()?;
        if !output.status.success() {
            bail!("ssh failed: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
        Ok(began.elapsed().into())
    }
}
