//! socat with TLS 1.3, a process on both sides for each turn.

use std::fs;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Result, bail};

use super::process::{Running, done, free_port, installed, wait_for};
use crate::transfer::mover::{Mover, To, Took};
use crate::transfer::place::Place;

/// With one suite.
pub struct Socat {
    program: String,
    suite: &'static str,
}

impl Socat {
    pub fn new(place: &Place, suite: &'static str) -> Result<Self> {
        let program = installed("socat")?;
        let (key, certificate, both) = (place.path("socat.key"), place.path("socat.crt"), place.path("socat.pem"));
        if !both.exists() {
            let mut openssl = Command::new(installed("openssl")?);
            openssl
                .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]);
            done(openssl.args(["-subj", "/CN=localhost", "-keyout"]).arg(&key).arg("-out").arg(&certificate))?;
            fs::write(&both, [fs::read(key)?, fs::read(certificate)?].concat())?;
        }
        // It has no option for suites of TLS 1.3; the library takes them from its configuration.
        let text = format!(
            "openssl_conf = all\n[all]\nssl_conf = ssl\n[ssl]\nsystem_default = system\n[system]\nMinProtocol = TLSv1.3\nCiphersuites = {suite}\n"
        );
        fs::write(place.path(suite), text)?;
        Ok(Self { program, suite })
    }

    fn command(&self, place: &Place) -> Command {
        let mut command = Command::new(&self.program);
        // Its default buffer of 8 KiB would be an unfair handicap.
        command.env("OPENSSL_CONF", place.path(self.suite)).args(["-u", "-b", "262144"]);
        command
    }
}

impl Mover for Socat {
    fn move_file(&mut self, place: &Place, to: To) -> Result<Took> {
        let port = free_port()?;
        let pem = place.path("socat.pem");
        let listen = format!("OPENSSL-LISTEN:{port},bind=127.0.0.1,cert={},verify=0", pem.display());
        let sink = match to {
            To::Nowhere => "OPEN:/dev/null".to_owned(),
            To::File => format!("OPEN:{},creat", place.into().join("big").display()),
        };
        let receiving = Running(self.command(place).args([&listen, &sink]).stderr(Stdio::null()).spawn()?);
        wait_for(port)?;
        let began = Instant::now();
        let mut command = self.command(place);
        command.args(["-d", "-d"]).arg(format!("OPEN:{},rdonly", place.file.display()));
        let output = command.arg(format!("OPENSSL:127.0.0.1:{port},verify=0")).stdin(Stdio::null()).output()?;
        receiving.ended()?;
        let took = began.elapsed();
        let said = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() || !said.contains(self.suite) {
            bail!("socat did not use {}: {}", self.suite, said.lines().last().unwrap_or_default());
        }
        Ok(took.into())
    }
}
