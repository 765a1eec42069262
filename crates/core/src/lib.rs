//! The words of Ciphermeter as types.
//!
//! Every other crate uses these types: an [`Algorithm`], an [`Operation`], a [`Cell`] to measure, its [`Sample`]s, its
//! [`Record`], the [`Run`] with the records, the [`Scenario`] that requested them. Nothing here does input or output,
//! and nothing here reads a clock.
//!
//! Inside, sizes are bytes and times are nanoseconds, both integers; floating point begins where samples are
//! summarized.

mod algorithm;
mod cell;
mod command_line;
mod copies;
mod curated;
mod device;
mod digest;
mod family;
mod latency;
mod layout;
mod limits;
mod mask;
mod memory;
mod metric;
pub mod most;
mod named;
mod note;
mod operation;
mod plan;
mod quoted;
mod reason;
mod record;
mod rotation;
mod run;
mod sample;
mod scenario;
mod selection;
mod series;
mod size_counts;
mod toml_error;
mod units;
mod word;

pub use algorithm::{Algorithm, Facts};
pub use cell::{Cell, CellId, Group, Parameters};
pub use command_line::{command_in, option_words, shell_word};
pub use copies::{Copies, Copy};
pub use curated::CURATED;
pub use device::{CodeIn, Counts, Device};
pub use digest::digest;
pub use family::{CipherKind, Family, Limit, Sizes};
pub use latency::{Histogram, Latency};
pub use layout::Layout;
pub use limits::Limits;
pub use mask::Mask;
pub use memory::Memory;
pub use metric::{Better, Metric, Sums, UnfitMetric};
pub use named::{Named, NamedOption};
pub use note::{Note, Topic, all_lost, lost_why};
pub use operation::{BATCH, Form, IN_BATCHES, Operation};
pub use plan::{METHOD, PartPlan, Peers, RunPlan, method};
pub use quoted::{
    escaped, escaped_json, escaped_lines, excerpt, in_quotes, quoted, quoted_path, shortened, spreadsheet_safe,
    taken_in,
};
pub use reason::{LeftOut, MEASURE_LONGER, Outcome, budget_option};
pub use record::{Fork, Interval, Provenance, Record, SampleRange, Setup, Summary, known_path};
pub use rotation::{LINE, MAX_KEYS, MAX_TEXTS, Rotation, text_stride};
pub use run::{Against, Fact, NO_SWITCHES, Run, RunStatus, SWITCHES, switches};
pub use sample::Sample;
pub use scenario::{Kind, Nonces, Scenario, ScenarioError};
pub use selection::Selection;
pub use series::Series;
pub use size_counts::{ColumnOrder, MAX_TEXT as MAX_HISTOGRAM, NoHistogram, NoHistogramFile, SizeCounts};
pub use toml_error::{line_at, toml_error};
pub use units::{Bytes, MAX_INTEGER, Seconds, Share, Threads, UnitError, thousands};
pub use word::UnknownWord;
