//! The table of a single device: a row for each size, a column for each cipher, and below it what each takes of the memory.

use ciphermeter_core::Algorithm;

use super::shown::columns;
use crate::figures_block::ABSENT;
use crate::layout::{LEFT, RIGHT, TableCell, TableColumn, TableLayout, TableRow, UNCUT};
use crate::styled_line::{Style, StyledLine};
use ciphermeter_answer::devices::{Best, Choice, DeviceAnswer, Known, Need, Offer, Paragraph};
use ciphermeter_answer::point::{Point, Points, spread};
use ciphermeter_answer::words::{Figures, bytes, times};

/// In fewer columns, ciphers have their short names, and bytes no figures.
const WIDE: usize = 60;
/// In fewer, there are three ciphers.
const WIDEST: usize = 110;

/// At most so many sizes; with `footprints`, what each cipher takes.
pub(super) fn table(answer: &DeviceAnswer, most: usize, footprints: bool, width: usize) -> Vec<StyledLine> {
    let ciphers = columns(answer, most_columns(width));
    if ciphers.is_empty() {
        return Vec::new();
    }
    let kept = spread(answer.choices.iter().map(|choice| choice.point).collect(), most);
    let labels = Points(kept.clone());
    let with_bytes = width >= WIDE;
    let operation = answer.choices.iter().find_map(|choice| Some(choice.offers.first()?.operation));
    let operation = operation.map(|operation| operation.to_string()).unwrap_or_default();
    let a_byte = if with_bytes { " (a byte)" } else { "" };
    let heading = format!("{operation}, {}{a_byte}", answer.unit.as_str());
    let title = |cipher: &Algorithm| if with_bytes { cipher.title() } else { cipher.short(&ciphers) };
    let titles = std::iter::once("").chain(ciphers.iter().map(title)).chain(["cheapest", "", ""]);
    let mut rows = vec![TableRow::titles(&heading, titles)];
    let shown = answer.choices.iter().filter(|choice| kept.contains(&choice.point));
    rows.extend(shown.map(|choice| row(answer, choice, &labels, &ciphers, with_bytes)));
    if footprints {
        rows.extend(taken(answer, &ciphers));
    }
    laid_out(&rows, ciphers.len(), width)
}

fn row(answer: &DeviceAnswer, choice: &Choice, labels: &Points, ciphers: &[Algorithm], with_bytes: bool) -> TableRow {
    let winners = choice.best.named();
    let figure = |cipher: &Algorithm| {
        let Some(offer) = choice.offer(*cipher) else { return TableCell::new(ABSENT, Style::Dim) };
        let style = if winners == [*cipher] { Style::Green } else { Style::Plain };
        let each = answer.unit.per_byte(offer.cost.mid, choice.point.message).filter(|_| with_bytes);
        let each = each.map(|each| format!(" ({each})")).unwrap_or_default();
        TableCell::new(format!("{}{each}", answer.unit.text(offer.cost.mid)), style)
    };
    let winner = match &choice.best {
        Best::Cheapest(cipher) => cipher.short(ciphers),
        _ => "",
    };
    let (factor, interval) = choice.margin.map(Figures::columns).unwrap_or_default();
    let cells = ciphers.iter().map(figure);
    let name = TableCell::new(labels.label(choice.point), Style::Plain);
    let behind = [
        TableCell::new(winner, Style::Plain),
        TableCell::new(factor, Style::Plain),
        TableCell::new(interval, Style::Dim),
    ];
    TableRow::Cells(std::iter::once(name).chain(cells).chain(behind).collect())
}

/// The provider of each cipher's figures at the middle size, and what it takes.
fn taken(answer: &DeviceAnswer, ciphers: &[Algorithm]) -> Vec<TableRow> {
    let Some(choice) = answer.middle() else { return Vec::new() };
    let known = Known::of(choice.offers.iter());
    let size = Points(vec![choice.point]).label(choice.point);
    let row = |label: &str, text: &dyn Fn(Algorithm) -> Option<String>| {
        let texts = ciphers.iter().map(|cipher| text(*cipher).unwrap_or(ABSENT.into()));
        TableRow::plain(std::iter::once(label.to_owned()).chain(texts).chain([const { String::new() }; 3]))
    };
    let of = |cipher: Algorithm| Some(choice.offer(cipher)?.footprint);
    let provider = |cipher: Algorithm| Some(choice.offer(cipher)?.provider.clone());
    let rows = [
        (true, row(&format!("at {size}:"), &provider)),
        (known.ram, row("RAM", &|cipher| of(cipher)?.ram().map(bytes))),
        (known.flash, row("flash", &|cipher| of(cipher)?.code.map(bytes))),
        (known.charge, row("charge", &|cipher| of(cipher)?.charged())),
    ];
    rows.into_iter().filter(|(shown, _)| *shown).map(|(_, row)| row).collect()
}

/// Figures are cut last: first the interval goes, then the factor, then which is cheapest.
fn laid_out(rows: &[TableRow], ciphers: usize, width: usize) -> Vec<StyledLine> {
    let wide = TableColumn { gap: 2, ..RIGHT };
    let mut columns = vec![LEFT];
    columns.resize(1 + ciphers, wide);
    columns.extend([TableColumn { gap: 2, ..LEFT }, RIGHT, TableColumn { gap: 2, ..LEFT }]);
    let step = |behind: usize, widest: usize| -> Vec<usize> {
        let limit = |place: usize| match place {
            0 => UNCUT,
            place if place <= ciphers => widest,
            place if place - ciphers <= behind => UNCUT,
            _ => 0,
        };
        (0..columns.len()).map(limit).collect()
    };
    let steps = [step(3, UNCUT), step(2, UNCUT), step(2, 16), step(2, 13), step(0, 13), step(0, 10), step(0, 8)];
    TableLayout::plan(&columns, &steps, rows, width).lines(rows)
}

fn most_columns(width: usize) -> usize {
    if width < WIDEST { 3 } else { 4 }
}

/// Ciphers for which there is no column, at the middle size: `Without a column, at 64 B: AES-256-GCM 9,780 by mbedtls-3.`
pub(super) fn without_column(answer: &DeviceAnswer, width: usize) -> Option<String> {
    let (middle, shown) = (answer.middle()?, columns(answer, most_columns(width)));
    let hidden = middle.ciphers().filter(|offer| !shown.contains(&offer.algorithm));
    let figure = |cost| answer.unit.text(cost);
    let each: Vec<String> = hidden
        .map(|offer| format!("{} {} by {}", offer.algorithm.title(), figure(offer.cost.mid), offer.provider))
        .collect();
    let at = Points(vec![middle.point]).at(&[middle.point]);
    (!each.is_empty()).then(|| format!("Without a column, {at}: {}.", each.join("; ")))
}

/// Figures of other providers than the one that is named at the middle size: `AES-256-GCM at 16 B is by bearssl.`
pub(super) fn other_providers(answer: &DeviceAnswer) -> Option<String> {
    let middle = answer.middle()?;
    let all = Points(answer.choices.iter().map(|choice| choice.point).collect());
    let mut said: Vec<(Algorithm, String, Vec<Point>)> = Vec::new();
    for cipher in columns(answer, 3) {
        let Some(usual) = middle.offer(cipher) else { continue };
        let usual = &usual.provider;
        for choice in &answer.choices {
            let Some(provider) = choice.offer(cipher).map(|offer| &offer.provider).filter(|own| *own != usual) else {
                continue;
            };
            match said.iter_mut().find(|(other, by, _)| *other == cipher && by == provider) {
                Some((_, _, points)) => points.push(choice.point),
                None => said.push((cipher, provider.clone(), vec![choice.point])),
            }
        }
    }
    let each = said.iter().map(|(cipher, by, points)| format!("{} {} by {by}", cipher.title(), all.at(points)));
    let each: Vec<String> = each.collect();
    (!each.is_empty()).then(|| format!("Other providers: {}.", each.join("; ")))
}

/// Each cipher's libraries at the middle size, the cheapest first: `ChaCha20-Poly1305: bearssl 4,173, mine 4,320 (1.04×)`. Of times,
/// ratios have intervals, for which there is no room.
pub(super) fn libraries(answer: &DeviceAnswer, width: usize) -> Option<Paragraph> {
    let (middle, ciphers) = (answer.middle()?, columns(answer, most_columns(width)));
    let of_cipher = |cipher: &Algorithm| {
        let own: Vec<&Offer> = middle.offers.iter().filter(|offer| offer.algorithm == *cipher).collect();
        let least = own.first()?.cost.mid;
        let figure = |offer: &&Offer| {
            let ratio = match answer.unit.is_time() || offer.cost.mid <= least {
                true => String::new(),
                false => format!(" ({})", times(offer.cost.mid / least)),
            };
            format!("{} {}{ratio}", offer.provider, answer.unit.text(offer.cost.mid))
        };
        let figures: Vec<String> = own.iter().map(figure).collect();
        (own.len() > 1).then(|| format!("{}: {}", cipher.title(), figures.join(", ")))
    };
    let each: Vec<String> = ciphers.iter().filter_map(of_cipher).collect();
    let at = Points(vec![middle.point]).at(&[middle.point]);
    // Of a single cipher there is nothing else to compare.
    let need = if ciphers.len() == 1 { Need::Must } else { Need::Expected };
    (!each.is_empty()).then(|| Paragraph::of(need, format!("Libraries {at}: {}.", each.join("; "))))
}
