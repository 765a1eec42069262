//! CPUs that lower their clock for wide vectors, and keep it low for a while after the last of them: whatever runs next pays for that.

use std::time::Duration;

use crate::cpuinfo::field;
use crate::tree::Tree;

/// By vendor, family and model, for how long at most. Skylake-SP, Cascade Lake and Cooper Lake have one model number. Intel's
/// optimization reference manual (248966, "Skylake Server Power Management") has about 2 ms between the last wide instruction and the
/// higher clock. Later CPUs are not here: T. Downs found no such steps on Rocket Lake, and one of 100 MHz on one core of Ice Lake
/// (<https://travisdowns.github.io/blog/2020/08/19/icl-avx512-freq.html>).
const TABLE: [(&str, &str, &str, Duration); 1] = [("GenuineIntel", "6", "85", Duration::from_millis(2))];

/// For how long the clock may stay low; `None` for a CPU that isn't in the table.
pub(crate) fn lasts(tree: &Tree) -> Option<Duration> {
    let text = tree.text("proc/cpuinfo").ok()?;
    let [vendor, family, model] = ["vendor_id", "cpu family", "model"].map(|name| field(&text, name));
    let is_here = |entry: &&(&str, &str, &str, Duration)| {
        (Some(entry.0), Some(entry.1), Some(entry.2)) == (vendor, family, model)
    };
    TABLE.iter().find(is_here).map(|entry| entry.3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn only_listed_cpus_keep_their_clock_low() {
        let cpu = |model| format!("processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: {model}\n");
        let lasting = |model| lasts(&Tree::of(&[("proc/cpuinfo", cpu(model).as_str())]));
        assert_eq!(lasting("85"), Some(Duration::from_millis(2)));
        assert_eq!(lasting("106"), None, "Ice Lake-SP");
        assert_eq!(lasts(&samples::laptop()), None);
        assert_eq!(lasts(&samples::empty()), None);
    }
}
