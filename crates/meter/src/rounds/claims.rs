//! Whether the time that a worker claims is most of what its request took by the harness's clock.
//!
//! What was requested beside the timed calls is taken off: the warm-up; an empty request of the cell, by what requests of one call and of
//! many took; and what a request to the probe waited meanwhile, since on a busy machine every process waits. All of these are the
//! harness's own readings, but for the calls of a warm-up that goes once round many keys.

use std::time::Duration;

use ciphermeter_core::{Metric, Sample};
use ciphermeter_stats::MOST_UNCLAIMED;

use super::setting::Setting;
use crate::Batch;

/// What a request without any call would take, as the straight line through those of one call and of so many has it.
pub fn empty_request(one: Duration, many: (u64, Duration)) -> Duration {
    let (calls, took) = many;
    let each = took.saturating_sub(one) / u32::try_from(calls.saturating_sub(1)).unwrap_or(u32::MAX).max(1);
    one.saturating_sub(each)
}

/// How long the timed calls of a batch may have taken: all of its request that was not asked for otherwise. `None` where an empty request
/// is not known.
pub fn stretch(setting: &Setting, batch: &Batch) -> Option<Duration> {
    let before = Duration::from_nanos(setting.warmup_ns.max(setting.before as u64));
    Some(batch.elapsed.saturating_sub(before).saturating_sub(setting.empty?))
}

/// Takes note of a sample whose calls had far longer than its worker claims; the probe waited so long meanwhile.
pub fn note(sample: &mut Sample, stretch: Option<Duration>, waited: Duration) {
    let Some(stretch) = stretch.map(|stretch| stretch.saturating_sub(waited)) else { return };
    let elapsed = u64::try_from(stretch.as_nanos()).unwrap_or(u64::MAX);
    if elapsed / MOST_UNCLAIMED > sample.ns() {
        sample.counts.push((Metric::ELAPSED, elapsed));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn us(microseconds: u64) -> Duration {
        Duration::from_micros(microseconds)
    }

    #[test]
    fn empty_request_is_what_no_call_explains() {
        assert_eq!(empty_request(us(50), (31, us(350))), us(40));
        assert_eq!(empty_request(us(900), (2, us(1500))), us(300));
        assert_eq!(empty_request(us(50), (31, us(45))), us(50), "noise");
        assert_eq!(empty_request(us(900), (2, us(5000))), us(0), "the second was interrupted");
    }

    #[test]
    fn warm_up_set_up_and_waiting_are_not_the_calls() {
        let setting = Setting { iterations: 30, warmup_ns: 60_000, each: 1e4, beside: 0.0, before: 0.0, empty: None };
        let batch = Batch { elapsed: us(2000), ..Batch::default() };
        assert_eq!(stretch(&setting, &batch), None);
        let setting = Setting { empty: Some(us(40)), ..setting };
        assert_eq!(stretch(&setting, &batch), Some(us(1900)));
        assert_eq!(stretch(&Setting { before: 1_000_000.0, ..setting }, &batch), Some(us(960)), "texts are set up");
        let noted = |ns, waited| {
            let counts = vec![(Metric::NS, ns)];
            let mut sample = Sample {
                cell: ciphermeter_core::CellId(0),
                after: None,
                turn: 0,
                iterations: 30,
                counts,
                series: vec![],
            };
            note(&mut sample, Some(us(1900)), waited);
            sample.count(Metric::ELAPSED)
        };
        assert_eq!(noted(300_000, us(0)), Some(1_900_000));
        assert_eq!(noted(300_000, us(700)), None);
        assert_eq!(noted(475_000, us(0)), None, "four times as long is let pass");
    }
}
