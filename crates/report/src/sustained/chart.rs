//! A course as columns of blocks, an eighth of a line fine, with an axis and a mark.

use ciphermeter_answer::words::right;

/// Columns of the axis: the highest value, a blank and the line.
const AXIS: usize = 8;
const EIGHTHS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Where the columns lie.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Grid {
    steps: usize,
    columns: usize,
}

impl Grid {
    /// So many steps within a width.
    pub(crate) fn new(steps: usize, width: usize) -> Self {
        let room = width.saturating_sub(AXIS).max(10);
        // Few steps are drawn broadly, many are put together.
        let columns = if steps == 0 {
            0
        } else if steps <= room {
            room / steps * steps
        } else {
            room
        };
        Self { steps, columns }
    }

    fn steps_of(self, column: usize) -> std::ops::Range<usize> {
        let begin = column * self.steps / self.columns;
        begin..((column + 1) * self.steps / self.columns).max(begin + 1)
    }

    /// The column with which a step begins.
    fn column_of(self, step: usize) -> usize {
        (0..self.columns).find(|column| self.steps_of(*column).end > step).unwrap_or(0)
    }

    /// The values from `floor` to the highest in so many lines; of each column the mean. What isn't told stays blank.
    pub(crate) fn draw(
        self,
        values: &[Option<f64>],
        floor: f64,
        lines: usize,
        label: impl Fn(f64) -> String,
    ) -> Vec<String> {
        let mean = |column| {
            let values: Vec<f64> = values[self.steps_of(column)].iter().copied().flatten().collect();
            (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
        };
        let means: Vec<Option<f64>> = (0..self.columns).map(mean).collect();
        let top = means.iter().copied().flatten().fold(floor, f64::max);
        let unit = if top > floor { (lines * 8) as f64 / (top - floor) } else { 0.0 };
        let filled: Vec<usize> =
            means.iter().map(|mean| mean.map_or(0, |mean| (((mean - floor) * unit).round() as usize).max(1))).collect();
        let row = |line: usize| {
            let below = (lines - 1 - line) * 8;
            let blocks: String = filled.iter().map(|eighths| EIGHTHS[eighths.saturating_sub(below).min(8)]).collect();
            let text = if line == 0 { label(top) } else { String::new() };
            format!("{} │{blocks}", right(&text, AXIS - 2)).trim_end().to_owned()
        };
        let mut rows: Vec<String> = (0..lines).map(row).collect();
        rows.push(format!("{} └{}", right(&label(floor), AXIS - 2), "─".repeat(self.columns)));
        rows
    }

    /// The time below, with its end.
    pub(crate) fn time(self, seconds: f64) -> String {
        let end = format!("{seconds:.0} s");
        let gap = (self.columns + 1).saturating_sub(3 + end.len());
        format!("{}0 s{}{end}", " ".repeat(AXIS - 1), " ".repeat(gap))
    }

    /// `▲ 74 s` under each step that is marked, as far as there is room.
    pub(crate) fn marks(self, marks: &[(usize, f64)]) -> String {
        let mut line = String::new();
        for (step, seconds) in marks {
            let text = format!("▲ {seconds:.0} s");
            let place = AXIS + self.column_of(*step);
            // The mark stays where it is; what belongs to it goes to its left where there is no room on the right.
            let (begin, text) = match place + text.chars().count() <= AXIS + self.columns {
                true => (place, text),
                false => ((place + 3).saturating_sub(text.chars().count() + 2), format!("{seconds:.0} s ▲")),
            };
            let now = line.chars().count();
            if now == 0 || begin > now {
                line += &" ".repeat(begin.saturating_sub(now));
                line += &text;
            }
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(values: &[f64], width: usize) -> Vec<String> {
        let values: Vec<_> = values.iter().copied().map(Some).collect();
        Grid::new(values.len(), width).draw(&values, 0.0, 2, |value| format!("{value:.0}"))
    }

    #[test]
    fn columns_have_eighths() {
        assert_eq!(drawn(&[16.0, 8.0, 4.0, 1.0, 0.0], 18), ["    16 │██", "       │████▄▄▁▁▁▁", "     0 └──────────"]);
    }

    #[test]
    fn what_is_not_told_is_blank() {
        let rows = Grid::new(2, 18).draw(&[None, Some(1.0)], 0.0, 1, |value| format!("{value:.0}"));
        assert_eq!(rows[0], "     1 │     █████");
        let none = Grid::new(2, 18).draw(&[None, None], 0.0, 1, |value| format!("{value:.0}"));
        assert_eq!(none[0], "     0 │");
        assert_eq!(Grid::new(0, 18).draw(&[], 0.0, 1, |_| String::new()).len(), 2);
    }

    #[test]
    fn many_steps_fit() {
        let many: Vec<f64> = (0..1000).map(f64::from).collect();
        assert!(drawn(&many, 80).iter().all(|row| row.chars().count() <= 80));
        assert_eq!(Grid::new(1000, 80).time(1000.0).chars().count(), 80);
    }

    #[test]
    fn marks_stand_under_their_column() {
        let grid = Grid::new(10, 28);
        assert_eq!(grid.marks(&[(3, 3.0)]), format!("{}▲ 3 s", " ".repeat(8 + 6)));
        let late = grid.marks(&[(9, 9.0)]);
        assert_eq!(late.chars().position(|c| c == '▲'), Some(8 + 18));
        assert_eq!(grid.marks(&[]), "");
    }
}
