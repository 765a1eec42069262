//! What is asked, and what the answer rests on.

use ciphermeter_core::{Record, Run, SizeCounts, escaped};

use super::program::Program;
use crate::phrases::{listed, percent};
use crate::text::size;

/// What is asked.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The workload's name, as `run` takes it; `None`: a mix of sizes, or a program's own.
    pub workload: Option<&'a str>,
    /// How many messages of each size there are.
    pub mix: Option<&'a SizeCounts>,
    /// The program to configure.
    pub program: Option<&'static Program>,
    /// The command that measures what it takes to answer.
    pub measure: &'a str,
    /// The same with `--cpu no-aes`.
    pub measure_without_aes: &'a str,
}

/// What the answer rests on.
#[derive(Debug, Clone, Copy)]
pub struct Evidence<'a> {
    /// A run of this machine.
    pub run: &'a Run,
    /// Its records.
    pub records: &'a [Record],
    /// What has changed on the machine since.
    pub changed: &'a [String],
    /// The same made with `--cpu no-aes`.
    pub without_aes: Option<(&'a Run, &'a [Record])>,
}

impl Question<'_> {
    /// What is asked, in a few words: `nginx`, `tls`, `64 B (70 %), 16 KiB (30 %)`.
    pub(super) fn subject(&self) -> String {
        let Self { workload, mix, program, .. } = *self;
        let mixed = mix.map(|mix| {
            let total: f64 = mix.iter().map(|(_, count)| count).sum();
            let sizes: Vec<String> =
                mix.iter().map(|(bytes, count)| format!("{} ({})", size(bytes.0), percent(count / total))).collect();
            match &sizes[..] {
                [first, .., last] if sizes.len() > 4 => format!("{} sizes, {first} to {last}", sizes.len()),
                sizes => listed(sizes),
            }
        });
        match (program, workload, mixed) {
            (Some(program), _, Some(mix)) => format!("{}, {mix}", program.title),
            (Some(program), _, None) => program.title.into(),
            (None, Some(workload), Some(mix)) => format!("{}, {mix}", escaped(workload)),
            (None, Some(workload), None) => escaped(workload),
            (None, None, Some(mix)) => format!("messages of {mix}"),
            (None, None, None) => "messages".into(),
        }
    }
}
