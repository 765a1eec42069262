//! What surrounds the server fails: its disk, its database, its clock, a reader. Those who push get one line with the remedy, their runs
//! wait, and go in when it is mended.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};

use sqlx::{AnyConnection, Connection, Executor};

use crate::common::engine::{Cluster, Engine, each, sqlite};
use crate::common::sender::Sender;
use crate::common::{Server, agent, export, program, run, token};

/// Bytes of a small disk for what this server writes, and for a database of PostgreSQL, which begins with 8 MB.
const DISK: usize = 8 << 20;
const DISK_OF_POSTGRES: usize = 32 << 20;

/// A push that must leave its run in the queue, and the one line that it says of the server.
fn waits(sender: &Sender, words: &[&str], remedy: &str) {
    let (code, said) = sender.push(words);
    assert_eq!(code, Some(5), "{said}");
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 2, "{said}");
    assert!(lines[0].contains(remedy), "{said}");
    assert!(lines[1].contains("`ciphermeter push` sends what waits"), "{said}");
}

fn arrives(sender: &Sender, server: &Server, runs: usize) {
    let (code, said) = sender.push(&[]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(sender.waiting(), Vec::<PathBuf>::new());
    assert_eq!(server.count(), runs);
}

/// A small disk of this user's, or of another one's by the numbers of user and group, in a mount namespace of its own, which goes with its process.
struct SmallDisk {
    keeper: Child,
    _stdin: ChildStdin,
    folder: tempfile::TempDir,
}

impl SmallDisk {
    fn new(bytes: usize, owner: Option<[String; 2]>) -> Result<Self, &'static str> {
        let folder = tempfile::tempdir().unwrap();
        let [user, group] = owner.unwrap_or(["0", "0"].map(String::from));
        let options = format!("size={bytes},mode=0700,uid={user},gid={group}");
        // The process that keeps it is its owner's, too, so that its owner may look into its namespace.
        let script = r#"mount -t tmpfs -o "$1" none "$2" && exec setpriv --reuid "$3" --regid "$4" --clear-groups sh -c 'echo mounted && read -r _'"#;
        let mut keeper = Command::new("unshare");
        keeper.args(["--mount", "sh", "-c", script, "sh", &options]).arg(folder.path()).args([user, group]);
        let keeper = keeper.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut keeper = keeper.map_err(|_| "there is no unshare, which util-linux has")?;
        let stdin = keeper.stdin.take().unwrap();
        let mut said = [0; 7];
        if keeper.stdout.take().unwrap().read_exact(&mut said).is_err() {
            let _ = keeper.wait();
            return Err("only root can make a small disk");
        }
        Ok(Self { keeper, _stdin: stdin, folder })
    }

    /// The same folder, as those outside of its namespace reach it.
    fn path(&self) -> PathBuf {
        let folder = self.folder.path().strip_prefix("/").unwrap();
        Path::new("/proc").join(self.keeper.id().to_string()).join("root").join(folder)
    }

    /// Leaves about so many bytes free.
    fn fill(&self, free: usize) {
        let mut ballast = fs::File::create(self.path().join("ballast")).unwrap();
        while ballast.write_all(&[1; 4096]).is_ok() {}
        let length = ballast.metadata().unwrap().len();
        ballast.set_len(length - free as u64).unwrap();
    }

    fn make_room(&self) {
        fs::remove_file(self.path().join("ballast")).unwrap();
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = self.keeper.kill();
        let _ = self.keeper.wait();
    }
}

#[test]
#[ignore = "deep: a full disk"]
fn full_disk_of_sqlite_is_said_and_the_run_waits() {
    let disk = match SmallDisk::new(DISK, None) {
        Ok(disk) => disk,
        Err(why) => return println!("skipped: {why}"),
    };
    // SQLite looks for the file's real path, which only those within the namespace find.
    let home = tempfile::tempdir().unwrap();
    let inside = program(home.path());
    let mut command = Command::new("nsenter");
    command.args(["--target", &disk.keeper.id().to_string(), "--mount", "--"]).arg(inside.get_program());
    command.env("HOME", home.path()).stdin(Stdio::null());
    let url = format!("sqlite:{}", disk.folder.path().join("team.db").display());
    let server = Server::started(command, home, &Engine::of(url), &[]);
    full(&disk, &server);
}

#[test]
#[ignore = "deep: a full disk"]
fn full_disk_of_postgres_is_said_and_the_run_waits() {
    let cluster = match Cluster::start() {
        Ok(cluster) => cluster,
        Err(why) => return println!("skipped: {why}"),
    };
    let disk = match SmallDisk::new(DISK_OF_POSTGRES, cluster.user()) {
        Ok(disk) => disk,
        Err(why) => return println!("skipped: {why}"),
    };
    cluster.sql(&format!("CREATE TABLESPACE small LOCATION '{}'", disk.path().display()));
    let server = Server::start(&cluster.database(&["--tablespace", "small"]), &[]);
    full(&disk, &server);
}

/// A run goes in, the disk fills up, the next run waits, and goes in when there is room.
fn full(disk: &SmallDisk, server: &Server) {
    let mut sender = Sender::new();
    let first = sender.measure().to_string();
    assert_eq!(sender.push(&[&first, "--to", &server.url]).0, Some(0));
    disk.fill(16 << 10);
    // What lies on the disk already has room for some.
    let mut stored = 1;
    let said = loop {
        let next = sender.measure().to_string();
        let (code, said) = sender.push(&[&next, "--to", &server.url]);
        match code {
            Some(0) => stored += 1,
            _ => break said,
        }
        assert!(stored < 1000, "the disk is never full");
    };
    assert!(said.contains("the disk of the server's database is full: make room there"), "{said}");
    assert_eq!((said.lines().count(), sender.waiting().len()), (2, 1), "{said}");
    assert_eq!(server.count(), stored, "what is there is still read");
    disk.make_room();
    arrives(&sender, server, stored + 1);
}

#[test]
#[ignore = "deep: a full disk"]
fn full_disk_of_the_client_is_said_and_nothing_is_left_on_it() {
    let disk = match SmallDisk::new(DISK, None) {
        Ok(disk) => disk,
        Err(why) => return println!("skipped: {why}"),
    };
    let engine = sqlite();
    let server = Server::start(&engine, &[]);
    let mut sender = Sender::in_folder(tempfile::tempdir_in(disk.path()).unwrap());
    let one = sender.measure().to_string();
    disk.fill(32 << 10);
    let (code, said) = sender.push(&[&one, "--to", &server.url]);
    assert!(code != Some(0) && said.lines().count() == 1, "{code:?} {said}");
    assert!(said.contains("No space left") && said.contains("still in the store"), "{said}");
    assert_eq!(sender.waiting(), Vec::<PathBuf>::new());
    disk.make_room();
    assert_eq!(sender.push(&[&one, "--to", &server.url]).0, Some(0));
}

#[test]
#[ignore = "deep: PostgreSQL is killed and comes back"]
fn database_that_was_away_is_used_again() {
    let mut cluster = match Cluster::start() {
        Ok(cluster) => cluster,
        Err(why) => return println!("skipped: {why}"),
    };
    let server = Server::start(&cluster.database(&[]), &[]);
    let mut sender = Sender::new();
    for round in 1..=3 {
        cluster.kill();
        let one = sender.measure().to_string();
        waits(&sender, &[&one, "--to", &server.url], "the server's database does not answer: start it");
        let away = server.get("/api/runs");
        assert_eq!(away.status(), 503, "a reader gets an answer, too");
        cluster.again();
        arrives(&sender, &server, round);
    }
}

#[test]
#[ignore = "deep: waits as long as the server does"]
fn locked_database_is_said_and_the_run_waits() {
    let engine = sqlite();
    let server = Server::start(&engine, &[]);
    let mut sender = Sender::new();
    let one = sender.measure().to_string();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    sqlx::any::install_default_drivers();
    let mut other = runtime.block_on(AnyConnection::connect(&engine.url)).unwrap();
    runtime.block_on(other.execute("BEGIN IMMEDIATE")).unwrap();
    waits(&sender, &[&one, "--to", &server.url], "another program keeps the server's database locked: end it");
    assert_eq!(server.count(), 0, "readers wait for nobody");
    runtime.block_on(other.execute("COMMIT")).unwrap();
    arrives(&sender, &server, 1);
}

#[test]
#[ignore = "deep: needs fault points"]
fn run_of_the_servers_future_waits_until_its_clock_is_right() {
    each(|engine| {
        let mut sender = Sender::new();
        let one = sender.measure().to_string();
        // The server's clock is a year behind: to it, every run is from the future.
        let slow = Server::with(engine, &[], &[("CIPHERMETER_FAULT_CLOCK", "-31536000")]);
        waits(&sender, &[&one, "--to", &slow.url], "which is in the future; set the clock");
        slow.kill();
        let server = Server::start(engine, &[]);
        assert_eq!(
            sender.push(&[&one, "--to", &server.url]).0,
            Some(0),
            "what waits for the old address is not this one's"
        );
        assert_eq!(server.count(), 1);
    });
}

#[test]
#[ignore = "deep: needs fault points"]
fn clock_that_is_ahead_removes_no_run_and_ends_no_token_for_good() {
    each(|engine| {
        let token = format!("Bearer {}", token(engine, &["me", "--scope", "admin", "--expires", "30"]));
        let server = Server::start(engine, &["--behind-proxy"]);
        let push = agent().post(format!("{}/api/runs", server.url)).header("authorization", &token);
        assert_eq!(push.send(&export(&run("2026-11-21T12:00:00Z"))[..]).unwrap().status(), 201);
        server.kill();
        let asked = |server: &Server| {
            let request = agent().get(format!("{}/api/runs", server.url)).header("authorization", &token);
            let mut answer = request.call().unwrap();
            (answer.status().as_u16(), answer.body_mut().read_to_string().unwrap())
        };
        // A hundred years ahead, with `--retain`.
        let ahead =
            Server::with(engine, &["--behind-proxy", "--retain", "365"], &[("CIPHERMETER_FAULT_CLOCK", "3155760000")]);
        assert_eq!(asked(&ahead).0, 401, "the token has expired by that clock");
        ahead.kill();
        let server = Server::start(engine, &["--behind-proxy"]);
        let (status, runs) = asked(&server);
        assert!(status == 200 && runs.contains("2026-11-21T12:00:00Z"), "{status} {runs}");
    });
}

#[test]
#[ignore = "deep: waits until the kernel gives a reader up"]
fn readers_that_do_not_read_keep_nobody_waiting_and_are_closed() {
    let engine = sqlite();
    let server = Server::start(&engine, &[]);
    // Ten thousand notes: more than a connection's buffers hold.
    let mut long = run("2026-11-21T12:00:00Z");
    let copies: Vec<_> = (0..60).flat_map(|_| long.1[0].forks.clone()).collect();
    long.1[0].forks = copies;
    for (number, fork) in (0..).zip(&mut long.1[0].forks) {
        fork.number = number;
    }
    let (status, taken) = server.push("?machine=a", &export(&long));
    assert_eq!(status, 201, "{taken}");
    let path = format!("/api/runs/{}/export", taken["run"].as_str().unwrap());
    let length = server.get(&path).body_mut().read_to_vec().unwrap().len();
    let address = server.url.trim_start_matches("http://").to_owned();
    let slow: Vec<TcpStream> = (0..40)
        .map(|_| {
            let mut stream = TcpStream::connect(&address).unwrap();
            rustix::net::sockopt::set_socket_recv_buffer_size(&stream, 4096).unwrap();
            write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n").unwrap();
            stream
        })
        .collect();
    for second in 0..20 {
        assert_eq!(server.push("?machine=b", &export(&run(&format!("2026-11-22T12:00:{second:02}Z")))).0, 201);
        assert_eq!(server.get("/").status(), 200);
    }
    // The kernel closes them after the server's patience, so that what they get ends early.
    std::thread::sleep(std::time::Duration::from_secs(90));
    for mut stream in slow {
        let mut got = Vec::new();
        let ended = stream.read_to_end(&mut got);
        assert!(ended.is_err() || got.len() < length, "{} of {length} bytes came", got.len());
    }
    assert_eq!(server.count(), 21);
}
