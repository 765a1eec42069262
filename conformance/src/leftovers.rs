//! The files of transfers: a digest is of the file that the sample left, and no file outlives its cell or its worker.
//!
//! All files are in the worker's `TMPDIR`, which belongs to it alone.

use std::fs::{self, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::describe::Way;
use crate::digests::{digest, release};
use crate::report::{Check, ensure, failed};
use crate::suite::Suite;
use crate::transfer_cell::{SHORT, prepare, sample, stream_digest};
use crate::worker::Worker;

/// The interval between checks of what must be removed.
const LOOK: Duration = Duration::from_millis(10);

/// Every way in which a file can be left behind; two of them end their own process.
pub fn check(suite: &mut Suite, way: &Way) -> io::Result<()> {
    if way.form == "file" {
        suite.check(&way.title("the digest is of the file that is there"), |worker| of_the_file(worker, way))?;
    }
    suite.check(&way.title("release removes the files"), |worker| released(worker, way))?;
    suite.check_alone(&way.title("the end of input removes the folder"), |worker| {
        in_use(worker, way)?;
        let status = worker.finish()?;
        ensure(status.success(), || format!("expected exit code 0, got {status}"))?;
        nothing_stays(worker)
    })?;
    suite.check_alone(&way.title("a kill removes the folder"), |worker| {
        in_use(worker, way)?;
        worker.kill();
        nothing_stays(worker)
    })
}

/// Regular files below a folder, without those that disappear meanwhile.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .flat_map(|entry| match entry.file_type() {
            Ok(kind) if kind.is_dir() => files(&entry.path()),
            Ok(kind) if kind.is_file() => vec![entry.path()],
            _ => Vec::new(),
        })
        .collect()
}

/// A byte of the received file is changed: its digest must show that.
fn of_the_file(worker: &mut Worker, way: &Way) -> Check {
    let cell = prepare(worker, way, SHORT, 42)?;
    let before = files(worker.folder());
    ensure(!before.is_empty(), || "expected the file to be sent in TMPDIR, there is none".into())?;
    sample(worker, way, cell, 0, 1)?;
    let received: Vec<PathBuf> = files(worker.folder()).into_iter().filter(|file| !before.contains(file)).collect();
    let [file] = received.as_slice() else {
        return failed(format!("expected one file more in TMPDIR after a transfer, got {}", received.len()));
    };
    if let Err(why) = turn_over(file) {
        return failed(format!("expected a received file that its owner can change, got: {why}"));
    }
    let (changed, right) = (digest(worker, cell, Some(1), 1)?, stream_digest(42, SHORT));
    ensure(changed != right, || {
        "expected the digest of the very file that the transfer left, in which a byte was changed; it is of something else"
            .into()
    })?;
    sample(worker, way, cell, 0, 1)?;
    let came = digest(worker, cell, Some(2), 2)?;
    ensure(came == right, || format!("expected {right} of the next transfer, got {came}"))?;
    release(worker, cell)
}

fn turn_over(file: &Path) -> io::Result<()> {
    let mut file = OpenOptions::new().read(true).write(true).open(file)?;
    let (mut byte, at) = ([0], SeekFrom::Start(SHORT / 2));
    file.seek(at)?;
    file.read_exact(&mut byte)?;
    file.seek(at)?;
    file.write_all(&[!byte[0]])
}

fn released(worker: &mut Worker, way: &Way) -> Check {
    for _ in 0..3 {
        let cell = prepare(worker, way, SHORT, 42)?;
        sample(worker, way, cell, 0, 1)?;
        digest(worker, cell, None, 0)?;
        release(worker, cell)?;
        let left = files(worker.folder());
        ensure(left.is_empty(), || format!("expected no file in TMPDIR after release, got {left:?}"))?;
    }
    Ok(())
}

/// Two cells that have transferred their files.
fn in_use(worker: &mut Worker, way: &Way) -> Check {
    for seed in [42, 43] {
        let cell = prepare(worker, way, SHORT, seed)?;
        sample(worker, way, cell, 0, 1)?;
    }
    Ok(())
}

/// After the worker's end both folder and receiver must be gone; the receiver may need a moment for that.
fn nothing_stays(worker: &mut Worker) -> Check {
    let deadline = Instant::now() + worker.timeout();
    let left = |worker: &Worker| {
        let entries = fs::read_dir(worker.folder()).into_iter().flatten().flatten();
        entries.map(|entry| entry.file_name().display().to_string()).chain(processes(worker.folder())).collect()
    };
    let mut there: Vec<String> = left(worker);
    while !there.is_empty() && Instant::now() < deadline {
        thread::sleep(LOOK);
        there = left(worker);
    }
    ensure(there.is_empty(), || {
        format!("expected nothing of the worker to stay after its end, got {}", there.join(", "))
    })
}

/// Processes whose `TMPDIR` is that folder, where Linux's `/proc` shows it.
fn processes(folder: &Path) -> Vec<String> {
    let mark = format!("TMPDIR={}\0", folder.display());
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .filter(|entry| {
            let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
            String::from_utf8_lossy(&environment).contains(&mark)
        })
        .map(|entry| format!("process {}", entry.file_name().display()))
        .collect()
}
