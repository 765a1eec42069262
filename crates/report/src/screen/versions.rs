//! The table of versions: for each cipher a row for each version, the oldest with its figures and the others beside it.

use ciphermeter_answer::point::{Point, Points, spread};
use ciphermeter_answer::versions::{BesideOldest, OfCipher, Version, VersionsAnswer};
use ciphermeter_answer::words::{duration, ratio_columns};

use super::rate::rate_in;
use crate::layout::{LEFT, RIGHT, TableColumn, TableLayout, TableRow, UNCUT};
use crate::styled_line::StyledLine;

/// The most sizes that have a column.
const COLUMNS: usize = 2;

/// In at most so many rows for all ciphers together, and how many comparisons it shows.
pub(crate) fn table(answer: &VersionsAnswer, most_rows: usize, width: usize) -> (Vec<StyledLine>, usize) {
    let all = || answer.ciphers.iter().flat_map(|cipher| &cipher.versions);
    let points = Points(spread(all().flat_map(|own| &own.gb_per_s).map(|(point, _)| *point).collect(), COLUMNS));
    let (has_mean, has_set_up) = (all().any(|own| own.mean.is_some()), all().any(|own| own.key_set_up.is_some()));
    let sizes = all().map(|own| own.gb_per_s.len()).max().unwrap_or(0);
    let columns = points.0.iter().map(|point| points.label(*point));
    let columns: Vec<String> = columns
        .chain(has_mean.then(|| format!("mean of {sizes}")))
        .chain(has_set_up.then(|| "key set-up".into()))
        .collect();
    let heading = format!("{}, speed ÷ the oldest's", answer.operation);
    let titles = ["".into(), "".into()].into_iter().chain(columns.iter().cloned());
    let mut rows = vec![TableRow::titles(&heading, titles)];
    let most = (most_rows / answer.ciphers.len().max(1)).max(2);
    let mut shown = 0;
    for (title, own) in answer.ciphers.iter().flat_map(|cipher| versions(cipher, most)) {
        let at = points.0.iter().map(|point| at_size(own, *point));
        let mean = has_mean.then(|| compared(own.mean));
        let set_up = has_set_up.then(|| key_set_up(own));
        shown += columns.len() * usize::from(!own.at.is_empty());
        let name = [title.to_owned(), own.name.clone()].into_iter();
        rows.push(TableRow::plain(name.chain(at).chain(mean).chain(set_up)));
    }
    let mut layout = vec![LEFT, TableColumn { most: 16, ..LEFT }];
    layout.resize(2 + columns.len(), TableColumn { gap: 2, least: 6, ..RIGHT });
    let mut steps = vec![vec![UNCUT; 2 + columns.len()]];
    // Wide intervals take more room: then the mean stands for the largest size. Titles that are cut may be of several ciphers.
    if has_mean {
        steps.push(steps[0].clone());
        steps[1][1 + points.0.len()] = 0;
    }
    for title in [14, 10] {
        let narrowest = steps.len() - 1;
        steps.push([&[title], &steps[narrowest][1..]].concat());
    }
    (TableLayout::plan(&layout, &steps, &rows, width).lines(&rows), shown)
}

/// The oldest and the newest of so many, the cipher's title before the first.
fn versions(cipher: &OfCipher, most: usize) -> impl Iterator<Item = (&str, &Version)> {
    let left_out = cipher.versions.len().saturating_sub(most);
    let kept = cipher.versions.iter().enumerate().filter(move |(place, _)| *place == 0 || *place > left_out);
    kept.map(|(place, own)| (if place == 0 { cipher.algorithm.title() } else { "" }, own))
}

fn at_size(own: &Version, point: Point) -> String {
    let place = own.gb_per_s.iter().position(|(at, _)| *at == point);
    match (place, own.at.is_empty()) {
        (Some(place), true) => format!("{} GB/s", rate_in(own.gb_per_s[place].1, false)),
        (Some(place), false) => compared(own.at.get(place).copied()),
        (None, _) => "–".into(),
    }
}

fn key_set_up(own: &Version) -> String {
    let Some(set_up) = &own.key_set_up else { return "–".into() };
    match set_up.compared {
        Some(own) => compared(Some(own)),
        None => set_up.ns.map_or("–".into(), duration),
    }
}

/// `1.02× ±1.2 %`; nothing for the oldest.
fn compared(own: Option<BesideOldest>) -> String {
    let Some(own) = own else { return String::new() };
    own.times.map_or("–".into(), |ratio| {
        let (times, interval) = ratio_columns(ratio);
        format!("{times} {interval}")
    })
}

#[cfg(test)]
mod tests {
    use ciphermeter_answer::fixtures::{self, cell};
    use ciphermeter_core::{Algorithm, Operation};

    use crate::TableOptions;
    use crate::screen::screen;

    #[test]
    fn versions_of_both_ciphers_fit_the_first_screen() {
        let versions = [("openssl", "3.0.19"), ("openssl@1.1.1w", "1.1.1w"), ("openssl@4.0.3", "4.0.3")];
        let made = |(provider, _)| {
            Algorithm::USUAL.into_iter().flat_map(move |algorithm| {
                let sized = [16, 1024, 16_384]
                    .map(|message| cell(provider, algorithm, Operation::Seal, message, 90.0 + message as f64));
                sized.into_iter().chain([cell(provider, algorithm, Operation::KeySetup, 0, 300.0)])
            })
        };
        let cells: Vec<_> = versions.into_iter().flat_map(made).collect();
        let mut records = fixtures::records(&cells, 8);
        for record in &mut records {
            let (_, version) = versions.iter().find(|(provider, _)| *provider == record.cell.provider).unwrap();
            record.provenance.as_mut().unwrap().version = format!("OpenSSL {version}");
        }
        let mut run = fixtures::head();
        run.scenario.name = "versions".into();
        let text = screen(&run, &records, TableOptions::default()).text;
        assert!(text.lines().count() <= 24 && text.lines().all(|line| line.chars().count() <= 80), "{text}");
        let row =
            |begin: &str| text.lines().rev().find(|line| line.trim_start().starts_with(begin)).unwrap_or_default();
        assert!(row("ChaCha20").contains("1.1.1w") && row("ChaCha20").contains(" GB/s"), "{text}");
        assert!(row("4.0.3").contains("1.00× ±"), "{text}");
        assert!(row("seal, speed ÷ the oldest's").ends_with("key set-up"), "{text}");
    }
}
