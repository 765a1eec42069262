//! Pages of studies as lines of a terminal.

use ciphermeter_report::{LEFT, TableColumn, plain_table};
use ciphermeter_study::{Block, Paragraph, Ratios};
use ciphermeter_terminal::output;

pub fn laid_out(page: &[Block], width: usize) -> String {
    let block = |block: &Block| match block {
        Block::Paragraph(Paragraph { indent, lead, text }) => output::hanging(*indent, lead, text, width),
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
