//! Which library is fastest at one size, as bars: the fastest of both ciphers, and the fastest of each further cipher.

use std::collections::BTreeSet;

use ciphermeter_answer::pair::{Fastest, Libraries, Standing};
use ciphermeter_answer::words::size;
use ciphermeter_core::{Algorithm, escaped};
use ciphermeter_estimate::{CipherPair, Comparison};

use super::rate::{rate_in, unit};
use crate::layout::{LEFT, RIGHT, TableCell, TableColumn, TableLayout, TableRow, UNCUT};
use crate::styled_line::{Style, StyledLine};

/// At most so many bars; nothing where no cell has enough forks for a figure.
pub(crate) fn bars(fastest: &Fastest, pair: CipherPair, most: usize, width: usize) -> Vec<StyledLine> {
    let shown = shown(fastest, most);
    let best = shown.iter().flat_map(|(_, bars)| bars).filter_map(|bar| bar.of.gb_per_s).fold(0.0, f64::max);
    let mut picture = Picture::default();
    for (algorithm, bars) in &shown {
        for (place, Bar { of, mark, beside }) in bars.iter().enumerate() {
            let title = if place == 0 { titled(*algorithm, pair) } else { String::new() };
            let rate = rate_in(of.gb_per_s, pair.moves_files());
            picture.add(&title, [&of.provider, beside], *mark, rate, of.gb_per_s.map(|speed| speed / best));
        }
    }
    let of = fastest.ciphers.iter().take(2).map(|cipher| settled(cipher).count()).max().unwrap_or_default();
    let each = shown.iter().map(|(_, bars)| bars.len()).max().unwrap_or_default();
    let at = size(fastest.point.message);
    let heading = if each < of { format!("Best {each} of {of}, {at}") } else { format!("Fastest at {at}") };
    picture.lines(&heading, unit(pair.moves_files()), 24, width)
}

/// Rows with a bar each, and the marks that they have.
#[derive(Default)]
pub(super) struct Picture {
    marks: BTreeSet<Mark>,
    rows: Vec<TableRow>,
}

impl Picture {
    /// A row of a title, a name with its mark and what follows that, a rate, and a bar of this fraction.
    pub(super) fn add(
        &mut self,
        title: &str,
        [name, beside]: [&str; 2],
        mark: Option<Mark>,
        rate: String,
        part: Option<f64>,
    ) {
        self.marks.extend(mark);
        let mark = mark.map_or(String::new(), |(sign, _)| format!(" {sign}"));
        let texts = [format!("  {title}"), format!("{name}{mark}{beside}"), rate];
        let cells = texts.iter().map(|text| TableCell::new(text, Style::Plain));
        self.rows.push(TableRow::Cells(cells.chain([TableCell::bar(part, Style::Green)]).collect()));
    }

    /// Nothing without a row; names take at most so many columns.
    pub(super) fn lines(mut self, heading: &str, unit: &str, most: usize, width: usize) -> Vec<StyledLine> {
        if self.rows.is_empty() {
            return Vec::new();
        }
        let marks: Vec<_> = self.marks.into_iter().map(|(sign, meaning)| format!("{sign} {meaning}")).collect();
        self.rows.insert(0, TableRow::titles(heading, ["", &marks.join(", "), unit, ""]));
        let columns = [
            LEFT,
            TableColumn { gap: 2, most, ..LEFT },
            TableColumn { gap: 2, ..RIGHT },
            TableColumn { least: 4, most: 24, fills: true, gap: 2, ..LEFT },
        ];
        // A cut bar would be a wrong one.
        let steps = [UNCUT, 0].map(|bar| vec![UNCUT, UNCUT, UNCUT, bar]);
        TableLayout::plan(&columns, &steps, &self.rows, width).lines(&self.rows)
    }
}

/// A library of a cipher, and how it stands to the first of them.
struct Bar<'a> {
    of: &'a Standing,
    /// Of those that are not surely slower than the first, and of a first that stands for such libraries, too.
    mark: Option<Mark>,
    /// Which these are, where they have no bar.
    beside: String,
}

/// A sign and what it means.
type Mark = (&'static str, &'static str);

/// The libraries of a cipher that have figures.
fn settled(cipher: &Libraries) -> impl Iterator<Item = &Standing> {
    cipher.libraries.iter().filter(|standing| standing.is_settled)
}

/// The libraries of each cipher that has any, fastest first.
fn shown(fastest: &Fastest, most: usize) -> Vec<(Algorithm, Vec<Bar<'_>>)> {
    let further = fastest.ciphers.len().saturating_sub(2).min(most.saturating_sub(2));
    let each = ((most - further) / 2).max(1);
    let all = fastest.ciphers.iter().enumerate().take(2 + further);
    let bars = all.map(|(place, cipher)| {
        (cipher.algorithm, bars_of(&settled(cipher).collect::<Vec<_>>(), if place < 2 { each } else { 1 }))
    });
    bars.filter(|(_, bars)| !bars.is_empty()).collect()
}

/// The first libraries of a cipher, each with its mark; a single one stands for those that may be as fast.
fn bars_of<'a>(settled: &[&'a Standing], most: usize) -> Vec<Bar<'a>> {
    let mark = |standing: &Standing| standing.behind.and_then(sign);
    let bar = |standing: &&'a Standing| Bar { of: standing, mark: mark(standing), beside: String::new() };
    let mut bars: Vec<Bar> = settled.iter().take(most).map(bar).collect();
    let marked: Vec<(&str, Mark)> =
        settled.iter().filter_map(|standing| Some((standing.provider.as_str(), mark(standing)?))).collect();
    if let ([first], Some(least)) = (bars.as_mut_slice(), marked.iter().map(|(_, mark)| *mark).min()) {
        first.mark = Some(least);
        first.beside = match marked.as_slice() {
            [(only, _)] => format!(" {}", escaped(only)),
            several => format!(" {} others", several.len()),
        };
    }
    bars
}

/// The mark that such a comparison gives the second, and what it means.
pub(crate) fn sign(comparison: Comparison) -> Option<Mark> {
    match comparison {
        Comparison::First(_) => None,
        Comparison::Equal(_) | Comparison::Second(_) => Some(("≈", "equal")),
        Comparison::Unknown(_) => Some(("?", "not settled")),
    }
}

/// An algorithm's title, and that it has no tag where others here have one.
pub(crate) fn titled(algorithm: Algorithm, pair: CipherPair) -> String {
    let compared = pair.first.has_tag() || pair.second.has_tag();
    match algorithm.tag_bytes() {
        0 if compared => format!("{}, no tag", algorithm.title()),
        _ => algorithm.title().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use ciphermeter_answer::fixtures::{self, cell};
    use ciphermeter_answer::pair;
    use ciphermeter_core::Operation;

    use super::*;

    /// The bars of libraries that seal in so many nanoseconds, as text.
    fn drawn(libraries: &[(&'static str, f64)], most: usize) -> Vec<String> {
        let both = |(provider, ns): &(&'static str, f64)| {
            [(Algorithm::Aes256Gcm, *ns), (Algorithm::ChaCha20Poly1305, 900.0)]
                .map(|(algorithm, ns)| cell(provider, algorithm, Operation::Seal, 1024, ns))
        };
        let cells: Vec<_> = libraries.iter().flat_map(both).collect();
        let records = fixtures::records(&cells, 8);
        let Some(pair) = pair::pair(&records) else { return Vec::new() };
        let fastest = Fastest::of(&records, pair).expect("cells of one size");
        let text = |bar: Bar| {
            let sign = bar.mark.map_or(String::new(), |(sign, _)| format!(" {sign}"));
            format!("{}{sign}{}", bar.of.provider, bar.beside)
        };
        let all: Vec<&Standing> = fastest.of_cipher(Algorithm::Aes256Gcm).iter().collect();
        bars_of(&all, most).into_iter().map(text).collect()
    }

    #[test]
    fn a_single_bar_names_what_may_be_as_fast() {
        let slow = ("slow", 400.0);
        assert_eq!(drawn(&[("a", 300.0), slow], 1), ["a"]);
        assert_eq!(drawn(&[("a", 300.0), ("b", 300.0), slow], 1), ["a ≈ b"]);
        assert_eq!(drawn(&[("a", 300.0), ("b", 300.0), ("c", 300.0), slow], 1), ["a ≈ 2 others"]);
        assert_eq!(drawn(&[("a", 300.0), ("b", 300.0), slow], 3), ["a", "b ≈", "slow"]);
        assert!(drawn(&[], 1).is_empty());
    }
}
