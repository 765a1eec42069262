//! The options with which runs leave this machine for others to read.

use std::path::PathBuf;

use clap::Args;

/// A run for others.
#[derive(Debug, Clone, Copy, Args)]
pub struct ShareOptions {
    /// Write the run for others, as JSON with raw samples: verified cells, the CPU and the libraries, and nothing that names
    /// you or this machine. It is shown before it is written; a name that ends in .json.gz is packed by gzip
    #[arg(long, conflicts_with_all = ["format", "columns"])]
    pub share: bool,
    /// With --share, write without asking
    #[arg(long, requires = "share")]
    pub yes: bool,
}

/// A site instead of a page.
#[derive(Debug, Clone, Args)]
pub struct SiteOption {
    /// Write a static site into this folder, new or written by --site before: a table of machines for each question, and a page a
    /// run. Of runs, exports or folders such as machines/; without any, of the machines that this program knows
    #[arg(long, value_name = "DIR", conflicts_with_all = ["output", "figures", "column"])]
    pub site: Option<PathBuf>,
}
