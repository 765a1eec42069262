//! Runs as a page, and their figures: what every kind of run shows, that nothing from outside becomes markup, and that it stays small.

use std::collections::BTreeSet;

use ciphermeter_core::{Against, Algorithm, Note, Operation, Outcome, Record, Run, Share};

use crate::Stored;
use crate::chart::tests::examples;
use crate::html::policy::source;
use crate::{FigureWidth, figures, html};
use ciphermeter_answer::fixtures::{self, Made, cell};

pub(super) fn page(run: &Run, records: &[Record]) -> String {
    html(&[Stored { run, records }]).unwrap()
}

#[test]
fn every_kind_of_run_has_a_page_with_its_figures() {
    for (_, run, records) in examples() {
        let figures = figures(&run, &records);
        let Ok(page) = html(&[Stored { run: &run, records: &records }]) else {
            assert!(figures.is_empty(), "{}", run.scenario.name);
            continue;
        };
        assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>"), "{}", run.scenario.name);
        assert_eq!(page.matches("<section class=\"figure\"").count(), figures.len(), "{}", run.scenario.name);
        let panels = page.matches("<svg class=\"panel").count();
        assert!(panels >= figures.len(), "{}: {panels} panels", run.scenario.name);
        // What a picture shows stands below it as a table.
        assert_eq!(page.matches("The same as a table").count(), figures.len());
    }
}

/// A policy without `unsafe-inline` lets nothing else run, and needs a page without `style` attributes and handlers of events.
#[test]
fn page_allows_its_own_script_and_style_sheet_by_hash() {
    for (_, run, records) in examples() {
        let Ok(page) = html(&[Stored { run: &run, records: &records }]) else { continue };
        let between = |start: &str, end: &str| page.split_once(start).unwrap().1.split_once(end).unwrap().0;
        let policy = between("http-equiv=\"Content-Security-Policy\" content=\"", "\"");
        for (element, source_of) in [("style", "style-src "), ("script", "script-src ")] {
            let text = between(&format!("<{element}>"), &format!("</{element}>"));
            let allowed = format!("{source_of}{};", source(text));
            assert!(policy.contains(&allowed), "{policy}");
            assert_eq!(page.matches(&format!("<{element}")).count(), 1, "{element}");
        }
        assert!(!policy.contains("unsafe") && !page.contains(" style=") && !page.contains(" onload="), "{policy}");
    }
}

#[test]
fn answer_stands_before_everything_else() {
    let (run, records) = fixtures::run();
    let page = page(&run, &records);
    let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text}"));
    assert!(place("Use AES-256-GCM") < place("<nav") && place("<nav") < place("<section class=\"figure\""));
    assert!(place("All cells") < place("Example EPYC 9</td>"), "the machine comes last");
    assert!(page.contains("not known: no cpufreq on this machine"));
}

/// Bad news has the colour of bad news.
#[test]
fn answer_that_something_became_slower_is_red() {
    let of = |provider, ns| cell(provider, Algorithm::Aes256Gcm, Operation::Seal, 1024, ns);
    for (new, class) in [(120.0, "<div class=\"answer wrong\">"), (100.0, "<div class=\"answer\">")] {
        let records = fixtures::records(&[of("openssl", new), of("openssl@old", 100.0)], 12);
        let against = Some(Against { old: "/opt/old/libcrypto.so.3".into(), threshold: Share(0.05), may_hide: None });
        let page = page(&Run { against, ..fixtures::head() }, &records);
        assert!(page.contains(class), "{new}: {page}");
    }
}

/// A run that is made for a program has its lines, as the first screen has them.
#[test]
fn lines_for_a_program_stand_below_the_answer() {
    let (mut run, records) = fixtures::run();
    assert!(!page(&run, &records).contains("<pre>"));
    run.scenario.name = "wireguard".into();
    assert!(!page(&run, &records).contains("<pre>"), "it leaves no choice");
    run.scenario.name = "rustls".into();
    let page = page(&run, &records);
    let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text}"));
    assert!(place("Use AES-256-GCM") < place("<pre>") && place("<pre>") < place("<nav"));
    assert!(page.contains("ciphermeter advise --for rustls") || page.contains("cipher_suites"), "{page}");
}

#[test]
fn figures_have_names_of_their_own_and_values_as_csv() {
    for (_, run, records) in examples() {
        let figures = figures(&run, &records);
        let names: BTreeSet<&str> = figures.iter().map(|figure| figure.name.as_str()).collect();
        assert_eq!(names.len(), figures.len(), "{names:?}");
        for figure in &figures {
            let mut csv = Vec::new();
            figure.write_csv(&mut csv).unwrap();
            let mut reader = csv::Reader::from_reader(csv.as_slice());
            let columns = reader.headers().unwrap().clone();
            let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
            assert!(!rows.is_empty(), "{}", figure.name);
            for row in rows {
                let value = |name| &row[columns.iter().position(|column| column == name).unwrap()];
                let number = |name| value(name).parse::<f64>();
                assert!(number("y").is_ok() && !value("figure").is_empty(), "{}: {row:?}", figure.name);
                if let (Ok(low), Ok(y), Ok(high)) = (number("low"), number("y"), number("high")) {
                    assert!(low <= y && y <= high, "{}: {row:?}", figure.name);
                }
            }
        }
    }
}

#[test]
fn messages_have_figures_of_throughput_time_ratio_ceiling_and_reading() {
    let (run, records) = fixtures::run();
    let names: Vec<String> = figures(&run, &records).into_iter().map(|figure| figure.name).collect();
    assert_eq!(
        names,
        [
            "main", "ratio", "throughput-seal-in-place", "time-seal-in-place", "behind-seal-in-place",
            "ceiling-seal-in-place", "throughput-open-in-place", "reading-open-in-place"
        ]
    );
}

#[test]
fn text_from_outside_never_becomes_markup() {
    let evil = "</noscript><script>alert(1)</script><img src=x onerror=alert(1)>\"'&\u{1b}[31m";
    let (mut run, mut records) = fixtures::run();
    for fact in &mut run.host {
        fact.value = Some(evil.into());
        fact.name += evil;
    }
    run.host.push(ciphermeter_core::Fact::present("cpu", evil));
    run.notes.push(Note::other(evil));
    run.started = evil.into();
    run.version = evil.into();
    run.store = Some(evil.into());
    run.scenario.name = evil.into();
    for record in &mut records {
        record.cell.provider += evil;
        if let Some(from) = &mut record.provenance {
            (from.version, from.path, from.worker) = (evil.into(), evil.into(), evil.into());
        }
    }
    records[0].outcome = Outcome::WrongOutput { why: evil.into() };
    records[1].outcome = Outcome::Failed { why: evil.into() };
    let page = page(&run, &records);
    assert_eq!(page.matches("<script").count(), 1, "the page's own");
    assert!(!page.contains("<img") && page.contains("&lt;script&gt;"));
    let escape = page
        .find('\u{1b}')
        .map(|at| page[..at].chars().rev().take(200).collect::<Vec<_>>().into_iter().rev().collect::<String>());
    assert_eq!(escape, None);
    for figure in figures(&run, &records) {
        let svg = figure.svg(FigureWidth::Column).unwrap();
        assert!(!svg.contains("<script") && !svg.contains("<img"), "{}", figure.name);
    }
}

#[test]
fn page_loads_nothing() {
    for (_, run, records) in examples() {
        let Ok(page) = html(&[Stored { run: &run, records: &records }]) else { continue };
        for word in ["src=", "url(", "@import", "<link", "<iframe", "http://", "https://"] {
            let allowed = page.matches("http://www.w3.org").count() * usize::from(word == "http://");
            assert_eq!(page.matches(word).count(), allowed, "{word} in {}", run.scenario.name);
        }
        assert!(page.contains("default-src 'none'"));
    }
}

#[test]
fn runs_stand_side_by_side_without_a_ratio_between_them() {
    let (first, records) = fixtures::run();
    let mut second = first.clone();
    second.id = 8;
    second.host[0].value = Some("Example Arm".into());
    let both = [Stored { run: &first, records: &records }, Stored { run: &second, records: &records }];
    let page = html(&both).unwrap();
    assert!(
        page.contains("A: run 7, 2026-11-21, Example EPYC 9") && page.contains("B: run 8, 2026-11-21, Example Arm")
    );
    assert!(page.contains("Not comparable: other host: cpu"));
    let ids: Vec<&str> = page.split(" id=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "{ids:?}");

    let mut other = records.clone();
    other.iter_mut().for_each(|record| record.cell.provider += "-other");
    let apart = html(&[both[0], Stored { run: &second, records: &other }]).err().unwrap().to_string();
    assert!(apart.starts_with("runs 7 and 8 have no cell in common"), "{apart}");
}

#[test]
fn run_without_a_measured_cell_is_refused_with_the_remedy() {
    let (run, mut records) = fixtures::run();
    for record in &mut records {
        record.outcome = Outcome::Unsupported { why: "no".into() };
        (record.summary, record.forks) = (None, Vec::new());
    }
    let refused = html(&[Stored { run: &run, records: &records }]).err().unwrap().to_string();
    assert!(refused.contains("Nothing could be measured: no.") && refused.contains("show 7 --all"), "{refused}");
}

/// A run of ten thousand cells: so many libraries with five algorithms, two operations, and as many sizes as make it up.
fn ten_thousand(libraries: u64) -> (Run, Vec<Record>) {
    let algorithms = [
        Algorithm::Aes128Gcm,
        Algorithm::Aes256Gcm,
        Algorithm::ChaCha20Poly1305,
        Algorithm::Aes256GcmSiv,
        Algorithm::XChaCha20Poly1305,
    ];
    let mut cells: Vec<Made> = Vec::new();
    for place in 0..libraries {
        let library: &'static str = Box::leak(format!("library-{place}").into_boxed_str());
        for (kind, algorithm) in algorithms.into_iter().enumerate() {
            for operation in [Operation::Seal, Operation::Open] {
                for message in (0..1000 / libraries).map(|step| 16 + step * 400) {
                    let slower = 1.0 + place as f64 / libraries as f64;
                    let ns = 40.0 + (message * (kind as u64 + 1)) as f64 / 9.0 * slower;
                    cells.push(cell(library, algorithm, operation, message, ns));
                }
            }
        }
    }
    (fixtures::head(), fixtures::records(&cells, 6))
}

/// The page of ten thousand cells of so many libraries, which has all of them and at most five megabytes.
pub(super) fn page_of_ten_thousand(libraries: u64) -> String {
    let (run, records) = ten_thousand(libraries);
    assert_eq!(records.len(), 10_000);
    let page = page(&run, &records);
    println!("{libraries} libraries: {} bytes", page.len());
    assert!(page.len() < 5_000_000, "{libraries} libraries: {}", page.len());
    assert_eq!(page.matches("<td>library-1<").count() as u64, 10_000 / libraries);
    page
}

/// Of the shape that makes the largest page; the deep tier opens those of other shapes.
#[test]
fn page_of_ten_thousand_cells_has_at_most_five_megabytes() {
    page_of_ten_thousand(2);
}
