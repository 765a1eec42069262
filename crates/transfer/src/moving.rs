//! Which files are moving, to read while a transfer runs.
//!
//! Promises: a lock is taken when a file begins and when it ends, never for its bytes; at most [`MAX_STREAMS`] files
//! are remembered, whatever the other end sends.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use crate::frame::CHUNK;
use crate::message::MAX_STREAMS;

/// A file that is moving, as it was at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moving {
    /// A number of its own, to find it again later.
    pub number: u64,
    /// Its name; of the receiver it comes from outside.
    pub name: String,
    /// Its size in bytes.
    pub size: u64,
    /// Bytes that were sent, or received and opened, including those of earlier attempts.
    pub done: u64,
}

/// The files that are moving, the oldest first.
#[derive(Debug, Clone, Default)]
pub(crate) struct MovingFiles(Arc<Mutex<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    next: u64,
    files: VecDeque<Arc<Counted>>,
}

#[derive(Debug)]
struct Counted {
    number: u64,
    name: String,
    size: u64,
    done: AtomicU64,
}

/// A file that is moving as long as this value lives.
#[derive(Debug)]
pub(crate) struct MovingFile {
    list: MovingFiles,
    counted: Arc<Counted>,
}

impl MovingFiles {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// A file begins to move, of which `done` bytes are there. `None`: it is over before anything could be seen of it.
    pub(crate) fn begin(&self, name: &str, size: u64, done: u64) -> Option<Arc<MovingFile>> {
        if size <= CHUNK as u64 {
            return None;
        }
        let mut inner = self.inner();
        let number = inner.next;
        inner.next += 1;
        if inner.files.len() >= usize::from(MAX_STREAMS) {
            inner.files.pop_front();
        }
        let counted = Arc::new(Counted { number, name: name.into(), size, done: done.into() });
        inner.files.push_back(counted.clone());
        Some(Arc::new(MovingFile { list: self.clone(), counted }))
    }

    /// As they are now, the oldest first.
    pub(crate) fn now(&self) -> Vec<Moving> {
        let now = |file: &Arc<Counted>| Moving {
            number: file.number,
            name: file.name.clone(),
            size: file.size,
            done: file.done.load(Ordering::Relaxed).min(file.size),
        };
        self.inner().files.iter().map(now).collect()
    }
}

impl MovingFile {
    /// More bytes of it are there.
    pub(crate) fn add(&self, bytes: u64) {
        self.counted.done.fetch_add(bytes, Ordering::Relaxed);
    }
}

impl Drop for MovingFile {
    fn drop(&mut self) {
        self.list.inner().files.retain(|file| !Arc::ptr_eq(file, &self.counted));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: u64 = 1 << 20;

    #[test]
    fn file_is_listed_while_it_moves() {
        let files = MovingFiles::default();
        let first = files.begin("first", SIZE, 7).unwrap();
        let second = files.begin("second", SIZE, 0).unwrap();
        assert!(files.begin("small", CHUNK as u64, 0).is_none());
        first.add(5);
        second.add(2 * SIZE);
        let now =
            |files: &MovingFiles| -> Vec<_> { files.now().into_iter().map(|file| (file.name, file.done)).collect() };
        assert_eq!(now(&files), [("first".into(), 12), ("second".into(), SIZE)]);
        let clone = first.clone();
        drop(first);
        assert_eq!(files.now().len(), 2);
        drop(clone);
        assert_eq!(now(&files), [("second".into(), SIZE)]);
    }

    #[test]
    fn list_is_bounded() {
        let files = MovingFiles::default();
        let all: Vec<_> = (0..100).map(|number| files.begin(&number.to_string(), SIZE, 0)).collect();
        let now = files.now();
        assert_eq!((now.len(), now[0].name.as_str()), (MAX_STREAMS.into(), "84"));
        drop(all);
        assert!(files.now().is_empty());
    }
}
