//! Studies' ratios as CSV: a row for each pair of cells, published beside measured, for a paper's table. docs/columns.md explains the
//! columns.

use std::io::{self, Write};

use ciphermeter_core::{Cell, spreadsheet_safe};

use crate::beside::{Row, rows};
use crate::judge::Pair;
use crate::measured::{Answer, Judged, Measured};
use crate::question::Way;
use crate::words::passed_over;

/// The columns; ratios are what the right side needs ÷ what the left one needs.
const COLUMNS: [&str; 27] = [
    "study", "claim", "says", "source", "way", "claim_verdict", "run", "elsewhere", "passed_over", "left", "right",
    "message_left", "message_right", "published", "published_over", "published_under", "published_unit",
    "published_low", "published_mid", "published_high", "supported_from", "supported_to", "here_low", "here_mid",
    "here_high", "missing", "verdict",
];

/// Writes the ratios of these studies, with a row without a pair for a comparison that has none.
///
/// # Errors
/// Those of the writer.
pub fn write_csv(studies: &[Measured<'_>], out: &mut dyn Write) -> io::Result<()> {
    let mut csv = ::csv::Writer::from_writer(out);
    csv.write_record(COLUMNS)?;
    for measured in studies {
        for judged in measured.judged() {
            for (way, answer) in judged.answers() {
                let mut found = rows(judged.claim, way, &measured.study.tables, &answer.judgement);
                if found.is_empty() {
                    found.push(Row { published: None, here: None });
                }
                for row in found {
                    csv.write_record(measured.cells(&judged, way, answer, &row).map(spreadsheet_safe))?;
                }
            }
        }
    }
    csv.flush()
}

impl Measured<'_> {
    fn cells(&self, judged: &Judged<'_>, way: Way, answer: &Answer<'_>, row: &Row<'_>) -> [String; 27] {
        let claim = judged.claim;
        let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
        let source = |published: &str| self.study.table(published).map_or(String::new(), |table| table.source.clone());
        let published = row.published.map(|(published, _)| published);
        let (over, under, unit) =
            published.and_then(|published| published.numbers(&self.study.tables)).unwrap_or_default();
        let ratio = row.published.map(|(_, ratio)| ratio);
        let (least, most) = claim.question(way).map(|question| question.expect.bounds()).unzip();
        let here = row.here.and_then(|pair| pair.ratio);
        let (low, high) = here.and_then(|ratio| ratio.range()).unzip();
        let cell = |of: fn(&Pair) -> &Cell| row.here.map(of);
        let (left, right) = (cell(|pair| &pair.left), cell(|pair| &pair.right));
        let name = |cell: Option<&Cell>| {
            let words = |cell: &Cell| {
                let name = format!("{} {} {} {}", cell.provider, cell.algorithm, cell.operation, cell.form);
                match cell.parameters.aad() {
                    0 => name,
                    aad => format!("{name} aad {aad}"),
                }
            };
            cell.map(words).unwrap_or_default()
        };
        let newer = answer.passed_over.iter().map(passed_over).collect::<Vec<_>>();
        let message = |cell: Option<&Cell>| cell.map(|cell| cell.parameters.message().to_string()).unwrap_or_default();
        [
            self.study.name.clone(),
            claim.id.clone(),
            claim.says.clone(),
            published.map_or_else(|| claim.source.clone(), |published| source(&published.table)),
            way.as_str().into(),
            answer.judgement.verdict.as_str().into(),
            answer.run.map(|run| run.run.id.to_string()).unwrap_or_default(),
            answer.run.and_then(|run| run.elsewhere.clone()).unwrap_or_default(),
            newer.join("; "),
            name(left),
            name(right),
            message(left),
            message(right),
            published.map(|published| published.what.clone()).unwrap_or_default(),
            over.into(),
            under.into(),
            unit.into(),
            number(ratio.map(|ratio| ratio.range.0)),
            number(ratio.map(|ratio| ratio.mid)),
            number(ratio.map(|ratio| ratio.range.1)),
            number(least),
            // A claim that one is ahead has no upper end.
            number(most.filter(|most| most.is_finite())),
            number(low),
            number(here.map(|ratio| ratio.mid)),
            number(high),
            // A comparison without any pair has one row, which says nothing of pairs.
            Some(row)
                .filter(|row| row.published.is_some() || row.here.is_some())
                .and_then(|row| row.why_missing(&answer.judgement))
                .unwrap_or_default(),
            row.here.map(|pair| pair.verdict.as_str().to_owned()).unwrap_or_default(),
        ]
    }
}

#[cfg(test)]
mod tests {
    use ciphermeter_core::Outcome;

    use super::*;
    use crate::built_in::find;
    use crate::fixtures;

    #[test]
    fn name_from_another_store_is_no_formula() {
        let study = find("esp32").unwrap().unwrap();
        let claim = study.claims.iter().find(|claim| claim.id == "aes-instructions").unwrap();
        let mut measured = fixtures::measured(&study, claim, Way::AsPublished, 2.0);
        let records = measured.runs.iter_mut().flatten().flat_map(|run| &mut run.records);
        records.for_each(|record| record.cell.provider = "=cmd".into());
        let mut out = Vec::new();
        write_csv(&[measured], &mut out).unwrap();
        let out = String::from_utf8(out).unwrap();
        assert!(out.contains(",'=cmd ") && !out.contains(",=cmd"), "{out}");
    }

    #[test]
    fn newer_run_that_lacks_cells_stands_beside_the_run_that_decides() {
        let study = find("python-sizes").unwrap().unwrap();
        let claim = study.claims.iter().find(|claim| claim.id == "time-ratio").unwrap();
        let mut measured = fixtures::measured(&study, claim, Way::AsPublished, 2.7);
        let mut records = fixtures::planted_for(&claim.question(Way::AsPublished).unwrap(), 0.1);
        records[0].outcome = Outcome::Failed { why: "it broke".into() };
        measured.runs[0].insert(0, fixtures::run(2, "python-script", records));
        let mut out = Vec::new();
        write_csv(&[measured], &mut out).unwrap();
        let out = String::from_utf8(out).unwrap();
        assert!(out.contains(",as-published,supported,1,,run 2 (cells are missing),"), "{out}");
    }

    #[test]
    fn published_and_measured_stand_in_one_row() {
        let study = find("python-sizes").unwrap().unwrap();
        let claim = study.claims.iter().find(|claim| claim.id == "time-ratio").unwrap();
        let mut out = Vec::new();
        let esp32 = find("esp32").unwrap().unwrap();
        let none = Measured { study: &esp32, runs: Vec::new(), store: None };
        write_csv(&[fixtures::measured(&study, claim, Way::AsPublished, 2.7), none], &mut out).unwrap();
        let mut reader = ::csv::Reader::from_reader(out.as_slice());
        let columns = reader.headers().unwrap().clone();
        let rows: Vec<::csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        let of = |row: &::csv::StringRecord, name| row[columns.iter().position(|one| one == name).unwrap()].to_owned();
        let own = rows.iter().find(|row| of(row, "claim") == "time-ratio" && of(row, "way") == "as-published").unwrap();
        let (least, most) = claim.question(Way::AsPublished).unwrap().expect.bounds();
        for (column, value) in [
            ("source", "section 3.1"),
            ("published_over", "0.011"),
            ("published_under", "0.00401"),
            ("published_unit", "s"),
            ("here_mid", "2.7"),
            ("says", claim.says.as_str()),
            ("supported_from", &(least.to_string())),
            ("supported_to", &(most.to_string())),
            ("verdict", "supported"),
            ("message_left", "10485760"),
            ("left", "study chacha20-poly1305 seal process"),
        ] {
            assert_eq!(of(own, column), value, "{column}");
        }
        for study in [&study, &esp32] {
            let has = |id: &str| rows.iter().any(|row| of(row, "study") == study.name && of(row, "claim") == id);
            assert!(study.claims.iter().all(|claim| has(&claim.id)), "{}", study.name);
        }
    }
}
