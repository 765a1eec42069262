//! Pages of studies as lines of a terminal.

use ciphermeter_report::{LEFT, TableColumn, plain_table};
use ciphermeter_study::{Block, Paragraph, Ratios};
use unicode_width::UnicodeWidthStr;

use crate::output;

/// A page, each line ended by a newline.
pub fn laid_out(page: &[Block], width: usize) -> String {
    let block = |block: &Block| match block {
        Block::Paragraph(Paragraph { indent, lead, text }) => hanging(*indent, lead, text, width),
        Block::Table(ratios) => table(ratios),
    };
    page.iter().map(block).collect()
}

fn table(Ratios { indent, titles, rows }: &Ratios) -> String {
    let [what, published, here, verdict] = *titles;
    let apart = TableColumn { gap: 2, ..LEFT };
    let columns =
        [(what, TableColumn { least: 16, most: 24, ..LEFT }), (published, apart), (here, apart), (verdict, apart)];
    let lines = plain_table(columns, rows.iter().cloned());
    lines.lines().map(|line| format!("{:indent$}{}\n", "", line.trim_end())).collect()
}

/// A paragraph behind some blanks.
pub fn indented(indent: usize, text: &str, width: usize) -> String {
    hanging(indent, "", text, width)
}

/// Text behind something that only its first line has before it.
fn hanging(indent: usize, lead: &str, text: &str, width: usize) -> String {
    let column = indent + lead.width();
    let wrapped = output::wrapped(text, width.saturating_sub(column).max(20));
    let before = |number| if number == 0 { format!("{:indent$}{lead}", "") } else { " ".repeat(column) };
    wrapped.lines().enumerate().map(|(number, line)| format!("{}{line}\n", before(number))).collect()
}
