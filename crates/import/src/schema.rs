//! The version of the export.

/// The version that is written and read; docs/columns.md has the names of the first.
pub const SCHEMA: u32 = 2;
