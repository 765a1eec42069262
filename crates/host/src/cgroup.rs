//! Limits of the control groups that this process is in: CPU time and memory.
//!
//! Version 2 is one tree under `/sys/fs/cgroup`; version 1 has one for each kind of limit. A limit applies to
//! everything below it, so every level is read and the tightest counts. Limits that a container hides are not seen.

use ciphermeter_core::Fact;

use crate::tree::Tree;

const ROOT: &str = "sys/fs/cgroup";

/// The CPU time that this process may have.
pub(crate) fn fact(tree: &Tree) -> Fact {
    match cpus(tree) {
        Ok(Some(cpus)) => Fact::present("cpu limit", format!("{cpus:.2} CPUs by control group")),
        Ok(None) => Fact::present("cpu limit", "none seen"),
        Err(why) => Fact::absent("cpu limit", why),
    }
}

/// How many CPUs' time the tightest quota allows, `None` if there is no quota.
pub(crate) fn cpus(tree: &Tree) -> Result<Option<f64>, String> {
    let own = tree.text("proc/self/cgroup")?;
    let newer = levels(&own, "").into_iter().filter_map(|path| quota(&tree.text(&format!("{path}/cpu.max")).ok()?));
    let older = levels(&own, "cpu").into_iter().filter_map(|path| {
        let number = |name: &str| tree.text(&format!("{path}/cpu.cfs_{name}_us")).ok();
        quota(&format!("{} {}", number("quota")?, number("period")?))
    });
    Ok(newer.chain(older).min_by(f64::total_cmp))
}

/// Bytes that the tightest memory limit leaves, `None` if there is no limit.
pub(crate) fn memory_left(tree: &Tree) -> Option<u64> {
    let own = tree.text("proc/self/cgroup").ok()?;
    let newer = levels(&own, "").into_iter().filter_map(|path| left(tree, &path, "memory.max", "memory.current"));
    let older = levels(&own, "memory")
        .into_iter()
        .filter_map(|path| left(tree, &path, "memory.limit_in_bytes", "memory.usage_in_bytes"));
    newer.chain(older).min()
}

/// What one level leaves: the cache of files counts as used, but the kernel frees it before it refuses anything.
fn left(tree: &Tree, path: &str, limit: &str, used: &str) -> Option<u64> {
    let limit = tree.number(&format!("{path}/{limit}")).ok()?;
    let used = tree.number(&format!("{path}/{used}")).ok()?;
    let statistics = tree.text(&format!("{path}/memory.stat")).unwrap_or_default();
    let cache = ["total_inactive_file ", "inactive_file "]
        .iter()
        .find_map(|name| statistics.lines().find_map(|line| line.strip_prefix(name)?.parse::<u64>().ok()))
        .unwrap_or(0);
    Some(limit.saturating_sub(used.saturating_sub(cache)))
}

/// `max 100000` or `50000 100000`: quota and period in µs, as a number of CPUs.
fn quota(text: &str) -> Option<f64> {
    let (quota, period) = text.split_once(' ')?;
    // Version 1 writes -1 for no limit, version 2 `max`: neither parses as such a number.
    let (quota, period): (u64, u64) = (quota.parse().ok()?, period.trim().parse().ok()?);
    (period > 0).then(|| quota as f64 / period as f64)
}

/// The folders from this process's group up to the root, for one of version 1's controllers or, if empty, version 2.
///
/// A line of `/proc/self/cgroup` is `number:controllers:path`.
fn levels(own: &str, controller: &str) -> Vec<String> {
    let mut lines = own.lines().filter_map(|line| {
        let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
        controllers.split(',').any(|name| name == controller).then_some((controllers, path))
    });
    let Some((controllers, path)) = lines.next_back() else { return Vec::new() };
    // A group outside the namespace is written with `..`; of such a path only the root is readable.
    let mut path = if path.split('/').any(|part| part == "..") { "" } else { path.trim_matches('/') };
    let root = if controllers.is_empty() { ROOT.to_owned() } else { format!("{ROOT}/{controllers}") };
    let mut levels = vec![root.clone()];
    while !path.is_empty() {
        levels.push(format!("{root}/{path}"));
        path = path.rsplit_once('/').map_or("", |(above, _)| above);
    }
    levels
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn tightest_level_counts() {
        let tree = Tree::of(&[
            ("proc/self/cgroup", "0::/a/b\n"),
            ("sys/fs/cgroup/cpu.max", "max 100000"),
            ("sys/fs/cgroup/a/cpu.max", "50000 100000"),
            ("sys/fs/cgroup/a/b/cpu.max", "200000 100000"),
        ]);
        assert_eq!(cpus(&tree), Ok(Some(0.5)));
        assert_eq!(fact(&samples::guest()).value.unwrap(), "1.50 CPUs by control group");
    }

    #[test]
    fn version_1_is_read_too() {
        let tree = Tree::of(&[
            ("proc/self/cgroup", "5:memory:/x\n4:cpu,cpuacct:/x\n0::/\n"),
            ("sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_quota_us", "25000"),
            ("sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_period_us", "100000"),
            ("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1"),
            ("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000"),
            ("sys/fs/cgroup/memory/x/memory.limit_in_bytes", "1000"),
            ("sys/fs/cgroup/memory/x/memory.usage_in_bytes", "900"),
            ("sys/fs/cgroup/memory/x/memory.stat", "inactive_file 1\ntotal_inactive_file 100\n"),
        ]);
        assert_eq!(cpus(&tree), Ok(Some(0.25)));
        assert_eq!(memory_left(&tree), Some(200));
    }

    #[test]
    fn missing_limit_is_none_and_missing_file_is_a_reason() {
        assert_eq!(cpus(&samples::laptop()), Ok(None));
        assert!(cpus(&samples::empty()).is_err());
        assert_eq!(memory_left(&samples::empty()), None);
        assert_eq!(quota("100 0"), None);
    }

    #[test]
    fn path_outside_the_namespace_is_not_followed() {
        assert_eq!(levels("0::/../../etc\n", ""), [ROOT]);
        assert_eq!(levels("nonsense\n", ""), Vec::<String>::new());
    }
}
