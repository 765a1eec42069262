//! Every figure as a reader of SVG sees it: where texts stand, that none hides another, and that marks stand where their values say.

mod examples;
mod names;

use ciphermeter_core::{Record, Run};
use resvg::usvg::{self, Node, Rect, roxmltree};

use super::{FigureWidth, Undrawable, figures, png, svg};
use crate::gb_per_s;
use crate::tests::screened;
use ciphermeter_answer::fixtures;
pub(crate) use examples::examples;
use examples::thousands;

/// Each text with its box, in units of the page.
fn texts(group: &usvg::Group, found: &mut Vec<(String, Rect)>) {
    for node in group.children() {
        match node {
            Node::Group(group) => texts(group, found),
            Node::Text(text) => {
                let said: String = text.chunks().iter().map(|chunk| chunk.text()).collect();
                found.push((said.trim().to_owned(), text.abs_bounding_box()));
            }
            _ => {}
        }
    }
}

fn overlap(a: &Rect, b: &Rect) -> bool {
    let (width, height) =
        (a.right().min(b.right()) - a.left().max(b.left()), a.bottom().min(b.bottom()) - a.top().max(b.top()));
    // The box of a line is higher than its letters.
    width > 0.25 && height > 1.5
}

/// All that holds for every figure.
#[track_caller]
fn is_well_made(name: &str, svg: &str) {
    is_well_made_across(640.0, name, svg);
}

/// The same of a figure so many CSS pixels wide.
#[track_caller]
fn is_well_made_across(pixels: f32, name: &str, svg: &str) {
    let tree = ciphermeter_chart::tree(svg).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut found = Vec::new();
    texts(tree.root(), &mut found);
    assert!(found.len() > 6, "{name}: {found:?}");
    let (width, height) = (tree.size().width(), tree.size().height());
    assert_eq!(width, pixels, "{name}");
    for (said, place) in &found {
        let inside = place.left() >= 0.0 && place.top() >= 0.0 && place.right() <= width && place.bottom() <= height;
        assert!(inside, "{name}: {said:?} leaves the page: {place:?}");
        assert!(said.chars().all(|c| !c.is_control()), "{name}: {said:?}");
    }
    for (k, (one, a)) in found.iter().enumerate() {
        for (other, b) in &found[..k] {
            assert!(!overlap(a, b), "{name}: {one:?} {a:?} hides {other:?} {b:?}");
        }
    }
}

#[test]
fn every_figure_is_well_made() {
    for (name, run, records) in examples() {
        let svg = svg(&run, &records).unwrap_or_else(|error| panic!("{name}: {error}"));
        is_well_made(name, &svg);
        assert!(svg.len() < 400_000, "{name}: {}", svg.len());
    }
}

#[test]
fn every_further_figure_is_well_made() {
    for (name, run, records) in examples() {
        for figure in figures(&run, &records) {
            for (width, pixels) in [(FigureWidth::Page, 640.0), (FigureWidth::Column, 336.0)] {
                let name = format!("{name}, {}, {width:?}", figure.name);
                let svg = figure.svg(width).unwrap_or_else(|error| panic!("{name}: {error}"));
                is_well_made_across(pixels, &name, &svg);
            }
        }
    }
}

#[test]
fn titles_of_axes_are_whole_in_a_column() {
    for (name, run, records) in examples() {
        for figure in figures(&run, &records) {
            let svg = figure.svg(FigureWidth::Column).unwrap();
            let page = roxmltree::Document::parse(&svg).unwrap();
            let said: Vec<&str> = page.descendants().filter_map(|node| Some(node.text()?.trim())).collect();
            let axes = figure.sheet.lines.iter().flat_map(|panel| [&panel.x.title, &panel.y.title]);
            for title in axes {
                assert!(said.contains(&title.as_str()), "{name}, {}: {title:?} is cut: {said:?}", figure.name);
            }
        }
    }
}

#[test]
fn names_of_rows_are_whole_in_a_column() {
    let (_, run, records) = examples().into_iter().find(|(name, ..)| *name == "self-check").unwrap();
    let figure = &figures(&run, &records)[0];
    let svg = figure.svg(FigureWidth::Column).unwrap();
    let page = roxmltree::Document::parse(&svg).unwrap();
    let said: Vec<&str> = page.descendants().filter_map(|node| Some(node.text()?.trim())).collect();
    let names: Vec<&str> = figure.sheet.rows.iter().flat_map(|panel| &panel.rows).map(|row| &*row.label).collect();
    assert!(names.len() > 1 && names.iter().any(|name| name.len() > 30), "{names:?}");
    assert!(names.iter().all(|name| said.contains(name)), "{names:?} {said:?}");
}

#[test]
fn letters_are_as_large_in_a_column_as_across_a_page() {
    let (run, records) = fixtures::run();
    let sizes = |width| {
        let svg = figures(&run, &records)[0].svg(width).unwrap();
        let page = roxmltree::Document::parse(&svg).unwrap();
        let texts = page.descendants().filter(|node| node.has_tag_name("text"));
        texts.map(|text| text.attribute("font-size").unwrap().to_owned()).collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(sizes(FigureWidth::Column), sizes(FigureWidth::Page));
}

#[test]
fn every_scenario_has_a_figure() {
    for scenario in screened::scenarios() {
        let records = screened::records(&scenario, 6);
        let run = Run { scenario, ..fixtures::head() };
        let name = &run.scenario.name;
        is_well_made(name, &svg(&run, &records).unwrap_or_else(|error| panic!("{name}: {error}")));
    }
}

#[test]
fn draws_thousands_of_cells_on_a_bounded_page() {
    let records = thousands();
    let svg = svg(&fixtures::head(), &records).unwrap();
    is_well_made("thousands", &svg);
    assert!(records.len() >= 1600 && svg.len() < 400_000, "{} cells, {} bytes", records.len(), svg.len());
    assert!(svg.contains("Not drawn: 11 more libraries"), "the caption says what is missing");
}

#[test]
fn same_run_gives_the_same_bytes() {
    let (run, records) = fixtures::run();
    assert_eq!(svg(&run, &records), svg(&run, &records));
    assert_eq!(png(&run, &records), png(&run, &records));
}

#[test]
fn png_shows_the_figure_in_the_units_of_the_page() {
    let (run, records) = fixtures::run();
    let (svg, png) = (svg(&run, &records).unwrap(), png(&run, &records).unwrap());
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    let page = roxmltree::Document::parse(&svg).unwrap();
    let units = page.root_element().attribute("viewBox").unwrap().to_owned();
    assert_eq!(format!("0 0 {} {}", number(16), number(20)), units);
    let pixels = resvg::tiny_skia::Pixmap::decode_png(&png).unwrap();
    let dark = pixels.pixels().iter().filter(|pixel| pixel.red() < 100).count();
    let share = dark as f64 / pixels.pixels().len() as f64;
    assert!((0.005..0.3).contains(&share), "{share} of the page is inked");
}

/// Attributes of SVG elements as numbers.
fn numbers(node: roxmltree::Node, names: [&str; 2]) -> (f64, f64) {
    let [x, y] = names.map(|name| node.attribute(name).unwrap().parse::<f64>().unwrap());
    (x, y)
}

/// The value at a place between two labels of an axis in logarithms.
fn between(place: f64, labels: &[(f64, f64)]) -> f64 {
    let ((a, low), (b, high)) = (labels[0], labels[labels.len() - 1]);
    (low.ln() + (place - a) / (b - a) * (high.ln() - low.ln())).exp()
}

#[test]
fn points_stand_where_their_values_say() {
    let (run, records) = fixtures::run();
    let svg = svg(&run, &records).unwrap();
    let page = roxmltree::Document::parse(&svg).unwrap();
    let elements = |name: &'static str| page.descendants().filter(move |node| node.has_tag_name(name));
    let labels = |anchor: &str, unit: &str| -> Vec<(f64, f64)> {
        let mut found = Vec::new();
        for node in elements("text").filter(|node| node.attribute("text-anchor") == Some(anchor)) {
            let said = node.text().unwrap_or_default().trim();
            let Some(Ok(value)) = said.strip_suffix(unit).map(|number| number.trim().parse::<f64>()) else { continue };
            let (x, y) = numbers(node, ["x", "y"]);
            // A label's middle is a tenth of its height above where the text is anchored.
            found.push((if anchor == "end" { y - 4.0 } else { x }, value));
        }
        found
    };
    let (rates, bytes) = (labels("end", ""), labels("middle", "B"));
    // Two panels: aws-lc, then rustcrypto; of each the circles of AES-256-GCM, then the legend's.
    let circles: Vec<_> = elements("circle").map(|node| numbers(node, ["cx", "cy"])).skip(1).collect();
    let own = |record: &&Record| {
        let cell = &record.cell;
        cell.algorithm == examples::GCM
            && cell.operation == ciphermeter_core::Operation::Seal
            && cell.provider == "aws-lc"
    };
    let of_library: Vec<&Record> = records.iter().filter(own).collect();
    assert_eq!((circles.len(), of_library.len()), (6, 3));
    for ((x, y), record) in circles.iter().zip(of_library) {
        let rate = gb_per_s(&record.cell, record.summary.as_ref().unwrap().range).unwrap().mid;
        let drawn = between(*y, &rates);
        assert!((drawn / rate).ln().abs() < 0.02, "{drawn} is drawn for {rate}");
        let message = record.cell.parameters.message() as f64;
        if message < 1024.0 {
            assert!(bytes.iter().any(|(place, value)| (place - x).abs() <= 1.0 && *value == message), "{bytes:?} {x}");
        }
    }
}

#[test]
fn caption_says_what_is_left_out_and_what_whiskers_are() {
    let (_, run, records) = examples().into_iter().find(|(name, ..)| *name == "broken").unwrap();
    let svg = svg(&run, &records).unwrap();
    for said in ["WRONG OUTPUT (openssl)", "fewer than six", "90 % of the samples", "Example EPYC 9", "openssl 1.2.3"] {
        assert!(svg.contains(said), "{said}");
    }
}

#[test]
fn refuses_a_run_without_figures_and_says_what_to_do() {
    let (run, mut records) = fixtures::run();
    for record in &mut records {
        record.forks.truncate(2);
        record.summary.as_mut().unwrap().forks = 2;
    }
    let Err(Undrawable(why)) = svg(&run, &records) else { panic!("it is drawn") };
    assert!(
        why.contains("comparison needs 6 forks") && why.contains("--budget") && why.contains("show 7 --all"),
        "{why}"
    );
    assert!(png(&run, &[]).is_err());
}

#[test]
fn smallest_figure_reads_as_before() {
    let (_, run, records) = examples().into_iter().find(|(name, ..)| *name == "self-check").unwrap();
    insta::assert_snapshot!(svg(&run, &records).unwrap());
}
