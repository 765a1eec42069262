//! Throughput by size: of two ciphers a panel for each library, of one cipher a line for each.

use std::collections::BTreeSet;

use ciphermeter_core::{Algorithm, Form, Operation, Record, Run};

use super::along::Along;
use super::caption::{self, clean};
use super::cell::{done, extent, is_cipher, name, rate, span};
use crate::screen::Chosen;
use ciphermeter_answer::libraries::question;
use ciphermeter_answer::measured::{has_enough_forks, is_here};
use ciphermeter_answer::rank::{Class, family, rank};
use ciphermeter_answer::words::listed;
use ciphermeter_chart::scale::Scale;
use ciphermeter_chart::sheet::{Axis, Key, KeySample, Lines, Point, Series, Sheet};
use ciphermeter_chart::style::{STYLES, SeriesStyle};

/// The most panels.
pub(super) const PANELS: usize = 9;

/// Two ciphers by size; `None` where fewer than two sizes have figures.
pub(super) fn pair(run: &Run, records: &[Record], chosen: &Chosen) -> Option<Sheet> {
    let all = || chosen.libraries.iter().flat_map(|library| library.sizes.iter().flatten().copied());
    let along = Along::of(all());
    let libraries: Vec<_> = chosen.libraries.iter().take(PANELS).collect();
    let both = [(chosen.first, SeriesStyle::AES), (chosen.second, SeriesStyle::CHACHA20)];
    let panels: Vec<(String, Vec<Series>)> = libraries
        .iter()
        .map(|library| {
            let series = |place: usize, style| series(library.sizes.iter().map(|both| both[place]), &along, style);
            (clean(library.provider), vec![series(0, both[0].1), series(1, both[1].1)])
        })
        .filter(|(_, series)| series.iter().any(|series| !series.points.is_empty()))
        .collect();
    let keys = both.map(|(cipher, style)| Key { name: cipher.title().into(), style, sample: KeySample::Line });
    let scope = records.iter().filter(|record| record.cell.form == chosen.form && is_here(record));
    let scope = scope.filter(|record| chosen.first.is_of(&record.cell) || chosen.second.is_of(&record.cell));
    let shown = libraries.iter().flat_map(|library| library.sizes.iter().flatten().copied());
    let operation = operations(chosen.first.operation, chosen.second.operation, chosen.form);
    let ciphers = format!("{} and {}", chosen.first.title(), chosen.second.title());
    let mut caption = vec![caption::SAMPLES.to_owned()];
    caption.extend(along.listed());
    caption.extend(caption::more(
        chosen.libraries.len() - libraries.len(),
        "libraries, slower than these or with fewer sizes",
    ));
    caption.extend(along.others(scope.clone()));
    caption.extend(further(records, chosen));
    caption.extend(ends(run, shown, scope));
    sheet("AES or ChaCha20?".into(), &format!("{operation}, {ciphers}"), &along, panels, keys.into(), caption)
}

/// Contenders by size, the fastest first; `None` where fewer than two sizes have figures.
pub(super) fn libraries(run: &Run, records: &[Record]) -> Option<Sheet> {
    let ranking = rank(records, family(records), &Class::main(records))?;
    let operation = ranking.ground.first()?.operation;
    let algorithms: BTreeSet<Algorithm> = ranking.order.iter().map(|contender| contender.algorithm).collect();
    let of = |provider: &str, algorithm| -> Vec<&Record> {
        let is_own = |record: &&Record| record.cell.provider == provider && record.cell.algorithm == algorithm;
        let scope = records
            .iter()
            .filter(|record| record.cell.operation == operation && record.cell.form == ranking.form && is_here(record));
        scope.filter(|record| record.cell.parameters.cpus().is_none()).filter(is_own).collect()
    };
    let scope: Vec<&Record> = ranking.order.iter().flat_map(|one| of(one.provider, one.algorithm)).collect();
    let along = Along::of(scope.iter().copied().filter(|record| has_enough_forks(record)));
    let only = algorithms.len() == 1;
    let (mut lines, mut keys, mut shown) = (Vec::new(), Vec::new(), Vec::new());
    for (place, contender) in ranking.order.iter().take(STYLES).enumerate() {
        let enough = of(contender.provider, contender.algorithm).into_iter().filter(|record| has_enough_forks(record));
        let enough: Vec<&Record> = enough.collect();
        let style = SeriesStyle(place);
        let name = if only { clean(contender.provider) } else { name(contender.provider, contender.algorithm) };
        keys.push(Key { name, style, sample: KeySample::Line });
        lines.push(series(enough.iter().copied(), &along, style));
        shown.extend(enough);
    }
    let mut caption = vec![caption::SAMPLES.to_owned()];
    caption.extend(along.listed());
    caption.extend(along.others(scope.iter().copied()));
    caption.extend(caption::more(ranking.order.len().saturating_sub(STYLES), "libraries, slower than these"));
    caption.extend(ends(run, shown, scope.iter().copied()));
    let what = operations(operation, operation, ranking.form);
    sheet(question(algorithms), &what, &along, vec![(String::new(), lines)], keys, caption)
}

/// `Throughput of seal in place`.
pub(super) fn operations(first: Operation, second: Operation, form: Form) -> String {
    match first == second {
        true => format!("Throughput of {}", done(first, form)),
        false => format!("Throughput of {first} and {}", done(second, form)),
    }
}

/// The last sentences of every caption.
pub(super) fn ends<'a>(
    run: &Run,
    shown: impl IntoIterator<Item = &'a Record>,
    scope: impl IntoIterator<Item = &'a Record>,
) -> Vec<String> {
    [caption::left_out(scope), caption::versions(shown), Some(caption::origin(run))].into_iter().flatten().collect()
}

/// What the question leaves aside: a missing tag, other algorithms of the run, and libraries with one of the two alone.
fn further(records: &[Record], chosen: &Chosen) -> Option<String> {
    let main = [chosen.first.algorithm, chosen.second.algorithm];
    let enough = || records.iter().filter(|record| is_cipher(record) && has_enough_forks(record));
    let others: BTreeSet<_> =
        enough().map(|record| record.cell.algorithm).filter(|other| !main.contains(other)).collect();
    let is_apart = |record: &&Record| {
        let has_both = chosen.libraries.iter().any(|library| library.provider == record.cell.provider);
        main.contains(&record.cell.algorithm) && record.cell.form == chosen.form && !has_both
    };
    let apart: BTreeSet<_> = enough().filter(is_apart).map(|record| clean(&record.cell.provider)).collect();
    let others: Vec<String> = others.iter().map(|algorithm| algorithm.title().to_owned()).collect();
    let apart: Vec<String> = apart.into_iter().take(PANELS).collect();
    let untagged = [chosen.first, chosen.second].into_iter().find(|cipher| !cipher.has_tag());
    let untagged = untagged.filter(|_| chosen.first.has_tag() != chosen.second.has_tag());
    let sentences = [
        untagged.map(|cipher| format!("{} has no tag: it does not notice changed data.", cipher.title())),
        (!others.is_empty()).then(|| format!("The run has {}, too.", listed(&others))),
        (!apart.is_empty()).then(|| format!("Only one of the two has enough forks with {}.", listed(&apart))),
    ];
    Some(sentences.into_iter().flatten().collect::<Vec<_>>().join(" ")).filter(|text| !text.is_empty())
}

fn series<'a>(records: impl IntoIterator<Item = &'a Record>, along: &Along, style: SeriesStyle) -> Series {
    let sizes = along.sizes();
    let point = |record: &Record| rate(record, Scale::size(along.size(record)?, &sizes));
    let mut points: Vec<Point> = records.into_iter().filter_map(point).collect();
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    Series { style, points, has_markers: true }
}

fn sheet(
    title: String,
    what: &str,
    along: &Along,
    panels: Vec<(String, Vec<Series>)>,
    keys: Vec<Key>,
    caption: Vec<String>,
) -> Option<Sheet> {
    let points = || panels.iter().flat_map(|(_, all)| all).flat_map(|series| &series.points);
    let places: BTreeSet<u64> = points().map(|point| point.x.to_bits()).collect();
    if places.len() < 2 {
        return None;
    }
    let sizes = along.sizes();
    let x = Axis { title: along.title().into(), scale: Scale::of_sizes(&sizes) };
    let y = Axis { title: "throughput, GB/s".into(), scale: Scale::of_amounts(extent(points())) };
    let subtitle = format!("{what}, {} of {}{}", along.what(), span(&sizes), along.fixed());
    let columns = columns(panels.len());
    let lines = Lines::all(panels, &x, &y);
    Some(Sheet { title, subtitle, keys, lines, columns, rows: Vec::new(), caption })
}

/// How many panels stand beside each other.
pub(super) fn columns(panels: usize) -> usize {
    match panels {
        0..=3 => panels.max(1),
        4 => 2,
        _ => 3,
    }
}
