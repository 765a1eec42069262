//! The files of split messages: one to read, one to write. Both have no name, so they are gone when the process is, however
//! it ends, and no other program can change them; unless the user named a file to read, or a folder to write to.

pub mod bus;
pub mod chunked;
pub mod mapped;
mod own;
mod recipe;
mod room;

use std::fs::File;
use std::io::{self, Write};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ciphermeter_core::Form;
use ciphermeter_protocol::Prepare;
use ciphermeter_protocol::seed::fill_from;

pub use own::OwnFiles;
pub use recipe::Recipe;

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
    /// The output's path, if it has one.
    pub kept: Option<PathBuf>,
}

impl Files {
    /// Writes an input of so many bytes, a period again and again, in the folder for temporary files. The error says
    /// what is not possible there.
    pub fn new(bytes: u64, period: &[u8], form: Form) -> Result<Self, String> {
        Self::open(bytes, period, form, None, None)
    }

    /// The same with a file of the user's own as input, or a path for an output that stays.
    fn open(
        bytes: u64,
        period: &[u8],
        form: Form,
        input: Option<&Path>,
        output: Option<&Path>,
    ) -> Result<Self, String> {
        let folder = room::temporary();
        let nameless = || tempfile::tempfile_in(&folder).map_err(|why| room::not("making a file", &why));
        let to_write = output.map_or_else(nameless, own::create)?;
        let folder_of_output = output.and_then(Path::parent).unwrap_or(&folder);
        let of_input = if input.is_some() { 0 } else { bytes };
        room::check(&[(folder_of_output, bytes), (&folder, of_input)])?;
        let to_read = match input {
            Some(path) => own::open(path, bytes)?,
            None => {
                let file = nameless()?;
                write(&file, bytes, period).map_err(|why| room::not("writing a file", &why))?;
                file
            }
        };
        let kept = output.map(Path::to_path_buf);
        let mut files = Self { input: to_read, output: to_write, bytes, direct: None, kept };
        if form == Form::Direct {
            // Else the first reads would wait for it.
            files.input.sync_data().map_err(|why| room::not("writing a file to the disk", &why))?;
            let direct = files.past_cache();
            files.direct = Some(
                direct.map_err(|why| format!("opening a file for direct I/O failed: {why}; use --form buffered"))?,
            );
        }
        Ok(files)
    }

    /// Both, opened once more for direct I/O.
    fn past_cache(&self) -> io::Result<(File, File)> {
        Ok((past_cache(&self.input, false)?, past_cache(&self.output, true)?))
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
    pub fn read_ahead(&self, range: Range<u64>) -> Result<(), Failed> {
        let mut piece = vec![0; PIECE];
        let mut part =
            |part: Range<u64>| read_input(&self.input, &mut piece[..(part.end - part.start) as usize], part.start);
        pieces(range).try_for_each(&mut part)
    }

    /// Bytes of the output.
    pub fn read_output(&self, at: u64, bytes: &mut [u8]) -> Result<(), Failed> {
        read(&self.output, "output", bytes, at)
    }

    /// Why a page of a mapping was missing: one of the two files is shorter than it was.
    pub fn missing_page(&self) -> Failed {
        let is_short = |file: &File| file.metadata().is_ok_and(|file| file.len() < self.bytes);
        match (is_short(&self.input), is_short(&self.output)) {
            (true, _) => shrank("input", self.bytes),
            (_, true) => shrank("output", self.bytes),
            _ => {
                Failed::File("a page of a mapped file could not be read or written; look for errors of the disk".into())
            }
        }
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

/// Writes so many bytes of a period.
fn write(mut file: &File, bytes: u64, period: &[u8]) -> io::Result<()> {
    let mut piece = vec![0; PIECE];
    for at in (0..bytes).step_by(PIECE) {
        let length = PIECE.min(usize::try_from(bytes - at).unwrap_or(PIECE));
        fill_from(&mut piece[..length], period, at);
        file.write_all(&piece[..length])?;
    }
    Ok(())
}

/// Opens a file once more, past the page cache, to read or to write.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn past_cache(file: &File, writes: bool) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    use std::os::fd::AsRawFd;
    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
    let mode = if writes { OFlags::RDWR } else { OFlags::RDONLY };
    Ok(rustix::fs::open(path, mode | OFlags::DIRECT | OFlags::CLOEXEC, Mode::empty())?.into())
}

/// Other systems have no flag for it.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn past_cache(_: &File, _: bool) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Reads exactly that much of the input; if it ends before, it shrank.
pub fn read_input(file: &File, bytes: &mut [u8], at: u64) -> Result<(), Failed> {
    read(file, "input", bytes, at)
}

fn read(file: &File, name: &str, bytes: &mut [u8], at: u64) -> Result<(), Failed> {
    file.read_exact_at(bytes, at).map_err(|why| match why.kind() {
        io::ErrorKind::UnexpectedEof => shrank(name, at + bytes.len() as u64),
        _ => Failed::File(format!("reading byte {at} of the {name} failed: {why}")),
    })
}

/// Another program cut a file.
fn shrank(name: &str, before: u64) -> Failed {
    Failed::File(format!("the {name} ends before byte {before}: another program shortened it; run again without that"))
}

/// A range in pieces.
pub fn pieces(range: Range<u64>) -> impl Iterator<Item = Range<u64>> {
    let end = range.end;
    range.step_by(PIECE).map(move |begin| begin..end.min(begin + PIECE as u64))
}

/// Where files can be of use to several cells.
#[derive(Default)]
pub struct FileStore {
    own: OwnFiles,
    /// The latest, with what they were made for.
    latest: Option<(Purpose, Arc<Files>)>,
}

/// What files are made for: seed, bytes, form, and where the output has a name.
type Purpose = (u64, u64, Form, Option<PathBuf>);

impl FileStore {
    /// With files of the user's own.
    pub fn with(own: OwnFiles) -> Self {
        Self { own, latest: None }
    }

    /// The files of a cell, whose message is made of a period: those of the latest cell if they are the same.
    pub fn files(&mut self, prepare: &Prepare, period: &[u8]) -> Result<Arc<Files>, String> {
        let Prepare { seed, message, form, .. } = *prepare;
        let purpose = (seed, message, form, self.own.output_of(prepare));
        if let Some((_, files)) = self.latest.as_ref().filter(|(known, _)| *known == purpose) {
            return Ok(files.clone());
        }
        // What no cell uses any more makes room first.
        self.latest = None;
        let (input, output) = (self.own.input_of(prepare), purpose.3.as_deref());
        let files = Arc::new(Files::open(message, period, form, input, output)?);
        self.latest = Some((purpose, files.clone()));
        Ok(files)
    }
}
