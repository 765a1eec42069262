//! Power supply, temperature and energy meter: mostly absent, with the reason.

use ciphermeter_core::Fact;

use crate::tree::Tree;

const SUPPLIES: &str = "sys/class/power_supply";
const POWERCAP: &str = "sys/class/powercap";

/// `mains` or `battery`.
pub(crate) fn power_supply(tree: &Tree) -> Fact {
    match on_battery(tree) {
        Some(true) => Fact::present("power supply", "battery"),
        Some(false) => Fact::present("power supply", "mains"),
        None => Fact::absent("power supply", format!("nothing in /{SUPPLIES} tells mains from battery")),
    }
}

/// Whether the machine runs on a battery; `None` if unknown.
///
/// Batteries of mice and keyboards are listed as well, with the scope `Device`.
pub(crate) fn on_battery(tree: &Tree) -> Option<bool> {
    let mut drained = None;
    for name in tree.names(SUPPLIES) {
        let text = |file: &str| tree.text(&format!("{SUPPLIES}/{name}/{file}")).unwrap_or_default();
        match text("type").as_str() {
            "Mains" | "USB" if text("online") == "1" => return Some(false),
            "Battery" if text("scope") != "Device" => match text("status").as_str() {
                "Discharging" => drained = Some(true),
                "Charging" | "Full" | "Not charging" => drained = drained.or(Some(false)),
                _ => {}
            },
            _ => {}
        }
    }
    drained
}

/// The hottest sensor whose name identifies it as the CPU's.
pub(crate) fn temperature(tree: &Tree) -> Fact {
    let reading = |(path, name): (String, String)| Some((reading(tree, &path)?, name));
    let sensors = thermometers(tree);
    let has_sensors = !sensors.is_empty();
    match sensors.into_iter().filter_map(reading).max_by_key(|(millidegrees, _)| *millidegrees) {
        Some((millidegrees, name)) => {
            Fact::present("temperature", format!("{:.0} °C ({name})", millidegrees as f64 / 1000.0))
        }
        None if has_sensors => Fact::absent("temperature", "no sensor of the CPU says what a CPU can have"),
        None => Fact::absent("temperature", "no sensor under /sys/class/thermal or /sys/class/hwmon is the CPU's"),
    }
}

/// Files and names of the sensors whose names identify them as the CPU's.
pub(crate) fn thermometers(tree: &Tree) -> Vec<(String, String)> {
    let mut found = zones(tree);
    found.extend(chips(tree));
    found
}

/// What a CPU that works can have, in thousandths of a degree Celsius. Sensors that sleep or are
/// broken say 0, 127 °C, or more.
const POSSIBLE: std::ops::RangeInclusive<u64> = 1_000..=125_000;

/// A sensor's reading, in thousandths of a degree Celsius; `None` if no CPU can have it.
pub(crate) fn reading(tree: &Tree, path: &str) -> Option<u64> {
    tree.number(path).ok().filter(|millidegrees| POSSIBLE.contains(millidegrees))
}

fn zones(tree: &Tree) -> Vec<(String, String)> {
    let zones = tree.names("sys/class/thermal").into_iter().filter(|name| name.starts_with("thermal_zone"));
    zones
        .filter_map(|zone| {
            let kind = tree.text(&format!("sys/class/thermal/{zone}/type")).ok()?;
            let ours = ["cpu", "pkg", "soc"].iter().any(|word| kind.to_ascii_lowercase().contains(word));
            ours.then(|| (format!("sys/class/thermal/{zone}/temp"), kind))
        })
        .collect()
}

fn chips(tree: &Tree) -> Vec<(String, String)> {
    tree.names("sys/class/hwmon")
        .into_iter()
        .filter_map(|chip| {
            let name = tree.text(&format!("sys/class/hwmon/{chip}/name")).ok()?;
            let ours = ["coretemp", "k10temp", "zenpower", "cpu_thermal"].contains(&name.as_str());
            ours.then(|| (format!("sys/class/hwmon/{chip}/temp1_input"), name))
        })
        .collect()
}

/// The energy counters that this user may read.
pub(crate) fn energy(tree: &Tree) -> Fact {
    let mut readable = Vec::new();
    let mut locked = None;
    for zone in tree.names(POWERCAP) {
        let path = format!("{POWERCAP}/{zone}/energy_uj");
        match (tree.text(&format!("{POWERCAP}/{zone}/name")), tree.number(&path)) {
            (Ok(name), Ok(_)) => readable.push(name),
            (Ok(_), Err(why)) if tree.has(&path) => locked = Some(why),
            _ => {}
        }
    }
    match (readable.is_empty(), locked) {
        (false, _) => Fact::present("energy meter", format!("powercap: {}", readable.join(", "))),
        (true, Some(why)) => Fact::absent("energy meter", format!("{why}; root may")),
        (true, None) => Fact::absent("energy meter", format!("no counter of energy under /{POWERCAP}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn laptop_has_battery_temperature_and_energy() {
        let laptop = samples::laptop();
        assert_eq!(on_battery(&laptop), Some(true));
        assert_eq!(temperature(&laptop).value.unwrap(), "61 °C (x86_pkg_temp)");
        assert_eq!(energy(&laptop).value.unwrap(), "powercap: package-0, core");
    }

    #[test]
    fn battery_of_a_mouse_is_ignored() {
        let supply = |file, text| (format!("{SUPPLIES}/mouse/{file}"), text);
        let files = [supply("type", "Battery"), supply("scope", "Device"), supply("status", "Discharging")];
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
        assert_eq!(on_battery(&Tree::of(&files)), None);
    }

    #[test]
    fn impossible_temperature_hides_no_real_one() {
        let zone = |number: usize, text: &str| {
            let folder = format!("sys/class/thermal/thermal_zone{number}");
            [(format!("{folder}/type"), format!("cpu{number}-thermal")), (format!("{folder}/temp"), text.to_owned())]
        };
        let hottest = |texts: &[&str]| {
            let files: Vec<_> = texts.iter().enumerate().flat_map(|(number, text)| zone(number, text)).collect();
            let files: Vec<_> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
            temperature(&Tree::of(&files))
        };
        assert_eq!(hottest(&["255000", "61000"]).value.unwrap(), "61 °C (cpu1-thermal)");
        // Made up for this test.
        for impossible in ["127000", "65535000", "-274000", "9223372036854775807", "126999"] {
            assert_eq!(hottest(&["47000", impossible]).value.unwrap(), "47 °C (cpu0-thermal)", "{impossible}");
            assert!(hottest(&[impossible]).why.is_some(), "{impossible}");
        }
        assert!(hottest(&["0", "-40000", "N/A"]).why.is_some());
    }

    #[test]
    fn guest_has_reasons() {
        let guest = samples::guest();
        for fact in [power_supply(&guest), temperature(&guest), energy(&guest)] {
            assert!(fact.value.is_none() && fact.why.is_some());
        }
    }
}
