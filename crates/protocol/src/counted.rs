//! The counts of a sample, as pairs of metric and count: a new metric needs no new field.

use ciphermeter_core::{Metric, Series};

use crate::{JsonLine, LineError};

/// The counts of a sample, and the series recorded during its last transfer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counted {
    /// From [`Metric::OF_SAMPLES`], in that order, those that the worker knows; always one of [`Self::AMOUNTS`].
    pub counts: Vec<(Metric, u64)>,
    /// In the order of [`Series::ALL`], those that the worker records; each at most [`Series::MOST`] long.
    pub series: Vec<(Series, Vec<u64>)>,
}

impl Counted {
    /// What a sample says of how much its calls took: their time, or what a device counts instead of it.
    pub const AMOUNTS: [Metric; 3] = [Metric::NS, Metric::INSTRUCTIONS, Metric::CYCLES];

    /// Elapsed time, and CPU time where it is known.
    pub fn times(ns: u64, cpu_ns: Option<u64>) -> Self {
        let cpu = cpu_ns.map(|cpu_ns| (Metric::CPU_NS, cpu_ns));
        Self { counts: [(Metric::NS, ns)].into_iter().chain(cpu).collect(), series: Vec::new() }
    }

    /// The count of one metric.
    pub fn count(&self, metric: Metric) -> Option<u64> {
        self.counts.iter().find(|(counted, _)| *counted == metric).map(|(_, count)| *count)
    }

    pub(crate) fn read(line: &JsonLine) -> Result<Self, LineError> {
        let mut found = Self::default();
        for &metric in Metric::OF_SAMPLES {
            found.counts.extend(line.get_integer(metric.name())?.map(|count| (metric, count)));
        }
        if Self::AMOUNTS.iter().all(|metric| found.count(*metric).is_none()) {
            return Err(LineError::Missing(Metric::NS.name()));
        }
        for &series in Series::ALL {
            let key = series.as_str();
            let Some(entries) = line.get_integers(key)? else { continue };
            if entries.len() > Series::MOST {
                return Err(LineError::Wrong { key, must: format!("at most {} entries", Series::MOST) });
            }
            found.series.push((series, entries.to_vec()));
        }
        Ok(found)
    }

    pub(crate) fn put(&self, line: JsonLine) -> JsonLine {
        let line = self.counts.iter().fold(line, |line, (metric, count)| line.integer(metric.name(), *count));
        self.series.iter().fold(line, |line, (series, entries)| line.integers(series.as_str(), entries.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Reply;

    fn read(more: &str) -> Result<Reply, LineError> {
        let text = format!(r#"{{"is":"sample","cell":1,"iterations":1,"ns":9,"first":1,"last":1{more}}}"#);
        Reply::read(&JsonLine::parse(text.as_bytes()).unwrap())
    }

    fn counted(more: &str) -> Counted {
        match read(more).unwrap() {
            Reply::Sample { counted, .. } => *counted,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn unknown_metric_is_absent() {
        assert_eq!(counted(""), Counted::times(9, None));
        assert_eq!(counted(r#","cpu_ns":null,"seal_ns":null,"series_rss":null"#), Counted::times(9, None));
        let found = counted(r#","peak_rss":4096,"handshake_ns":7,"series_cpu":[],"series_rss":[1,2]"#);
        assert_eq!(found.counts, [(Metric::NS, 9), (Metric::HANDSHAKE, 7), (Metric::PEAK_RSS, 4096)]);
        assert_eq!(found.series, [(Series::Cpu, vec![]), (Series::Rss, vec![1, 2])]);
        assert_eq!((found.count(Metric::PEAK_RSS), found.count(Metric::CPU_NS)), (Some(4096), None));
    }

    #[test]
    fn sample_needs_its_time_or_a_count() {
        let with = |key: &str| {
            let text =
                format!(r#"{{"is":"sample","cell":1,"iterations":1,"first":1,"last":1,"stack_bytes":312{key}}}"#);
            Reply::read(&JsonLine::parse(text.as_bytes()).unwrap())
        };
        assert_eq!(with("").unwrap_err().to_string(), "`ns` is missing");
        for key in [r#","ns":7"#, r#","instructions":7"#, r#","cycles":7"#] {
            assert!(with(key).is_ok(), "{key}");
        }
    }

    #[test]
    fn what_a_device_says_of_its_memory_is_kept() {
        let found = counted(r#","stack_bytes":312,"state_bytes":420,"code_bytes":6120,"instructions":4000"#);
        let kept = [Metric::STACK, Metric::STATE, Metric::CODE, Metric::INSTRUCTIONS].map(|metric| found.count(metric));
        assert_eq!(kept, [Some(312), Some(420), Some(6120), Some(4000)]);
    }

    #[test]
    fn series_length_is_limited() {
        let long = |entries: usize| format!(r#","series_peer_cpu":[{}]"#, vec!["50000"; entries].join(","));
        assert_eq!(counted(&long(1000)).series[0].1.len(), 1000);
        let error = read(&long(1001)).unwrap_err().to_string();
        assert_eq!(error, "`series_peer_cpu` must be at most 1000 entries");
        assert!(read(r#","series_cpu":7"#).unwrap_err().to_string().contains("an array of integers"));
        assert!(read(r#","open_ns":[7]"#).unwrap_err().to_string().contains("`open_ns` must be an integer"));
    }
}
