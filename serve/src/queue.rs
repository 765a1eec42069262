//! Runs that are on their way to a server: a folder each, which is there whole or not at all, until the server has the run.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use ciphermeter_core::escaped;
use ciphermeter_host::{lock, private};
use ciphermeter_terminal::own_folders;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::fault;
use crate::received::MOST;

const ENVELOPE: &str = "to.json";
const EXPORT: &str = "run.json";
/// Folders whose names begin so are being made, or were when their process ended.
const UNDER_WAY: &str = "new-";
/// These are being removed: the server has their runs.
const SENT: &str = "sent-";
/// After so long, what is being made is not made any more.
const ABANDONED: Duration = Duration::from_secs(24 * 60 * 60);
/// Digits of a folder's name that tell what is in it.
const DIGITS: usize = 16;
/// How long another push is waited for: servers that do not answer take it a minute each.
const PATIENCE: Duration = Duration::from_secs(180);
const POLL: Duration = Duration::from_millis(50);
/// Bytes of an envelope.
const MOST_OF_ENVELOPE: u64 = 16 << 10;

/// Where a run goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Envelope {
    /// The server.
    pub url: String,
    /// The machine's name there; without one, the machine in words.
    pub machine: Option<String>,
    /// The one certificate to trust, in PEM; without it, those that everybody trusts.
    pub certificate: Option<PathBuf>,
    /// SHA-256 of the token that was set when the run was queued: no other is sent there.
    pub token: Option<String>,
}

/// The queue of this user.
pub struct Queue {
    folder: PathBuf,
}

/// A run in the queue.
pub struct Queued {
    pub envelope: Envelope,
    pub export: Vec<u8>,
    folder: PathBuf,
}

impl Queue {
    /// The queue below XDG data, which is made if it is missing.
    pub fn own() -> Result<Self> {
        let data = own_folders::data().context("there is no home folder for runs to wait in; set HOME")?;
        let folder = data.join("push");
        private::make_folder(&data)
            .and_then(|()| private::make_folder(&folder))
            .map_err(|why| cannot("make", &folder, &why))?;
        own_folders::check_own(&data, &folder, "remove it")?;
        Ok(Self { folder })
    }

    /// Held while runs are sent, so that each is sent once. Another push is waited for: it may have listed what waits before this run did.
    /// `None`: it is still sending after some minutes.
    pub fn lock(&self) -> Result<Option<fs::File>> {
        let file = self.folder.with_extension("lock");
        let began = Instant::now();
        loop {
            let taken = lock::take(&file, 0o600).map_err(|why| cannot("lock", &file, &why))?;
            if taken.is_some() || began.elapsed() > PATIENCE {
                return Ok(taken);
            }
            thread::sleep(POLL);
        }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Puts a run in, unless it waits already.
    pub fn add(&self, envelope: &Envelope, export: &[u8]) -> Result<()> {
        let envelope = serde_json::to_vec(envelope)?;
        let hash = hex::encode(Sha256::new().chain_update(&envelope).chain_update(export).finalize());
        let hash = &hash[..DIGITS];
        if self.waiting()?.iter().any(|folder| folder.to_string_lossy().ends_with(hash)) {
            return Ok(());
        }
        // Names order runs by when they were queued.
        let name = format!("{}-{hash}", ciphermeter_terminal::utc::now().replace(':', ""));
        let (new, queued) =
            (self.folder.join(format!("{UNDER_WAY}{:08x}", rand::random::<u32>())), self.folder.join(name));
        let written = (|| {
            private::make_folder(&new)?;
            for (file, bytes) in [(ENVELOPE, envelope.as_slice()), (EXPORT, export)] {
                let part = new.join(format!("{file}.part"));
                private::write(&part, &new.join(file), bytes)?.sync_all()?;
            }
            fs::File::open(&new)?.sync_all()?;
            fault::point("before-queued");
            match fs::rename(&new, &queued) {
                // Another process queued the same within the same second.
                Err(_) if queued.is_dir() => fs::remove_dir_all(&new)?,
                renamed => renamed?,
            }
            fs::File::open(&self.folder)?.sync_all()
        })();
        written.map_err(|why| {
            // What is left of it would take the room that is missing.
            let _ = fs::remove_dir_all(&new);
            let said = cannot("write", &new, &why);
            anyhow!("{said}; the run is still in the store: mend this, then push it again")
        })
    }

    /// Removes what processes left behind that ended while they made or removed a folder.
    pub fn sweep(&self) -> Result<()> {
        for name in self.names()? {
            let folder = self.folder.join(&name);
            let age = || folder.metadata().and_then(|found| found.modified()).ok()?.elapsed().ok();
            if name.starts_with(SENT) || name.starts_with(UNDER_WAY) && age().is_some_and(|age| age > ABANDONED) {
                fs::remove_dir_all(&folder).map_err(|why| cannot("remove", &folder, &why))?;
            }
        }
        Ok(())
    }

    /// The folders of the runs that wait, the first first.
    pub fn waiting(&self) -> Result<Vec<PathBuf>> {
        let waits = |name: &String| !name.starts_with(UNDER_WAY) && !name.starts_with(SENT);
        let mut folders: Vec<PathBuf> =
            self.names()?.into_iter().filter(waits).map(|name| self.folder.join(name)).collect();
        folders.sort();
        Ok(folders)
    }

    fn names(&self) -> Result<Vec<String>> {
        let entries = fs::read_dir(&self.folder).map_err(|why| cannot("read", &self.folder, &why))?;
        Ok(entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect())
    }
}

impl Queued {
    /// Reads a run that waits.
    pub fn read(folder: PathBuf) -> Result<Self> {
        let found = folder.join(ENVELOPE).symlink_metadata();
        if found.is_err_and(|why| matches!(why.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)) {
            bail!("{} is no run that waits to be sent: remove it", folder.display());
        }
        let read = |file: &str, most: u64| {
            private::read(&folder.join(file), most).map_err(|why| cannot("read", &folder.join(file), &why))
        };
        let envelope = serde_json::from_slice(&read(ENVELOPE, MOST_OF_ENVELOPE)?)
            .map_err(|why| anyhow!("cannot read {}: {why}; remove that folder", folder.join(ENVELOPE).display()))?;
        Ok(Self { envelope, export: read(EXPORT, MOST as u64)?, folder })
    }

    /// Which run of the store it is, in words.
    pub fn run(&self) -> String {
        #[derive(Deserialize)]
        struct Export {
            run: Head,
        }
        #[derive(Deserialize)]
        struct Head {
            id: i64,
            started: String,
        }
        match serde_json::from_slice(&self.export) {
            Ok(Export { run: Head { id, started } }) => format!("run {id} of {}", escaped(&started)),
            Err(_) => "a run".into(),
        }
    }

    /// Takes it out, as the server has it: whole, whenever this process ends.
    pub fn done(&self) -> Result<()> {
        let name = self.folder.file_name().unwrap_or_default().to_string_lossy();
        let sent = self.folder.with_file_name(format!("{SENT}{name}"));
        let removed = fs::rename(&self.folder, &sent).and_then(|()| {
            fault::point("removal");
            fs::remove_dir_all(&sent)
        });
        removed.map_err(|why| cannot("remove", &self.folder, &why))
    }
}

fn cannot(what: &str, path: &Path, why: &io::Error) -> anyhow::Error {
    anyhow!("cannot {what} {}: {why}", path.display())
}
