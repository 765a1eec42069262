//! What a run measured beside its main question, a line each: threads, single calls, memory.

use ciphermeter_core::{Form, Group, IN_BATCHES, Record, escaped};
use ciphermeter_stats::Percentile;

use crate::latency::{Figure, Percentiles};
use crate::measured::has_enough_forks;
use crate::memory::peak;
use crate::pair::USUAL;
use crate::point::{Point, Points};
use crate::rank::usual_form;
use crate::rate::rate;
use crate::rotation_cost;
use crate::threads::{Gain, gain};
use crate::words::{bytes, capital, digits, duration, first_of, heading, size, times};

/// So many figures stand in a line.
const MOST: usize = 3;

/// A line for each further thing that was measured.
pub fn notes(records: &[Record], has_memory: bool) -> Vec<String> {
    let ciphers: Vec<&Record> = records
        .iter()
        .filter(|record| record.cell.algorithm.is_cipher())
        .filter(|record| has_enough_forks(record))
        .collect();
    let memory = if has_memory { None } else { memory(&ciphers) };
    let cycles = Points(ciphers.iter().map(|record| Point::of(&record.cell.parameters)).collect()).rotation();
    let further = [threads(&ciphers, records), batches(&ciphers), single_calls(&ciphers), memory, allocator(&ciphers)];
    cycles.into_iter().chain(rotation_cost::cost(&ciphers)).chain(further.into_iter().flatten()).collect()
}

/// Where the library got many messages a call in some cells and one in others: what stands beside the main figures, at the largest size.
/// `In batches of 32, not compared with single messages: seal at 1 KiB, AES-256-GCM by ipsec-mb 9.1 GB/s.`
fn batches(ciphers: &[&Record]) -> Option<String> {
    let is_batch = |record: &Record| record.cell.form == Form::Batch;
    let main = usual_form(ciphers)? == Form::Batch;
    let others: Vec<&Record> = ciphers.iter().copied().filter(|record| is_batch(record) != main).collect();
    let largest = others.iter().max_by_key(|record| {
        (
            record.cell.parameters.message(),
            std::cmp::Reverse((record.cell.operation, record.cell.parameters.goes_round())),
        )
    })?;
    let group = largest.cell.group();
    let said = others.iter().filter(|record| record.cell.group() == group);
    let said = said.filter_map(|record| Some(format!("{} {} GB/s", name(record), digits(rate(record)?))));
    let (those, other) = match main {
        true => ("One message a call".to_owned(), "batches"),
        false => (capital(IN_BATCHES), "single messages"),
    };
    let at = format!("{} at {}", group.operation, size(group.parameters.message()));
    Some(format!("{those}, not compared with {other}: {at}, {}.", first_of(said.collect(), MOST)))
}

/// From so many bytes on, allocators ask the system for pages of their own (glibc's `M_MMAP_THRESHOLD`).
const MAPPED: u64 = 128 << 10;

/// Where what the allocator did before may count for more than the library.
fn allocator(ciphers: &[&Record]) -> Option<String> {
    let is_mapped = |record: &&&Record| record.cell.form == Form::Fresh && record.cell.parameters.message() >= MAPPED;
    ciphers.iter().find(is_mapped)?;
    let from = size(MAPPED);
    Some(format!("Freshly allocated output from {from} on includes page faults (BIAS.md)."))
}

fn name(record: &Record) -> String {
    format!("{} by {}", record.cell.algorithm.title(), escaped(&record.cell.provider))
}

/// `Speed of 2 threads ÷ that of one, 16 MiB: AES-256-GCM by aws-lc 1.91× and ….`
fn threads(ciphers: &[&Record], records: &[Record]) -> Option<String> {
    let is_known = |gain: &Gain| gain.speed_up.range().is_some() && !gain.speed_up.is_wide();
    let gains: Vec<_> =
        ciphers.iter().filter_map(|record| Some((*record, gain(record, records).filter(is_known)?))).collect();
    let (first, _) = gains.first()?;
    let parameters = &first.cell.parameters;
    let said = gains
        .iter()
        .filter(|(record, _)| record.cell.parameters == *parameters && record.cell.operation == first.cell.operation)
        .map(|(record, gain)| format!("{} {}", name(record), times(gain.speed_up.mid)));
    let said = first_of(said.collect(), MOST);
    Some(format!("Speed of {} threads ÷ that of one, {}: {said}.", parameters.threads(), size(parameters.message())))
}

/// `p99 of single calls of 16 B: AES-256-GCM by aws-lc 122 ns (119 ns to 140 ns by fork) or ring
/// 125 ns …`. Of a cipher's libraries those are named whose forks reach down to those of the
/// fastest, each with its own figure.
fn single_calls(ciphers: &[&Record]) -> Option<String> {
    let p99 = |record: &Record| Percentiles::of(record)?.get(Percentile::P99);
    let mut timed: Vec<(&Record, Figure)> = ciphers.iter().filter_map(|record| Some((*record, p99(record)?))).collect();
    let (first, _) = timed.iter().min_by_key(|(record, _)| record.cell.parameters.message())?;
    let group = first.cell.group();
    timed.retain(|(record, _)| record.cell.group() == group);
    if timed.iter().any(|(record, _)| record.cell.algorithm != timed[0].0.cell.algorithm) {
        let own = library_of_most(&timed)?;
        timed.retain(|(record, _)| record.cell.provider == own);
    }
    let mut by_cipher: Vec<Vec<(&Record, Figure)>> = Vec::new();
    for (record, figure) in timed {
        match by_cipher.iter_mut().find(|known| known[0].0.cell.algorithm == record.cell.algorithm) {
            Some(known) => known.push((record, figure)),
            None => by_cipher.push(vec![(record, figure)]),
        }
    }
    let said = by_cipher.into_iter().filter_map(|mut libraries| {
        libraries.sort_by_key(|(_, figure)| figure.ns);
        let (record, Figure { ns, range: Some((low, high)) }) = *libraries.first()? else { return None };
        let reaches = |figure: &Figure| figure.range.is_none_or(|(least, _)| least <= high);
        let near: Vec<String> = libraries[1..]
            .iter()
            .filter(|(_, figure)| reaches(figure))
            .map(|(record, figure)| format!("{} {}", escaped(&record.cell.provider), duration(figure.ns as f64)))
            .collect();
        let near = match near.len() {
            0..MOST => near.iter().map(|one| format!(" or {one}")).collect(),
            many => format!(" or one of {many} libraries that may be as fast"),
        };
        let (title, by, ns) = (record.cell.algorithm.title(), escaped(&record.cell.provider), duration(ns as f64));
        Some(format!("{title} by {by} {ns} ({} to {} by fork){near}", duration(low), duration(high)))
    });
    let said = first_of(said.collect(), MOST);
    (!said.is_empty()).then(|| format!("p99 of single calls of {}: {said}.", size(group.parameters.message())))
}

/// Several ciphers are compared within one library: that which has the most of them, of several the usual one.
fn library_of_most(timed: &[(&Record, Figure)]) -> Option<String> {
    let ciphers = |name: &str| timed.iter().filter(|(record, _)| record.cell.provider == name).count();
    let names = timed.iter().map(|(record, _)| record.cell.provider.as_str());
    let most = names.max_by_key(|name| (ciphers(name), USUAL.contains(name)))?;
    (ciphers(most) > 1).then(|| most.to_owned())
}

/// `Peak memory above an idle process, seal into, 10 MiB message: …`
fn memory(ciphers: &[&Record]) -> Option<String> {
    let seen: Vec<(&Record, u64)> = ciphers.iter().filter_map(|record| Some((*record, peak(record)?))).collect();
    let alike = |group: &Group| seen.iter().filter(|(record, _)| record.cell.group() == *group).count();
    // Of the largest message, the form in which most libraries have it.
    let of = |record: &Record| {
        let group = record.cell.group();
        (group.parameters.message(), !group.operation.consumes_sealed(), alike(&group))
    };
    let (first, _) = seen.iter().max_by_key(|(record, _)| of(record))?;
    let group = first.cell.group();
    let mut same: Vec<_> = seen.iter().filter(|(record, _)| record.cell.group() == group).collect();
    same.sort_by_key(|(_, peak)| *peak);
    let said = same.iter().map(|(record, peak)| format!("{} {}", name(record), bytes(*peak))).collect();
    Some(format!("Peak memory above an idle process, {}: {}.", heading(&group), first_of(said, MOST)))
}

#[cfg(test)]
mod tests {
    use ciphermeter_core::Algorithm;

    use super::*;
    use crate::basis::{Basis, Condition};
    use crate::fixtures;

    #[test]
    fn single_calls_of_ciphers_are_compared_within_one_library() {
        let (_, mut records) = fixtures::run();
        let [aes, chacha20] = Algorithm::USUAL;
        for (provider, algorithm, ns) in
            [("aws-lc", aes, 300), ("ring", aes, 200), ("aws-lc", chacha20, 900), ("rustcrypto", chacha20, 100)]
        {
            let is_its = |record: &&mut Record| {
                let cell = &record.cell;
                (cell.provider.as_str(), cell.algorithm, cell.parameters.message()) == (provider, algorithm, 64)
            };
            records.iter_mut().find(is_its).unwrap().latency = fixtures::latency(ns, 23, 20_000, 4);
        }
        let said = notes(&records, false).concat();
        let [one, other] = ["AES-256-GCM by aws-lc ", "ChaCha20-Poly1305 by aws-lc "].map(|name| said.contains(name));
        assert!(one && other && !said.contains("ring") && !said.contains("rustcrypto"), "{said}");
    }

    #[test]
    fn batches_beside_single_calls_have_their_figures() {
        let (_, mut records) = fixtures::run();
        let said = |records: &[Record]| {
            let notes = notes(records, false);
            notes.into_iter().find(|note| note.contains("atches"))
        };
        assert_eq!(said(&records), None);
        records[0].cell.form = Form::Batch;
        let figures = said(&records).expect("a note");
        let begin = "In batches of 32, not compared with single messages: seal at 64 B, AES-256-GCM by aws-lc ";
        assert!(figures.starts_with(begin) && figures.ends_with(" GB/s."), "{figures}");
        records.iter_mut().for_each(|record| record.cell.form = Form::Batch);
        assert_eq!(said(&records), None, "what all figures rest on is a condition");
        assert!(Basis::of(&records, (6, 6)).conditions.contains(&Condition::InBatches));
    }
}
