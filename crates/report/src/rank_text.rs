//! The ranking as text: who shares the first place, how far behind the others are, and who is not ranked and why.

use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_core::{Algorithm, Family, Operation, Record, Run, escaped};

use crate::Look;
use crate::advice::{CLASSES, name};
use crate::compare::fell_out;
use crate::layout::{Line, Style};
use crate::measured::measured;
use crate::phrases::listed;
use crate::rank::{Ranking, family, rank};
use crate::text::{fit, left, masked, size, width, wrap};

/// The columns of a place, and the longest name of a provider.
const PLACE: usize = 5;
const PROVIDER: usize = 24;

/// The ranking of a run over all sizes, then by class of sizes, each line ended by a newline; `None` if there is nothing to
/// rank.
pub fn ranking(run: &Run, records: &[Record], look: Look) -> Option<String> {
    let most = look.width.max(40);
    let family = family(records);
    let whole = rank(records, family, &(0..=u64::MAX))?;
    let classes = CLASSES.iter().filter_map(|(class, sizes)| Some((*class, rank(records, family, sizes)?)));
    let (name, started) = (escaped(&run.scenario.name), escaped(&run.started));
    let mut lines = wrapped(&format!("run {}: {name}, {started}{}", run.id, masked(run)), most, 2);
    let classes: Vec<_> = classes.filter(|(_, ranking)| ranking.ground != whole.ground).collect();
    lines.extend(block("All sizes", &whole, most));
    classes.iter().for_each(|(class, ranking)| lines.extend(block(class, ranking, most)));
    lines.extend(not_ranked(&whole, &classes, family, records, most));
    lines.push(Line::default());
    lines.extend(legend(&whole).iter().flat_map(|line| wrapped(line, most, 2)));
    Some(lines.iter().map(|line| line.text(most, look.color) + "\n").collect())
}

fn wrapped(text: &str, most: usize, indent: usize) -> Vec<Line> {
    wrap(text, most, indent).into_iter().map(|line| Line::of(line, Style::Plain)).collect()
}

/// One ranking with its heading.
fn block(class: &str, ranking: &Ranking, most: usize) -> Vec<Line> {
    let mut lines = vec![Line::default()];
    let heading = wrap(&format!("{class}: {}", ground(ranking)), most, 2);
    lines.extend(heading.into_iter().map(|line| Line::of(line, Style::Bold)));
    let algorithm =
        ranking.order.iter().map(|one| width(one.algorithm.as_str())).max().unwrap_or(0).max("algorithm".len());
    let providers = ranking.order.iter().map(|one| width(&escaped(one.provider)));
    let provider = providers.max().unwrap_or(0).clamp("provider".len(), PROVIDER);
    let columns = |algorithm_of: &str, provider_of: &str| {
        format!("  {} {}", left(algorithm_of, algorithm), left(provider_of, provider))
    };
    lines.push(Line::of(format!("place{}   ratio  interval", columns("algorithm", "provider")), Style::Dim));
    for (k, contender) in ranking.order.iter().enumerate() {
        let place = ranking.place(k);
        let style = if place == Some(1) { Style::Green } else { Style::Plain };
        let shown = place.map_or("?".into(), |place| place.to_string());
        let mut line = Line::of(format!("{shown:>PLACE$}"), style);
        line.add(columns(contender.algorithm.as_str(), &fit(&escaped(contender.provider), provider)), Style::Plain);
        if let Some(ratio) = ranking.behind(k) {
            line.add(format!("  {:>6}", times(ratio.mid)), style);
            // The winner's ratio to itself is 1 by definition.
            if let Some((low, high)) = ratio.range.filter(|_| k > 0) {
                line.add(format!("  {} to {}", decimals(low), decimals(high)), Style::Dim);
            }
        }
        lines.push(line);
    }
    lines
}

/// What it rests on: `4 of 6 cells each (in-place seal and open of 64 B and 1 KiB), 6 forks`.
fn ground(ranking: &Ranking) -> String {
    let operations: BTreeSet<Operation> = ranking.ground.iter().map(|group| group.operation).collect();
    let operations: Vec<_> = operations.iter().map(ToString::to_string).collect();
    let sizes: BTreeSet<u64> = ranking.ground.iter().map(|group| group.parameters.message()).collect();
    let sizes: Vec<_> = sizes.into_iter().map(size).collect();
    let cells = ranking.ground.len();
    let of = if cells == ranking.groups { String::new() } else { format!(" of {}", ranking.groups) };
    format!(
        "{cells}{of} cell{} each ({} {} of {}), {} fork{}",
        if ranking.groups == 1 { "" } else { "s" },
        ranking.form,
        listed(&operations),
        listed(&sizes),
        ranking.forks,
        if ranking.forks == 1 { "" } else { "s" },
    )
}

fn times(ratio: f64) -> String {
    format!("{}×", decimals(ratio))
}

/// Four digits, so that an interval's ends are told apart.
fn decimals(ratio: f64) -> String {
    match ratio {
        1000.0.. => format!("{ratio:.0}"),
        100.0.. => format!("{ratio:.1}"),
        10.0.. => format!("{ratio:.2}"),
        _ => format!("{ratio:.3}"),
    }
}

fn legend(ranking: &Ranking) -> Vec<String> {
    let comparisons = ranking.order.len().saturating_sub(1);
    let mut legend = vec![match comparisons {
        0 => "There is nothing to rank it against.".to_string(),
        _ => "ratio: geometric mean of the times ÷ the best's in the same rounds, over the same cells; interval: 95 % for \
              all comparisons with the best at once. The first place is shared by all that are not surely slower than the \
              best; places below stand in the order of the ratios."
            .to_string(),
    }];
    if comparisons > 0 && ranking.forks < 2 {
        legend.push("A single fork ranks nothing.".into());
    }
    legend
}

/// Who is left out of a ranking, each with the reason.
fn not_ranked(
    whole: &Ranking,
    classes: &[(&str, Ranking)],
    family: Family,
    records: &[Record],
    most: usize,
) -> Vec<Line> {
    let mut reasons = Vec::new();
    for (class, ranking) in std::iter::once(("", whole)).chain(classes.iter().map(|(class, ranking)| (*class, ranking)))
    {
        let at = if class.is_empty() { String::new() } else { format!("{class}: ") };
        let most = ranking.order.iter().map(|contender| contender.cells()).min().unwrap_or(0);
        for contender in &ranking.apart {
            let why = match contender.cells() {
                cells if cells < most => format!("has only {cells} of {} cells", ranking.groups),
                _ => "shares no whole fork with the others".into(),
            };
            reasons.push(format!("{at}{}: {why}", name(contender)));
        }
    }
    for contender in &whole.elsewhere {
        let forms: Vec<_> = contender.forms().iter().map(ToString::to_string).collect();
        let why = format!("only measured {}; ratios are drawn within one form, here {}", listed(&forms), whole.form);
        reasons.push(format!("{}: {why}", name(contender)));
    }
    reasons.extend(unmeasured(family, records));
    if reasons.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![Line::default(), Line::of("not ranked", Style::Bold)];
    lines.extend(reasons.iter().flat_map(|reason| wrapped(reason, most, 4)));
    lines
}

/// Those of whom nothing at all was measured, with the first reason.
fn unmeasured(family: Family, records: &[Record]) -> Vec<String> {
    let mut reasons = BTreeMap::<(Algorithm, &str), Option<String>>::new();
    let ranked = |record: &&Record| {
        let cell = &record.cell;
        cell.algorithm.family() == family && cell.algorithm != Algorithm::Xor && cell.operation != Operation::KeySetup
    };
    for record in records.iter().filter(ranked).filter(|record| record.cell.parameters.cpus().is_none()) {
        let why = fell_out(&record.outcome).unwrap_or_else(|| "the run ended before its first round".into());
        let entry = reasons.entry((record.cell.algorithm, &record.cell.provider)).or_insert(Some(why));
        // One measured cell is enough to be told of elsewhere.
        if measured(record).is_some() {
            *entry = None;
        }
    }
    let told = |((algorithm, provider), why): ((Algorithm, &str), Option<String>)| {
        why.map(|why| format!("{algorithm} by {}: {}", escaped(provider), escaped(&why)))
    };
    reasons.into_iter().filter_map(told).collect()
}
