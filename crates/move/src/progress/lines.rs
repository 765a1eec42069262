//! How far a transfer is, as lines: the files that are moving, where there is room for them, and the whole.
//!
//! Promises: no line is as wide as the screen, so none is broken, and nothing in a name acts on the terminal.

use ciphermeter_core::quoted;
use ciphermeter_terminal::output::Screen;
use ciphermeter_transfer::Moving;
use unicode_width::UnicodeWidthStr;

use crate::words::{beginning, shortened, size};

const MOST: usize = 3;
/// Screens that are smaller show the whole only.
const LEAST: Screen = Screen { width: 60, height: 8 };
const BAR: usize = 20;
/// Columns behind a file's bar: `100% of 1000 MB`.
const SHARE: usize = 15;
/// Parts of a column, in eighths.
const EIGHTHS: [char; 8] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/// The lines, that of the whole last: what this end does, how many bytes are done, of how many (of
/// a stream nobody knows), and what to say of it.
pub fn lines(
    verb: &str,
    done: u64,
    total: Option<u64>,
    message: &str,
    moving: &[Moving],
    screen: Screen,
) -> Vec<String> {
    let width = screen.width.saturating_sub(1);
    let has_room = screen.width >= LEAST.width && screen.height >= LEAST.height;
    // The only file is the whole.
    let is_part = |file: &&Moving| has_room && total.is_some_and(|total| file.size < total);
    let mut lines: Vec<_> = moving.iter().filter(is_part).take(MOST).map(|file| file_line(file, width)).collect();
    let bar = total.map(|total| bar(done, total) + " ").unwrap_or_default();
    lines.push(whole(verb, &bar, message, width));
    lines
}

/// The line of the whole. Where there is no room, the bar goes first, and the rate and the time left last.
fn whole(verb: &str, bar: &str, message: &str, width: usize) -> String {
    let steps = [format!("{verb} {bar}{message}"), format!("{verb} {message}"), message.to_owned()];
    let fitting = steps.into_iter().find(|line| line.width() <= width);
    let rest = message.split_once(", ").map_or(message, |(_, rest)| rest);
    fitting.unwrap_or_else(|| beginning(rest, width).into())
}

fn file_line(file: &Moving, width: usize) -> String {
    let columns = width - 2 - 1 - BAR - 1 - SHARE;
    let name = shortened(&quoted(&file.name), columns);
    let blank = " ".repeat(columns - name.width());
    let share = file.done.saturating_mul(100).checked_div(file.size).unwrap_or_default();
    format!("  {name}{blank} {} {share:>3}% of {}", bar(file.done, file.size), size(file.size))
}

fn bar(done: u64, total: u64) -> String {
    let eighths = (done as f64 / total.max(1) as f64 * (BAR * 8) as f64).min((BAR * 8) as f64) as usize;
    let full = eighths / 8;
    let part = (full < BAR).then(|| EIGHTHS[eighths % 8]);
    let rest = BAR - full - usize::from(part.is_some());
    "█".repeat(full).chars().chain(part).chain(std::iter::repeat_n(' ', rest)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moving(name: &str, done: u64) -> Moving {
        Moving { number: 0, name: name.into(), size: 1_000_000, done }
    }

    fn lines(total: u64, moving: &[Moving], (width, height): (usize, usize)) -> Vec<String> {
        let message = "1000 GB of 1000 GB, 1.23 GB/s, 1000 h left";
        super::lines("receiving", total / 2, Some(total), message, moving, Screen { width, height })
    }

    #[test]
    fn wide_screen_shows_three_files_and_the_whole() {
        let long = format!("holiday{}.jpg", "x".repeat(90));
        let files = [moving(&long, 0), moving("短い\u{1b}[2J", 510_000), moving("c", 1_000_000), moving("d", 0)];
        let lines = lines(9_000_000, &files, (80, 24));
        assert_eq!(lines.len(), 4, "{lines:#?}");
        assert!(lines.iter().all(|line| line.width() < 80 && !line.contains('\u{1b}')), "{lines:#?}");
        assert!(lines[0].starts_with("  holidayxxx") && lines[0].contains("…xxx"), "{}", lines[0]);
        assert!(lines[0].ends_with("   0% of 1.00 MB"), "{}", lines[0]);
        assert!(lines[1].contains(&format!(" {}▏         ", "█".repeat(10))), "{}", lines[1]);
        assert!(lines[2].ends_with(&format!(" {} 100% of 1.00 MB", "█".repeat(20))), "{}", lines[2]);
        assert!(lines[3].starts_with(&format!("receiving {}           1000 GB of", "█".repeat(10))), "{}", lines[3]);
    }

    #[test]
    fn narrow_or_low_screen_shows_the_whole_only() {
        for (width, height) in [(40, 24), (59, 24), (80, 7), (20, 24), (1, 1), (0, 0)] {
            let lines = lines(9_000_000, &[moving("a", 0)], (width, height));
            assert!(lines.len() == 1 && lines[0].width() < width.max(1), "{width}: {lines:?}");
        }
        assert_eq!(lines(9_000_000, &[moving("a", 0)], (60, 8)).len(), 2);
        let of = |width| lines(9_000_000, &[], (width, 24)).remove(0);
        assert_eq!(of(60), "receiving 1000 GB of 1000 GB, 1.23 GB/s, 1000 h left");
        assert_eq!((of(44).as_str(), of(40).as_str()), (&of(60)[10..], "1.23 GB/s, 1000 h left"));
    }

    #[test]
    fn only_file_is_the_whole() {
        assert_eq!(lines(1_000_000, &[moving("a", 0)], (80, 24)).len(), 1);
    }

    #[test]
    fn bar_has_the_same_width_whatever_it_shows() {
        for done in 0..=1000 {
            assert_eq!(bar(done, 1000).width(), BAR);
        }
        assert_eq!((bar(9, 0).width(), bar(9, 3)), (BAR, "█".repeat(BAR)));
    }
}
