//! What else moves a file over TCP here: socat with TLS 1.3, ssh with cat; and iperf3, which encrypts nothing.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use ciphermeter_core::Bytes;

use super::place::Place;
use super::{Found, Mover, Span, To, Took};

/// Those that are here.
pub fn all(place: &Place, size: Bytes, to: To) -> Vec<Found> {
    let socat = ["TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"].map(|suite| {
        let name = if suite.contains("AES") { "socat TLS 1.3 aes-256-gcm" } else { "socat TLS 1.3 chacha20-poly1305" };
        Found::new(name, Span::Processes, Socat::new(place, suite))
    });
    let ssh = ["aes256-gcm@openssh.com", "chacha20-poly1305@openssh.com"].map(|cipher| {
        let name = if cipher.starts_with("aes") { "ssh cat aes256-gcm" } else { "ssh cat chacha20-poly1305" };
        Found::new(name, Span::Processes, Ssh::new(place, cipher))
    });
    let iperf = (to == To::Nowhere).then(|| Found::new("iperf3", Span::Bytes, Iperf::new(size)));
    socat.into_iter().chain(ssh).chain(iperf).collect()
}

/// The path of a program, also where only root has it on his PATH.
fn installed(program: &str) -> Result<String> {
    let path = std::env::var("PATH").unwrap_or_default();
    let folders = path.split(':').chain(["/usr/sbin", "/usr/local/sbin"]);
    let found = folders.map(|folder| format!("{folder}/{program}")).find(|file| Path::new(file).is_file());
    found.with_context(|| format!("{program} is not installed"))
}

fn done(command: &mut Command) -> Result<()> {
    let output = command.stdin(Stdio::null()).output()?;
    if !output.status.success() {
        bail!("{:?} failed: {}", command.get_program(), String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(())
}

/// A port of this machine that nobody listens on now.
fn free_port() -> Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

/// Waits until somebody listens there, without connecting: some programs take one connection only.
fn wait_for(port: u16) -> Result<()> {
    let began = Instant::now();
    let wanted = format!("0100007F:{port:04X}");
    while began.elapsed() < Duration::from_secs(10) {
        let table = fs::read_to_string("/proc/net/tcp").unwrap_or_default();
        if table.lines().any(|line| line.contains(&wanted) && line.contains(" 0A ")) {
            return Ok(());
        }
        thread::sleep(Duration::from_millis(5));
    }
    bail!("nobody listens on port {port} after ten seconds")
}

/// A child that is ended when it is dropped.
struct Running(Child);

impl Running {
    fn ended(mut self) -> Result<()> {
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

struct Socat {
    program: String,
    suite: &'static str,
}

impl Socat {
    fn new(place: &Place, suite: &'static str) -> Result<Self> {
        let program = installed("socat")?;
        let (key, certificate, both) = (place.path("socat.key"), place.path("socat.crt"), place.path("socat.pem"));
        if !both.exists() {
            let mut openssl = Command::new(installed("openssl")?);
            openssl.args([
                "req",
                "-x509",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:P-256",
                "-nodes",
                "-days",
                "2",
            ]);
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
        // Its own buffer of 8 KiB would make it a poor rival.
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

struct Ssh {
    program: String,
    cipher: &'static str,
    port: u16,
    _server: Running,
}

impl Ssh {
    fn new(place: &Place, cipher: &'static str) -> Result<Self> {
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

struct Iperf {
    program: String,
    size: Bytes,
}

impl Iperf {
    fn new(size: Bytes) -> Result<Self> {
        Ok(Self { program: installed("iperf3")?, size })
    }
}

impl Mover for Iperf {
    /// The time that it reports itself: it waits a second before it ends.
    fn move_file(&mut self, _: &Place, _: To) -> Result<Took> {
        let port = free_port()?.to_string();
        let mut server = Command::new(&self.program);
        server.args(["-s", "-1", "-B", "127.0.0.1", "-p", &port]).stdout(Stdio::null()).stderr(Stdio::null());
        let server = Running(server.spawn()?);
        wait_for(port.parse()?)?;
        // The same write size as a full frame's.
        let length =
            (ciphermeter_transfer::CHUNK + ciphermeter_transfer::HEADER + ciphermeter_transfer::TAG).to_string();
        let mut client = Command::new(&self.program);
        client.args([
            "-c",
            "127.0.0.1",
            "-p",
            &port,
            "-n",
            &self.size.0.to_string(),
            "-l",
            &length,
            "-f",
            "k",
            "-i",
            "0",
        ]);
        let output = client.stdin(Stdio::null()).output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        // A line is `[  5]   0.00-0.21   sec   500 MBytes  19876543 Kbits/sec                  receiver`.
        let rate = text.lines().rev().find(|line| line.ends_with("receiver")).and_then(|line| {
            let words: Vec<_> = line.split_whitespace().collect();
            let unit = words.iter().position(|word| *word == "Kbits/sec")?;
            words.get(unit.checked_sub(1)?)?.parse::<f64>().ok()
        });
        let rate = rate.with_context(|| format!("iperf3 says: {}", String::from_utf8_lossy(&output.stderr).trim()))?;
        server.ended()?;
        Ok(Duration::from_secs_f64(self.size.0 as f64 * 8.0 / (rate * 1e3)).into())
    }
}
