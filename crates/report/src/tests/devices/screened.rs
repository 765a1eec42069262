//! The first screen of devices.

use ciphermeter_core::{Record, Run, Scenario};
use unicode_width::UnicodeWidthStr;

use super::made::{board, cores, counted};
use crate::{Screen, TableOptions, screen};
use ciphermeter_answer::fixtures;

pub(crate) fn run() -> Run {
    let scenario = "name = \"iot\"\ntitle = \"t\"\nbudget = \"60s\"\nprecision = \"2%\"\n[[cells]]\n\
                    algorithms = [\"aes-256-gcm\"]\noperations = [\"seal\"]\nmessages = [\"16\"]\n";
    Run { scenario: Scenario::parse(scenario).unwrap(), ..fixtures::head() }
}

/// Whatever it shows has to fit a terminal.
#[track_caller]
pub(super) fn shown(records: &[Record], width: usize) -> Screen {
    let screen = screen(&run(), records, TableOptions { width, color: false });
    assert!(screen.text.lines().count() <= 24, "{}", screen.text);
    for line in screen.text.lines() {
        assert!(line.width() <= width && line.trim_end() == line, "{line:?}");
    }
    screen
}

/// At 80 columns, whatever the lines' ends.
pub(super) fn said(records: &[Record]) -> String {
    shown(records, 80).text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn five_cores_one_core_and_a_board_have_a_screen_each() {
    let core = |name| cores().into_iter().filter(|core| core.name == name).collect::<Vec<_>>();
    let all = [("five", counted(&cores())), ("one", counted(&core("cortex-m4"))), ("board", board(8))];
    for (name, records) in all {
        for width in [80, 40] {
            let screen = shown(&records, width);
            assert!(screen.is_answered);
            insta::assert_snapshot!(format!("{name}_{width}"), screen.text);
        }
    }
}
