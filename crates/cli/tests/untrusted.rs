//! What a folder from elsewhere, or another user of this machine, must not bring about: a file that is written, read or run, or a
//! command that never ends.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use crate::common::{BINARY, CommandOutput, TestFolder, after, helps, refuses};

/// A folder's configuration.
const HERE: &str = "ciphermeter.toml";

fn pipe(path: &Path) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    assert!(Command::new("mkfifo").arg(path).status().is_ok_and(|status| status.success()));
}

/// In a folder where the store and the workers are those of the XDG folders.
fn bare(folder: &TestFolder, arguments: &[&str]) -> Command {
    let mut command = folder.ciphermeter(arguments);
    command.env_remove("CIPHERMETER_STORE").env_remove("CIPHERMETER_WORKERS");
    command
}

/// A command's output, ended after two minutes.
fn say(command: Command) -> CommandOutput {
    let output = assert_cmd::Command::from_std(command).timeout(std::time::Duration::from_secs(120)).output();
    CommandOutput::of(output.expect("it ends"))
}

#[test]
fn folders_configuration_names_no_file_to_write() {
    let folder = TestFolder::new();
    folder.write("victim/Cargo.lock", "mine");
    folder.write("mine.toml", "mine");
    folder.write(HERE, "budget = \"1s\"\nstore = \"victim/Cargo\"\n");
    for arguments in [&["run", "tiny.toml"][..], &["list"], &["doctor"]] {
        refuses(
            &say(bare(&folder, arguments)),
            &["./ciphermeter.toml, line 2: `store` names a file to write", "remove the line", "CIPHERMETER_STORE"],
        );
    }
    assert_eq!(fs::read_to_string(folder.path("victim/Cargo.lock")).expect("a file"), "mine");
    assert_eq!(fs::read_dir(folder.path("victim")).expect("a folder").count(), 1);
}

#[test]
fn folders_configuration_reads_nothing_beyond_the_folder() {
    let folder = TestFolder::new();
    let inner = folder.path("inner");
    fs::create_dir(&inner).expect("a folder");
    symlink("../tiny.toml", inner.join("link.toml")).expect("a link");
    fs::copy(folder.path("tiny.toml"), inner.join("own.toml")).expect("a copy");
    let listed = |text: &str| {
        fs::write(inner.join(HERE), text).expect("a file");
        let mut command = bare(&folder, &["run", "--help"]);
        command.current_dir(&inner);
        let help = say(command);
        let mut command = bare(&folder, &["list", "scenarios"]);
        command.current_dir(&inner);
        (say(command), help)
    };
    let whole = folder.path("tiny.toml").display().to_string();
    for name in ["../tiny.toml", "./link.toml", "link.toml", "/proc/self/environ", "none/../../x.toml", &whole] {
        let (said, _) = listed(&format!("scenario = \"{name}\""));
        refuses(
            &said,
            &["line 1: `scenario` leads out of the current folder", "remove the line", "`ciphermeter run FILE`"],
        );
    }
    for name in ["tls", "./own.toml", "own.toml", "./later.toml"] {
        let (said, help) = listed(&format!("scenario = \"{name}\""));
        assert_eq!(said.code, Some(0), "{said:?}");
        assert!(help.out.split_whitespace().collect::<Vec<_>>().join(" ").contains(&format!("[default: {name}]")));
    }
    fs::remove_file(inner.join(HERE)).expect("removed");
    symlink("../tiny.toml", inner.join(HERE)).expect("a link");
    let mut command = bare(&folder, &["list", "scenarios"]);
    command.current_dir(&inner);
    refuses(&say(command), &["./ciphermeter.toml: it is a link that leads out of the current folder"]);
}

#[test]
fn lock_of_a_store_is_neither_followed_nor_emptied() {
    let folder = TestFolder::new();
    folder.write("thesis.txt", "mine");
    let lock = folder.path("runs.db.lock");
    let plants: [&dyn Fn(); 2] = [&|| symlink("thesis.txt", &lock).expect("a link"), &|| pipe(&lock)];
    for plant in plants {
        plant();
        let refused = folder.run(&["run", "tiny.toml"]);
        refuses(
            &refused,
            &["cannot lock", "runs.db.lock", "once no program uses the store", "another file with --store"],
        );
        assert_eq!(fs::read_to_string(folder.path("thesis.txt")).expect("a file"), "mine");
        helps(&refused);
        assert!(lock.symlink_metadata().is_err(), "{refused:?}");
    }
    folder.write("runs.db.lock", "mine");
    assert_eq!(folder.run(&["run", "tiny.toml", "--quiet"]).code, Some(0));
    assert_eq!(fs::read_to_string(folder.path("runs.db.lock")).expect("a file"), "mine");
}

#[test]
fn pipe_in_a_files_place_is_never_waited_for() {
    let folder = TestFolder::with_runs();
    pipe(&folder.path("pipe.toml"));
    pipe(&folder.path("other.db.lock"));
    fs::copy(folder.path("runs.db"), folder.path("other.db")).expect("a copy");
    for (arguments, words) in [
        (&["run", "./pipe.toml"][..], "cannot read the scenario ./pipe.toml"),
        (&["study", "show", "./pipe.toml"], "cannot read the study ./pipe.toml"),
        (&["advise", "--mix", "@pipe.toml"], "--mix: cannot read pipe.toml"),
        (&["run", "tiny.toml", "--store", "other.db"], "cannot lock"),
        (&["list", "--store", "pipe.toml"], "cannot open the store"),
        (&["report", "pipe.toml"], "cannot open the store"),
    ] {
        refuses(&folder.run(arguments), &[words]);
    }
    // Whether a run is being measured is asked for where it may be.
    for command in ["show", "export"] {
        assert_eq!(folder.run(&[command, "--store", "other.db"]).code, Some(0), "{command}");
    }
    for file in [HERE, "config/ciphermeter/config.toml"] {
        pipe(&folder.path(file));
        refuses(&folder.run(&["list"]), &["cannot read", file, "it is not a regular file"]);
        fs::remove_file(folder.path(file)).expect("removed");
    }
}

#[test]
fn configuration_that_others_may_write_is_accepted_after_its_remedy() {
    let folder = TestFolder::with_runs();
    folder.write("config/ciphermeter/config.toml", "quiet = true\n");
    for (path, mode) in [("config/ciphermeter", 0o775), ("config/ciphermeter/config.toml", 0o664)] {
        fs::set_permissions(folder.path(path), Permissions::from_mode(mode)).expect("its mode");
    }
    let refused = folder.run(&["list"]);
    refuses(&refused, &["other users may write"]);
    helps(&refused);
    assert_eq!(folder.run(&["list"]).code, Some(0), "{refused:?}");
}

/// What a binary says to the command, with a umask that lets everybody write.
fn open_to_all(binary: &Path, command: &Command) -> CommandOutput {
    say(after("umask 0", binary, command))
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())).mode() & 0o777
}

#[test]
fn xdg_folders_are_the_users_alone_whatever_the_umask_is() {
    let folder = TestFolder::new();
    let run = ["run", "tiny.toml", "--quiet"];
    assert_eq!(open_to_all(BINARY.as_ref(), &bare(&folder, &run)).code, Some(0));
    let data = folder.path("data/ciphermeter");
    let files = ["runs.db", "runs.db.lock"].map(|name| data.join(name));
    assert_eq!((mode(&data), mode(&files[0]), mode(&files[1])), (0o700, 0o600, 0o600));
    // A store that is named is the umask's.
    let named = ["run", "tiny.toml", "--quiet", "--store", "shared/runs.db"];
    assert_eq!(open_to_all(BINARY.as_ref(), &bare(&folder, &named)).code, Some(0));
    let shared = ["shared", "shared/runs.db", "shared/runs.db.lock"].map(|name| mode(&folder.path(name)));
    assert_eq!(shared, [0o777, 0o666, 0o666]);

    fs::set_permissions(&data, Permissions::from_mode(0o777)).expect("its mode");
    assert_eq!(say(bare(&folder, &["list"])).code, Some(0));
    assert_eq!(mode(&data), 0o700, "whoever made it");
    for file in ["runs.db", "runs.db-journal", "runs.db.lock"] {
        let file = data.join(file);
        fs::OpenOptions::new().create(true).append(true).open(&file).expect("a file");
        fs::set_permissions(&file, Permissions::from_mode(0o666)).expect("its mode");
        for arguments in [&["list"][..], &run] {
            refuses(&say(bare(&folder, arguments)), &["other users may write", "chmod -R go-w", "--store"]);
        }
        fs::set_permissions(&file, Permissions::from_mode(0o600)).expect("its mode");
    }
    fs::remove_file(data.join("runs.db-journal")).expect("removed");
    // Around it, anybody could put another folder in its place.
    fs::set_permissions(folder.path("data"), Permissions::from_mode(0o777)).expect("its mode");
    refuses(&say(bare(&folder, &["list"])), &["cannot trust", "other users may write"]);
}

#[test]
fn options_and_workers_that_others_may_write_are_not_used() {
    let folder = TestFolder::new();
    let own = "config/ciphermeter/config.toml";
    folder.write(own, "budget = \"1s\"");
    let manifest = "data/ciphermeter/workers/snake/worker.toml";
    folder.write(manifest, SNAKE);
    folder.write("data/ciphermeter/workers/snake/out/built", "");
    assert_eq!(say(bare(&folder, &["workers"])).code, Some(0));
    for path in [
        own,
        manifest,
        "data/ciphermeter/workers",
        "data/ciphermeter/workers/snake",
        "data/ciphermeter/workers/snake/out",
        "data/ciphermeter/workers/snake/out/built",
    ] {
        let path = folder.path(path);
        let before = mode(&path);
        fs::set_permissions(&path, Permissions::from_mode(before | 0o022)).expect("its mode");
        refuses(&say(bare(&folder, &["workers"])), &["cannot trust", "other users may write", "chmod"]);
        fs::set_permissions(&path, Permissions::from_mode(before)).expect("its mode");
    }
    assert_eq!(say(bare(&folder, &["workers"])).code, Some(0));
}

/// A manifest whose worker is built by a command, and has its toolchain.
const SNAKE: &str = "name = \"snake\"\nlanguage = \"Shell\"\nproviders = [\"snake\"]\ncheck = [\"true\"]\nneeds = \"a shell\"\n\
                     build = [\"sh\", \"-c\", \"mkdir -p out; touch out/built\"]\nbuilt = \"out/built\"\nrun = [\"./out/built\"]\n";

/// What a copy of the binary in that folder says.
fn said_by_copy(folder: &TestFolder, place: &str, arguments: &[&str]) -> CommandOutput {
    let binary = folder.path(place);
    if !binary.exists() {
        fs::create_dir_all(binary.parent().expect("a folder")).expect("a folder");
        fs::copy(BINARY, &binary).expect("a copy");
    }
    open_to_all(&binary, &bare(folder, arguments))
}

/// A worker beside the binary is a command: in a shared folder, another user may have put it there.
#[test]
fn workers_beside_the_binary_are_not_another_users() {
    let folder = TestFolder::new();
    folder.write("shared/workers/snake/worker.toml", "name = 5");
    let is_read = || said_by_copy(&folder, "shared/ciphermeter", &["workers"]).err.contains("worker.toml");
    assert!(is_read());
    fs::set_permissions(folder.path("shared/workers"), Permissions::from_mode(0o777)).expect("its mode");
    assert!(!is_read());
}

#[test]
fn copy_in_which_a_worker_is_built_is_the_users_alone() {
    let folder = TestFolder::new();
    folder.write("lib/ciphermeter/workers/snake/worker.toml", SNAKE);
    let copy = folder.path("data/ciphermeter/built/snake");
    let build = || assert_eq!(said_by_copy(&folder, "bin/ciphermeter", &["workers", "build"]).code, Some(0));
    build();
    let modes = ["..", ".", "out", "worker.toml", ".copied", "out/built"].map(|name| mode(&copy.join(name)));
    assert_eq!(modes, [0o700, 0o700, 0o700, 0o600, 0o600, 0o600]);
    // What others could write is built anew.
    fs::write(copy.join("planted"), "").expect("a file");
    build();
    assert!(copy.join("planted").exists());
    fs::set_permissions(&copy, Permissions::from_mode(0o777)).expect("its mode");
    build();
    assert!(!copy.join("planted").exists() && mode(&copy) == 0o700);
}

#[test]
fn name_of_a_store_is_a_files_name() {
    let folder = TestFolder::new();
    for name in [":memory:", "file:s.db"] {
        assert_eq!(folder.run(&["run", "tiny.toml", "--quiet", "--store", name]).code, Some(0), "{name}");
        assert!(folder.path(name).is_file());
        assert_eq!(folder.run(&["show", "1", "--store", name]).code, Some(0));
        refuses(
            &folder.run(&["run", "tiny.toml", "--store", name, "--json", &format!("./{name}")]),
            &["cannot write", "runs are kept there"],
        );
    }
    refuses(&folder.run(&["report", "file:s.db:7"]), &["there is no run 7", "file:s.db"]);
}
