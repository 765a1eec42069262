//! A worker that describes itself with arbitrary lines: no panic, no more lines than the limit are read, and the result
//! reads back equal and is safe to show.
#![no_main]

use std::time::Duration;

use ciphermeter_protocol::{Deadline, Describe, JsonLine, LineError, Link, LinkError, describe};
use libfuzzer_sys::fuzz_target;

/// A worker that sends these lines, over and over if it is `endless`.
struct Said {
    lines: Vec<Result<JsonLine, LineError>>,
    endless: bool,
    next: usize,
}

impl Said {
    fn describe(mut self) -> Result<Describe, LinkError> {
        let described = describe(&mut self, Duration::ZERO);
        assert!(self.next <= 1024, "{} lines were taken", self.next);
        described
    }
}

impl Link for Said {
    fn send(&mut self, _: &JsonLine, _: Deadline) -> Result<(), LinkError> {
        Ok(())
    }

    fn receive(&mut self, deadline: Deadline) -> Result<JsonLine, LinkError> {
        let place = if self.endless && !self.lines.is_empty() { self.next % self.lines.len() } else { self.next };
        self.next += 1;
        match self.lines.get(place) {
            Some(Ok(line)) => Ok(line.clone()),
            Some(Err(error)) => Err(LinkError::Implausible(error.to_string())),
            None => Err(LinkError::TimedOut(deadline.patience())),
        }
    }
}

fuzz_target!(|data: &[u8]| {
    let lines = data.split(|byte| *byte == b'\n').map(JsonLine::parse).collect();
    let endless = data.last() == Some(&b'\n');
    match (Said { lines, endless, next: 0 }).describe() {
        Ok(described) => {
            let lines = described.lines().into_iter().map(Ok).collect();
            assert_eq!(Said { lines, endless: false, next: 0 }.describe().expect("it reads back"), described);
            assert!(!format!("{}{}", described.worker, described.runtime).contains(char::is_control));
        }
        Err(error) => assert!(!error.to_string().contains('\n'), "{error}"),
    }
});
