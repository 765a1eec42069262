//! A run as Markdown, for a README or a pull request: the answer, a table, and what it rests on.

use std::io::{self, Write};

use ciphermeter_answer::devices::{Choice, DeviceAnswer, DevicesAnswer, Offer};
use ciphermeter_answer::libraries::LibrariesAnswer;
use ciphermeter_answer::machine::status;
use ciphermeter_answer::measured::{has_enough_forks, measured};
use ciphermeter_answer::pair::{Lack, PairAnswer};
use ciphermeter_answer::parallel::{FastestWay, ParallelAnswer};
use ciphermeter_answer::point::Points;
use ciphermeter_answer::regression::{Compared, Verdict, name};
use ciphermeter_answer::versions::{BesideOldest, OfCipher, Version, VersionsAnswer};
use ciphermeter_answer::words::{Figures, bytes, digits, duration, heading, longer, percent, ratio_columns, size};
use ciphermeter_answer::{About, Answer, LeftOut, answer};
use ciphermeter_core::{Record, Run, escaped};
use ciphermeter_estimate::{Comparison, Side};

use crate::gb_per_s;
use crate::kinds::basis;
use crate::other_metrics::metrics_in_words;

/// The most rows of a table that has one for each cell.
const MOST: usize = 200;

/// Writes the answer of a run and its table.
///
/// # Errors
/// Those of `out`.
pub fn write_markdown(mut out: impl Write, run: &Run, records: &[Record]) -> io::Result<()> {
    let answer = answer(run, records);
    writeln!(out, "### {}\n", text(&answer.question))?;
    for (place, sentence) in answer.sentences.iter().enumerate() {
        match place {
            0 => writeln!(out, "**{}**", text(sentence))?,
            _ => writeln!(out, "{}", text(sentence))?,
        }
    }
    if !answer.config.is_empty() {
        writeln!(out, "\n```\n{}\n```", answer.config.join("\n").replace('`', "'"))?;
    }
    let wrong = |cells: &&LeftOut| cells.is == "wrong-output";
    for cells in answer.left_out.iter().filter(wrong) {
        writeln!(out, "\n**WRONG OUTPUT**: {}", text(&cells.sentence))?;
    }
    let rows = answer_table(run, records, &answer);
    write_rows(&mut out, &rows)?;
    for note in &answer.notes {
        writeln!(out, "\n{}", text(note))?;
    }
    for cells in answer.left_out.iter().filter(|cells| !wrong(cells)) {
        // Of what has no cells, it says so itself.
        let lead = if cells.cells.is_empty() { "" } else { "Not measured: " };
        writeln!(out, "\n{lead}{}.", text(&cells.sentence))?;
    }
    let basis = basis(run, records, &answer);
    let day = run.started.get(..10).unwrap_or_default();
    let name = format!("run {} of {day}: {}{}", run.id, run.scenario.name, status(run));
    writeln!(
        out,
        "\n{}",
        text(format!("{basis} Measured by Ciphermeter {}, {name}, on {}.", run.version, answer.measured_on).trim())
    )
}

/// Rows below a blank line, titles first; titles alone are no table.
pub(crate) fn write_rows(out: &mut impl Write, rows: &[Vec<String>]) -> io::Result<()> {
    let rows = if rows.len() > 1 { rows } else { &[] };
    if !rows.is_empty() {
        writeln!(out)?;
    }
    for (place, row) in rows.iter().enumerate() {
        writeln!(out, "| {} |", row.iter().map(|cell| text(cell)).collect::<Vec<_>>().join(" | "))?;
        if place == 0 {
            let aligned = row.iter().enumerate().map(|(place, _)| if place == 0 { ":---" } else { "---:" });
            writeln!(out, "| {} |", aligned.collect::<Vec<_>>().join(" | "))?;
        }
    }
    Ok(())
}

/// What the run's answer is about, as rows of text, titles first; titles alone are no table.
pub fn answer_table(run: &Run, records: &[Record], answer: &Answer) -> Vec<Vec<String>> {
    match &answer.about {
        Some(About::Ciphers(pair)) => of_ciphers(pair),
        Some(About::Libraries(libraries)) => of_libraries(libraries),
        Some(About::Versions(versions)) => of_versions(versions),
        Some(About::Devices(devices)) => cut(of_devices(devices)),
        Some(About::Regression(verdict)) => of_regression(verdict),
        Some(About::Parallel(parallel)) if !parallel.fastest.is_empty() => of_parallel(parallel),
        _ => cut(of_cells(run, records)),
    }
}

/// A row for each size of each library.
fn of_ciphers(answer: &PairAnswer) -> Vec<Vec<String>> {
    let moves_files = answer.pair().moves_files();
    let unit = if moves_files { "MB/s" } else { "GB/s" };
    let title = |title: &str| format!("{title}, {unit}");
    let mut rows = vec![vec![
        "library".into(),
        "size".into(),
        title(answer.first.title()),
        title(answer.second.title()),
        "faster".into(),
    ]];
    if answer.has_memory() {
        rows[0].extend([answer.first, answer.second].map(|cipher| format!("{}, peak memory", cipher.title())));
    }
    for library in &answer.libraries {
        let points = library.points();
        for row in &library.rows {
            let rate = |rate: Option<f64>| {
                rate.map_or("–".into(), |rate| digits(rate * if moves_files { 1000.0 } else { 1.0 }))
            };
            let [first, second] = [0, 1].map(|place| rate(row.figures[place].gb_per_s));
            let (times, interval) = row.comparison.figures();
            let faster = match row.comparison {
                Comparison::First(_) => format!("{} {times} {interval}", answer.first.title()),
                Comparison::Second(_) => format!("{} {times} {interval}", answer.second.title()),
                Comparison::Equal(_) => format!("{times} {interval}"),
                Comparison::Unknown(_) => interval,
            };
            let mut cells = vec![library.titled(), points.label(row.point), first, second, faster.trim().to_owned()];
            if answer.has_memory() {
                cells.extend(row.figures.iter().map(|figure| figure.peak_bytes.map_or("–".into(), bytes)));
            }
            rows.push(cells);
        }
        for gap in &library.gaps {
            let [first, second] = gap.why.map(|why| why.map_or("", Lack::in_words).to_owned());
            let cells = [library.titled(), points.label(gap.point), first, second, "–".into()];
            rows.push(cells.into_iter().chain(vec!["–".into(); rows[0].len() - 5]).collect());
        }
    }
    rows
}

/// A row for each version of each cipher, the oldest first.
fn of_versions(answer: &VersionsAnswer) -> Vec<Vec<String>> {
    let all = || answer.ciphers.iter().flat_map(|cipher| cipher.versions.iter().map(move |own| (cipher, own)));
    let points = all().next().map(|(_, own)| own.gb_per_s.iter().map(|(point, _)| *point).collect());
    let points = Points(points.unwrap_or_default());
    let compared = |own: Option<&BesideOldest>| {
        let columns = own.and_then(|own| own.times).map(ratio_columns);
        columns.map_or("–".into(), |(times, interval)| format!("{times} {interval}"))
    };
    let titles = points.0.iter().map(|point| format!("{}, GB/s at {}", answer.operation, points.label(*point)));
    let [first, last] = [["cipher", answer.library.as_str()], ["mean ÷ the oldest's", "key set-up ÷ the oldest's"]];
    let titles = first.into_iter().map(String::from).chain(titles).chain(last.map(String::from)).collect();
    let row = |(cipher, own): (&OfCipher, &Version)| {
        let rates = own.gb_per_s.iter().map(|(_, rate)| rate.map_or("–".into(), digits));
        let set_up = own.key_set_up.as_ref().and_then(|own| own.compared.as_ref());
        let name = [cipher.algorithm.title().to_owned(), own.name.clone()];
        name.into_iter().chain(rates).chain([compared(own.whole().as_ref()), compared(set_up)]).collect()
    };
    std::iter::once(titles).chain(all().map(row)).collect()
}

/// A row for each message: the fastest way of splitting it.
fn of_parallel(answer: &ParallelAnswer) -> Vec<Vec<String>> {
    let row = |way: &FastestWay| {
        // Where no way is known to be the fastest, no gain is known, either.
        let gain = way.speed_up.filter(|_| way.answered).map(ratio_columns);
        let name = if way.answered { way.name.clone() } else { format!("{} ?", way.name) };
        let gain = gain.map_or("–".into(), |(times, interval)| format!("{times} {interval}").trim().to_owned());
        vec![size(way.message), way.algorithm.title().into(), name, digits(way.gb_per_s), gain]
    };
    let titles = ["message", "cipher", "fastest way", "GB/s", "÷ one thread"].map(String::from).to_vec();
    std::iter::once(titles).chain(answer.fastest.iter().map(row)).collect()
}

/// A row for each contender, the fastest first.
fn of_libraries(answer: &LibrariesAnswer) -> Vec<Vec<String>> {
    let Some(first) = answer.contenders.first() else { return Vec::new() };
    let points = Points(first.gb_per_s.iter().map(|(point, _)| *point).collect());
    let operation = answer.shown.map(|operation| format!("{operation}, GB/s at ")).unwrap_or_default();
    let titles = points.0.iter().map(|point| format!("{operation}{}", points.label(*point)));
    let mut rows = vec![["contender".into(), "the first is".into()].into_iter().chain(titles).collect::<Vec<String>>()];
    for contender in &answer.contenders {
        let behind = match contender.behind {
            None => String::new(),
            Some(behind @ Comparison::First(_)) => {
                format!("faster {}", [behind.figures().0, behind.figures().1].join(" "))
            }
            Some(behind) => [behind.figures().0, behind.figures().1].join(" "),
        };
        let rates = contender.gb_per_s.iter().map(|(_, rate)| rate.map_or("–".into(), digits));
        let name = format!("{} by {}", contender.algorithm.title(), contender.provider);
        rows.push([name, behind.trim().to_owned()].into_iter().chain(rates).collect());
    }
    for gap in &answer.gaps {
        let cells = [format!("at {}", points.label(gap.point)), gap.why.clone()];
        rows.push(cells.into_iter().chain(points.0.iter().map(|_| "–".into())).collect());
    }
    rows
}

/// A row for each cipher at each size on each device.
fn of_devices(answer: &DevicesAnswer) -> Vec<Vec<String>> {
    let titles = ["device", "size", "cipher", "provider", "a call", "unit"];
    let of_device = |device: &DeviceAnswer| -> Vec<Vec<String>> {
        let points = Points(device.choices.iter().map(|choice| choice.point).collect());
        let row = |choice: &Choice, offer: &Offer| {
            let (cipher, cost) = (offer.algorithm.title().to_owned(), device.unit.text(offer.cost.mid));
            let unit = device.unit.as_str().to_owned();
            vec![device.name.clone(), points.label(choice.point), cipher, offer.provider.clone(), cost, unit]
        };
        device.choices.iter().flat_map(|choice| choice.ciphers().map(move |offer| row(choice, offer))).collect()
    };
    std::iter::once(titles.map(String::from).to_vec()).chain(answer.devices.iter().flat_map(of_device)).collect()
}

/// A row for each cell that was compared with an older one, worst first.
pub(crate) fn of_regression(verdict: &Verdict) -> Vec<Vec<String>> {
    let row = |compared: &Compared| {
        let finding = match compared.comparison.faster() {
            Some(Side::First) => "slower",
            Some(Side::Second) => "faster",
            None => "–",
        };
        let (change, interval) = longer(compared.ratio);
        vec![name(&compared.cell), change, interval, finding.into()]
    };
    let beyond = format!("by more than {}", percent(verdict.threshold.0));
    let titles =
        vec![format!("cell, {}", verdict.title), "change of time".into(), "interval, 95 % for all".into(), beyond];
    cut(std::iter::once(titles).chain(verdict.cells.iter().map(row)).collect())
}

/// Titles and the first rows, and how many more there are.
fn cut(mut rows: Vec<Vec<String>>) -> Vec<Vec<String>> {
    if rows.len() > MOST {
        let more = vec![format!("{} more", rows.len() - MOST)];
        let blank = vec![String::new(); rows[0].len() - 1];
        rows.truncate(MOST);
        rows.push([more, blank].concat());
    }
    rows
}

/// A row for each cell that has a figure, or metrics that this build does not know.
fn of_cells(run: &Run, records: &[Record]) -> Vec<Vec<String>> {
    let mut rows = vec![["cell", "GB/s", "a call", "metrics"].map(String::from).to_vec()];
    for record in records.iter().filter(|record| !record.cell.algorithm.is_ceiling()) {
        let range = measured(record).map(|summary| summary.range).filter(|range| range.mid > 0.0);
        let range = range.filter(|_| has_enough_forks(record));
        let metrics = metrics_in_words(run, record).join("; ");
        if range.is_none() && metrics.is_empty() {
            continue;
        }
        let cell = &record.cell;
        let name = format!("{} by {}, {}", cell.algorithm.title(), cell.provider, heading(&cell.group()));
        let rate = range.and_then(|range| gb_per_s(cell, range)).map_or("–".into(), |rate| digits(rate.mid));
        rows.push(vec![name, rate, range.map_or("–".into(), |range| duration(range.mid)), metrics]);
    }
    if rows.iter().skip(1).all(|row| row[3].is_empty()) {
        rows.iter_mut().for_each(|row| row.truncate(3));
    }
    rows
}

/// Text from outside, which forms no table, link, tag, entity, formula or emphasis of its own.
pub(crate) fn text(text: &str) -> String {
    let mut harmless = String::with_capacity(text.len());
    for letter in escaped(text).chars() {
        if "\\`*_[]<>|#~&$".contains(letter) {
            harmless.push('\\');
        }
        harmless.push(letter);
    }
    unlinked(&harmless)
}

/// What forges make links of by themselves, `@name`, `#1` and addresses of pages and mailboxes, apart by an empty comment, which no reader sees.
fn unlinked(text: &str) -> String {
    let mut apart = String::with_capacity(text.len());
    let mut before = ' ';
    for (place, letter) in text.char_indices() {
        let is_mark = letter == '#' && !before.is_alphanumeric() || letter == '@';
        let is_address = letter == ':' && text[place..].starts_with("://");
        let is_site = letter == '.' && text[..place].to_lowercase().ends_with("www");
        apart.push(letter);
        if is_mark || is_address || is_site {
            apart.push_str("<!-- -->");
        }
        before = letter;
    }
    apart
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_outside_makes_no_links() {
        assert_eq!(text("@team, see #12"), "@<!-- -->team, see \\#<!-- -->12");
        assert_eq!(text("https://a.example and WWW.b.example"), "https:<!-- -->//a.example and WWW.<!-- -->b.example");
        assert_eq!(text("openssl@old"), "openssl@<!-- -->old");
        assert_eq!(text("C# and a@b.example"), "C\\#<!-- --> and a@<!-- -->b.example");
        assert_eq!(text("a*b | <c>"), "a\\*b \\| \\<c\\>");
    }
}
