//! From the command line to a command: what there is to say, and how it is read.

mod advise;
mod commands;
mod options;
mod parse;

pub use advise::AdviseOptions;
pub use commands::{Columns, Command, Format, ListCommand, SchemaOf, StudyCommand, WorkerKind, WorkersCommand};
pub use options::{
    Color, DetailOptions, LookOptions, PageOptions, RunOptions, SpotOptions, StoreOption, WorkersOption,
};
pub use parse::{command, parse};
