//! What a cell came to in memory and CPU time: medians over its processes, and quantiles over its samples.

use std::collections::BTreeSet;

use ciphermeter_core::{Memory, Metric, Record, Sample, SampleRange};
use ciphermeter_estimate::range_of;
use ciphermeter_stats::median;

/// Medians over the processes in which a cell was looked at, in bytes; `None` where nothing counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Medians<'a> {
    /// Resident size of the idle process.
    pub idle_rss: Option<u64>,
    /// The most resident above that.
    pub peak_rss: Option<u64>,
    /// The most in use above the idle process by the runtime's or C library's own count.
    pub peak_heap: Option<u64>,
    /// What that count gave out for one call.
    pub allocated_per_call: Option<u64>,
    /// What counts.
    pub counters: BTreeSet<&'a str>,
}

impl<'a> Medians<'a> {
    /// `None` where no process was looked at.
    pub fn of(record: &'a Record) -> Option<Self> {
        let middle = |pick: fn(&Memory) -> Option<u64>| {
            let mut told: Vec<f64> = record.memory.iter().filter_map(pick).map(|bytes| bytes as f64).collect();
            median(&mut told).map(|bytes| bytes.round() as u64)
        };
        (!record.memory.is_empty()).then(|| Self {
            idle_rss: middle(|memory| memory.idle_rss),
            peak_rss: middle(|memory| memory.peak_rss),
            peak_heap: middle(|memory| memory.peak_heap),
            allocated_per_call: middle(Memory::allocated_per_call),
            counters: record.memory.iter().filter_map(|memory| memory.counter.as_deref()).collect(),
        })
    }
}

/// Peak memory of a cell in bytes, above an idle process.
pub fn peak(record: &Record) -> Option<u64> {
    Medians::of(record)?.peak_rss
}

/// CPU time of one call in nanoseconds: what all threads used ÷ the calls of all threads; summed up as the range of elapsed
/// time is, the median over undisturbed samples and the range of all. `None` where the worker doesn't tell.
pub fn cpu_range(record: &Record) -> Option<SampleRange> {
    let at_once = record.cell.messages_at_once();
    let each = |sample: &Sample| {
        let calls = sample.iterations.saturating_mul(at_once).max(1);
        Some(sample.count(Metric::CPU_NS)? as f64 / calls as f64)
    };
    range_of(&record.forks, &record.limits(), each)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn processes_that_tell_nothing_are_passed_over() {
        let (_, mut records) = fixtures::run();
        let record = &mut records[0];
        assert_eq!(Medians::of(record), None);
        record.memory = vec![Memory::default()];
        assert_eq!(Medians::of(record), Some(Medians::default()));
        let told = |peak, allocated| Memory {
            iterations: 10,
            peak_rss: Some(peak),
            allocated: Some(allocated),
            counter: Some("malloc".into()),
            ..Memory::default()
        };
        record.memory.extend([told(4096, 640), told(8192, 0), told(16_384, 649)]);
        let medians = Medians::of(record).unwrap();
        assert_eq!((medians.idle_rss, medians.peak_rss, medians.allocated_per_call), (None, Some(8192), Some(64)));
        assert_eq!(medians.counters, BTreeSet::from(["malloc"]));
    }

    #[test]
    fn cpu_time_is_that_of_one_call() {
        let (_, mut records) = fixtures::run();
        let record = &mut records[0];
        let range = record.summary.as_ref().unwrap().range;
        let cpu = cpu_range(record).unwrap();
        assert!(cpu.mid < range.mid && cpu.mid > 0.99 * range.mid, "{cpu:?} {range:?}");
        for sample in record.forks.iter_mut().flat_map(|fork| &mut fork.samples) {
            (sample.iterations, sample.counts) = (10, vec![(Metric::NS, 1000), (Metric::CPU_NS, 4000)]);
        }
        record.cell.parameters = ciphermeter_core::Parameters::message_cell(64, 0, 4);
        assert_eq!(cpu_range(record), Some(SampleRange { low: 100.0, mid: 100.0, high: 100.0 }));
        record.forks.iter_mut().flat_map(|fork| &mut fork.samples).for_each(|sample| {
            sample.counts.pop();
        });
        assert_eq!(cpu_range(record), None);
    }
}
