//! `device`: which serial ports and emulated devices are here, and whether a device is a worker that is right.

mod ask;
mod list;
mod page;

use anyhow::Result;

use crate::args::WorkersOption;
use crate::devices::{DeviceSpec, emulated, place};
use ask::{Asked, Found};
use ciphermeter_terminal::{Exit, output};

/// Lists what is here, or checks the devices that are named.
pub fn device(specs: &[DeviceSpec], json: bool, workers: &WorkersOption) -> Result<Exit> {
    let emulated = emulated(workers)?;
    if specs.is_empty() {
        return list::list(&emulated, json);
    }
    let places = specs.iter().map(|spec| place(spec, &emulated)).collect::<Result<Vec<_>>>()?;
    let mut all = Vec::new();
    for (spec, place) in specs.iter().zip(places) {
        let asked = ask::ask(spec, place, &mut |what| tell(what));
        tell("");
        match (&asked.found, json) {
            (Ok(found), false) => output::print(&page::page(spec, found))?,
            (Err(why), false) => output::say(&format!("{why}\n")),
            _ => {}
        }
        all.push(asked);
    }
    if json {
        output::print_json(&format!("{}\n", serde_json::to_string_pretty(&all)?))?;
    }
    Ok(exit(&all))
}

fn exit(all: &[Asked]) -> Exit {
    let here: Vec<&Found> = all.iter().filter_map(|asked| asked.found.as_ref().ok()).collect();
    if here.iter().any(|found| found.is_wrong()) {
        return Exit::WrongOutput;
    }
    match here.len() {
        0 => Exit::Nothing,
        _ if here.iter().all(|found| found.is_nothing()) => Exit::Nothing,
        there if there < all.len() || here.iter().any(|found| !found.lacks.is_empty()) => Exit::Partial,
        _ => Exit::Fine,
    }
}

/// Says on a terminal what is going on: a serial line takes its time.
fn tell(what: &str) {
    if output::moves_cursor() {
        output::say_instead(what);
    }
}
