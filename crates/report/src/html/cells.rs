//! Every cell of a run as a row, with the reason where it has no figure.

use std::collections::BTreeMap;

use ciphermeter_core::{CellId, Record, Run, escaped};
use maud::{Markup, html};

use crate::gb_per_s;
use crate::other_metrics::metrics_in_words;
use ciphermeter_answer::devices::{Footprint, Unit, cost};
use ciphermeter_answer::group::{Entry, standings};
use ciphermeter_answer::measured::{has_enough_forks, is_here, measured};
use ciphermeter_answer::words::{around, bytes, counted, duration, fit, heading, precise, ratio_columns, short};

/// The most columns of a text from outside.
const MOST: usize = 60;
/// The same of a reason.
const MOST_OF_REASON: usize = 160;

/// The table, with a field that a script lets filter its rows. It is closed, and to a browser with scripts the whole table is one text until
/// the script reads it: ten thousand rows would take longer to open than the rest of the page.
pub(super) fn table(id: &str, run: &Run, records: &[Record], file: Option<&str>) -> Markup {
    let best = behind(records);
    let export = run.command(&format!("export {} --format csv", run.id));
    html! {
        section.cells id={ (id) "-cells" } {
            h3 { "All cells" }
            p.subtitle {
                "Times are medians over undisturbed samples, with the range in which 90 % of the samples lay. Ratios compare the same rounds, so \
                 they can differ from the quotient of two medians. "
                @if !records.iter().all(is_here) { "What a device counts is never a time. " }
                @match file {
                    Some(file) => { "The file beside this page has all values: " a href=(file) { (file) } }
                    None => { "The store that the run lies in exports all values: " code { (export) } }
                }
            }
            details {
                summary { (counted(records.len(), "cell")) }
                label.filter hidden { "Filter: " input type="search" placeholder="openssl 16 KiB"; " " output aria-live="polite" {} }
                noscript {
                    div.scroll tabindex="0" role="group" aria-label="Cells" {
                        table {
                            caption { "Cells" @if file.is_none() { " of run " (run.id) } }
                            thead { tr { @for title in TITLES { th scope="col" { (title) } } } }
                            tbody { @for record in records { (row(run, record, &best)) } }
                        }
                    }
                }
            }
        }
    }
}

const TITLES: [&str; 9] = [
    "algorithm", "provider", "version", "code path", "what", "time of a call", "GB/s", "÷ fastest of its size", "forks",
];

/// Time ÷ time of the fastest of its group, in words.
fn behind(records: &[Record]) -> BTreeMap<CellId, String> {
    let words = |entry: Entry| {
        let ratio = entry.ratio.filter(|_| has_enough_forks(entry.record))?;
        let (times, interval) = ratio_columns(ratio);
        Some((entry.record.id, format!("{times} {interval}").trim_end().to_owned()))
    };
    standings(records).into_iter().flat_map(|standing| standing.entries).filter_map(words).collect()
}

fn row(run: &Run, record: &Record, best: &BTreeMap<CellId, String>) -> Markup {
    let from = record.provenance.as_ref();
    let summary = measured(record).filter(|_| has_enough_forks(record));
    let rate = summary.and_then(|summary| gb_per_s(&record.cell, summary.range)).map(|range| precise(range.mid));
    html! {
        tr {
            th scope="row" { (record.cell.algorithm.title()) }
            td { (short(&record.cell.provider, MOST)) }
            td { (from.map(|from| short(&from.version, MOST)).unwrap_or_default()) }
            td { (from.map(|from| short(&from.path, MOST)).unwrap_or_default()) }
            td { (heading(&record.cell.group())) }
            @if let Some(summary) = summary {
                td { (duration(summary.range.mid)) " " (around(summary.range.low, summary.range.mid, summary.range.high)) }
                td { (rate.unwrap_or_default()) }
                td { (best.get(&record.id).map_or("", String::as_str)) }
                td { (summary.forks) }
            } @else {
                td colspan="4" { (otherwise(run, record)) }
            }
        }
    }
}

/// `4,041 instructions`, and what it takes besides.
fn counts_of(record: &Record) -> Vec<String> {
    let (unit, Some(cost)) = (Unit::of(record), cost(record).filter(|_| !is_here(record))) else {
        return Vec::new();
    };
    let footprint = Footprint::of(record);
    let taken = [("stack", footprint.stack), ("state", footprint.state), ("flash", footprint.code)];
    let taken = taken.into_iter().filter_map(|(what, taken)| Some(format!("{what} {}", bytes(taken?))));
    std::iter::once(format!("{} {}", unit.text(cost.mid), unit.as_str())).chain(taken).collect()
}

/// What stands in place of times: what a device counts, metrics that this build does not know, or why there is nothing.
fn otherwise(run: &Run, record: &Record) -> String {
    let metrics: Vec<String> = counts_of(record).into_iter().chain(metrics_in_words(run, record)).collect();
    let why = || record.in_words().unwrap_or_else(|| "fewer than six undisturbed forks".into());
    let words = if metrics.is_empty() { escaped(&why()) } else { metrics.join("; ") };
    fit(&words, MOST_OF_REASON)
}
