//! `doctor`: what on this machine spoils measurements, and what is missing. One screen; `--verbose` prints every fact, check and reason.

use anyhow::Result;
use ciphermeter_core::Fact;
use ciphermeter_host::doctor::{Finding, Verdict, spoilers};
use ciphermeter_host::energy::{Absent, Meters};
use ciphermeter_meter::{Missing, Surveyed};
use ciphermeter_terminal::output::{hanging, joined, page_width};
use ciphermeter_terminal::{Exit, output};

use crate::args::WorkersOption;
use crate::{built_in, workers};

const FACTS: [&str; 3] = ["cpu", "cores", "pinning"];

pub fn doctor(option: &WorkersOption, is_verbose: bool) -> Result<Exit> {
    let (here, missing) = built_in::surveyed(&built_in::native()?, built_in::PATIENCE)?;
    let sections = [
        ("This machine", facts(is_verbose)),
        ("What spoils measurements", findings(&spoilers(), is_verbose)),
        ("Energy", energy(is_verbose)),
        ("Built-in providers", providers(&here, &missing, is_verbose)),
        ("Workers of other languages", foreign(&workers::find(option)?, is_verbose)),
    ];
    let sections = sections.map(|(heading, text)| format!("{heading}\n{text}"));
    let more = "All facts, checks, versions and reasons: `ciphermeter doctor --verbose`";
    let more = if is_verbose { String::new() } else { format!("\n{}", hanging(0, "", more, page_width())) };
    output::print(&(sections.join("\n") + &more)).map(|()| Exit::Fine)
}

fn facts(is_verbose: bool) -> String {
    let all = ciphermeter_host::facts().into_iter().filter(|fact| is_verbose || FACTS.contains(&fact.name.as_str()));
    let line = |fact: Fact| {
        let value = fact.value.unwrap_or_else(|| format!("– ({})", fact.why.unwrap_or_default()));
        hanging(2, &format!("{:<13} ", fact.name), &value, page_width())
    };
    all.map(line).collect()
}

/// What needs a remedy; the rest is counted.
fn findings(all: &[Finding], is_verbose: bool) -> String {
    let shown = all.iter().filter(|finding| is_verbose || finding.verdict == Verdict::Bad);
    let mut text: String = shown.map(sentence).collect();
    let count = |verdict| all.iter().filter(|finding| finding.verdict == verdict).count();
    let (good, notes) = (count(Verdict::Good), count(Verdict::Note));
    if !is_verbose {
        let affect = if notes == 1 { "affects" } else { "affect" };
        let said = format!("{good} of {} checks are fine; {notes} {affect} throughputs, but not ratios", all.len());
        text += &line("ok", &said);
    }
    text
}

fn sentence(finding: &Finding) -> String {
    let mark = match finding.verdict {
        Verdict::Good => "ok",
        Verdict::Note => "note",
        Verdict::Bad => "BAD",
    };
    let remedy = finding.remedy.as_ref().map(|remedy| format!(" → {remedy}")).unwrap_or_default();
    line(mark, &format!("{}: {}{remedy}", finding.about, finding.what))
}

fn energy(is_verbose: bool) -> String {
    let meters = Meters::find(None);
    let found = meters.found.iter().map(|meter| {
        let period = meter.period().as_millis();
        line("ok", &format!("{} ({}), updated every {period} ms", meter.name(), meter.covers()))
    });
    let mut text: String = found.collect();
    match is_verbose {
        true => text.extend(meters.absent.iter().map(|Absent { source, why }| named("miss", source, why))),
        false if text.is_empty() => {
            let sources: Vec<&str> = meters.absent.iter().map(|absent| absent.source).collect();
            text += &line("miss", &format!("no counter here ({})", sources.join(", ")));
        }
        false => {}
    }
    text
}

fn providers(here: &[Surveyed], missing: &[Missing], is_verbose: bool) -> String {
    let version = |surveyed: &Surveyed| surveyed.offers.first().map_or(String::new(), |offer| offer.version.clone());
    if !is_verbose {
        let found = here.iter().map(|surveyed| format!("{} {}", surveyed.source.name, version(surveyed)));
        return names("ok", found) + &names("miss", missing.iter().map(|missing| missing.name.clone()));
    }
    let found = here.iter().map(|surveyed| {
        let library = surveyed.offers.first().and_then(|offer| offer.library.as_deref()).unwrap_or("");
        named("ok", &surveyed.source.name, &format!("{} {library}", version(surveyed)))
    });
    let missing = missing.iter().map(|missing| line("miss", &missing.note().to_string()));
    found.chain(missing).collect()
}

fn foreign(found: &[workers::Foreign], is_verbose: bool) -> String {
    if found.is_empty() {
        return line("miss", &workers::none_found());
    }
    let states: Vec<_> = found.iter().map(|worker| (&worker.manifest.name, state(worker))).collect();
    if is_verbose {
        return states.iter().map(|(name, (mark, said))| named(mark, name, said)).collect();
    }
    let with =
        |mark: &'static str| states.iter().filter(move |(_, (own, _))| *own == mark).map(|(name, _)| name.to_string());
    let built = if with("todo").next().is_some() {
        line("", "to build them: ciphermeter workers build")
    } else {
        String::new()
    };
    [names("ok", with("ok")), names("todo", with("todo")), built, names("miss", with("miss"))].concat()
}

/// How far a worker is: its mark, and what is said of it.
fn state(worker: &workers::Foreign) -> (&'static str, String) {
    match (worker.is_built(), worker.toolchain()) {
        (true, _) => worker.rebuild().map_or(("ok", "built".into()), |how| ("todo", how)),
        (false, Ok(version)) => ("todo", format!("{version} is here: `ciphermeter workers build`")),
        (false, Err(why)) => ("miss", why),
    }
}

/// Names after a mark; nothing where there are none.
fn names(mark: &str, all: impl Iterator<Item = String>) -> String {
    let all: Vec<String> = all.collect();
    if all.is_empty() { String::new() } else { line(mark, &joined(&all)) }
}

/// A mark, and wrapped behind it the text.
fn line(mark: &str, text: &str) -> String {
    hanging(2, &format!("{mark:<4} "), text, page_width())
}

/// The same with a name in a column of its own.
fn named(mark: &str, name: &str, text: &str) -> String {
    hanging(2, &format!("{mark:<4} {name:<11} "), text, page_width())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(verdict: Verdict, about: &str) -> Finding {
        let remedy = (verdict != Verdict::Good).then(|| "do this".to_string());
        Finding { verdict, about: about.into(), what: format!("{about} is so."), remedy }
    }

    #[test]
    fn first_screen_has_what_needs_a_remedy_and_counts_the_rest() {
        let all = [finding(Verdict::Good, "swap"), finding(Verdict::Note, "turbo"), finding(Verdict::Bad, "load")];
        let text = findings(&all, false);
        assert_eq!(
            text,
            "  BAD  load: load is so. → do this\n  ok   1 of 3 checks are fine; 1 affects throughputs, but not ratios\n"
        );
        let text = findings(&all, true);
        assert!(text.contains("note turbo") && text.contains("ok   swap") && !text.contains("of 3"), "{text}");
    }
}
