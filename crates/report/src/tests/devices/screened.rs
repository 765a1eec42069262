//! The first screen of devices.

use ciphermeter_core::{Algorithm, Counts, Record, Run, Scenario};
use unicode_width::UnicodeWidthStr;

use super::made::{board, core, cores, counted, offer};
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
    assert!(screen.text.lines().count() <= 24 * 80 / width.min(80), "{}", screen.text);
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

/// At 80 columns three ciphers have one.
#[test]
fn cipher_without_a_column_is_said_with_its_figure() {
    let of = |algorithm, least: u64| {
        offer("mbedtls-3", algorithm, 300, [1, 2, 4, 16, 64].map(|times| least * times), [300, 400, 5000])
    };
    let ciphers = [
        (Algorithm::Aes128Gcm, 3000),
        (Algorithm::ChaCha20Poly1305, 1000),
        (Algorithm::AsconAead128, 2000),
        (Algorithm::Aes256Gcm, 4000),
        (Algorithm::XChaCha20Poly1305, 2500),
    ];
    let of_first = |most: usize| {
        let offers = ciphers[..most].iter().map(|(algorithm, least)| of(*algorithm, *least)).collect();
        said(&counted(&[core("m4", Counts::Instructions, offers)]))
    };
    assert!(of_first(4).contains("Without a column, at 64 B: AES-256-GCM 16,000 by mbedtls-3."), "{}", of_first(4));
    let both = "XChaCha20-Poly1305 10,000 by mbedtls-3; AES-256-GCM 16,000 by mbedtls-3.";
    assert!(of_first(5).contains(&format!("Without a column, at 64 B: {both}")), "{}", of_first(5));
    for all in 1..=3 {
        assert!(!of_first(all).contains("Without a column"), "{}", of_first(all));
    }
}
