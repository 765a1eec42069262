//! The page of a run with devices: what is theirs, and what is this machine's.

use ciphermeter_core::{Outcome, Record};

use super::made::{board, cores, counted};
use super::screened::run;
use crate::html;
use ciphermeter_answer::fixtures;
use ciphermeter_answer::regression::Stored;
use ciphermeter_core::Fact;

/// The page of these records, and of this machine's where `is_mixed`.
fn page(mut records: Vec<Record>, is_mixed: bool) -> String {
    let mut run = run();
    run.host.push(Fact::present("kernel", "Linux 6.1".to_owned()));
    if is_mixed {
        records.extend(fixtures::run().1);
    }
    html(&[Stored { run: &run, records: &records }]).unwrap()
}

fn two() -> Vec<Record> {
    counted(&cores().into_iter().filter(|core| ["cortex-m4", "avr"].contains(&core.name)).collect::<Vec<_>>())
}

/// The figure with that title, from there to the next.
fn figure<'a>(page: &'a str, title: &str) -> &'a str {
    let rest = page.split(&format!(">{title}</")).last().unwrap();
    rest.split("<h3").next().unwrap()
}

#[test]
fn cells_of_devices_have_their_counts_and_what_they_take() {
    let page = page(two(), false);
    for words in ["4,012 instructions; stack 312 B; state 424 B; flash 9.4 KiB", "61,420 cycles; stack 412 B"] {
        assert!(page.contains(words), "no {words:?}");
    }
    assert!(!page.contains("fewer than six undisturbed forks"), "counts take two");
}

#[test]
fn ram_and_flash_have_figures_on_the_page() {
    let page = page(two(), false);
    let ram = figure(&page, "How much RAM does it take?");
    for words in ["cortex-m4", "avr", "ascon-c Ascon-AEAD128", ">\n224 B\n<"] {
        assert!(ram.contains(words), "no {words:?} in {ram}");
    }
    assert!(figure(&page, "How much flash does it take?").contains("13 KiB"), "of mbedtls-2 on avr");
    let mut silent = two();
    for fork in silent.iter_mut().flat_map(|record| &mut record.forks) {
        fork.samples.iter_mut().for_each(|sample| sample.counts.truncate(1));
    }
    assert!(!self::page(silent, false).contains("How much RAM"), "where none says it");
}

#[test]
fn figures_of_devices_say_nothing_of_this_machine() {
    for is_mixed in [false, true] {
        let page = page(two(), is_mixed);
        for title in ["Which cipher on which device?", "How much RAM does it take?", "How much flash does it take?"] {
            let own = figure(&page, title);
            assert!(!own.contains("Linux 6.1") && !own.contains("CPUs"), "{own}");
        }
        // What several captions say stands once.
        assert!(figure(&page, "Which cipher on which device?").contains("on cortex-m4 (QEMU cortex-m4"));
    }
}

#[test]
fn figures_of_this_machine_are_called_so_beside_devices() {
    let here = "This machine: How fast is it, by size?";
    assert!(page(two(), true).contains(here));
    let mixed = page(two(), true);
    let mut figures = mixed.split("<h3").filter(|figure| figure.contains(">This machine: "));
    assert!(figures.any(|figure| figure.contains("Linux 6.1")));
    let run = run();
    let alone = html(&[Stored { run: &run, records: &fixtures::run().1 }]).unwrap();
    assert!(alone.contains("How fast is it, by size?") && !alone.contains("This machine"));
}

#[test]
fn devices_stand_before_the_machine_that_asked_them() {
    let page = page(board(8), true);
    let (devices, rest) = page.split_once("<h3>Devices</h3>").unwrap().1.split_once("<h3>").unwrap();
    assert!(devices.contains("ESP32-C3") && devices.contains("160 MHz") && devices.contains("c11"), "{devices}");
    assert!(rest.starts_with("The machine that they were measured from"), "{rest}");
    let mut silent = two();
    for record in &mut silent {
        (record.outcome, record.provenance) = (Outcome::Failed { why: "no worker answers".into() }, None);
        record.forks.clear();
    }
    assert!(self::page(silent, true).contains("not known: it did not answer"));
}
