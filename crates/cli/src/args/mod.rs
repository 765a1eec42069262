//! From the command line to a command: what there is to say, and how it is read.

mod advise;
mod commands;
mod guard;
mod options;
mod parse;
mod share;
mod words;

pub use advise::AdviseOptions;
pub use commands::{Command, StudyCommand};
pub use guard::GuardOptions;
pub use options::{
    Color, DetailOptions, LookOptions, PageOptions, RunOptions, SpotOptions, StoreOption, WorkersOption,
};
#[cfg(test)]
pub use parse::read;
pub use parse::{command, parse};
pub use share::SiteOption;
pub use words::{Columns, Format, ListCommand, SchemaOf, WorkerKind, WorkersCommand};
