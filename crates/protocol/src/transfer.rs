//! What the reply to a `sample` of transfers holds beside times that every sample has.

use ciphermeter_core::{Metric, Series};

use crate::{Line, LineError};

/// Counts of transfers alone, and what was followed through the last one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TransferCounts {
    /// Of [`Metric::OF_TRANSFERS`], in that order, those that the worker knows.
    pub counts: Vec<(Metric, u64)>,
    /// In the order of [`Series::ALL`], those that the worker follows; each at most [`Series::MOST`] long.
    pub series: Vec<(Series, Vec<u64>)>,
}

impl TransferCounts {
    /// `None` where the line has none of its keys, as of a sample of calls.
    pub(crate) fn read(line: &Line) -> Result<Option<Box<Self>>, LineError> {
        let mut found = Self::default();
        for &metric in Metric::OF_TRANSFERS {
            found.counts.extend(line.get_integer(metric.as_str())?.map(|count| (metric, count)));
        }
        for &series in Series::ALL {
            let key = series.as_str();
            let Some(entries) = line.get_integers(key)? else { continue };
            if entries.len() > Series::MOST {
                return Err(LineError::Wrong { key, must: format!("at most {} entries", Series::MOST) });
            }
            found.series.push((series, entries.to_vec()));
        }
        Ok((found != Self::default()).then(|| Box::new(found)))
    }

    pub(crate) fn put(&self, line: Line) -> Line {
        let line = self.counts.iter().fold(line, |line, (metric, count)| line.integer(metric.as_str(), *count));
        self.series.iter().fold(line, |line, (series, entries)| line.integers(series.as_str(), entries.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Reply;

    fn read(more: &str) -> Result<Reply, LineError> {
        let text = format!(r#"{{"is":"sample","cell":1,"iterations":1,"ns":9,"first":1,"last":1{more}}}"#);
        Reply::read(&Line::parse(text.as_bytes()).unwrap())
    }

    fn counts(more: &str) -> Option<TransferCounts> {
        match read(more).unwrap() {
            Reply::Sample { transfer, .. } => transfer.map(|transfer| *transfer),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_a_worker_does_not_know_is_absent() {
        assert_eq!(counts(""), None);
        assert_eq!(counts(r#","seal_ns":null,"series_rss":null"#), None);
        let found = counts(r#","peak_rss":4096,"handshake_ns":7,"series_cpu":[],"series_rss":[1,2]"#).unwrap();
        assert_eq!(found.counts, [(Metric::Handshake, 7), (Metric::PeakRss, 4096)]);
        assert_eq!(found.series, [(Series::Cpu, vec![]), (Series::Rss, vec![1, 2])]);
    }

    #[test]
    fn a_series_has_an_end() {
        let long = |entries: usize| format!(r#","series_peer_cpu":[{}]"#, vec!["50000"; entries].join(","));
        assert_eq!(counts(&long(1000)).unwrap().series[0].1.len(), 1000);
        let error = read(&long(1001)).unwrap_err().to_string();
        assert_eq!(error, "`series_peer_cpu` must be at most 1000 entries");
        assert!(read(r#","series_cpu":7"#).unwrap_err().to_string().contains("an array of integers"));
        assert!(read(r#","open_ns":[7]"#).unwrap_err().to_string().contains("`open_ns` must be an integer"));
    }
}
