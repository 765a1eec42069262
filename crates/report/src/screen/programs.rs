//! Transfers: which program is fastest at which size, and where the files went.

use ciphermeter_core::{Record, Run, escaped};

use super::rate::speed;
use super::versus::Versus;
use ciphermeter_answer::group::behind_first;
use ciphermeter_answer::measured::has_enough_forks;
use ciphermeter_answer::point::{Point, Points};
use ciphermeter_answer::words::listed;

/// The sentence; `None` for runs that move no files, and where no program has a figure.
pub(super) fn programs(run: &Run, versus: &Versus) -> Option<String> {
    if !versus.pair.moves_files() {
        return None;
    }
    let points = Points(versus.contest().rows.iter().map(|row| row.point).collect());
    let mut fastest: Vec<(String, Vec<Point>)> = Vec::new();
    for point in &points.0 {
        let Some(programs) = fastest_at(versus, *point) else { continue };
        match fastest.iter_mut().find(|(known, _)| *known == programs) {
            Some((_, at)) => at.push(*point),
            None => fastest.push((programs, vec![*point])),
        }
    }
    let said: Vec<_> = fastest.iter().map(|(programs, at)| format!("{programs} {}", points.at(at))).collect();
    let over_loopback = run.fact("peer").is_none();
    let place = if over_loopback { " All of it went over loopback, on this machine." } else { "" };
    let cipher = versus.pair.first.title();
    (!said.is_empty()).then(|| format!("Fastest program with {cipher}: {}.{place}", listed(&said)))
}

/// The program that came out fastest, and with it those that may be as fast.
fn fastest_at(versus: &Versus, point: Point) -> Option<String> {
    let fit = versus.contests.iter().filter(|contest| contest.unfit(versus.pair.first, versus.pair).is_none());
    let rows = fit.flat_map(|contest| contest.rows.iter().filter(|row| row.point == point));
    let mut records: Vec<&Record> = rows.map(|row| row.first).filter(|record| has_enough_forks(record)).collect();
    records.sort_by(|a, b| speed(b).unwrap_or(0.0).total_cmp(&speed(a).unwrap_or(0.0)));
    let behind = behind_first(&records);
    let may_be = records.iter().zip(behind).filter(|(_, behind)| behind.is_some_and(|behind| behind.may_be_fastest));
    let names: Vec<String> = may_be.map(|(record, _)| escaped(&record.cell.provider)).collect();
    (!names.is_empty()).then(|| names.join(" or "))
}
