//! How far a transfer is, to read while it runs.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use crate::Error;
use crate::hello::TransferId;
use crate::moving::{Moving, MovingFile, MovingFiles};

/// Counters that the two ends write and a drawing thread reads.
#[derive(Debug, Default)]
pub struct Progress {
    total: AtomicU64,
    done: AtomicU64,
    before: AtomicU64,
    holes: AtomicU64,
    endless: AtomicBool,
    lost: Mutex<Option<String>>,
    kept: OnceLock<TransferId>,
    moving: MovingFiles,
}

impl Progress {
    /// Bytes of all files; 0 before the offer is known.
    pub fn total(&self) -> u64 {
        self.total.load(Ordering::Relaxed)
    }

    /// Whether the total is unknown, because a stream is on its way.
    pub fn is_stream(&self) -> bool {
        self.endless.load(Ordering::Relaxed)
    }

    /// Bytes that were sent, or received and opened, including those of earlier attempts.
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// Of these, what was never on the wire in this attempt: holes of files.
    pub fn holes(&self) -> u64 {
        self.holes.load(Ordering::Relaxed)
    }

    /// The transfer that another process could resume, as this end knows: both ends keep something of it.
    pub fn kept(&self) -> Option<TransferId> {
        self.kept.get().copied()
    }

    /// Both ends keep something of it.
    pub(crate) fn keep(&self, transfer: TransferId) {
        let _ = self.kept.set(transfer);
    }

    /// Why the last attempt was lost, until the next one begins.
    pub fn lost(&self) -> Option<String> {
        self.lost.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clone()
    }

    /// An attempt was lost, and another one is to follow.
    pub(crate) fn lose(&self, why: &Error) {
        self.set_lost(Some(why.to_string()));
    }

    fn set_lost(&self, why: Option<String>) {
        *self.lost.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = why;
    }

    /// The files that are moving now, the oldest first.
    pub fn moving(&self) -> Vec<Moving> {
        self.moving.now()
    }

    /// A file begins to move, of which `done` bytes are there.
    pub(crate) fn begin(&self, name: &str, size: u64, done: u64) -> Option<Arc<MovingFile>> {
        self.moving.begin(name, size, done)
    }

    /// Of these, what the receiver had when the attempt began.
    pub(crate) fn before(&self) -> u64 {
        self.before.load(Ordering::Relaxed)
    }

    pub(crate) fn start(&self, total: u64, done: u64) {
        self.set_lost(None);
        self.total.store(total, Ordering::Relaxed);
        self.done.store(done, Ordering::Relaxed);
        self.before.store(done, Ordering::Relaxed);
        self.holes.store(0, Ordering::Relaxed);
    }

    /// A stream begins.
    pub(crate) fn start_stream(&self) {
        self.start(0, 0);
        self.endless.store(true, Ordering::Relaxed);
    }

    pub(crate) fn add_hole(&self, bytes: u64) {
        self.holes.fetch_add(bytes, Ordering::Relaxed);
        self.done.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn add(&self, bytes: usize) {
        self.done.fetch_add(bytes as u64, Ordering::Relaxed);
    }
}
