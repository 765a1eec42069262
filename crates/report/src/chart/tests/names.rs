//! That each line bears the name of what it shows: a figure that swaps two names is worse than none.

use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_core::{Record, Run};

use super::super::caption::clean;
use super::super::{Figure, figures};
use super::examples;
use crate::gb_per_s;
use crate::tests::screened;
use ciphermeter_answer::fixtures;
use ciphermeter_chart::sheet::{KeySample, Series, Sheet};

fn every_run() -> Vec<(String, Run, Vec<Record>)> {
    let of_scenarios = screened::scenarios().into_iter().map(|scenario| {
        let records = screened::records(&scenario, 6);
        (scenario.name.clone(), Run { scenario, ..fixtures::head() }, records)
    });
    examples().into_iter().map(|(name, run, records)| (name.to_owned(), run, records)).chain(of_scenarios).collect()
}

/// The panels' lines that have points: in each panel their names, by the legend.
fn names(sheet: &Sheet) -> Vec<Vec<Option<&str>>> {
    let keys = || sheet.keys.iter().filter(|key| key.sample == KeySample::Line);
    let name = |style| keys().find(|key| key.style == style).map(|key| key.name.as_str());
    let panel = |series: &[Series]| {
        series.iter().filter(|series| !series.points.is_empty()).map(|series| name(series.style)).collect()
    };
    sheet.lines.iter().map(|lines| panel(&lines.series)).collect()
}

#[test]
fn each_line_of_a_panel_has_a_name_of_its_own() {
    for (run_name, run, records) in every_run() {
        for Figure { name: figure, sheet } in figures(&run, &records) {
            for names in names(&sheet) {
                let apart: BTreeSet<_> = names.iter().collect();
                assert_eq!(apart.len(), names.len(), "{run_name}, {figure}: two lines have one name: {names:?}");
                // A line alone may have none: the figure's title says what it shows.
                assert!(names.len() <= 1 || !apart.contains(&None), "{run_name}, {figure}: {names:?}");
            }
            let keys: BTreeSet<_> = sheet.keys.iter().map(|key| &key.name).collect();
            assert_eq!(keys.len(), sheet.keys.len(), "{run_name}, {figure}: {keys:?}");
        }
    }
}

/// What a page's reader learned from one legend holds for the next.
#[test]
fn a_name_has_one_style_in_all_figures_of_a_run() {
    let mut shared = 0;
    for (run_name, run, records) in every_run() {
        let mut styles = BTreeMap::new();
        for Figure { name: figure, sheet } in figures(&run, &records) {
            for key in sheet.keys.iter().filter(|key| key.sample != KeySample::Bound) {
                let known = styles.insert(key.name.clone(), key.style);
                assert!(known.is_none_or(|known| known == key.style), "{run_name}, {figure}: {key:?} was {known:?}");
                shared += usize::from(known.is_some());
            }
        }
    }
    assert!(shared > 100, "{shared}");
}

/// Both shapes: a panel for each algorithm, and, of more libraries than styles, a panel for each library.
#[test]
fn points_have_the_values_of_the_cells_that_they_name() {
    let mut found = BTreeSet::new();
    for (name, run, records) in examples() {
        let is_by_library = match name {
            "pair" | "odd-sizes" | "one-library" => false,
            "many-libraries" => true,
            _ => continue,
        };
        for figure in figures(&run, &records) {
            let Some(what) = figure.name.strip_prefix("throughput-") else { continue };
            let mut csv = Vec::new();
            figure.write_csv(&mut csv).unwrap();
            for row in csv::Reader::from_reader(&*csv).records() {
                let row = row.unwrap();
                let (algorithm, provider) = if is_by_library { (&row[2], &row[1]) } else { (&row[1], &row[2]) };
                let is_named = |record: &&Record| {
                    let cell = &record.cell;
                    let (title, message) = (cell.algorithm.title(), cell.parameters.message().to_string());
                    (title, &*clean(&cell.provider), &*message) == (algorithm, provider, &row[3])
                        && format!("{} {}", cell.operation, cell.form).replace(' ', "-") == what
                };
                let named: Vec<_> = records.iter().filter(is_named).collect();
                assert_eq!(named.len(), 1, "{name}, {}: {row:?}", figure.name);
                let rate = gb_per_s(&named[0].cell, named[0].summary.as_ref().unwrap().range).unwrap().mid;
                assert_eq!(row[5].parse::<f64>().unwrap(), rate, "{name}, {}: {row:?}", figure.name);
                found.insert(is_by_library);
            }
        }
    }
    assert_eq!(found.len(), 2, "both shapes were read");
}
