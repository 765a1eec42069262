//! Terminals of another kind or width: `dumb`, as in editors, has no colors, and no cursor that moves; and one of 40 columns.

use std::fs::File;
use std::io::Read;
use std::process::Stdio;

use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::common::TestFolder;
use crate::common::device::board_on_a_line;

/// What a command writes to a terminal of that kind.
fn shown(folder: &TestFolder, kind: &str, arguments: &[&str]) -> String {
    shown_at(80, folder, kind, arguments)
}

/// The same in so many columns.
fn shown_at(ws_col: u16, folder: &TestFolder, kind: &str, arguments: &[&str]) -> String {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo terminal");
    tcsetwinsize(&ours, Winsize { ws_row: 24, ws_col, ws_xpixel: 0, ws_ypixel: 0 }).expect("its size");
    grantpt(&ours).and_then(|()| unlockpt(&ours)).expect("a device");
    let name = ptsname(&ours, Vec::new()).expect("a name");
    // Otherwise it may become this process's own terminal, whose end would end the process.
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let open = || Stdio::from(File::from(open(name.as_c_str(), flags, Mode::empty()).expect("a terminal")));
    let mut command = folder.ciphermeter(arguments);
    let mut child = command.env("TERM", kind).stdout(open()).stderr(open()).spawn().expect("the harness starts");
    drop(command);
    let (mut ours, mut text, mut chunk) = (File::from(ours), Vec::new(), [0; 4096]);
    // It ends with an error once no one has the other end any more.
    while let Ok(read @ 1..) = ours.read(&mut chunk) {
        text.extend_from_slice(&chunk[..read]);
    }
    child.wait().expect("its end");
    String::from_utf8_lossy(&text).into_owned()
}

#[test]
fn dumb_terminal_gets_text_alone() {
    let folder = TestFolder::with_runs();
    let board = board_on_a_line("honest");
    for arguments in [
        &["show", "1"][..],
        &["device", &board],
        // Made up for this test.
        &["rank", "1"],
        &["compare", "1", "2"],
        &["run", "tiny.toml"],
        &["help", "run"],
        &["study", "list"],
    ] {
        let text = shown(&folder, "dumb", arguments);
        assert!(!text.is_empty() && !text.contains('\u{1b}'), "{arguments:?}: {text:?}");
        assert!(!text.replace("\r\n", "").contains('\r'), "{arguments:?}: {text:?}");
    }
    let worker = TestFolder::new().with_worker("honest");
    let built = ["dumb", "xterm"].map(|kind| shown(&worker, kind, &["workers", "build", "bad"]));
    assert!(!built[0].contains("bad: building, ") && built[1].contains("bad: building, 0"), "{built:?}");
    assert!(shown(&folder, "xterm", &["show", "1"]).contains("\u{1b}["), "others have colors");
    assert!(shown(&folder, "dumb", &["show", "1", "--color", "always"]).contains("\u{1b}["), "asked for");
}

#[test]
fn prose_is_no_wider_than_the_terminal() {
    let folder = TestFolder::new().with_worker("honest");
    for arguments in [
        &["list", "algorithms", "aes-256-ccm", "adiantum"][..],
        &["list", "scenarios"],
        &["workers", "--workers", "workers"],
    ] {
        let text = shown_at(40, &folder, "dumb", arguments);
        // A path is one word.
        let is_wide = |line: &&str| line.trim_end().chars().count() > 40 && line.trim().contains(' ');
        let wide: Vec<&str> = text.lines().filter(is_wide).collect();
        assert!(wide.is_empty() && text.lines().count() > 1, "{arguments:?}: {wide:?}");
    }
}
