//! `/proc/meminfo`: total and available memory.

use ciphermeter_core::Fact;

use crate::{cgroup, tree::Tree};

const PATH: &str = "proc/meminfo";

/// Total and available.
pub(crate) fn fact(tree: &Tree) -> Fact {
    let text = match tree.text(PATH) {
        Ok(text) => text,
        Err(why) => return Fact::absent("memory", why),
    };
    match (kibibytes(&text, "MemTotal"), available(tree)) {
        (Some(total), Some(free)) => {
            Fact::present("memory", format!("{} in all, {} available", gibibytes(total), gibibytes(free)))
        }
        (Some(total), None) => Fact::present("memory", format!("{} in all", gibibytes(total))),
        (None, _) => Fact::absent("memory", format!("/{PATH} has no MemTotal")),
    }
}

/// Bytes that a new program can get without swapping: the machine's, or the control group's where that is less.
pub(crate) fn available(tree: &Tree) -> Option<u64> {
    let machine = kibibytes(&tree.text(PATH).ok()?, "MemAvailable")?;
    Some(cgroup::memory_left(tree).map_or(machine, |left| left.min(machine)))
}

/// Bytes of swap in use, `None` if unknown.
pub(crate) fn swapped(tree: &Tree) -> Option<u64> {
    let text = tree.text(PATH).ok()?;
    kibibytes(&text, "SwapTotal")?.checked_sub(kibibytes(&text, "SwapFree")?)
}

/// A line such as `VmRSS:     1234 kB`, which `/proc/self/status` writes too, in bytes. The kernel's kB are 1024.
pub(crate) fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// Bytes in units for people.
pub(crate) fn gibibytes(bytes: u64) -> String {
    format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn memory_is_total_and_available() {
        assert_eq!(fact(&samples::laptop()).value.unwrap(), "15.3 GiB in all, 9.9 GiB available");
        assert_eq!(swapped(&samples::laptop()), Some((8388604 - 7340028) * 1024));
        assert_eq!(swapped(&samples::guest()), Some(0));
        assert_eq!(swapped(&samples::empty()), None);
    }

    #[test]
    fn control_group_limits_available_memory() {
        assert_eq!(available(&samples::guest()), Some((256 << 20) - (100 << 20) + (20 << 20)));
    }

    #[test]
    fn broken_line_is_none() {
        for text in
            ["", "MemTotal:", "MemTotal: x kB", "MemTotal: 12", "MemTotalX: 1 kB", "MemTotal: 99999999999999999999 kB"]
        {
            assert_eq!(kibibytes(text, "MemTotal"), None, "{text}");
        }
    }
}
