//! Transfers: which program is fastest at which size, and where the files went.

use ciphermeter_core::{Run, escaped};

use super::cipher::{Point, Points};
use super::contest::Contest;
use super::rate::{has_enough_forks, speed};
use super::versus::Versus;
use crate::phrases::listed;

/// The sentence; `None` for runs that move no files, and where no program has a figure.
pub(super) fn programs(run: &Run, versus: &Versus) -> Option<String> {
    if !versus.pair.moves_files() {
        return None;
    }
    let points = Points(versus.contest().rows.iter().map(|row| row.point).collect());
    let mut fastest: Vec<(&str, Vec<Point>)> = Vec::new();
    for point in &points.0 {
        let Some(program) = fastest_at(&versus.contests, *point) else { continue };
        match fastest.iter_mut().find(|(known, _)| *known == program) {
            Some((_, at)) => at.push(*point),
            None => fastest.push((program, vec![*point])),
        }
    }
    let said: Vec<_> = fastest.iter().map(|(program, at)| format!("{} {}", escaped(program), points.at(at))).collect();
    let over_loopback = run.fact("peer").is_none();
    let place = if over_loopback { " All of it went over loopback, on this machine." } else { "" };
    let cipher = versus.pair.first.title();
    (!said.is_empty()).then(|| format!("Fastest program with {cipher}: {}.{place}", listed(&said)))
}

fn fastest_at<'a>(contests: &[Contest<'a>], point: Point) -> Option<&'a str> {
    let at = |contest: &Contest<'a>| {
        let row = contest.rows.iter().find(|row| row.point == point)?;
        Some((contest.provider, speed(row.first).filter(|_| has_enough_forks(row.first))?))
    };
    contests.iter().filter_map(at).max_by(|a, b| a.1.total_cmp(&b.1)).map(|(provider, _)| provider)
}
