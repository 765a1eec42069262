//! The files of split messages: one to read, one to write. Both have no name, so they are gone when the process is, however
//! it ends, and no other program can change them.

pub mod bus;
pub mod direct;
pub mod mapped;

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use ciphermeter_core::Form;
use rustix::fs::fstatvfs;

use crate::stream::fill_from;
use crate::timed_loop::Failed;

/// Bytes that are written or read at once.
const PIECE: usize = 1 << 20;

/// An input and an output of equal length.
pub struct Files {
    pub input: File,
    pub output: File,
    pub bytes: u64,
    /// The same two, opened for direct I/O.
    pub direct: Option<(File, File)>,
}

impl Files {
    /// Writes an input of so many bytes, a period again and again, in the folder for temporary files. The error says
    /// what is not possible there.
    pub fn new(bytes: u64, period: &[u8], form: Form) -> Result<Self, String> {
        let folder = std::env::temp_dir();
        let not = |what: &str, why: io::Error| format!("{what} in {} failed: {why}; set TMPDIR", folder.display());
        let file = || tempfile::tempfile_in(&folder).map_err(|why| not("making a file", why));
        let (input, output) = (file()?, file()?);
        let space = fstatvfs(&input).map_err(|why| not("asking for free space", why.into()))?;
        let (need, free) = (bytes.saturating_mul(2), space.f_bavail.saturating_mul(space.f_frsize));
        // Half of what is free stays free, as it does of memory.
        if need > free / 2 {
            let (need, free, folder) = (need >> 20, free >> 20, folder.display());
            return Err(format!("needs {need} MiB of {folder}, more than half of the {free} MiB that are free there"));
        }
        let mut files = Self { input, output, bytes, direct: None };
        files.write(period).map_err(|why| not("writing a file", why))?;
        if form == Form::Direct {
            // Else the first reads would wait for it.
            files.input.sync_data().map_err(|why| not("writing a file to the disk", why))?;
            let pair = past_cache(&files.input).and_then(|input| Ok((input, past_cache(&files.output)?)));
            files.direct = Some(pair.map_err(|why| not("opening a file for direct I/O", why))?);
        }
        Ok(files)
    }

    fn write(&mut self, period: &[u8]) -> io::Result<()> {
        let mut piece = vec![0; PIECE];
        for at in (0..self.bytes).step_by(PIECE) {
            let length = PIECE.min(usize::try_from(self.bytes - at).unwrap_or(PIECE));
            fill_from(&mut piece[..length], period, at);
            self.input.write_all(&piece[..length])?;
        }
        Ok(())
    }

    /// Empties the output, and reserves its space: a disk that is full is an error here, and no signal later.
    pub fn begin(&self) -> Result<(), Failed> {
        let fresh = self.output.set_len(0).and_then(|()| match self.bytes {
            0 => Ok(()),
            bytes => reserve(&self.output, bytes),
        });
        fresh.map_err(|why| Failed::File(format!("reserving {} bytes for the output failed: {why}", self.bytes)))
    }

    /// Reads a part of the input, so that it lies in the page cache: some systems drop what was not read for seconds.
    pub fn read_ahead(&self, range: std::ops::Range<u64>) -> Result<(), Failed> {
        let mut piece = vec![0; PIECE];
        pieces(range).try_for_each(|part| read(&self.input, &mut piece[..(part.end - part.start) as usize], part.start))
    }

    /// Bytes of the output.
    pub fn read_output(&self, at: u64, bytes: &mut [u8]) -> Result<(), Failed> {
        read(&self.output, bytes, at)
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn reserve(file: &File, bytes: u64) -> io::Result<()> {
    Ok(rustix::fs::fallocate(file, rustix::fs::FallocateFlags::empty(), 0, bytes)?)
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn reserve(file: &File, bytes: u64) -> io::Result<()> {
    file.set_len(bytes)
}

/// Opens a file once more, past the page cache.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn past_cache(file: &File) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    use std::os::fd::AsRawFd;
    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(rustix::fs::open(path, OFlags::RDWR | OFlags::DIRECT | OFlags::CLOEXEC, Mode::empty())?.into())
}

/// Other systems have no flag for it.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn past_cache(_: &File) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Reads exactly that much; a file that ends before has shrunk.
pub fn read(file: &File, bytes: &mut [u8], at: u64) -> Result<(), Failed> {
    file.read_exact_at(bytes, at).map_err(|why| Failed::File(format!("reading byte {at} of a file failed: {why}")))
}

/// A range in pieces.
pub fn pieces(range: std::ops::Range<u64>) -> impl Iterator<Item = std::ops::Range<u64>> {
    let end = range.end;
    range.step_by(PIECE).map(move |begin| begin..end.min(begin + PIECE as u64))
}

/// Where files can be of use to several cells.
#[derive(Default)]
pub struct FileStore {
    /// The latest, with what they were made for.
    latest: Option<((u64, u64, Form), Arc<Files>)>,
}

impl FileStore {
    /// The files for messages of so many bytes from a seed: those of the latest cell if they are the same.
    pub fn files(&mut self, seed: u64, bytes: u64, period: &[u8], form: Form) -> Result<Arc<Files>, String> {
        let key = (seed, bytes, form);
        if let Some((_, files)) = self.latest.as_ref().filter(|(known, _)| *known == key) {
            return Ok(files.clone());
        }
        // What no cell uses any more makes room first.
        self.latest = None;
        let files = Arc::new(Files::new(bytes, period, form)?);
        self.latest = Some((key, files.clone()));
        Ok(files)
    }
}
