//! Limits of the control groups that this process is in: CPU time and memory.
//!
//! Version 2 is one tree; version 1 has one for each kind of limit, or for several together.
//! `/proc/self/mountinfo` says where they are, and which part of each is seen there. A limit
//! applies to everything below it, so every level is read and the tightest counts. Limits that a
//! container hides are not seen.

use ciphermeter_core::Fact;

use crate::tree::Tree;

const ROOT: &str = "sys/fs/cgroup";
/// A tree that is seen in more places is seen in no new way there.
const MOST_MOUNTS: usize = 16;

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
    let newer =
        levels(tree, &own, "").into_iter().filter_map(|path| quota(&tree.text(&format!("{path}/cpu.max")).ok()?));
    let older = levels(tree, &own, "cpu").into_iter().filter_map(|path| {
        let number = |name: &str| tree.text(&format!("{path}/cpu.cfs_{name}_us")).ok();
        quota(&format!("{} {}", number("quota")?, number("period")?))
    });
    Ok(newer.chain(older).min_by(f64::total_cmp))
}

/// Bytes that the tightest memory limit leaves, `None` if there is no limit.
pub(crate) fn memory_left(tree: &Tree) -> Option<u64> {
    let own = tree.text("proc/self/cgroup").ok()?;
    let newer = levels(tree, &own, "").into_iter().filter_map(|path| left(tree, &path, "memory.max", "memory.current"));
    let older = levels(tree, &own, "memory")
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
/// A line of `/proc/self/cgroup` is `number:controllers:path`; the controllers stand in any order.
fn levels(tree: &Tree, own: &str, controller: &str) -> Vec<String> {
    let mut paths = own.lines().filter_map(|line| {
        let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
        controllers.split(',').any(|name| name == controller).then_some(path)
    });
    let Some(path) = paths.next_back() else { return Vec::new() };
    // A group outside the namespace is written with `..`; of such a path only the root is readable.
    let path = if is_outside(path) { "/" } else { path };
    let mut levels = Vec::new();
    for Mount { point, root } in mounts(tree, controller) {
        let below = path.strip_prefix(root.trim_end_matches('/')).filter(|below| below.starts_with('/'));
        let mut below = below.unwrap_or_default().trim_matches('/');
        while !below.is_empty() {
            levels.push(format!("{point}/{below}"));
            below = below.rsplit_once('/').map_or("", |(above, _)| above);
        }
        levels.push(point);
    }
    levels
}

fn is_outside(path: &str) -> bool {
    path.split('/').any(|part| part == "..")
}

/// A folder through which the groups of a tree are seen.
struct Mount {
    /// Where it is, without the first `/`.
    point: String,
    /// The group that stands there.
    root: String,
}

/// Where the groups of a controller are seen; where the kernel does not say, where they usually
/// are.
fn mounts(tree: &Tree, controller: &str) -> Vec<Mount> {
    let text = tree.text("proc/self/mountinfo").unwrap_or_default();
    let found: Vec<Mount> = text.lines().filter_map(|line| mount(line, controller)).take(MOST_MOUNTS).collect();
    if !found.is_empty() {
        return found;
    }
    let usual = |point| Mount { point, root: "/".into() };
    if controller.is_empty() {
        return vec![usual(ROOT.to_owned())];
    }
    let has = |folder: &String| folder.split(',').any(|name| name == controller);
    tree.names(ROOT).into_iter().filter(has).map(|folder| usual(format!("{ROOT}/{folder}"))).collect()
}

/// A line of `/proc/self/mountinfo` (`man 5 proc_pid_mountinfo`):
/// `30 24 0:26 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid shared:9 - cgroup cgroup rw,cpuacct,cpu`.
fn mount(line: &str, controller: &str) -> Option<Mount> {
    let (place, system) = line.split_once(" - ")?;
    let mut place = place.split(' ').skip(3);
    let (root, point) = (unescaped(place.next()?), unescaped(place.next()?));
    let mut system = system.split(' ');
    let (kind, options) = (system.next()?, system.nth(1).unwrap_or_default());
    let is_its = match controller {
        "" => kind == "cgroup2",
        controller => kind == "cgroup" && options.split(',').any(|name| name == controller),
    };
    // A root outside the namespace is written with `..`, and paths then count from there.
    let root = if is_outside(&root) { "/".into() } else { root };
    is_its.then(|| Mount { point: point.trim_matches('/').to_owned(), root })
}

/// Without the escapes of blanks, line ends and backslashes: `\040`.
fn unescaped(text: &str) -> String {
    let escapes = [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")];
    escapes.iter().fold(text.to_owned(), |text, (escape, letter)| text.replace(escape, letter))
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

    /// A quarter of a CPU, set in that folder for a process with that group and these mounts.
    fn quarter(own: &str, mounts: &str, folder: &str) -> Result<Option<f64>, String> {
        let [quota, period] = ["quota", "period"].map(|name| format!("{folder}/cpu.cfs_{name}_us"));
        cpus(&Tree::of(&[
            ("proc/self/cgroup", own),
            ("proc/self/mountinfo", mounts),
            (quota.as_str(), "25000"),
            (period.as_str(), "100000"),
        ]))
    }

    #[test]
    fn limits_are_where_the_kernel_says() {
        let v1 = |root: &str, point: &str| {
            format!(
                "22 1 8:1 / / rw - xfs /dev/sda1 rw\n\
                 25 22 0:21 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,xattr,name=systemd\n\
                 30 24 0:26 {root} {point} rw,nosuid shared:9 - cgroup cgroup rw,cpuacct,cpu\n"
            )
        };
        let group = "4:cpuacct,cpu:/a/b\n1:name=systemd:/a/b\n";
        let together = "sys/fs/cgroup/cpu,cpuacct";
        for (mounts, folder) in [
            // CentOS 7, and a container on it.
            (v1("/", "/sys/fs/cgroup/cpu,cpuacct"), format!("{together}/a/b")),
            (v1("/a/b", "/sys/fs/cgroup/cpu,cpuacct"), together.to_owned()),
            // Made up for this test.
            (v1("/", "/dev/cpuctl"), "dev/cpuctl/a".into()),
            (v1("/a", "/mnt/a\\040b"), "mnt/a b/b".into()),
            (v1("/../..", "/sys/fs/cgroup/cpu"), "sys/fs/cgroup/cpu/a/b".into()),
            (v1("/elsewhere", "/sys/fs/cgroup/cpu"), "sys/fs/cgroup/cpu".into()),
            (String::new(), format!("{together}/a/b")),
        ] {
            assert_eq!(quarter(group, &mounts, &folder), Ok(Some(0.25)), "{mounts}");
        }
        let beside = v1("/a/b", "/sys/fs/cgroup/cpu");
        assert_eq!(quarter("4:cpuacct,cpu:/a/bc\n", &beside, "sys/fs/cgroup/cpu/c"), Ok(None));
        assert_eq!(quarter("1:cpuset:/a\n", &beside, "sys/fs/cgroup/cpu"), Ok(None));
        let tree = Tree::of(&[
            ("proc/self/cgroup", "1:name=systemd:/\n0::/s\n"),
            ("proc/self/mountinfo", "40 24 0:30 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"),
            ("sys/fs/cgroup/unified/s/cpu.max", "50000 100000"),
        ]);
        assert_eq!(cpus(&tree), Ok(Some(0.5)), "version 2 beside version 1");
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
        assert_eq!(levels(&samples::empty(), "0::/../../etc\n", ""), [ROOT]);
        assert_eq!(levels(&samples::empty(), "nonsense\n", ""), Vec::<String>::new());
    }
}
