//! Runs as one page that needs nothing else: it opens from disk, without a network, prints, and can be read on a phone, in the dark, by
//! keyboard and by a screen reader.
//!
//! The answer stands on top, then the figures with their values as tables, then every cell, the machine and the method. Names, versions and
//! reasons may come from anyone's worker or store: `maud` escapes all text, and control characters are taken out before.

mod cells;
mod facts;
pub(crate) mod policy;
mod shell;
mod site;
mod study;
mod style;

pub use site::{SITE_SCRIPT, SITE_STYLE, SiteMachine, SiteRow, SiteRun, SiteTable, site_index};
pub use study::study_html;

use maud::{Markup, html as markup};

use ciphermeter_core::{Outcome, Record, Run, Share, escaped, quoted_path};

use crate::chart::{self, Figure, Undrawable, Written, figures, name_of};
use crate::kinds;
use crate::other_metrics::metrics_in_words;
use crate::screen::shortened;
use ciphermeter_answer::devices::cost;
use ciphermeter_answer::left_out::cells_in_words;
use ciphermeter_answer::machine::status;
use ciphermeter_answer::measured::is_here;
use ciphermeter_answer::regression::{Finding, Stored, compare, sentences};
use ciphermeter_answer::words::{capital, fit, listed, short, unbroken};
use ciphermeter_answer::{About, Answer, answer};

/// A slowdown beyond this share is one, as `compare` has it without a threshold.
const SLOWER: Share = Share(0.05);

/// The most columns of a name from outside.
const MOST: usize = 60;
const MOST_OF_SENTENCE: usize = 1000;

/// The page of one run, or of several side by side.
///
/// # Errors
/// A run has nothing measured, or runs have no cell in common.
pub fn html(runs: &[Stored]) -> Result<String, Undrawable> {
    html_of_machines(runs, &[])
}

/// The same of runs that are known by the names of their machines: their numbers are those of other stores.
///
/// # Errors
/// As [`html`].
pub fn html_of_machines(runs: &[Stored], machines: &[&str]) -> Result<String, Undrawable> {
    html_with(runs, machines, None)
}

/// The page of a machine's run in a site, beside `index.html` and the file `export`, which has its samples.
///
/// # Errors
/// As [`html`].
pub fn html_of_site(run: Stored, machine: &str, export: &str) -> Result<String, Undrawable> {
    html_with(&[run], &[machine], Some(export))
}

fn html_with(runs: &[Stored], machines: &[&str], export: Option<&str>) -> Result<String, Undrawable> {
    let both: Vec<(&Run, &[Record])> = runs.iter().map(|stored| (stored.run, stored.records)).collect();
    let beside = chart::side_by_side_of_machines(&both, machines);
    let beside = beside.map(|figure| figure.html("beside", &mut Written::default())).transpose()?;
    let sections = (1..)
        .zip(runs)
        .map(|(place, stored)| Section::of((place, *stored), machines.get(place - 1).copied(), runs.len() == 1, export))
        .collect::<Result<Vec<_>, _>>()?;
    if let Some(Section { stored, .. }) = sections.iter().find(|section| section.is_empty()) {
        return Err(chart::nothing(stored.run, stored.records));
    }
    if runs.len() > 1 && beside.is_none() {
        let names = match machines {
            [] => format!("runs {}", listed(&runs.iter().map(|stored| stored.run.id.to_string()).collect::<Vec<_>>())),
            machines => format!("the runs of {}", machines.join(" and ")),
        };
        return Err(Undrawable(format!(
            "{names} have no cell in common that has a figure in each, so there is nothing to show side by side: report each alone"
        )));
    }
    let together = beside.map(|figure| Together { judged: judged(runs, machines), figure });
    Ok(page(&sections, together.as_ref(), &chart::markers()?).into_string())
}

/// The content security policy that a page of [`html`] has in itself, for a server that sends it.
pub fn page_policy() -> String {
    policy::policy(&style::css(), style::SCRIPT)
}

struct Together {
    /// Of two runs, what became slower or faster, or why they cannot be compared.
    judged: Vec<String>,
    figure: Markup,
}

/// What `compare` says of two runs, in the order in which they were made. Machines of different names may be alike in all facts, and are two.
fn judged(runs: &[Stored], machines: &[&str]) -> Vec<String> {
    let [first, second] = runs else { return Vec::new() };
    if let [a, b] = machines
        && a != b
    {
        return vec![format!(
            "A and B are of different machines, {a} and {b}: neither is said to be slower than the other."
        )];
    }
    let is_in_order = first.run.started <= second.run.started;
    let (before, after, names) =
        if is_in_order { (first, second, "B compared with A") } else { (second, first, "A compared with B") };
    let verdict = compare(*before, *after, SLOWER);
    let title = format!("{names}, the earlier one:");
    std::iter::once(title).chain(sentences(&verdict)).collect()
}

/// A run's part of the page.
struct Section<'a> {
    id: String,
    /// What tells it from other runs of the page; empty where it is the only one.
    name: String,
    /// Its machine's name, where runs are known by these.
    machine: Option<&'a str>,
    /// The file beside the page that has the run's samples, where no store has.
    export: Option<&'a str>,
    stored: Stored<'a>,
    answer: Answer,
    /// What the answer rests on.
    basis: String,
    figures: Vec<(String, Figure, Markup)>,
}

impl<'a> Section<'a> {
    /// The run in that place, which begins the ids of its elements: two stores may have the same number.
    fn of(
        (place, stored): (usize, Stored<'a>),
        machine: Option<&'a str>,
        is_only: bool,
        export: Option<&'a str>,
    ) -> Result<Self, Undrawable> {
        let Stored { run, records } = stored;
        let mut written = Written::default();
        let drawn = |figure: Figure| {
            let id = format!("run{place}-{}", figure.name);
            let html = figure.html(&id, &mut written)?;
            Ok((id, figure, html))
        };
        let figures = figures(run, records).into_iter().map(drawn).collect::<Result<_, Undrawable>>()?;
        let name = if is_only { String::new() } else { name_of(place - 1, run, machine) };
        let answer = answer(run, records);
        let basis = kinds::basis(run, records, &answer);
        Ok(Self { id: format!("run{place}"), name, machine, export, stored, answer, basis, figures })
    }

    /// Whether it has nothing that was measured.
    fn is_empty(&self) -> bool {
        let Stored { run, records } = self.stored;
        let has_row = |record: &Record| {
            !is_here(record) && cost(record).is_some()
                || !metrics_in_words(run, record).is_empty()
                || !record.forks.is_empty()
        };
        self.figures.is_empty() && !records.iter().any(has_row)
    }

    /// The letter of one of several, before a link to it: `A: `.
    fn letter(&self) -> &str {
        self.name.split_inclusive(' ').next().unwrap_or_default()
    }

    /// Which run, when and where.
    fn origin(&self) -> String {
        let run = self.stored.run;
        let store = run.store.as_ref().map(|store| format!(" of {}", quoted_path(store))).unwrap_or_default();
        let (name, status, started) = (short(&run.scenario.name, MOST), status(run), short(&run.started, MOST));
        // A shared run has a day and no time.
        let started = started.trim_end_matches("T00:00:00Z");
        let which = match self.machine {
            Some(machine) => short(machine, MOST),
            None => format!("Run {}{store}", run.id),
        };
        format!("{which}: {name}{status}, {started}, on {}", fit(&self.answer.measured_on, 2 * MOST))
    }

    /// Cells whose output was wrong, which no figure shows.
    fn wrong(&self) -> Option<String> {
        let is_wrong = |record: &&Record| matches!(record.outcome, Outcome::WrongOutput { .. });
        let all: Vec<&Record> = self.stored.records.iter().filter(is_wrong).collect();
        (!all.is_empty()).then(|| format!("WRONG OUTPUT: {}, which no figure shows.", cells_in_words(&all, usize::MAX)))
    }
}

fn page(sections: &[Section], together: Option<&Together>, markers: &Markup) -> Markup {
    let titles = sections.iter().map(|section| format!("{} {}", section.answer.question, section.origin()));
    let title = titles.collect::<Vec<_>>().join("; ");
    let has_figures = together.is_some() || sections.iter().any(|section| !section.figures.is_empty());
    let body = markup! {
        header {
            @for section in sections { (head(section)) }
        }
        nav aria-label="Contents" { (contents(sections, together.is_some())) }
        main {
            @if has_figures { (shell::hint()) }
            @if let Some(Together { judged, figure }) = together {
                section {
                    h2 { "Side by side" }
                    @for sentence in judged { p { (unbroken(&fit(sentence, MOST_OF_SENTENCE))) } }
                    (figure)
                }
            }
            @for section in sections { (body(section)) }
        }
    };
    shell::page(&title, markers, &body)
}

/// The answer, which everything below it explains.
fn head(section: &Section) -> Markup {
    let Section { answer, name, .. } = section;
    let (wrong, config) = (section.wrong(), shortened(section.stored.run, &answer.config, 80));
    let is_slower = matches!(&answer.about, Some(About::Regression(verdict)) if verdict.finding() == Finding::Slower);
    markup! {
        div.answer.unanswered[!answer.answered].wrong[wrong.is_some() || is_slower] {
            h1 { @if !name.is_empty() { (name) ". " } (answer.question) }
            @if let Some(wrong) = &wrong { p.wrong { (wrong) } }
            @for sentence in &answer.sentences { p { (unbroken(&fit(sentence, MOST_OF_SENTENCE))) } }
            @if !config.is_empty() { pre { (config.join("\n")) } }
            p.origin { (section.origin()) ". " (unbroken(&section.basis)) }
        }
    }
}

fn contents(sections: &[Section], has_beside: bool) -> Markup {
    markup! {
        ul {
            @if sections.iter().any(|section| section.export.is_some()) { li { a href=(site::INDEX) { "All machines" } } }
            @if has_beside { li { a href="#beside" { "Side by side" } } }
            @for section in sections {
                @for (id, figure, _) in &section.figures {
                    @let about = figure.about();
                    li {
                        a href={ "#" (id) } {
                            (section.letter()) (figure.title()) @if !about.is_empty() { " (" (about) ")" }
                        }
                    }
                }
                li { a href={ "#" (section.id) "-cells" } { (section.letter()) "All cells" } }
                li { a href={ "#" (section.id) "-machine" } { (section.letter()) "Machine and method" } }
            }
        }
    }
}

fn body(section: &Section) -> Markup {
    let Stored { run, records } = section.stored;
    markup! {
        section {
            @if !section.name.is_empty() { h2 { (section.name) } }
            @if !section.answer.notes.is_empty() {
                h2 { "In more words" }
                ul.further { @for note in &section.answer.notes { li { (unbroken(&fit(&capital(note), MOST_OF_SENTENCE))) } } }
            }
            @let left_out: Vec<_> = section.answer.left_out.iter().filter(|cells| cells.is != "wrong-output").collect();
            @if !left_out.is_empty() {
                h2 { "Not measured" }
                ul.further {
                    @for cells in left_out { li { (unbroken(&short(&escaped(&cells.sentence), MOST_OF_SENTENCE))) } }
                }
            }
            h2 { "Figures" }
            @if section.figures.is_empty() { p { (unbroken(&capital(&chart::nothing(run, records).to_string()))) "." } }
            @for (_, _, figure) in &section.figures { (figure) }
            (cells::table(&section.id, run, records, section.export))
            (facts::facts(&section.id, run, records, section.export))
        }
    }
}
