//! `--meter`: what is no meter, and what a meter sends that no energy follows from.

use serde_json::Value;

use crate::common::{CommandOutput, TestFolder, meter_that_sends};

/// All words, however the lines are broken.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn parallel(folder: &TestFolder, meter: &str) -> CommandOutput {
    let ways = ["--message", "8MiB", "--form", "static", "--threads", "1", "--provider", "rustcrypto,ceiling"];
    folder.run(&[&["run", "parallel", "--budget", "14s", "--verbose", "--meter", meter], &ways[..]].concat())
}

#[test]
fn what_is_no_meter_is_refused_with_the_remedy() {
    let folder = TestFolder::new();
    folder.write("plain", "");
    let (file, here) = (folder.path("plain"), folder.path(""));
    let pass = "is no serial device; pass the device that your power meter is on, such as /dev/ttyUSB0";
    for (meter, why) in [
        ("/dev/null", pass),
        ("/dev/zero", pass),
        (file.to_str().expect("UTF-8"), pass),
        (here.to_str().expect("UTF-8"), pass),
        (
            "/dev/ttyNone@9600",
            "there is no /dev/ttyNone; plug the meter in, and pass the device that `ls /dev/tty*` lists",
        ),
        ("/dev/tty", "is the terminal of this program; pass the device"),
        ("/dev/null@fast", "write it like /dev/ttyUSB0 or /dev/ttyUSB0@9600"),
    ] {
        let said = parallel(&folder, meter);
        assert!(said.code == Some(2) && said.err.contains(why) && said.err.lines().count() == 1, "{meter}: {said:?}");
    }
    let said = folder.run(&["run", "tiny.toml", "--meter", "/dev/null"]);
    assert!(
        said.code == Some(2) && said.err.contains("it measures machines in `run sustained` and `run parallel`"),
        "{said:?}"
    );
}

#[test]
fn meter_that_is_too_slow_is_refused_with_the_remedy() {
    // One line in half a second, and a count that stands still.
    for meter in [meter_that_sends(2, |_| "20 W"), meter_that_sends(50, |_| "5 J")] {
        let said = parallel(&TestFolder::new(), &meter);
        assert!(
            said.code == Some(2) && said.err.contains("or less often, too seldom for figures of seconds"),
            "{said:?}"
        );
        assert!(said.err.contains("set it to four readings a second or more"), "{said:?}");
    }
}

#[test]
fn meter_that_shows_no_power_gives_no_energy_and_the_reason() {
    let folder = TestFolder::new();
    let said = parallel(&folder, &meter_that_sends(50, |_| "0 W"));
    // On a busy machine there may be no answer in that time.
    assert!(matches!(said.code, Some(0 | 5)), "{said:?}");
    let (notes, all) = (words(&said.err), folder.run(&["show", "1", "--all"]).out);
    // The same on a machine that is too busy for a look in time, or for the meter's lines.
    let reasons = ["counted no energy in ", " sent no reading for ", " was read for only "];
    let has_a_reason = |text: &str| reasons.iter().any(|reason| text.contains(reason));
    assert!(has_a_reason(&notes), "{notes}");
    assert!(notes.contains("; check the meter, its cable and what it sends"), "{notes}");
    assert!(notes.contains(" no energy: "), "the cells have the reason: {notes}");
    assert!(!all.contains("J/GB") && !said.out.contains("J/GB"), "{all}");
    let document = folder.run(&["export", "1"]).json();
    folder.fits_the_schema(&document);
    let absent = &document["host"]["absent"]["idle power of the machine"];
    assert!(absent.as_str().is_some_and(has_a_reason), "{absent}");
}

#[test]
#[ignore = "deep: 14 s on all CPUs"]
fn step_in_which_a_meter_sends_rubbish_has_no_power() {
    let folder = TestFolder::new();
    // A reading in 150 is none, at 50 a second.
    let meter = meter_that_sends(50, |number| if number % 150 == 149 { "1e300 W" } else { "20.0 W" });
    let load = ["--operation", "encrypt", "--provider", "ceiling", "--algorithm", "xor"];
    let said =
        folder.run(&[&["run", "sustained", "--budget", "12s", "--verbose", "--meter", &meter], &load[..]].concat());
    assert!(matches!(said.code, Some(0 | 5)), "{said:?}");
    let notes = words(&said.err);
    assert_eq!(notes.matches("energy is not known for all of the run").count(), 1, "once a meter: {notes}");
    // The first reason is given; on a busy machine that may be a step in which no reading came, or none in time.
    let reasons = [" sent `1e300 W`; check", "counted no energy in 0.0 s; check", " sent no reading for "];
    assert!(reasons.iter().any(|reason| notes.contains(reason)), "{notes}");
    let document = folder.run(&["export"]).json();
    folder.fits_the_schema(&document);
    let steps = &document["records"][0]["samples"][0];
    let column = |key: &str| steps[key].as_array().unwrap_or_else(|| panic!("{key} of {steps}")).clone();
    let (spent, elapsed) = (column("energy_machine_uj"), column("elapsed_ns"));
    assert!(spent.iter().any(Value::is_null) && spent.iter().any(Value::is_u64), "{spent:?}");
    for (spent, elapsed) in spent.iter().zip(&elapsed).filter_map(|(spent, ns)| Some((spent.as_f64()?, ns.as_f64()?))) {
        assert!((19.0..21.0).contains(&(spent * 1e3 / elapsed)), "{steps}");
    }
}
