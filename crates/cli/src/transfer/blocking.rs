//! A standard stream that waits, even if another program has made its pipe non-blocking: both share one setting.

use std::fs::File;
use std::io::{self, Read, Write};

use rustix::event::{PollFd, PollFlags, poll};

/// Reads and writes as soon as it can.
pub struct Blocking(pub File);

impl Blocking {
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

impl Read for Blocking {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.when_ready(PollFlags::IN, |file| file.read(buffer))
    }
}

impl Write for Blocking {
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

    use rustix::fs::{OFlags, fcntl_setfl};
    use rustix::pipe::pipe;

    use super::*;

    #[test]
    fn pipe_that_does_not_wait_is_waited_for() {
        let (from, to) = pipe().unwrap();
        fcntl_setfl(&from, OFlags::NONBLOCK).unwrap();
        fcntl_setfl(&to, OFlags::NONBLOCK).unwrap();
        let (mut from, mut to) = (Blocking(File::from(from)), Blocking(File::from(to)));
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
