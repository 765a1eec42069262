//! `report`: stored runs as a page and as figures in a folder, what is never overwritten, and what is refused in one line.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::{CommandOutput, STORE, TestFolder, refuses};

fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .expect("a folder")
        .map(|file| file.expect("a file").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn page_is_named_after_its_run_and_never_written_over() {
    let folder = TestFolder::with_runs();
    let said = folder.run(&["report", "1"]);
    assert_eq!(
        (said.code, said.out.as_str(), said.err.as_str()),
        (Some(0), "report-1.html: open it in a browser\n", "")
    );
    let page = fs::read_to_string(folder.path("report-1.html")).expect("the page");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("AES or ChaCha20?") && page.ends_with("</html>"));
    refuses(
        &folder.run(&["report", "1"]),
        &["report-1.html exists, and nothing is overwritten: name another file with -o"],
    );
    folder.write("mine.html", "mine");
    refuses(&folder.run(&["report", "1", "-o", "mine.html"]), &["mine.html exists"]);
    assert_eq!(fs::read_to_string(folder.path("mine.html")).expect("the file"), "mine");
    assert_eq!(folder.run(&["report", "1", "-o", "-"]).out, page, "the same run gives the same page");
}

#[test]
fn latest_run_is_reported_without_a_number() {
    let folder = TestFolder::with_runs();
    assert_eq!(folder.run(&["report"]).out, "report-14.html: open it in a browser\n");
}

#[test]
fn every_stored_run_has_a_page_whether_it_has_figures_or_not() {
    let folder = TestFolder::with_runs();
    for id in 1..=14 {
        let said = folder.run(&["report", &id.to_string()]);
        assert_eq!(said.code, Some(0), "run {id}: {said:?}");
        assert!(folder.path(&format!("report-{id}.html")).exists());
    }
}

#[test]
fn figures_go_into_a_folder_as_svg_png_and_csv() {
    let folder = TestFolder::with_runs();
    let said = folder.run(&["report", "5", "--figures", "fig"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let names = files(&folder.path("fig"));
    assert!(names.contains(&"run-5-main.svg".into()) && names.len().is_multiple_of(3), "{names:?}");
    for name in &names {
        let bytes = fs::read(folder.path("fig").join(name)).expect("the file");
        let begins: &[u8] = match name.rsplit('.').next() {
            Some("svg") => b"<svg ",
            Some("png") => b"\x89PNG",
            _ => b"figure,panel,series,x,x_title,y,y_title,low,high,bound\n",
        };
        assert!(bytes.starts_with(begins) && bytes.len() > begins.len(), "{name}");
    }
    assert!(!folder.path("report-5.html").exists(), "the page is written only where -o names it");
    refuses(
        &folder.run(&["report", "5", "--figures", "fig"]),
        &["nothing is overwritten: name another folder with --figures"],
    );
    assert_eq!(folder.run(&["report", "9", "--figures", "fig"]).code, Some(0), "another run's figures go beside them");
}

#[test]
fn figures_for_a_column_are_narrower() {
    let folder = TestFolder::with_runs();
    let width = |into: &str, options: &[&str]| {
        let said = folder.run(&[&["report", "5", "--figures", into], options].concat());
        assert_eq!(said.code, Some(0), "{said:?}");
        let png = fs::read(folder.path(into).join("run-5-main.png")).expect("the file");
        u32::from_be_bytes(png[16..20].try_into().expect("four bytes"))
    };
    assert_eq!((width("page", &[]), width("column", &["--column"])), (2560, 1344));
    let without = folder.run(&["report", "5", "--column"]);
    assert!(without.code == Some(2) && without.err.contains("not provided: --figures <DIR>"), "{without:?}");
}

/// With `most` bytes a file at most, as where a disk is full.
fn figures_with_room(folder: &TestFolder, most: u64, into: &str) -> CommandOutput {
    report_with_room(folder, most, &format!("--figures {into}"))
}

fn report_with_room(folder: &TestFolder, most: u64, options: &str) -> CommandOutput {
    let harness = folder.ciphermeter(&[]);
    let script = format!("ulimit -f {}; exec \"$0\" report 5 {options}", most.div_ceil(512));
    let mut limited = Command::new("sh");
    limited.args(["-c", &script]).arg(harness.get_program()).current_dir(folder.path(""));
    limited.envs(harness.get_envs().filter_map(|(name, value)| Some((name, value?))));
    CommandOutput::of(limited.output().expect("sh"))
}

#[test]
fn figures_that_cannot_all_be_written_leave_none() {
    let folder = TestFolder::with_runs();
    folder.write("there/mine", "kept");
    assert_eq!(folder.run(&["report", "5", "--figures", "whole"]).code, Some(0));
    let size = |name: &str| folder.path("whole").join(name).metadata().expect("a file").len();
    let first = files(&folder.path("whole")).iter().map(|name| size(name)).min().expect("files");
    let [svg, png] = ["run-5-main.svg", "run-5-main.png"].map(size);
    assert!(svg + 1024 < png && first <= svg, "the first fits");
    for figures in ["fig", "there"] {
        let said = figures_with_room(&folder, svg, figures);
        refuses(&said, &["cannot write", "run-5-", "File too large"]);
    }
    assert!(!folder.path("fig").exists());
    assert_eq!(files(&folder.path("there")), ["mine"]);
}

#[test]
fn standard_output_over_its_limit_is_an_error_and_no_signal() {
    let folder = TestFolder::with_runs();
    refuses(
        &report_with_room(&folder, 1024, "-o - >page.html"),
        &["cannot write to standard output", "File too large"],
    );
}

#[test]
fn page_may_lie_in_the_folder_that_is_made_for_its_figures() {
    let folder = TestFolder::with_runs();
    assert_eq!(folder.run(&["report", "5", "--figures", "paper", "-o", "paper/page.html"]).code, Some(0));
    assert_eq!(folder.run(&["report", "5", "--figures", "./more/", "-o", "more//page.html"]).code, Some(0));
    let written = files(&folder.path("paper"));
    assert!(written.contains(&"page.html".to_owned()) && written.len() > 3, "{written:?}");
    let said = folder.run(&["report", "5", "--figures", "other", "-o", "others/page.html"]);
    refuses(&said, &["cannot write", "its folder does not exist"]);
    assert!(!folder.path("other").exists());
}

#[test]
fn figures_without_their_page_are_taken_back() {
    let folder = TestFolder::with_runs();
    let before = files(&folder.path(""));
    // A name that no file system takes, which shows only when the file gets it.
    let page = format!("{}.html", "x".repeat(300));
    let said = folder.run(&["report", "5", "--figures", "fig", "-o", &page]);
    refuses(&said, &["cannot write", "name another file"]);
    assert_eq!(files(&folder.path("")), before);
}

#[test]
fn runs_of_two_stores_stand_side_by_side() {
    let folder = TestFolder::with_runs();
    folder.write("laptop.db", STORE);
    // The same run of two stores is one run.
    refuses(&folder.run(&["report", "1", "laptop.db:1"]), &["run 1 is named twice"]);
    let said = folder.run(&["report", "1", "laptop.db:8"]);
    assert_eq!(said.out, "report-1-8.html: open it in a browser\n", "{said:?}");
    let page = fs::read_to_string(folder.path("report-1-8.html")).expect("the page");
    assert!(page.contains("Side by side") && page.contains("Run 8"));
}

#[test]
fn bad_input_is_one_line_and_leaves_no_file() {
    let folder = TestFolder::with_runs();
    folder.write("none.db", "no database");
    let before = files(&folder.path(""));
    let many: Vec<String> = (1..=9).map(|id| id.to_string()).collect();
    let many: Vec<&str> = std::iter::once("report").chain(many.iter().map(String::as_str)).collect();
    for (arguments, words) in [
        (vec!["report", "99"], "99"),
        (vec!["report", "x"], "a run has a number"),
        (vec!["report", "none.db"], "none.db"),
        (vec!["report", "missing.db:1"], "missing.db"),
        (vec!["report", "1", "1"], "run 1 is named twice"),
        (vec!["report", "1", "7"], "have no cell in common"),
        (vec!["report", "1", "-o", "missing/x.html"], "name another file"),
        (vec!["report", "1", "-o", "x.png"], "a report is HTML: end its name in .html"),
        (vec!["report", "1", "-o", "missing/x.html", "--figures", "fig"], "name another file"),
        (vec!["report", "1", "7", "--figures", "fig", "-o", "x.html"], "have no cell in common"),
        (vec!["report", "1", "-o", "/dev/full/x"], "name another file"),
        (vec!["report", "1", "--figures", "missing/fig"], "name another one with --figures"),
        (vec!["report", "1", "--figures", "runs.db"], "name another"),
        (vec!["report", "1", "--figures", "-"], "name a folder for them with --figures, `./-` for one of that name"),
        (many, "at most 8 runs"),
    ] {
        let said = folder.run(&arguments);
        let code = if words.starts_with("have no cell") { 4 } else { 2 };
        assert_eq!((said.code, said.out.as_str()), (Some(code), ""), "{arguments:?}: {said:?}");
        assert!(said.err.contains(words) && !said.err.contains("panicked"), "{arguments:?}: {}", said.err);
    }
    assert_eq!(files(&folder.path("")), before);
}
