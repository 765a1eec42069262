//! The CPUs' topology: threads of a core, kinds of cores, caches. From `/sys/devices/system/cpu`.

use ciphermeter_core::{Bytes, Fact};

use crate::{list, tree::Tree};

const CPUS: &str = "sys/devices/system/cpu";

/// The CPUs that run; `None` where the kernel lists none.
pub(crate) fn online(tree: &Tree) -> Option<Vec<usize>> {
    let listed = list::parse(&tree.text(&format!("{CPUS}/online")).ok()?);
    listed.filter(|cpus| !cpus.is_empty())
}

/// How many logical CPUs there are, and which ones this process may use.
pub(crate) fn cores(tree: &Tree, allowed: &[usize]) -> Fact {
    let count = online(tree).map(|online| online.len());
    match count.or_else(|| std::thread::available_parallelism().ok().map(usize::from)) {
        Some(count) => {
            let (mask, used) = (list::write(allowed), allowed.len());
            Fact::present("cores", format!("{count} logical, {used} allowed to this process ({mask})"))
        }
        None => Fact::absent("cores", "the system doesn't count its CPUs"),
    }
}

/// The hardware threads of a CPU's core, including itself.
pub(crate) fn threads(tree: &Tree, cpu: usize) -> Result<Vec<usize>, String> {
    let path = format!("{CPUS}/cpu{cpu}/topology/thread_siblings_list");
    let text = tree.text(&path)?;
    list::parse(&text).filter(|cpus| cpus.contains(&cpu)).ok_or_else(|| format!("/{path} doesn't name CPU {cpu}"))
}

/// The threads that share the worker's core.
pub(crate) fn siblings(tree: &Tree, worker: usize) -> Fact {
    match threads(tree, worker) {
        Ok(cpus) if cpus.len() == 1 => {
            Fact::present("siblings", format!("none that the system knows of for CPU {worker}"))
        }
        Ok(cpus) => Fact::present("siblings", format!("CPUs {} share a core", list::write(&cpus))),
        Err(why) => Fact::absent("siblings", why),
    }
}

/// A CPU's kind of core, where a machine has more than one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CoreKind {
    /// All are of one kind, as far as the system reports.
    Only,
    /// None is faster.
    Fast,
    /// The listed CPUs are faster.
    Slow(Vec<usize>),
}

/// The kinds of CPUs of Intel's hybrids, which list them as performance counters, the fastest
/// first; `None` of other machines.
fn hybrid(tree: &Tree) -> Option<Vec<Vec<usize>>> {
    let kind = |name: &str| list::parse(&tree.text(&format!("sys/devices/{name}/cpus")).ok()?);
    let kinds = ["cpu_core", "cpu_atom", "cpu_lowpower"].into_iter().filter_map(kind);
    let kinds: Vec<Vec<usize>> = kinds.filter(|cpus| !cpus.is_empty()).collect();
    (kinds.len() > 1).then_some(kinds)
}

/// A CPU's capacity as Arm's kernels (and lately others) report it, relative to the fastest CPU's 1024.
fn capacity(tree: &Tree, cpu: usize) -> Result<u64, String> {
    tree.number(&format!("{CPUS}/cpu{cpu}/cpu_capacity"))
}

/// The kind of a CPU: Intel's hybrids list theirs, Arm's have capacities.
pub(crate) fn kind_of(tree: &Tree, cpu: usize) -> Result<CoreKind, String> {
    if let Some(kinds) = hybrid(tree) {
        return match kinds.iter().position(|kind| kind.contains(&cpu)) {
            Some(0) => Ok(CoreKind::Fast),
            Some(_) => Ok(CoreKind::Slow(kinds[0].clone())),
            None => Err(format!("the kernel lists CPU {cpu} under no kind")),
        };
    }
    let own = capacity(tree, cpu)?;
    let online = online(tree).unwrap_or_default();
    let all: Vec<(usize, u64)> = online.into_iter().filter_map(|cpu| Some((cpu, capacity(tree, cpu).ok()?))).collect();
    let most = all.iter().map(|(_, capacity)| *capacity).max().unwrap_or(own);
    if own < most {
        return Ok(CoreKind::Slow(all.iter().filter(|(_, capacity)| *capacity == most).map(|(cpu, _)| *cpu).collect()));
    }
    Ok(if all.iter().all(|(_, capacity)| *capacity == most) { CoreKind::Only } else { CoreKind::Fast })
}

/// Those of the CPUs that have the fastest kind of core among them; all, where the kernel reports no kinds.
pub(crate) fn fastest(tree: &Tree, cpus: &[usize]) -> Vec<usize> {
    let hybrid = hybrid(tree);
    let speed = |cpu: usize| match &hybrid {
        Some(kinds) => kinds.iter().rev().position(|kind| kind.contains(&cpu)).map_or(0, |rank| rank as u64 + 1),
        None => capacity(tree, cpu).unwrap_or(0),
    };
    let most = cpus.iter().map(|cpu| speed(*cpu)).max();
    cpus.iter().copied().filter(|cpu| Some(speed(*cpu)) == most).collect()
}

/// The kind of the worker's core.
pub(crate) fn kind(tree: &Tree, worker: usize) -> Fact {
    match kind_of(tree, worker) {
        Ok(CoreKind::Only) => Fact::present("core kind", "all alike"),
        Ok(CoreKind::Fast) => Fact::present("core kind", format!("CPU {worker} is of the fastest kind")),
        Ok(CoreKind::Slow(fast)) => {
            Fact::present("core kind", format!("CPU {worker} is of a slower kind; {} are faster", list::write(&fast)))
        }
        Err(why) => Fact::absent("core kind", why),
    }
}

/// The data caches of the worker's CPU.
pub(crate) fn caches(tree: &Tree, worker: usize) -> Fact {
    let folder = format!("{CPUS}/cpu{worker}/cache");
    let parts: Vec<String> =
        tree.names(&folder).iter().filter_map(|index| cache(tree, &format!("{folder}/{index}"))).collect();
    match parts.is_empty() {
        true => Fact::absent("caches", tree.text(&format!("{folder}/index0/size")).err().unwrap_or(no_caches())),
        false => Fact::present("caches", parts.join(", ")),
    }
}

fn no_caches() -> String {
    "the kernel lists no data cache".into()
}

/// One cache: `L3 32MiB shared by 0-7`; `None` for instructions.
fn cache(tree: &Tree, folder: &str) -> Option<String> {
    let text = |name: &str| tree.text(&format!("{folder}/{name}")).ok();
    let (level, what) = (text("level")?, text("type")?);
    let name = match what.as_str() {
        "Data" => format!("L{level}d"),
        "Unified" => format!("L{level}"),
        _ => return None,
    };
    let size = size(&text("size")?)?;
    let shared = text("shared_cpu_list").and_then(|text| list::parse(&text)).unwrap_or_default();
    Some(match shared.len() {
        0 | 1 => format!("{name} {size}"),
        _ => format!("{name} {size} shared by {}", list::write(&shared)),
    })
}

/// The kernel's `32768K`.
fn size(text: &str) -> Option<Bytes> {
    let (digits, factor) = text.strip_suffix('K').map_or((text, 1), |digits| (digits, 1024));
    digits.parse::<u64>().ok()?.checked_mul(factor).map(Bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn laptop_shares_its_cores() {
        let laptop = samples::laptop();
        assert_eq!(threads(&laptop, 7), Ok(vec![3, 7]));
        assert_eq!(
            caches(&laptop, 7).value.unwrap(),
            "L1d 48KiB shared by 3,7, L2 1280KiB shared by 3,7, L3 12MiB shared by 0-7"
        );
        assert_eq!(cores(&laptop, &[0, 1, 7]).value.unwrap(), "8 logical, 3 allowed to this process (0-1,7)");
    }

    #[test]
    fn machine_without_files_has_reasons() {
        let empty = samples::empty();
        assert!(threads(&empty, 0).is_err() && kind_of(&empty, 0).is_err());
        assert!(siblings(&empty, 0).why.is_some() && caches(&empty, 0).why.is_some());
    }

    #[test]
    fn kinds_are_read_from_both_families() {
        let hybrid = Tree::of(&[("sys/devices/cpu_core/cpus", "0-3"), ("sys/devices/cpu_atom/cpus", "4-7")]);
        assert_eq!(kind_of(&hybrid, 7), Ok(CoreKind::Slow(vec![0, 1, 2, 3])));
        assert_eq!(kind_of(&hybrid, 3), Ok(CoreKind::Fast));
        let capacity = |cpu, text| (format!("{CPUS}/cpu{cpu}/cpu_capacity"), text);
        let (little, big) = (capacity(0, "530"), capacity(1, "1024"));
        let arm = Tree::of(&[(&format!("{CPUS}/online"), "0-1"), (&little.0, little.1), (&big.0, big.1)]);
        assert_eq!(kind_of(&arm, 0), Ok(CoreKind::Slow(vec![1])));
        assert_eq!(kind_of(&arm, 1), Ok(CoreKind::Fast));
        assert_eq!(kind_of(&samples::server(), 1), Ok(CoreKind::Only));
    }

    #[test]
    fn low_power_cores_are_the_slowest_kind() {
        let of = |kinds: &[(&str, &str)]| {
            let files: Vec<_> = kinds.iter().map(|(kind, cpus)| (format!("sys/devices/{kind}/cpus"), *cpus)).collect();
            Tree::of(&files.iter().map(|(path, cpus)| (path.as_str(), *cpus)).collect::<Vec<_>>())
        };
        let arrow = of(&[("cpu_core", "0-5"), ("cpu_atom", "6-13"), ("cpu_lowpower", "14-15")]);
        assert_eq!(kind_of(&arrow, 15), Ok(CoreKind::Slow(vec![0, 1, 2, 3, 4, 5])));
        assert_eq!(fastest(&arrow, &[5, 13, 14, 15]), [5]);
        // Made up for this test.
        assert_eq!(fastest(&arrow, &[12, 13, 14, 15]), [12, 13], "none of the fastest is allowed");
        assert_eq!(fastest(&arrow, &[14, 15]), [14, 15]);
        let two = of(&[("cpu_core", "0-3"), ("cpu_lowpower", "4-5"), ("cpu_atom", "")]);
        assert_eq!((kind_of(&two, 4), kind_of(&two, 3)), (Ok(CoreKind::Slow(vec![0, 1, 2, 3])), Ok(CoreKind::Fast)));
        assert!(kind_of(&two, 9).is_err(), "a CPU of no kind is not of the fastest");
        assert!(kind_of(&of(&[("cpu_core", "0-3"), ("cpu_atom", "\n")]), 0).is_err(), "one kind is no hybrid");
    }

    #[test]
    fn cpus_are_counted_where_the_kernel_lists_none() {
        // Made up for this test, but for the first.
        for empty in ["", "\n", " ", ",", "none", "8192-9000"] {
            let tree = Tree::of(&[(&format!("{CPUS}/online"), empty)]);
            let value = cores(&tree, &[0]).value.unwrap();
            assert!(!value.starts_with("0 ") && value.ends_with("1 allowed to this process (0)"), "{value}");
        }
    }

    #[test]
    fn fastest_are_chosen_among_the_allowed() {
        let hybrid = Tree::of(&[("sys/devices/cpu_core/cpus", "0-3"), ("sys/devices/cpu_atom/cpus", "4-7")]);
        assert_eq!(fastest(&hybrid, &[2, 3, 6, 7]), [2, 3]);
        assert_eq!(fastest(&hybrid, &[6, 7]), [6, 7]);
        let phone = samples::phone();
        assert_eq!(fastest(&phone, &[0, 1, 2, 3, 4, 5, 6, 7]), [7]);
        assert_eq!(fastest(&phone, &[0, 1, 2, 3, 4, 5, 6]), [4, 5, 6]);
        assert_eq!(fastest(&samples::empty(), &[0, 1]), [0, 1]);
        assert_eq!(fastest(&samples::empty(), &[]), Vec::<usize>::new());
    }

    #[test]
    fn size_is_in_the_kernels_notation() {
        assert_eq!(size("32768K"), Some(Bytes(32 << 20)));
        assert_eq!(size("K"), None);
        assert_eq!(size("99999999999999999999K"), None);
    }
}
