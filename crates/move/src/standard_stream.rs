//! A standard stream as what is sent or received: open, and waiting even if another program has
//! made its pipe non-blocking, because both share one setting.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;

use anyhow::{Context, Result, bail};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{OFlags, fcntl_getfl, fstat, stat};

/// Reads and writes as soon as it can. Unlike `io::stdout()`, it keeps nothing that follows the
/// last newline.
pub struct StandardStream(File);

impl StandardStream {
    /// Refuses a stream that was closed when the program began: data must not come from, or go,
    /// nowhere. Rust's runtime has opened `/dev/null` in its place, for reading and writing; a
    /// shell's `<` and `>` open it for one of both.
    pub fn new(stream: impl AsFd, name: &str, how: &str) -> Result<Self> {
        let null = stat("/dev/null").map(|about| about.st_rdev).ok();
        let is_null = fstat(&stream).is_ok_and(|about| Some(about.st_rdev) == null);
        if is_null && fcntl_getfl(&stream).is_ok_and(|flags| flags.contains(OFlags::RDWR)) {
            bail!("{name} is closed: {how}");
        }
        let own = stream.as_fd().try_clone_to_owned();
        Ok(Self(File::from(own.with_context(|| format!("cannot use {name}: redirect it anew"))?)))
    }

    fn when_ready<T>(&mut self, flags: PollFlags, mut act: impl FnMut(&mut File) -> io::Result<T>) -> io::Result<T> {
        loop {
            match act(&mut self.0) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    match poll(&mut [PollFd::new(&self.0, flags)], None) {
                        Ok(_) | Err(rustix::io::Errno::INTR) => {}
                        Err(error) => return Err(error.into()),
                    }
                }
                acted => return acted,
            }
        }
    }
}

impl Read for StandardStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.when_ready(PollFlags::IN, |file| file.read(buffer))
    }
}

impl Write for StandardStream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.when_ready(PollFlags::OUT, |file| file.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use rustix::fs::fcntl_setfl;
    use rustix::pipe::pipe;

    use super::*;

    #[test]
    fn pipe_that_does_not_wait_is_waited_for() {
        let (from, to) = pipe().unwrap();
        fcntl_setfl(&from, OFlags::NONBLOCK).unwrap();
        fcntl_setfl(&to, OFlags::NONBLOCK).unwrap();
        let (mut from, mut to) = (StandardStream(File::from(from)), StandardStream(File::from(to)));
        let bytes: Vec<u8> = (0..1_000_000_u32).map(|at| at as u8).collect();
        let written = bytes.clone();
        let writing = thread::spawn(move || {
            thread::sleep(Duration::from_millis(20));
            to.write_all(&written)
        });
        let mut read = Vec::new();
        from.read_to_end(&mut read).unwrap();
        writing.join().unwrap().unwrap();
        assert!(read == bytes);
    }
}
