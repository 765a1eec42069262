//! Copies for the self-check: what a scenario names, again and again under other names, as copies of its file, with its layout
//! fixed, and with known slowdowns.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use ciphermeter_core::{Copies, Copy, Note, Scenario, quoted_path};
use ciphermeter_host::{lock, private};
use ciphermeter_meter::Source;
use ciphermeter_native::libcrypto_file;
use tempfile::TempDir;

use crate::built_in::{PATIENCE, native, openssl};

/// The provider whose library is a file of the system's.
const OF_FILE: &str = "openssl";

/// What the name of a folder of copies begins with.
const PREFIX: &str = "ciphermeter-copies-";
/// The file in it that its process keeps locked.
const LOCK: &str = "lock";
/// What the name of a copy begins with.
const COPY: &str = "libcrypto-";
/// The same of a copy of one side of a comparison.
const SIDE: &str = "side-";

/// Copies, sentences on them, and the folder in which those of files lie until the run ends.
#[derive(Default)]
pub struct Copied {
    pub sources: Vec<Source>,
    pub notes: Vec<Note>,
    pub folder: Option<Folder>,
}

/// A folder of copies, which is removed in the end; that of a process that was killed, by the next self-check.
pub struct Folder {
    folder: TempDir,
    _lock: Option<File>,
}

impl Folder {
    /// One in the folder for temporary files.
    pub fn temporary() -> Result<Self> {
        Self::new(&std::env::temp_dir())
    }

    /// Copies a file into it, with its permissions.
    pub fn take(&self, file: &Path, name: &str) -> Result<PathBuf> {
        let copy = self.folder.path().join(format!("{SIDE}{name}"));
        match fs::copy(file, &copy) {
            Ok(_) => Ok(copy),
            Err(why) => bail!("cannot copy {} to {}: {why}", quoted_path(file), quoted_path(&copy)),
        }
    }

    fn new(parent: &Path) -> Result<Self> {
        remove_left_over(parent);
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent);
        let locked = folder.and_then(|folder| {
            // It gets its name once it is locked, so that nobody finds it in between.
            let (new, named) = (folder.path().join("lock.new"), folder.path().join(LOCK));
            let lock = lock::take(&new, 0o600)?;
            fs::rename(&new, &named)?;
            Ok(Self { folder, _lock: lock })
        });
        locked.with_context(|| {
            format!("cannot make a folder for copies in {}; set TMPDIR to another", quoted_path(parent))
        })
    }
}

/// Removes this user's folders whose process is gone, and of what is in them only what a self-check puts there. One without a lock is just
/// being made.
fn remove_left_over(parent: &Path) {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    for folder in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX)) {
        let (folder, lock) = (folder.path(), folder.path().join(LOCK));
        // In a folder that others may write to, a name may stand for anything.
        if !folder.is_symlink()
            && private::check(&folder).is_ok()
            && let Ok(held) = private::open(&lock)
            && held.try_lock().is_ok()
        {
            let files = fs::read_dir(&folder).into_iter().flatten().flatten();
            let is_copy = |name: &str| name.starts_with(COPY) && name.ends_with(".so") || name.starts_with(SIDE);
            let copies = files.filter(|file| is_copy(&file.file_name().to_string_lossy()));
            copies.for_each(|copy| drop(fs::remove_file(copy.path())));
            // With anything else in it, the folder stays.
            let _ = fs::remove_file(lock).and_then(|()| fs::remove_dir(folder));
        }
    }
}

pub fn copied(scenario: &Scenario, copies: &Copies) -> Result<Copied> {
    let mut all = Copied::default();
    for source in native()? {
        // The probe comes from the ceilings' worker.
        if source.name == "ceiling" {
            all.sources.push(source);
        } else if scenario.names_provider(&source.name) {
            match source.name == OF_FILE && copies.files > 0 {
                true => add_files(&mut all, copies.files)?,
                false => all.sources.extend(names(&source, copies)),
            }
        }
    }
    let is_alike = |source: &Source| matches!(Copy::read(&source.name), Some((_, Copy::Same)));
    if (copies.fixed > 0 || !copies.slowed.is_empty()) && all.sources.iter().all(is_alike) {
        let why = "no library here gets fixed or slowed names: copies of openssl's file stand in their place";
        all.notes.push(Note::other(format!("{why}; set `files` to 0, or name another provider")));
    }
    Ok(all)
}

/// Names of one worker, and those whose workers differ in something known.
fn names(source: &Source, copies: &Copies) -> Vec<Source> {
    let named = |copy: Copy, number, arguments: &[String]| {
        let mut named = Source { name: copy.name(&source.name, number), ..source.clone() };
        if let Some(command) = named.command_mut() {
            command.arguments.extend_from_slice(arguments);
        }
        named
    };
    let same = (1..=copies.names).map(|number| named(Copy::Same, number, &[]));
    let fixed = (1..=copies.fixed).map(|number| named(Copy::Fixed, number, &["--fixed-layout".into()]));
    let slowed =
        copies.slowed.iter().map(|share| named(Copy::Slowed(*share), 0, &["--slowed".into(), share.to_string()]));
    same.chain(fixed).chain(slowed).collect()
}

/// The system's libcrypto and copies of its file, each of which the loader puts elsewhere in memory.
fn add_files(all: &mut Copied, files: u32) -> Result<()> {
    let library = match libcrypto_file() {
        Ok(library) => library,
        Err(why) => {
            all.notes.push(Note::other(format!("no copies of libcrypto are compared: {why}")));
            return Ok(());
        }
    };
    let folder = Folder::temporary()?;
    for number in 1..=files {
        let file = folder.folder.path().join(format!("{COPY}{number}.so"));
        let copied = fs::copy(&library, &file).map(|_| ());
        copied.with_context(|| {
            format!("cannot copy {} to {}; free some space", quoted_path(&library), quoted_path(&file))
        })?;
        // The installed file has lain in memory for long, page by page where there was room, and is not one of them.
        all.sources.push(Source { name: Copy::Same.name(OF_FILE, number), ..openssl(&file, PATIENCE)? });
    }
    all.notes.push(Note::other(format!("openssl.01 to openssl.{files:02} are copies of {}", quoted_path(&library))));
    all.folder = Some(folder);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_removed_once_their_process_is_gone() {
        let parent = TempDir::new().unwrap();
        let there = || fs::read_dir(parent.path()).unwrap().count();
        let held = Folder::new(parent.path()).unwrap();
        // As a kill leaves it: the lock is gone with the process, the folder is not.
        let killed = Folder::new(parent.path()).unwrap();
        let left = killed.folder.keep();
        drop(killed._lock);
        assert_eq!(there(), 2);
        fs::write(left.join("libcrypto-1.so"), "").unwrap();
        fs::write(left.join("side-new"), "").unwrap();
        fs::create_dir(parent.path().join(format!("{PREFIX}being-made"))).unwrap();
        drop(Folder::new(parent.path()).unwrap());
        assert!(!left.exists() && held.folder.path().exists());
        assert_eq!(there(), 2);
        drop(held);
        assert_eq!(there(), 1);
        // Somebody's own, and a lock that is no file.
        let [own, odd] = ["own", "odd"].map(|name| parent.path().join(format!("{PREFIX}{name}")));
        for folder in [&own, &odd] {
            fs::create_dir(folder).unwrap();
        }
        fs::write(own.join(LOCK), "").unwrap();
        fs::write(own.join("thesis.txt"), "").unwrap();
        std::os::unix::fs::symlink("/dev/zero", odd.join(LOCK)).unwrap();
        remove_left_over(parent.path());
        assert!(own.join("thesis.txt").exists() && odd.exists());
    }
}
