//! Why the studies disagree, as text: which factors change what is ahead on this machine, then each with its sides.

use ciphermeter_core::escaped;
use ciphermeter_estimate::Ratio;

use crate::factor::{Ahead, Effect, Factors, Side, SideAnswer, Switched, ahead};
use crate::judge::Pair;
use crate::page::{Block, paragraph};
use crate::rests::Rests;
use crate::run::MeasuredRun;
use crate::words::{ELSEWHERE, interval, leading};
use ciphermeter_answer::words::{self, capital, reach};

/// Why the studies disagree: each factor with what was measured here. `runs` are those of the factors' measures, the newest first.
pub fn why_they_disagree(factors: &Factors, runs: &[Vec<MeasuredRun>]) -> Vec<Block> {
    let found = factors.switched(runs);
    let mut rests = Rests::default();
    for side in found.iter().flat_map(|switched| &switched.sides) {
        if let Some(run) = side.run {
            rests.add(run, &side.pairs, &side.passed_over);
        }
    }
    let here = if rests.is_here() { ", on this machine" } else { "" };
    let mut page = vec![paragraph(0, &format!("Why the studies disagree: one factor at a time{here}"))];
    page.push(paragraph(0, &summary(&found)));
    page.extend(rests.sentences().iter().map(|sentence| paragraph(0, sentence)));
    for switched in &found {
        let Switched { factor, sides, effect } = switched;
        page.push(paragraph(0, ""));
        let answer = match effect {
            Effect::Reverses => "yes, it reverses the order".to_owned(),
            Effect::Keeps => "no, the order stays".into(),
            Effect::Inconclusive => "too close to tell".into(),
            Effect::WrongOutput => "wrong output, so no answer".into(),
            Effect::NotMeasured if !switched.is_of_one_machine() => "not measured yet on one machine".into(),
            Effect::NotMeasured => {
                let of_one = |name| format!("not measured yet with one version of {}", escaped(name));
                switched.two_versions().map_or("not measured yet".into(), of_one)
            }
        };
        let mark = mark(switched);
        page.push(paragraph(0, &format!("{}: {} {}.{mark}", capital(&factor.name), factor.asks, capital(&answer))));
        page.extend(sides.iter().map(|side| paragraph(2, &sentence(side))));
        page.extend(factor.studies.iter().map(|(study, how)| paragraph(2, &format!("{study} {how}."))));
    }
    page.push(paragraph(0, ""));
    page.extend(
        factors.besides.iter().map(|remark| paragraph(0, &format!("{}: {}.", leading(&remark.source), remark.says))),
    );
    page
}

/// Names the factors by what they do.
fn summary(found: &[Switched<'_>]) -> String {
    let of = |effect| {
        let own = found.iter().filter(|one| one.effect == effect);
        own.map(|one| format!("{}{}", one.factor.name, mark(one))).collect::<Vec<_>>()
    };
    let says = [
        (Effect::Reverses, "These reverse the order of AES and ChaCha20:"),
        (Effect::Keeps, "These do not change which is faster:"),
        (Effect::Inconclusive, "Too close to tell:"),
        (Effect::WrongOutput, "Wrong output, so no answer:"),
        (Effect::NotMeasured, "Not measured yet:"),
    ];
    let parts = says.into_iter().map(|(effect, says)| (says, of(effect))).filter(|(_, names)| !names.is_empty());
    parts.map(|(says, names)| format!("{says} {}.", names.join(", "))).collect::<Vec<_>>().join(" ")
}

/// Behind a factor that another machine or method answers.
fn mark(switched: &Switched<'_>) -> &'static str {
    let is_elsewhere = switched.effect != Effect::NotMeasured && switched.runs().any(|run| run.elsewhere.is_some());
    if is_elsewhere { ELSEWHERE } else { "" }
}

/// `From Go (go 1.26.8), run 4: AES-256-GCM is faster, 1.79× ±0.6 %.`
fn sentence(answer: &SideAnswer<'_>) -> String {
    let SideAnswer { side, run, pairs, .. } = answer;
    let label = capital(&side.label);
    let Some(run) = run else { return format!("{label}: not measured yet.") };
    let elsewhere = if run.elsewhere.is_some() { " of another machine or method" } else { "" };
    let version = version(run, pairs).map_or(String::new(), |version| format!(" ({})", escaped(&version)));
    let stands = if answer.is_wrong() { "wrong output".into() } else { stands(side, pairs) };
    format!("{label}{version}, run {}{elsewhere}: {stands}.", run.run.id)
}

fn stands(side: &Side, pairs: &[Pair]) -> String {
    let title = |left: bool| {
        let pair = &pairs[0];
        if left { pair.left.algorithm.title() } else { pair.right.algorithm.title() }
    };
    let what = if side.by_byte { "has the higher throughput" } else { "is faster" };
    let ratios = pairs.iter().filter_map(|pair| pair.ratio);
    match ahead(pairs) {
        Some(Ahead::Left) => format!("{} {what}, {}", title(true), span(ratios)),
        Some(Ahead::Right) => format!("{} {what}, {}", title(false), span(ratios.map(Ratio::inverse))),
        _ => format!("{} and {} are too close to tell, {}", title(true), title(false), span(ratios)),
    }
}

/// One ratio, or the lowest and the highest of several.
fn span(ratios: impl Iterator<Item = Ratio>) -> String {
    let all: Vec<Ratio> = ratios.collect();
    match &all[..] {
        [] => String::new(),
        [only] => interval(*only),
        all => words::span(reach(all.iter().copied())),
    }
}

/// The version of the library of all pairs, where it is one.
fn version(run: &MeasuredRun, pairs: &[Pair]) -> Option<String> {
    let of = |pair: &Pair| {
        let record = run.records.iter().find(|record| record.cell == pair.left)?;
        Some(record.provenance.as_ref()?.version.clone())
    };
    let first = of(pairs.first()?)?;
    pairs.iter().all(|pair| of(pair).as_ref() == Some(&first)).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ciphermeter_core::Provenance;

    use crate::fixtures;
    use crate::question::{Expectation, Question};

    fn text(page: &[Block]) -> String {
        let line = |block: &Block| match block {
            Block::Paragraph(paragraph) => format!("{}\n", paragraph.text),
            Block::Table(_) => String::new(),
        };
        page.iter().map(line).collect()
    }

    #[test]
    fn unmeasured_factor_is_said_to_be_one() {
        let factors = crate::built_in::factors().unwrap();
        let page = text(&why_they_disagree(&factors, &[]));
        assert!(page.contains("\nWithout them: not measured yet.\n"), "{page}");
        assert!(page.contains("Not measured yet: AES instructions"), "{page}");
    }

    #[test]
    fn planted_sides_decide_what_a_factor_does() {
        let factors = crate::built_in::factors().unwrap();
        let factor = &factors.factors[0];
        let page_of = |ratios: [f64; 2], change: &dyn Fn(&mut MeasuredRun)| {
            let mut runs: Vec<Vec<MeasuredRun>> = factors.measures.iter().map(|_| Vec::new()).collect();
            for (side, (ratio, id)) in factor.sides.iter().zip(ratios.into_iter().zip(1..)) {
                let Side { scenario, cpu, left, right, .. } = side;
                let question = Question { scenario, cpu: *cpu, left, right, expect: Expectation::Faster };
                let mut run = fixtures::run(id, scenario, fixtures::planted_for(&question, ratio));
                change(&mut run);
                runs[factors.measure(side).unwrap()].push(run);
            }
            text(&why_they_disagree(&factors, &runs))
        };
        let page = |ratios| page_of(ratios, &|_| ());
        let reversed = page([1.5, 0.1]);
        assert!(
            reversed.starts_with("Why the studies disagree: one factor at a time, on this machine\n"),
            "{reversed}"
        );
        assert!(reversed.contains("These reverse the order of AES and ChaCha20: AES instructions."), "{reversed}");
        assert!(reversed.contains("run 1: AES-256-GCM is faster, 1.50× ±1 %."), "{reversed}");
        assert!(reversed.contains("run 2: ChaCha20-Poly1305 is faster, 10.0× ±1.0 %."), "{reversed}");
        assert!(page([1.5, 1.2]).contains("These do not change which is faster: AES instructions."));
        assert!(page([1.5, 1.0]).contains("Too close to tell: AES instructions."));

        // Runs of two machines say nothing of what the factor does.
        let elsewhere = |run: &mut MeasuredRun| run.elsewhere = Some("other host: cpu A ≠ B".into());
        let two = page_of([1.5, 0.1], &|run| {
            if run.run.id == 1 {
                elsewhere(run)
            }
        });
        assert!(two.starts_with("Why the studies disagree: one factor at a time\n"), "{two}");
        assert!(two.contains("Not measured yet: AES instructions,") && !two.contains("everse the order"), "{two}");
        assert!(two.contains("has none? Not measured yet on one machine.\n"), "{two}");
        assert!(
            two.contains("Here: run 2 on") && two.contains("* On another machine or by another method: run 1 on"),
            "{two}"
        );
        let other = page_of([1.5, 0.1], &elsewhere);
        assert!(other.contains("These reverse the order of AES and ChaCha20: AES instructions*."), "{other}");
        assert!(!other.contains("this machine"), "{other}");

        // Two versions of one library change more than the factor.
        let versions = page_of([1.5, 0.1], &|run| {
            let version = if run.run.id == 1 { "3.0.19" } else { "4.0.3" };
            let from = Provenance { version: version.into(), device: None, ..fixtures::on_board(false) };
            run.records.iter_mut().for_each(|record| record.provenance = Some(from.clone()));
        });
        assert!(versions.contains("has none? Not measured yet with one version of openssl.\n"), "{versions}");

        // An older run does not answer for a side whose newest output is wrong.
        let wrong = page_of([1.5, 0.1], &|run| {
            run.records[1].outcome = ciphermeter_core::Outcome::WrongOutput { why: "a byte".into() };
        });
        assert!(wrong.contains("Wrong output, so no answer: AES instructions."), "{wrong}");
        assert!(wrong.contains("run 1: wrong output."), "{wrong}");
    }

    #[test]
    fn run_that_answers_all_sides_comes_before_newer_ones_that_answer_one() {
        let factors = crate::built_in::factors().unwrap();
        let factor = factors.factors.iter().find(|factor| factor.name == "message size").unwrap();
        let planted = |side: &Side, ratio| {
            let Side { scenario, cpu, left, right, .. } = side;
            fixtures::planted_for(&Question { scenario, cpu: *cpu, left, right, expect: Expectation::Faster }, ratio)
        };
        let [small, large] = &factor.sides[..] else { panic!("{factor:?}") };
        let place = factors.measure(small).unwrap();
        let both = |id, ratios: [f64; 2]| {
            let mut others = planted(large, ratios[1]);
            for record in &mut others {
                record.id.0 += 10;
                if let Some(summary) = &mut record.summary {
                    summary.reference.0 += 10;
                }
            }
            fixtures::run(id, &small.scenario, [planted(small, ratios[0]), others].concat())
        };
        let of_one = |id, side: &Side| fixtures::run(id, &side.scenario, planted(side, 0.1));
        let mut runs: Vec<Vec<MeasuredRun>> = factors.measures.iter().map(|_| Vec::new()).collect();
        runs[place] = vec![of_one(3, small), of_one(2, large)];
        assert!(!factors.is_answered(&factors.measures[place], &runs[place]));
        runs[place].push(both(1, [1.5, 1.4]));
        let said = text(&why_they_disagree(&factors, &runs));
        assert!(said.contains("These do not change which is faster: message size."), "{said}");
        assert!(said.contains("OpenSSL, run 1: AES-256-GCM is faster, 1.50×"), "{said}");
        assert!(said.contains("16 KiB, run 1: AES-256-GCM is faster, 1.40×"), "{said}");
    }
}
