//! RAPL counters through Linux's powercap (`Documentation/power/powercap/powercap.rst`): packages, and memory where it is counted apart.
//!
//! `energy_uj` counts microjoules and begins anew after `max_energy_range_uj`, on a server under load within half an hour; a reading every
//! few minutes is enough. It is updated about every millisecond. Since 2020 only root may read it, because it helps to guess secrets.

use super::counter::{Counter, Covers, Found};
use crate::tree::Tree;

const POWERCAP: &str = "sys/class/powercap";

/// All zones that belong to packages, as one counter.
pub(super) fn find(tree: Tree) -> Found {
    let names = tree.names(POWERCAP);
    let zones: Vec<Zone> = names.iter().filter_map(|folder| Zone::of(&tree, folder)).collect();
    if zones.is_empty() {
        return Err(format!("no counter of a package under /{POWERCAP}: virtual machines and most Arm CPUs have none"));
    }
    let mut powercap = Powercap { tree, zones, sum: 0 };
    match powercap.begin() {
        Ok(()) => Ok(vec![Box::new(powercap)]),
        Err(why) => Err(format!("{why}; `sudo chmod o+r /{POWERCAP}/*/energy_uj` permits it until the next start")),
    }
}

/// One zone's counter.
struct Zone {
    /// `package-0`
    name: String,
    /// The file of its counter.
    counter: String,
    /// Where the counter begins anew.
    range: u64,
    last: u64,
}

impl Zone {
    /// A package, or its memory. What lies within a package, and what is the same package by another path, would count twice.
    fn of(tree: &Tree, folder: &str) -> Option<Self> {
        let name = tree.text(&format!("{POWERCAP}/{folder}/name")).ok()?;
        let counts = name.starts_with("package-") || name == "dram";
        let range = tree.number(&format!("{POWERCAP}/{folder}/max_energy_range_uj")).ok()?;
        let is_ours = folder.starts_with("intel-rapl:") && counts;
        is_ours.then(|| Self { name, counter: format!("{POWERCAP}/{folder}/energy_uj"), range, last: 0 })
    }
}

struct Powercap {
    tree: Tree,
    zones: Vec<Zone>,
    sum: u64,
}

impl Powercap {
    fn begin(&mut self) -> Result<(), String> {
        for zone in &mut self.zones {
            zone.last = self.tree.number(&zone.counter)?;
        }
        Ok(())
    }
}

impl Counter for Powercap {
    fn name(&self) -> String {
        let names: Vec<&str> = self.zones.iter().map(|zone| zone.name.as_str()).collect();
        format!("powercap: {}", names.join(", "))
    }

    fn covers(&self) -> Covers {
        Covers::Cpu
    }

    fn microjoules(&mut self) -> Result<u64, String> {
        for zone in &mut self.zones {
            let now = self.tree.number(&zone.counter)?;
            let spent = match now.checked_sub(zone.last) {
                Some(spent) => spent,
                None => (zone.range.saturating_sub(zone.last)).saturating_add(now),
            };
            self.sum = self.sum.saturating_add(spent);
            zone.last = now;
        }
        Ok(self.sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(first: &str, second: &str) -> Vec<(String, String)> {
        let zone = |folder: &str, name: &str, energy: &str| {
            [("name", name), ("energy_uj", energy), ("max_energy_range_uj", "262143328850")]
                .map(|(file, text)| (format!("{POWERCAP}/{folder}/{file}"), text.to_string()))
        };
        [
            zone("intel-rapl:0", "package-0", first),
            zone("intel-rapl:0:0", "core", "5"),
            zone("intel-rapl:0:1", "dram", second),
            zone("intel-rapl:1", "psys", "7"),
            zone("intel-rapl-mmio:0", "package-0", first),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    fn tree(files: &[(String, String)]) -> Tree {
        Tree::of(&files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect::<Vec<_>>())
    }

    #[test]
    fn packages_and_memory_are_counted_once_and_wrap_around() {
        let tree = tree(&server("262143328800", "1000"));
        let mut found = find(tree.same()).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].name().as_str(), found[0].covers()), ("powercap: package-0, dram", Covers::Cpu));
        assert_eq!(found[0].microjoules(), Ok(0));
        tree.write(&format!("{POWERCAP}/intel-rapl:0/energy_uj"), "950\n");
        tree.write(&format!("{POWERCAP}/intel-rapl:0:1/energy_uj"), "1500\n");
        assert_eq!(found[0].microjoules(), Ok(50 + 950 + 500));
        assert_eq!(found[0].microjoules(), Ok(1500));
        tree.write(&format!("{POWERCAP}/intel-rapl:0/energy_uj"), "nothing\n");
        assert!(found[0].microjoules().unwrap_err().ends_with("holds no number"));
    }

    #[test]
    fn machine_without_counters_says_so() {
        let why = find(Tree::of(&[])).map(|_| ()).unwrap_err();
        assert!(why.starts_with("no counter of a package under /sys/class/powercap"), "{why}");
    }

    #[test]
    fn counter_that_only_root_may_read_has_a_remedy() {
        let mut files = server("1", "2");
        files.retain(|(path, _)| !path.ends_with("energy_uj"));
        let why = find(tree(&files)).map(|_| ()).unwrap_err();
        assert!(why.contains("energy_uj; `sudo chmod o+r /sys/class/powercap/*/energy_uj`"), "{why}");
    }
}
