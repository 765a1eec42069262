//! Reports that were drawn lately: a report takes a CPU a good part of a second, and a stored run does not change.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Bytes;

/// Bytes of all reports that are kept.
const MOST: usize = 64 << 20;

/// By the digests of their runs, those asked for last at the end.
#[derive(Clone, Default)]
pub struct Drawn(Arc<Mutex<VecDeque<Kept>>>);

/// The names of a report's runs, and the report.
type Kept = (Vec<String>, Bytes);

impl Drawn {
    /// The report of these runs, if it was drawn lately.
    pub fn get(&self, runs: &[String]) -> Option<Bytes> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = kept.iter().position(|(own, _)| own == runs)?;
        let found = kept.remove(place)?;
        let report = found.1.clone();
        kept.push_back(found);
        Some(report)
    }

    /// Keeps a report, in the place of those that nobody asked for the longest.
    pub fn keep(&self, runs: Vec<String>, report: Bytes) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(own, _)| *own != runs);
        kept.push_back((runs, report));
        while kept.iter().map(|(_, report)| report.len()).sum::<usize>() > MOST {
            kept.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_that_nobody_asks_for_make_room() {
        let (drawn, name) = (Drawn::default(), |number: usize| vec![number.to_string()]);
        let report = Bytes::from(vec![0; MOST / 4]);
        for number in 0..4 {
            drawn.keep(name(number), report.clone());
        }
        assert!(drawn.get(&name(0)).is_some(), "all four fit");
        drawn.keep(name(4), report);
        let kept: Vec<usize> = (0..5).filter(|number| drawn.get(&name(*number)).is_some()).collect();
        assert_eq!(kept, [0, 2, 3, 4]);
    }
}
