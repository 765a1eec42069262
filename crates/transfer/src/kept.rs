//! What an end keeps of an unfinished transfer, as its user sees it.

use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use crate::hello::TransferId;

/// How long an unfinished transfer can be resumed.
pub const KEPT_FOR: Duration = Duration::from_secs(7 * 24 * 3600);

/// The most names that are shown of a transfer.
const SHOWN: usize = 3;

/// An unfinished transfer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// Its number.
    pub transfer: TransferId,
    /// When it began, if that can be read.
    pub began: Option<SystemTime>,
    /// How many bytes are here and how many were accepted; the receiver alone knows.
    pub bytes: Option<(u64, u64)>,
    /// The first names that were accepted, or paths that are sent. They come from outside.
    pub names: Vec<String>,
    /// How many there are.
    pub count: usize,
    /// The receiver's addresses, if this is the sender.
    pub addresses: Vec<String>,
    /// Bytes that it takes on the disk.
    pub disk: u64,
    /// Whether files are among its own that no transfer wrote: they keep its folder from being removed.
    pub has_others: bool,
    /// Whether it can be resumed.
    pub standing: Standing,
    /// And by which command.
    pub begun: Begun,
}

/// Which command begins a transfer, and resumes it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Begun {
    /// One at each end, with a ticket.
    #[default]
    AtBoth,
    /// That of the other end, which starts this one through ssh.
    There,
    /// This end's, which starts the other one through ssh, for files at these places.
    Here(Vec<String>),
}

/// Whether an unfinished transfer can be resumed, and why not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It can.
    Resumable,
    /// Every byte is here; to resume is to give the names that are missing.
    NamesMissing,
    /// It began more than [`KEPT_FOR`] ago.
    TooOld,
    /// As old, but every byte is here, and names are missing.
    TooOldButComplete,
    /// Another version of ciphermeter began it.
    OtherVersion,
    /// Its state is missing, damaged, or cannot be read.
    Unreadable,
    /// Another process is using it.
    InUse,
}

impl Kept {
    /// Of a transfer whose state cannot be read.
    pub(crate) fn unknown(transfer: TransferId, standing: Standing) -> Self {
        Self {
            transfer,
            began: None,
            bytes: None,
            names: Vec::new(),
            count: 0,
            addresses: Vec::new(),
            disk: 0,
            has_others: false,
            standing,
            begun: Begun::default(),
        }
    }

    /// With these names.
    pub(crate) fn named(self, names: impl Iterator<Item = String>) -> Self {
        let (mut first, mut count) = (Vec::new(), 0);
        for name in names {
            if count < SHOWN {
                first.push(name);
            }
            count += 1;
        }
        Self { names: first, count, ..self }
    }

    /// The digits by which its user names it.
    pub fn number(&self) -> String {
        self.transfer.short()
    }
}

/// Whether a transfer that began then is too old to be resumed. In the future: the clock was set back, so the age is
/// unknown.
pub(crate) fn is_too_old(began: SystemTime) -> bool {
    began.elapsed().is_ok_and(|age| age > KEPT_FOR)
}
