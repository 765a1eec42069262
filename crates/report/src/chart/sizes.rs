//! Throughput by size: of two ciphers a panel for each library, and by how much one is faster; of
//! one cipher a line for each library.

use std::collections::BTreeSet;

use ciphermeter_core::{Algorithm, Record, Run};
use ciphermeter_estimate::{Ratio, logs};

use super::caption::{self, clean, ends};
use super::cell::{done, is_cipher, names, operation_form, rate};
use super::size_axis::SizeAxis;
use super::styles::Libraries;
use crate::screen::{Chosen, Library};
use ciphermeter_answer::libraries::question;
use ciphermeter_answer::measured::{has_enough_forks, is_here};
use ciphermeter_answer::rank::{Class, family, rank};
use ciphermeter_answer::words::{listed, times};
use ciphermeter_chart::sheet::{Point, Row, Series, Sheet, Spread};
use ciphermeter_chart::spec::{LinePanels, Most, Panels, RowPanels, Spec};
use ciphermeter_chart::style::{STYLES, SeriesStyle};

const PANELS: usize = 9;

/// Two ciphers by size; `None` where fewer than two sizes have figures.
pub(super) fn pair(run: &Run, records: &[Record], chosen: &Chosen) -> Option<Sheet> {
    let Chosen { first, second, form, libraries, .. } = chosen;
    let axis = SizeAxis::of(libraries.iter().flat_map(|library| library.sizes.iter().flatten().copied()));
    let both = [(first.title(), SeriesStyle::AES), (second.title(), SeriesStyle::CHACHA20)];
    let panel = |library: &Library| {
        let line = |place: usize| {
            let (name, style) = both[place];
            Series::new(name, style, axis.points(library.sizes.iter().map(|both| both[place]), rate))
        };
        (clean(&library.provider), vec![line(0), line(1)])
    };
    let scope = records.iter().filter(|record| record.cell.form == *form && is_here(record));
    let scope = scope.filter(|record| first.is_of(&record.cell) || second.is_of(&record.cell));
    let shown = libraries.iter().take(PANELS).flat_map(|library| library.sizes.iter().flatten().copied());
    let operations = match first.operation == second.operation {
        true => done((first.operation, *form)),
        false => format!("{} and {}", first.operation, done((second.operation, *form))),
    };
    let most = Most(PANELS, "libraries, slower than these or with fewer sizes");
    Spec {
        title: chosen.question(),
        subtitle: format!("Throughput of {operations}, {} and {}, {}", first.title(), second.title(), axis.words()),
        quantity: "throughput, GB/s".into(),
        panels: Panels::Lines(LinePanels { most, ..LinePanels::new(axis.axis(), libraries.iter().map(panel)) }),
        caption: vec![Some(caption::SAMPLES.into()), axis.listed()],
        ends: [vec![axis.others(scope.clone()), further(records, chosen)], ends(run, shown, scope)].concat(),
    }
    .sheet()
}

/// Contenders by size, the fastest first; `None` where fewer than two sizes have figures.
pub(super) fn libraries(run: &Run, records: &[Record]) -> Option<Sheet> {
    let ranking = rank(records, family(records), &Class::main(records))?;
    let operation = ranking.ground.first()?.operation;
    let algorithms: BTreeSet<Algorithm> = ranking.order.iter().map(|contender| contender.algorithm).collect();
    let contenders: Vec<_> = ranking.order.iter().map(|one| (one.algorithm, one.provider)).collect();
    let is_here = |record: &&Record| {
        let cell = &record.cell;
        operation_form(record) == (operation, ranking.form) && is_here(record) && cell.parameters.cpus().is_none()
    };
    let of = |(algorithm, provider): (Algorithm, &str)| {
        let is_own = move |record: &&Record| record.cell.provider == provider && record.cell.algorithm == algorithm;
        records.iter().filter(is_here).filter(is_own).collect::<Vec<&Record>>()
    };
    let enough = |contender| of(contender).into_iter().filter(|record| has_enough_forks(record));
    let scope = || contenders.iter().flat_map(|contender| of(*contender));
    let axis = SizeAxis::of(scope().filter(|record| has_enough_forks(record)));
    let styles = Libraries::of(records).styles_of_ciphers(&contenders);
    let (names, _) = names(&contenders);
    let named = contenders.iter().zip(names).zip(styles);
    let line = named.map(|((one, name), style)| Series::new(name, style, axis.points(enough(*one), rate)));
    let panels = [(String::new(), line.collect())];
    Spec {
        title: question(algorithms),
        subtitle: format!("Throughput of {}, {}", done((operation, ranking.form)), axis.words()),
        quantity: "throughput, GB/s".into(),
        panels: Panels::Lines(LinePanels {
            others: "libraries, slower than these",
            ..LinePanels::new(axis.axis(), panels)
        }),
        caption: vec![Some(caption::SAMPLES.into()), axis.listed(), axis.others(scope())],
        ends: ends(run, contenders.iter().take(STYLES).flat_map(|contender| enough(*contender)), scope()),
    }
    .sheet()
}

/// By how much one of two ciphers is faster: a line for each library, or a row for each at one
/// size; `None` where no library has both.
pub(super) fn ratio(run: &Run, chosen: &Chosen, libraries: &Libraries) -> Option<Sheet> {
    let all = || chosen.libraries.iter().flat_map(|library| library.sizes.iter().flatten().copied());
    let axis = SizeAxis::of(all());
    let (first, second) = (chosen.first.title(), chosen.second.title());
    let points = |library: &Library| -> Vec<Point> {
        let point = |[first, second]: &[&Record; 2]| {
            let ratio = Ratio::from_logs(&logs(second, first), chosen.confidence)?;
            axis.points([*first], |_| Some(Point::new(ratio.mid, ratio.range()))).pop()
        };
        library.sizes.iter().filter_map(point).collect()
    };
    // In the order in which other figures have them.
    let mut ordered: Vec<(&str, Vec<Point>)> =
        chosen.libraries.iter().map(|library| (library.provider.as_str(), points(library))).collect();
    ordered.retain(|(_, points)| !points.is_empty());
    ordered.sort_by_key(|(provider, _)| libraries.place(provider));
    let styles = libraries.styles(&ordered.iter().map(|(provider, _)| *provider).collect::<Vec<_>>());
    let is_one_size = {
        let mut places = ordered.iter().flat_map(|(_, points)| points).map(|point| point.x);
        places.next().is_none_or(|first| places.all(|other| other == first))
    };
    let panels = match is_one_size {
        true => {
            let row = |(provider, points): &(&str, Vec<Point>)| {
                let point = *points.first()?;
                Some(Row { figure: times(point.y), ..Row::new(clean(provider), SeriesStyle::AES, point) })
            };
            let mut rows: Vec<Row> = ordered.iter().filter_map(row).collect();
            rows.sort_by(|a, b| b.value.total_cmp(&a.value));
            Panels::Rows(RowPanels::ratios(rows, Most(24, "libraries, with lower ratios"), "ratio"))
        }
        false => {
            let lines = ordered.into_iter().zip(styles);
            let lines = lines.map(|((provider, points), style)| Series::new(clean(provider), style, points));
            let panels = [(String::new(), lines.collect())];
            let lines = LinePanels::new(axis.axis(), panels);
            Panels::Lines(LinePanels { others: "libraries", spread: Spread::Bands, level: Some(1.0), ..lines })
        }
    };
    Spec {
        title: "By how much?".into(),
        subtitle: format!(
            "Time of {second} ÷ time of {first}, {}, {}",
            done((chosen.first.operation, chosen.form)),
            axis.words()
        ),
        quantity: "ratio of times".into(),
        panels,
        caption: vec![Some(format!(
            "Above 1, {first} is faster. Geometric means over forks, both ciphers in the same rounds; bands and whiskers: 95 % confidence \
             intervals for all at once."
        ))],
        ends: ends(run, all(), []),
    }
    .sheet()
}

/// What the question leaves aside: a missing tag, other algorithms of the run, and libraries with one of the two alone.
fn further(records: &[Record], chosen: &Chosen) -> Option<String> {
    let main = [chosen.first.algorithm, chosen.second.algorithm];
    let enough = || records.iter().filter(|record| is_cipher(record) && has_enough_forks(record));
    let others: BTreeSet<_> =
        enough().map(|record| record.cell.algorithm).filter(|other| !main.contains(other)).collect();
    let is_apart = |record: &&Record| {
        let mut compared = chosen.libraries.iter().flat_map(|library| &library.sizes).flatten();
        let has_both = compared.any(|own| own.cell.provider == record.cell.provider);
        main.contains(&record.cell.algorithm) && record.cell.form == chosen.form && !has_both
    };
    // Ciphers of sectors are compared across libraries.
    let is_apart = |record: &&Record| is_apart(record) && !chosen.first.algorithm.is_of_sectors();
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

#[cfg(test)]
mod tests {
    use ciphermeter_answer::pair::PairAnswer;

    use super::*;
    use crate::screen::chosen;
    use ciphermeter_answer::fixtures;

    #[test]
    fn ratio_has_the_interval_of_the_answer() {
        let (run, records) = fixtures::run();
        let sheet = ratio(&run, &chosen(&records).unwrap(), &Libraries::of(&records)).unwrap();
        let drawn: Vec<_> =
            sheet.lines.iter().flat_map(|panel| &panel.series).flat_map(|series| &series.points).collect();
        let answer = PairAnswer::of(&records).unwrap();
        let ratios = answer.libraries.iter().flat_map(|library| &library.rows).filter_map(|row| row.comparison.ratio());
        let ranges: Vec<_> = ratios.map(|ratio| ratio.range()).collect();
        assert_eq!(drawn.len(), 6);
        // What is equal has no ratio there.
        assert_eq!(ranges.len(), 5);
        assert!(ranges.iter().all(|range| drawn.iter().any(|point| point.range == *range)), "{drawn:?} {ranges:?}");
    }
}
