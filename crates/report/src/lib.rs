//! A run and its records as a table, as plain sentences, as a page, as JSON and CSV, and in the formats of other benchmarks' tools.
//!
//! Pure formatting: nothing here measures, reads files or knows a terminal. Summaries are taken as they were stored;
//! ratios between two cells that the summaries don't hold are drawn anew from the raw samples of the same rounds.
//! Names and reasons may come from anyone's worker or store, so text for a terminal has its control characters taken
//! out.

// What only pages and figures call.
#![cfg_attr(not(feature = "figures"), allow(dead_code, unused_imports))]

mod advise;
mod benchmark;
mod benchstat;
mod block;
mod bmf;
#[cfg(feature = "figures")]
mod chart;
mod column;
mod compare;
mod costs;
mod csv;
mod device_block;
mod document;
mod figures_block;
#[cfg(feature = "figures")]
mod html;
mod json;
mod kinds;
mod layout;
mod legend;
mod machines;
mod markdown;
mod memory_block;
mod notes;
mod other_metrics;
mod parallel_block;
mod rank_text;
mod screen;
mod single_calls;
mod styled_line;
mod sustained;
mod table;
mod transfer;

pub use advise::{advice_json, advice_screen};
pub use benchstat::write_benchstat;
pub use bmf::write_bmf;
#[cfg(feature = "figures")]
pub use chart::{Figure, FigureWidth, Undrawable, figures, png, side_by_side, study_figures, svg};
pub use ciphermeter_answer::fleet::{MACHINE_NAME, machine_name};
pub use ciphermeter_answer::guard::{
    Change, Counter, Explained, Guarded, History, Instructions, Past, SideCount, Standing, guarded, identical, weigh,
};
pub use ciphermeter_answer::machine::ended;
pub use ciphermeter_answer::note::notes as security_notes;
pub use ciphermeter_answer::program::{PROGRAMS, Program, program};
pub use ciphermeter_answer::rate::gb_per_s;
pub use ciphermeter_answer::regression::{Compared, Finding, Lost, Stored, Unmatched, Verdict};
pub use ciphermeter_answer::same_machine::{changed_since, not_of_this_machine, set_then_alone};
pub use ciphermeter_answer::self_check::{SelfCheck, self_check};
pub use ciphermeter_answer::workload::{
    AND_THEN, Advice, Evidence, Question, advise, asked_cells, costed_cells, joules,
};
pub use ciphermeter_answer::{answer, can_resume};
pub use compare::{
    GuardedRuns, against, compare, compare_json, guard_screen, write_guard_json, write_guard_markdown,
    write_identical_json, write_identical_markdown,
};
pub use costs::costs;
pub use csv::csv_columns;
pub use document::{ADVICE_SCHEMA, COMPARE_SCHEMA, GUARD_SCHEMA, MACHINES_SCHEMA, RANK_SCHEMA, whole_schema};
#[cfg(feature = "figures")]
pub use html::{
    SITE_SCRIPT, SITE_STYLE, SiteMachine, SiteRow, SiteRun, SiteTable, html, html_of_machines, html_of_site,
    page_policy, site_index, study_html,
};
pub use json::{EXPORT_SCHEMA, write_json, write_json_of_samples};
pub use kinds::{basis, write_csv};
pub use layout::{LEFT, RIGHT, TableColumn, plain_table};
pub use machines::{MachineRow, machines, machines_json};
pub use markdown::{answer_table, write_markdown};
pub use notes::notes;
pub use rank_text::{ranking, ranking_json};
pub use screen::{Screen, leader, screen, screen_above};
pub use styled_line::TableOptions;
pub use sustained::course_csv_columns;
pub use table::table;
pub use transfer::{study_csv_columns, write_study_csv};

#[cfg(test)]
mod tests;
