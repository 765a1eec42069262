//! A battery's gauge (`Documentation/ABI/testing/sysfs-class-power`): what is left in it falls while the machine draws from it.
//!
//! The steps are coarse, 10 mWh or more, and come every few seconds: only minutes of load say anything.

use std::time::Duration;

use super::counter::{Counter, Covers, Found};
use crate::tree::Tree;

const SUPPLIES: &str = "sys/class/power_supply";
/// How often a gauge is updated at the least; most take a few seconds.
const PERIOD: Duration = Duration::from_secs(30);

/// The machine's batteries, as one counter.
pub(super) fn find(tree: Tree) -> Found {
    let mut batteries: Vec<Gauge> =
        tree.names(SUPPLIES).into_iter().filter_map(|name| Gauge::of(&tree, &name)).collect();
    if batteries.is_empty() {
        return Err(format!("no battery with a gauge under /{SUPPLIES}"));
    }
    for battery in &mut batteries {
        battery.last = battery.left(&tree)?;
    }
    Ok(vec![Box::new(Batteries { tree, batteries, sum: 0 })])
}

/// How a battery says what is left in it.
#[derive(Clone, Copy)]
enum Unit {
    /// `energy_now`, in µWh.
    Energy,
    /// `charge_now`, in µAh, with `voltage_now`, in µV.
    Charge,
}

struct Gauge {
    folder: String,
    unit: Unit,
    /// Microjoules that were left.
    last: u64,
}

impl Gauge {
    fn of(tree: &Tree, name: &str) -> Option<Self> {
        let folder = format!("{SUPPLIES}/{name}");
        let text = |file: &str| tree.text(&format!("{folder}/{file}")).unwrap_or_default();
        if text("type") != "Battery" || text("scope") == "Device" {
            return None;
        }
        let units = [(Unit::Energy, "energy_now"), (Unit::Charge, "charge_now")];
        let (unit, _) = units.into_iter().find(|(_, file)| tree.number(&format!("{folder}/{file}")).is_ok())?;
        Some(Self { folder, unit, last: 0 })
    }

    /// Microjoules that are left. A battery that is not discharged tells nothing of what is drawn.
    fn left(&self, tree: &Tree) -> Result<u64, String> {
        let status = tree.text(&format!("{}/status", self.folder))?;
        if status != "Discharging" {
            return Err(format!("the battery reports `{status}`: unplug the machine to measure by its gauge"));
        }
        let number = |file: &str| tree.number(&format!("{}/{file}", self.folder));
        match self.unit {
            Unit::Energy => Ok(number("energy_now")?.saturating_mul(3600)),
            Unit::Charge => {
                let nanojoules = u128::from(number("charge_now")?) * u128::from(number("voltage_now")?) * 36 / 10;
                Ok(u64::try_from(nanojoules / 1000).unwrap_or(u64::MAX))
            }
        }
    }
}

struct Batteries {
    tree: Tree,
    batteries: Vec<Gauge>,
    sum: u64,
}

impl Counter for Batteries {
    fn name(&self) -> String {
        let names: Vec<&str> = self.batteries.iter().filter_map(|battery| battery.folder.rsplit('/').next()).collect();
        format!("battery: {}", names.join(", "))
    }

    fn covers(&self) -> Covers {
        Covers::Machine
    }

    fn microjoules(&mut self) -> Result<u64, String> {
        for battery in &mut self.batteries {
            let left = battery.left(&self.tree)?;
            // A gauge may correct itself upwards; that is no energy that came back.
            self.sum = self.sum.saturating_add(battery.last.saturating_sub(left));
            battery.last = left;
        }
        Ok(self.sum)
    }

    fn slow_period(&self) -> Option<Duration> {
        Some(PERIOD)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laptop(unit: &[(&str, &str)], status: &str) -> Tree {
        let of = |file: &str, text: &str| (format!("{SUPPLIES}/BAT0/{file}"), text.to_string());
        let mut files = vec![of("type", "Battery"), of("status", status)];
        files.extend(unit.iter().map(|(file, text)| of(file, text)));
        files.push((format!("{SUPPLIES}/mouse/type"), "Battery".into()));
        files.push((format!("{SUPPLIES}/mouse/scope"), "Device".into()));
        files.push((format!("{SUPPLIES}/mouse/energy_now"), "9".into()));
        Tree::of(&files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect::<Vec<_>>())
    }

    #[test]
    fn energy_that_left_the_battery_is_counted() {
        let tree = laptop(&[("energy_now", "40000000\n")], "Discharging");
        let mut found = find(tree.same()).unwrap();
        assert_eq!((found[0].name().as_str(), found[0].covers()), ("battery: BAT0", Covers::Machine));
        tree.write(&format!("{SUPPLIES}/BAT0/energy_now"), "39990000\n");
        assert_eq!(found[0].microjoules(), Ok(36_000_000), "10 mWh are 36 J");
        tree.write(&format!("{SUPPLIES}/BAT0/energy_now"), "39995000\n");
        assert_eq!(found[0].microjoules(), Ok(36_000_000), "nothing comes back");
        tree.write(&format!("{SUPPLIES}/BAT0/status"), "Charging\n");
        assert!(found[0].microjoules().unwrap_err().ends_with("unplug the machine to measure by its gauge"));
    }

    #[test]
    fn charge_and_voltage_make_energy() {
        let tree = laptop(&[("charge_now", "4000000"), ("voltage_now", "12000000")], "Discharging");
        let mut found = find(tree.same()).unwrap();
        tree.write(&format!("{SUPPLIES}/BAT0/charge_now"), "3999000");
        // 1 mAh at 12 V.
        assert_eq!(found[0].microjoules(), Ok(43_200_000));
    }

    #[test]
    fn plugged_machine_and_one_without_battery_say_so() {
        let why = |tree| find(tree).map(|_| ()).unwrap_err();
        assert!(why(laptop(&[("energy_now", "1")], "Full")).contains("reports `Full`: unplug"));
        assert_eq!(why(Tree::of(&[])), "no battery with a gauge under /sys/class/power_supply");
    }
}
