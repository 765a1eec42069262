//! Either end is killed at random moments and restarted: files under a final name are complete and right, and in the
//! end all files are.
//!
//! The moments do not follow from the clock alone: they are random, and every outcome must keep these promises.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::common::ends::{End, bytes, names, state};
use crate::common::{CommandOutput, TestFolder};
use serde_json::Value;

/// The number of transfers in parallel; each has its own folder and its own random moments.
const LANES: usize = 5;
/// A transfer that takes longer than this, with all its kills, hangs.
const HUNG: Duration = Duration::from_secs(240);

/// The files to send: names beneath the receiving folder, in the order in which they are offered.
struct Source {
    named: PathBuf,
    files: Vec<(String, Vec<u8>)>,
    limit: &'static str,
}

impl Source {
    /// Some 40 MB in one file: three pieces, 0.4 s.
    fn one(folder: &TestFolder, seed: u64) -> Self {
        Self::of(folder, "big", vec![("big".into(), bytes(seed, 40_000_000))], "100MiB")
    }

    /// The same, slowly enough that pieces are recorded while others arrive.
    fn slow(folder: &TestFolder, seed: u64) -> Self {
        Self::of(folder, "slow", vec![("slow".into(), bytes(seed, 40_000_000))], "12MiB")
    }

    /// Many small files and a large one, which get their names together.
    fn many(folder: &TestFolder, seed: u64) -> Self {
        let small = |number: u64| (format!("tree/{number:04}"), bytes(seed + number, 100 + number as usize));
        let large = ("tree/large".to_owned(), bytes(seed, 17_000_000));
        Self::of(folder, "tree", (0..1500).map(small).chain([large]).collect(), "60MiB")
    }

    fn of(folder: &TestFolder, named: &str, files: Vec<(String, Vec<u8>)>, limit: &'static str) -> Self {
        for (name, content) in &files {
            folder.write(&format!("from/{name}"), content);
        }
        Self { named: folder.path("from").join(named), files, limit }
    }

    /// Checks that each file under its final name is complete and right. Returns how many there are.
    fn placed(&self, into: &Path) -> usize {
        let there = self.files.iter().filter(|(name, content)| match fs::read(into.join(name)) {
            Ok(bytes) => {
                assert!(bytes == *content, "{name} is there, with wrong bytes");
                true
            }
            Err(error) => {
                assert_eq!(error.kind(), std::io::ErrorKind::NotFound, "{name}");
                false
            }
        });
        there.count()
    }

    fn is_all_placed(&self, into: &Path) -> bool {
        self.placed(into) == self.files.len()
    }

    /// The parts contain what the journal lists. A missing part has its final name.
    fn journal_is_right(&self, into: &Path) {
        let Some(folder) = state(into) else { return };
        let journal = fs::read_to_string(folder.join("journal")).unwrap_or_default();
        for line in journal.lines().filter_map(|line| serde_json::from_str::<Value>(line.get(9..)?).ok()) {
            assert_ne!(line["is"], "restart", "no source changed");
            let (Some(file), Some(offset), Some(length)) =
                (line["file"].as_u64(), line["offset"].as_u64(), line["length"].as_u64())
            else {
                continue;
            };
            let Ok(part) = fs::read(folder.join(format!("{file}.part"))) else { continue };
            let range = offset as usize..(offset + length) as usize;
            assert!(part[range.clone()] == self.files[file as usize].1[range], "the journal lists missing bytes");
        }
    }
}

/// One transfer, and its running ends.
struct Transfer<'a> {
    folder: &'a TestFolder,
    source: &'a Source,
    into: PathBuf,
    receiver: End,
    sender: End,
    started: usize,
}

/// The meaning of an end's exit.
enum Now {
    Going,
    Done,
    /// There was nothing to resume, because nothing had been accepted; with the end's message.
    Anew(CommandOutput),
}

impl<'a> Transfer<'a> {
    fn begin(folder: &'a TestFolder, source: &'a Source, started: usize) -> Self {
        let into = folder.path("into");
        let _ = fs::remove_dir_all(&into);
        let _ = fs::remove_dir_all(folder.path("state"));
        fs::create_dir(&into).expect("a folder");
        let arguments = ["--quiet", "--patience", "30s", "--into", "into"];
        let (receiver, _) = End::receiver(folder, &format!("recv-{started}"), &arguments);
        let ticket = folder.path(&format!("recv-{started}.ticket"));
        let mut command =
            folder.ciphermeter(&["send", "--quiet", "--patience", "30s", "--limit", source.limit, "--ticket-file"]);
        command.arg(ticket).arg(&source.named);
        let sender = End::start(folder, &format!("send-{started}"), command);
        Self { folder, source, into, receiver, sender, started: started + 1 }
    }

    fn kill_receiver(&mut self) {
        self.receiver.kill();
        self.source.journal_is_right(&self.into);
        self.source.placed(&self.into);
        self.resume_receiver();
    }

    fn resume_receiver(&mut self) {
        let arguments = ["recv", "--yes", "--quiet", "--patience", "30s", "--resume", "--into", "into"];
        let name = format!("recv-{}", self.started);
        self.receiver = End::start(self.folder, &name, self.folder.ciphermeter(&arguments));
        self.started += 1;
    }

    fn kill_sender(&mut self) {
        self.sender.kill();
        self.source.placed(&self.into);
        let arguments = ["send", "--quiet", "--patience", "30s", "--limit", self.source.limit, "--resume"];
        let name = format!("send-{}", self.started);
        self.sender = End::start(self.folder, &name, self.folder.ciphermeter(&arguments));
        self.started += 1;
    }

    /// Checks both ends.
    fn now(&mut self) -> Now {
        if self.receiver.is_over() {
            let said = self.receiver.said();
            let all = self.source.is_all_placed(&self.into);
            return match said.code {
                Some(0) => {
                    assert!(all, "{said:?}");
                    Now::Done
                }
                // It was killed after all files were in place, or before anything was accepted.
                Some(2) if said.err.contains("no unfinished transfer in into") => {
                    if all {
                        Now::Done
                    } else {
                        Now::Anew(said)
                    }
                }
                // Between its two lives, the system gave its port to another program's connection.
                Some(2) if said.err.contains("Address already in use") => {
                    self.resume_receiver();
                    Now::Going
                }
                // The first sender was killed during its handshake or offer.
                Some(5) if said.err.contains("connection was lost") && !said.err.contains("--resume") => {
                    Now::Anew(said)
                }
                _ => panic!("{said:?} {:?}", self.sender.said()),
            };
        }
        if self.sender.is_over() {
            let said = self.sender.said();
            return match said.code {
                // The receiver is about to exit.
                Some(0) => Now::Going,
                Some(2) if said.err.contains("no unfinished transfer to resume") => {
                    // Killed before it was welcomed; or it knew that all is durable, and deleted its state.
                    if self.source.is_all_placed(&self.into) { Now::Going } else { Now::Anew(said) }
                }
                Some(5) if said.err.contains("there is no unfinished transfer here") => Now::Anew(said),
                // The receiver was killed before it had welcomed a sender.
                Some(5) if !said.err.contains("--resume") => Now::Anew(said),
                // The receiver was killed, and needs this sender no more.
                Some(5) if self.source.is_all_placed(&self.into) => Now::Going,
                _ => panic!("{said:?} {:?}", self.receiver.said()),
            };
        }
        Now::Going
    }

    /// In the end there is nothing but the files that were sent.
    fn ended(&mut self) {
        self.sender.kill();
        self.receiver.kill();
        // What a crash may leave of a state folder when all is in place is removed by the next receiver.
        if state(&self.into).is_some() {
            let said = self.folder.run(&["recv", "--yes", "--quiet", "--resume", "--into", "into"]);
            assert!(matches!(said.code, Some(0 | 2)), "{said:?}");
        }
        assert!(self.source.is_all_placed(&self.into));
        let top = self.source.files[0].0.split('/').next().expect("a name");
        assert_eq!(names(&self.into), [top]);
        if self.source.files.len() > 1 {
            assert_eq!(names(&self.into.join(top)).len(), self.source.files.len());
        }
    }
}

/// When the next kill happens.
enum Moment {
    After(Duration),
    /// As soon as a file has its final name, and then this long.
    Placing(Duration),
}

impl Moment {
    fn random(random: &mut fastrand::Rng, source: &Source) -> Self {
        match source.files.len() > 1 && random.bool() {
            true => Self::Placing(Duration::from_micros(random.u64(0..20_000))),
            false if source.limit == "12MiB" => Self::After(Duration::from_millis(random.u64(0..3500))),
            false => Self::After(Duration::from_millis(random.u64(0..600))),
        }
    }
}

fn lane(seed: u64, kills: usize) {
    let mut random = fastrand::Rng::with_seed(seed);
    let folder = TestFolder::new();
    let sources = [Source::one(&folder, seed), Source::many(&folder, 1000 * seed), Source::slow(&folder, 7 * seed)];
    let (mut killed, mut started, mut number) = (0, 0, 0);
    while killed < kills {
        // The slow one now and then.
        let source = &sources[if number % 6 == 5 { 2 } else { number % 2 }];
        number += 1;
        let _ = fs::remove_dir_all(folder.path("into"));
        let mut transfer = Transfer::begin(&folder, source, started);
        let (mut moment, mut since) = (Moment::random(&mut random, source), Instant::now());
        let began = Instant::now();
        loop {
            assert!(began.elapsed() < HUNG, "{:?} {:?}", transfer.receiver.said(), transfer.sender.said());
            match transfer.now() {
                Now::Done => break,
                Now::Anew(said) => {
                    let ends = (transfer.sender.said(), transfer.receiver.said());
                    transfer.sender.kill();
                    transfer.receiver.kill();
                    let held = state(&transfer.into).is_some_and(|folder| folder.join("state.json").exists());
                    assert!(!held, "it could be resumed: {said:?}, {ends:?}");
                    transfer = Transfer::begin(&folder, source, transfer.started);
                }
                Now::Going => {}
            }
            let first = transfer.into.join(&source.files[0].0);
            let is_due = match moment {
                Moment::After(time) => since.elapsed() >= time,
                Moment::Placing(time) => {
                    let placing = first.exists();
                    if placing {
                        thread::sleep(time);
                    }
                    placing
                }
            };
            // A transfer that is killed ten times a second never ends: after some kills it is left alone.
            if is_due && killed < kills && transfer.started - started < 14 {
                if random.bool() {
                    transfer.kill_receiver()
                } else {
                    transfer.kill_sender()
                }
                killed += 1;
                (moment, since) = (Moment::random(&mut random, source), Instant::now());
            }
            thread::sleep(Duration::from_millis(1));
        }
        transfer.ended();
        started = transfer.started;
    }
}

/// Kills ends, `kills` times in all, over all lanes.
fn kill(kills: usize) {
    let lanes: Vec<_> =
        (0..LANES).map(|number| thread::spawn(move || lane(number as u64 + 1, kills / LANES))).collect();
    for lane in lanes {
        lane.join().expect("no promise was broken");
    }
}

#[test]
fn killed_ends_leave_only_complete_files() {
    kill(20);
}

#[test]
#[ignore = "deep: 200 kills"]
fn ends_killed_200_times_leave_only_complete_files() {
    kill(200);
}
