//! What must hold between published numbers, whatever was measured: a throughput is a size divided by a time.

use std::fmt;

use serde::Deserialize;

use crate::table::Table;

/// A relation between columns of a table that holds in every row.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// The table's id.
    pub table: String,
    /// What should hold, in our words.
    pub says: String,
    /// What a contradiction means for the reader, in our words.
    pub means: String,
    /// `over` ÷ `under` × `factor` stands in that relation to `to`.
    pub over: String,
    /// See `over`; without it, 1.
    #[serde(default)]
    pub under: Option<String>,
    /// Converts the units of the left side into those of `to`.
    #[serde(default = "one")]
    pub factor: f64,
    /// How both sides should stand.
    #[serde(default)]
    pub relation: Relation,
    /// The column on the right side.
    pub to: String,
    /// How far a row may be off beyond rounding, as a share: for constants that a paper rounds without saying so.
    #[serde(default)]
    pub slack: f64,
}

/// How two numbers should stand to each other.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Relation {
    /// They are equal.
    #[default]
    Equals,
    /// The left one is not larger.
    AtMost,
    /// The left one is not smaller.
    AtLeast,
}

fn one() -> f64 {
    1.0
}

/// A row whose numbers cannot all be right, however they were rounded.
#[derive(Debug, Clone, PartialEq)]
pub struct Contradiction {
    /// The row's name.
    pub row: String,
    /// What follows from the other columns: the least and the greatest value.
    pub follows: (f64, f64),
    /// What is printed.
    pub printed: String,
    /// Its unit.
    pub unit: String,
}

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (low, high) = self.follows;
        let unit = if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) };
        write!(f, "{}: printed {}{unit}; from the other columns follows ", self.row, self.printed)?;
        if significant(low) == significant(high) {
            write!(f, "{}{unit}", significant(low))
        } else {
            write!(f, "{} to {}{unit}", significant(low), significant(high))
        }
    }
}

/// Three significant digits.
fn significant(value: f64) -> String {
    let digits = if value == 0.0 { 0 } else { (2 - value.abs().log10().floor() as i32).clamp(0, 9) };
    format!("{value:.*}", digits as usize)
}

impl Check {
    /// What is wrong with it, if anything.
    pub(crate) fn error(&self, table: &Table) -> Option<String> {
        let columns = [Some(&self.over), self.under.as_ref(), Some(&self.to)];
        let missing = columns.into_iter().flatten().find(|id| table.column(id).is_none());
        match missing {
            Some(id) => Some(format!("there is no column `{id}` in table `{}`", table.id)),
            None if !(0.0..1.0).contains(&self.slack) || !self.factor.is_finite() || self.factor <= 0.0 => {
                Some("slack is a share below 1, and factor a number above 0".into())
            }
            None => None,
        }
    }

    /// The rows that contradict it, and how many were checked.
    pub fn contradictions(&self, table: &Table) -> (Vec<Contradiction>, usize) {
        let column = |id: &str| table.column(id);
        let (Some(over), Some(to)) = (column(&self.over), column(&self.to)) else { return (Vec::new(), 0) };
        let under = self.under.as_deref().and_then(column);
        let (mut found, mut checked) = (Vec::new(), 0);
        for (row, name) in table.names().enumerate() {
            let (Some(over), Some(printed)) = (table.number(row, over), table.number(row, to)) else { continue };
            let under = match under {
                None => (1.0, 1.0),
                Some(under) => match table.number(row, under) {
                    Some(under) => under.range(),
                    None => continue,
                },
            };
            checked += 1;
            let (low, high) = (over.range().0 / under.1 * self.factor, over.range().1 / under.0.max(0.0) * self.factor);
            let (least, most) = printed.range();
            let (too_small, too_large) = (high * (1.0 + self.slack) < least, low * (1.0 - self.slack) > most);
            let contradicts = match self.relation {
                Relation::Equals => too_small || too_large,
                Relation::AtMost => too_large,
                Relation::AtLeast => too_small,
            };
            if contradicts {
                found.push(Contradiction {
                    row: name.into(),
                    follows: (low, high),
                    printed: printed.as_str().into(),
                    unit: table.columns[to].unit.clone(),
                });
            }
        }
        (found, checked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Column;

    fn table(rows: &[[&str; 4]]) -> Table {
        let column =
            |id: &str| Column { id: id.into(), name: id.into(), unit: "MB/s".into(), is_rate: false, here: None };
        Table {
            id: "t".into(),
            source: "Table 1".into(),
            title: "rates".into(),
            rows_are: "cipher".into(),
            columns: ["size", "time", "rate"].map(column).to_vec(),
            rows: rows.iter().map(|row| row.map(String::from).to_vec()).collect(),
            here: None,
        }
    }

    fn rate() -> Check {
        Check {
            table: "t".into(),
            says: "the rate is the size divided by the time".into(),
            means: "one of them is wrong".into(),
            over: "size".into(),
            under: Some("time".into()),
            factor: 1.0,
            relation: Relation::Equals,
            to: "rate".into(),
            slack: 0.0,
        }
    }

    #[test]
    fn rounding_alone_is_no_contradiction() {
        let table =
            table(&[["a", "0.01", "0.0001", "126.04"], ["b", "50.0", "0.0329", "1521.84"], ["c", "1", "-", "5"]]);
        assert_eq!(rate().contradictions(&table), (vec![], 2));
    }

    #[test]
    fn row_that_no_rounding_explains_is_found() {
        let table = table(&[["a", "0.01", "0.0001", "9.62"]]);
        let (found, checked) = rate().contradictions(&table);
        assert_eq!((found.len(), checked), (1, 1));
        assert_eq!(found[0].to_string(), "a: printed 9.62 MB/s; from the other columns follows 33.3 to 300 MB/s");
        assert_eq!(Check { slack: 0.9, ..rate() }.contradictions(&table).0, []);
        assert_eq!(Check { factor: 0.1, ..rate() }.contradictions(&table).0, []);
        assert_eq!(Check { relation: Relation::AtLeast, ..rate() }.contradictions(&table).0, []);
        assert_eq!(Check { relation: Relation::AtMost, ..rate() }.contradictions(&table).0.len(), 1);
    }

    #[test]
    fn unknown_column_is_an_error() {
        let wrong = Check { to: "speed".into(), ..rate() };
        assert!(wrong.error(&table(&[])).unwrap().contains("`speed`"));
        assert!(Check { slack: 1.5, ..rate() }.error(&table(&[])).is_some());
        assert!(rate().error(&table(&[])).is_none());
    }
}
