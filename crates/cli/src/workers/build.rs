//! What a build shows: its messages, and on a terminal below them how long it has taken, since many a compiler says nothing for minutes.

use std::io::{self, BufRead, BufReader, PipeReader};
use std::process::Command;
use std::thread;
use std::time::Duration;

use ciphermeter_core::escaped;
use ciphermeter_terminal::output;
use indicatif::{ProgressBar, ProgressStyle};

use crate::child::{self, Ended, Heir};

pub fn run(name: &str, mut command: Command) -> io::Result<Ended> {
    if !output::moves_cursor() {
        return child::run(&mut command, Heir::Group, || {});
    }
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{prefix}: building, {elapsed}") {
        bar.set_style(style);
    }
    bar.set_prefix(name.to_owned());
    let (messages, writer) = io::pipe()?;
    command.stdout(writer.try_clone()?).stderr(writer);
    let shown = thread::spawn({
        let bar = bar.clone();
        move || show(messages, &bar)
    });
    let ended = child::run(&mut command, Heir::Group, || bar.tick());
    // Its messages end once nothing can write any; what it leaves running might.
    drop(command);
    (0..20).take_while(|_| !shown.is_finished()).for_each(|_| thread::sleep(Duration::from_millis(50)));
    bar.finish_and_clear();
    ended
}

fn show(messages: PipeReader, bar: &ProgressBar) {
    for line in BufReader::new(messages).split(b'\n').map_while(Result::ok) {
        bar.println(escaped(&String::from_utf8_lossy(&line)));
    }
}
