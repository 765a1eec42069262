//! The first page of a site of machines: a table for each question, a row for each machine, and where each comes from.
//!
//! It reads well without its script, which lets a reader sort a table by another column. Style and script are files beside it, and its
//! policy allows no others. Rates stand beside each other as they were measured; none is divided by another machine's.

use std::collections::BTreeSet;

use maud::{DOCTYPE, Markup, html};

use crate::machines::{MachineRow, in_numbers};
use ciphermeter_answer::words::{counted, short, size, unbroken};

/// Its style sheet, to be written as `site.css`.
pub const SITE_STYLE: &str = include_str!("site.css");
/// Its script, to be written as `site.js`.
pub const SITE_SCRIPT: &str = include_str!("site.js");
/// The page's own name.
pub(super) const INDEX: &str = "index.html";

/// What the page may load: the two files beside it.
const POLICY: &str =
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; base-uri 'none'; form-action 'none'";

/// The most columns of a text from outside.
const MOST: usize = 160;

/// A question, and the machines that were asked.
pub struct SiteTable {
    /// Its name in links.
    pub id: String,
    /// In a few words.
    pub title: String,
    /// A row for each machine.
    pub rows: Vec<SiteRow>,
}

/// A machine's answer.
pub struct SiteRow {
    /// What it decides, and its name.
    pub row: MachineRow,
    /// Its CPU.
    pub cpu: String,
    /// `virtual` or `bare`, where that is known.
    pub setting: String,
    /// The file of the run's page.
    pub page: String,
}

/// A machine, and where its runs come from.
pub struct SiteMachine {
    /// Its name.
    pub name: String,
    /// Its CPU.
    pub cpu: String,
    /// What its source says, each with its name.
    pub source: Vec<(&'static str, String)>,
    /// Its runs.
    pub runs: Vec<SiteRun>,
}

/// A machine's run.
pub struct SiteRun {
    /// Its scenario.
    pub scenario: String,
    /// The file of its page.
    pub page: String,
    /// The file of its samples.
    pub export: String,
    /// Why it is not fit for comparisons, if it is not.
    pub unfit: Option<String>,
}

/// The page.
pub fn site_index(tables: &[SiteTable], machines: &[SiteMachine]) -> String {
    let title = format!("Ciphermeter: {}", counted(machines.len(), "machine"));
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="generator" content="Ciphermeter";
                title { (title) }
                link rel="stylesheet" href="site.css";
                script src="site.js" defer {}
            }
            body {
                header {
                    h1 { "Which cipher on which CPU?" }
                    p {
                        "Each row is one machine: the cipher that its own comparisons recommend, and the rates of each cipher's fastest library \
                         there. Every output was verified before it was timed, and the raw samples are beside each page."
                    }
                    p.hint {
                        "Rates in GB/s (10⁹ bytes a second), one thread. Rows stand in the order of the faster cipher's rate. Machines were measured apart, \
                         some as guests beside others: no ratio between two of them is stated here."
                    }
                }
                nav aria-label="Questions" {
                    ul {
                        @for table in tables { li { a href={ "#" (table.id) } { (table.title) } } }
                        li { a href="#machines" { "All machines" } }
                    }
                }
                main {
                    @for table in tables { (question(table)) }
                    (sources(machines))
                }
                p #said role="status" aria-live="polite" {}
            }
        }
    }
    .into_string()
}

fn question(table: &SiteTable) -> Markup {
    let mut rows: Vec<&SiteRow> = table.rows.iter().collect();
    let most = |row: &SiteRow| row.row.choice.as_ref().map_or(0.0, |own| own.gb_per_s[0].max(own.gb_per_s[1]));
    rows.sort_by(|a, b| most(b).total_cmp(&most(a)).then(a.row.machine.cmp(&b.row.machine)));
    let ciphers =
        rows.iter().find_map(|row| row.row.choice.as_ref()).map(|own| own.ciphers.map(|cipher| cipher.title()));
    let [first, second] = ciphers.unwrap_or(["AES", "ChaCha20"]);
    let sizes: BTreeSet<String> =
        rows.iter().filter_map(|row| row.row.choice.as_ref()).map(|own| unbroken(&size(own.message))).collect();
    html! {
        section id=(table.id) aria-labelledby={ (table.id) "-title" } {
            h2 id={ (table.id) "-title" } { (table.title) }
            p {
                (in_numbers(table.rows.iter().map(|row| &row.row)))
                @if let (Some(size), 1) = (sizes.first(), sizes.len()) { " Rates are of messages of " (size) "." }
            }
            div.scroll tabindex="0" role="group" aria-label={ (table.title) ", a table" } {
                table {
                    thead { tr {
                        th scope="col" { "machine" }
                        th scope="col" { "use" }
                        th.number scope="col" { (first) }
                        th.number scope="col" { (second) }
                        th.number.minor scope="col" { "messages of" }
                        th.minor scope="col" { "hardware" }
                        th.minor scope="col" { "measured" }
                    } }
                    tbody { @for row in rows { (answer(row, [first, second])) } }
                }
            }
        }
    }
}

/// A machine's row; a cipher that is not the column's is named beside its rate.
fn answer(row: &SiteRow, columns: [&str; 2]) -> Markup {
    let SiteRow { row, cpu, setting, page } = row;
    let choice = row.choice.as_ref();
    let used = choice.and_then(|choice| choice.recommended).map_or("not known", |cipher| cipher.title());
    let day = row.started.get(..10).unwrap_or_default();
    html! {
        tr {
            th scope="row" { a href=(page) { (short(&row.machine, MOST)) } small { (short(cpu, MOST)) } }
            td { (used) }
            @for place in 0..2 {
                td.number data-value=[choice.map(|choice| choice.gb_per_s[place])] {
                    @if let Some(choice) = choice {
                        (format!("{:.2}", choice.gb_per_s[place]))
                        @let own = choice.ciphers[place].title();
                        small {
                            @if own != columns[place] { (own) ", " }
                            @if let Some(libraries) = &choice.libraries { (short(&libraries[place], MOST)) }
                        }
                    }
                }
            }
            td.number.minor data-value=[choice.map(|choice| choice.message)] { @if let Some(choice) = choice { (size(choice.message)) } }
            td.minor { (setting) }
            td.minor { (short(day, MOST)) }
        }
    }
}

fn sources(machines: &[SiteMachine]) -> Markup {
    html! {
        section id="machines" aria-labelledby="machines-title" {
            h2 id="machines-title" { "All machines" }
            @for machine in machines {
                h3 { (short(&machine.name, MOST)) }
                p { (short(&machine.cpu, MOST)) }
                dl {
                    @for (name, value) in &machine.source { div { dt { (name) } dd { (unbroken(&short(value, MOST))) } } }
                    @for run in &machine.runs {
                        div {
                            dt { (short(&run.scenario, MOST)) }
                            dd {
                                a href=(run.page) { "figures" } " · " a href=(run.export) { "raw samples" }
                                @if let Some(why) = &run.unfit { p.unfit { "Not fit for comparisons: " (short(why, MOST)) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ciphermeter_answer::fixtures;

    fn page(name: &str, cpu: &str) -> String {
        let (run, records) = fixtures::run();
        let row = || SiteRow {
            row: MachineRow::of(Some(name), &run, &records),
            cpu: cpu.into(),
            setting: "bare".into(),
            page: "a-messages.html".into(),
        };
        let table = SiteTable { id: "ciphers".into(), title: "AES or ChaCha20?".into(), rows: vec![row()] };
        let own = SiteRun {
            scenario: "messages".into(),
            page: "a-messages.html".into(),
            export: "a-messages.json.gz".into(),
            unfit: None,
        };
        let machine =
            SiteMachine { name: name.into(), cpu: cpu.into(), source: vec![("by", "Ada".into())], runs: vec![own] };
        site_index(&[table], &[machine])
    }

    #[test]
    fn page_runs_and_loads_nothing_but_its_two_files() {
        let page = page("a", "CPU");
        assert!(page.contains("default-src 'none'") && !page.contains("<script>") && !page.contains("<style"));
        assert!(!page.contains("style=") && !page.contains("http:") && !page.contains("https:"), "{page}");
        for word in ["fetch(", "XMLHttpRequest", "@import", "import(", "http:", "https:", "innerHTML", "eval"] {
            assert!(!SITE_SCRIPT.contains(word) && !SITE_STYLE.contains(word), "{word}");
        }
    }

    #[test]
    fn names_from_outside_stay_text() {
        let page = page("<script>alert(1)</script>", "<img src=x onerror=alert(1)>\u{202e}");
        assert!(!page.contains("<img") && !page.contains("<script>alert") && !page.contains('\u{202e}'), "{page}");
        assert!(page.contains("&lt;script&gt;alert"));
    }

    #[test]
    fn each_rate_names_its_library() {
        let page = page("a", "CPU");
        assert!(page.matches("<small>aws-lc</small>").count() == 2, "{page}");
    }
}
