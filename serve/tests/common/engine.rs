//! Databases for tests: a file of SQLite, and a PostgreSQL that is started for these tests and ends with them.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

/// A database of a test's own.
pub struct Engine {
    pub name: &'static str,
    pub url: String,
    _folder: Option<tempfile::TempDir>,
}

impl Engine {
    /// One that is somewhere else.
    pub fn of(url: String) -> Self {
        Self { name: "SQLite", url, _folder: None }
    }
}

/// Does the same with each engine that is here; PostgreSQL is skipped, aloud, where it is not installed.
pub fn each(test: impl Fn(&Engine)) {
    test(&sqlite());
    match postgres() {
        Ok(engine) => test(&engine),
        Err(why) => println!("skipped: {why}"),
    }
}

pub fn sqlite() -> Engine {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}?mode=rwc", folder.path().join("team.db").display());
    Engine { name: "SQLite", url, _folder: Some(folder) }
}

/// An empty database of the PostgreSQL of these tests.
pub fn postgres() -> Result<Engine, &'static str> {
    static CLUSTER: OnceLock<Result<Cluster, &'static str>> = OnceLock::new();
    let cluster = CLUSTER.get_or_init(Cluster::start).as_ref().map_err(|why| *why)?;
    Ok(cluster.database(&[]))
}

/// PostgreSQL's own name for its user; as root it refuses to run.
const USER: &str = "postgres";

/// A PostgreSQL.
pub struct Cluster {
    programs: PathBuf,
    folder: PathBuf,
    /// Whose end ends the server, one for each time that it was started.
    stdins: Vec<ChildStdin>,
}

impl Cluster {
    pub fn start() -> Result<Self, &'static str> {
        let versions =
            fs::read_dir("/usr/lib/postgresql").map_err(|_| "PostgreSQL is not installed: install postgresql-15")?;
        let programs =
            versions.filter_map(|entry| Some(entry.ok()?.path().join("bin"))).find(|bin| bin.join("postgres").exists());
        let programs = programs.ok_or("PostgreSQL's server is not installed: install postgresql-15")?;
        let folder = tempfile::tempdir().unwrap().keep();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
        if is_root() {
            let user = id("-u").ok_or("there is no user postgres, which PostgreSQL's package makes")?;
            chown(&folder, Some(user), id("-g")).unwrap();
        }
        let mut cluster = Self { programs, folder, stdins: Vec::new() };
        let data = cluster.folder.join("data");
        let made = cluster
            .tool("initdb")
            .args(["--no-sync", "-A", "trust", "-U", USER, "-D"])
            .arg(&data)
            .stdout(Stdio::null())
            .status();
        assert!(made.unwrap().success(), "initdb failed");
        cluster.again();
        Ok(cluster)
    }

    /// An empty database, made with these words for `createdb`.
    pub fn database(&self, words: &[&str]) -> Engine {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let name = format!("team{}", NUMBER.fetch_add(1, Ordering::Relaxed));
        let mut made = self.tool("createdb");
        made.arg("-h").arg(&self.folder).args(["-U", USER]).args(words).arg(&name);
        assert!(made.status().unwrap().success(), "createdb failed");
        let url = format!("postgres://{USER}@localhost/{name}?host={}", self.folder.display());
        Engine { name: "PostgreSQL", url, _folder: None }
    }

    /// Starts it, also after [`Self::kill`].
    pub fn again(&mut self) {
        let stdin = self.serve(&self.folder.join("data"));
        self.stdins.push(stdin);
    }

    /// Kills its server and all processes of that, which would outlive it for a moment.
    pub fn kill(&self) {
        let file = fs::read_to_string(self.folder.join("data/postmaster.pid")).unwrap();
        let server = file.lines().next().unwrap().trim();
        let children = text(Command::new("ps").args(["--ppid", server, "-o", "pid="]));
        for pid in [server].into_iter().chain(children.split_whitespace()) {
            let _ = Command::new("kill").args(["-9", pid]).stderr(Stdio::null()).status();
        }
        let is_there = |pid: &str| {
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            stat.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with('Z'))
        };
        while [server].into_iter().chain(children.split_whitespace()).any(is_there) {
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// A statement of its superuser.
    pub fn sql(&self, statement: &str) {
        let mut asked = self.tool("psql");
        asked.arg("-h").arg(&self.folder).args(["-U", USER, "-Atqc", statement, "postgres"]);
        let output = asked.output().unwrap();
        assert!(output.status.success(), "{statement}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// Starts the server below a shell that ends it, and removes its folder, when this process ends: then its standard input does. A
    /// server that is killed is waited for there: PostgreSQL takes its process, dead or not, for one that still runs.
    fn serve(&self, data: &Path) -> ChildStdin {
        let mut server = self.tool("postgres");
        server
            .arg("-D")
            .arg(data)
            .args(["-c", "listen_addresses=", "-c", "fsync=off", "-c", "shared_buffers=32MB", "-k"]);
        server.arg(&self.folder);
        let script = r#"
            folder=$1; shift; exec 3<&0
            "$@" </dev/null 3<&- & server=$!
            { read -r _ <&3; kill -INT "$server"; } & reader=$!
            wait "$server"
            kill "$reader" 2>/dev/null
            read -r _ <&3
            rm -rf "$folder""#;
        let mut shell = Command::new("sh");
        shell.args(["-c", script, "sh"]).arg(&self.folder).arg(server.get_program()).args(server.get_args());
        shell.current_dir("/").stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let stdin = shell.spawn().unwrap().stdin.take().unwrap();
        let is_ready = || self.tool("pg_isready").arg("-q").arg("-h").arg(&self.folder).status().unwrap().success();
        while !is_ready() {
            thread::sleep(Duration::from_millis(50));
        }
        stdin
    }

    /// The numbers of the user that it runs as, and of the group, where that is not this user.
    pub fn user(&self) -> Option<[String; 2]> {
        is_root().then(|| ["-u", "-g"].map(|what| id(what).unwrap().to_string()))
    }

    /// A program of PostgreSQL as its user.
    fn tool(&self, name: &str) -> Command {
        let mut command = Command::new("env");
        if is_root() {
            command = Command::new("setpriv");
            command.args(["--reuid", USER, "--regid", USER, "--clear-groups"]);
        }
        command.arg(self.programs.join(name)).current_dir("/").stdin(Stdio::null());
        command
    }
}

/// A number of PostgreSQL's user.
fn id(what: &str) -> Option<u32> {
    text(Command::new("id").args([what, USER])).trim().parse().ok()
}

fn is_root() -> bool {
    text(Command::new("id").arg("-u")).trim() == "0"
}

fn text(command: &mut Command) -> String {
    String::from_utf8(command.output().unwrap().stdout).unwrap()
}
