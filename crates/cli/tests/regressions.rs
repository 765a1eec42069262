//! docs/regressions.md is what docs/regressions.py writes of its table and of what was measured.

use std::fs;
use std::process::Command;

use crate::common::{CommandOutput, TestFolder};

const DOCS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");

#[test]
fn page_of_regressions_is_made_of_what_was_measured() {
    let folder = TestFolder::new();
    let made = folder.path("page.md");
    let mut script = Command::new("python3");
    script.arg(format!("{DOCS}/regressions.py")).arg("--output").arg(&made);
    let said = CommandOutput::of(script.output().expect("python3"));
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{said:?}");
    let kept = fs::read_to_string(format!("{DOCS}/regressions.md")).expect("the page that is kept");
    let why = "docs/regressions.md is not what docs/regressions.py writes: run that";
    assert!(fs::read_to_string(made).expect("a page") == kept, "{why}");
}
