//! Which CPU the worker runs on and which one the harness: masks of the calling thread, and nothing else of the
//! machine.
//!
//! The mask that this process was started with is read once, before anything here changes a mask, so [`allowed`] and
//! [`pinning`] stay the same for the life of the process.

use std::collections::BTreeSet;
use std::io;
use std::sync::OnceLock;

use ciphermeter_core::Fact;

use crate::{list, topology, tree::Tree};

/// The CPUs of the worker and the harness.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pinning {
    /// The CPU on which all single-threaded workers take turns.
    pub worker: usize,
    /// The CPU on which the harness waits.
    pub harness: usize,
    /// There is only one CPU, and both run on it.
    pub shared: bool,
    /// The harness runs on a hyperthread of the worker's core, because no other CPU is allowed.
    pub siblings: bool,
}

/// The CPUs that this process may use, ascending: the mask of the thread that called this first.
///
/// Where there are no masks, as on macOS, all logical CPUs.
pub fn allowed() -> Vec<usize> {
    static FIRST: OnceLock<Vec<usize>> = OnceLock::new();
    FIRST.get_or_init(|| current().unwrap_or_else(|_| all())).clone()
}

/// Where they run. The worker gets the last allowed CPU of the fastest kind, because interrupts tend to go to the
/// first. The harness gets the first CPU outside the worker's core, because it is the least likely to share a cache
/// with the last.
///
/// `None` where masks cannot be set, as on macOS.
pub fn pinning() -> Option<Pinning> {
    current().ok()?;
    pinning_of(&Tree::live(), &allowed())
}

fn pinning_of(tree: &Tree, allowed: &[usize]) -> Option<Pinning> {
    let worker = *topology::fastest(tree, allowed).last()?;
    Some(choose(allowed, worker, &topology::threads(tree, worker).unwrap_or_default()))
}

/// The CPUs that this process may use, in the order in which threads take them: one of each physical core first, fast
/// ones before slow ones, so that as few threads as possible share a core.
pub fn spread() -> Vec<usize> {
    spread_of(&Tree::live(), &allowed())
}

fn spread_of(tree: &Tree, allowed: &[usize]) -> Vec<usize> {
    let (mut left, mut cpus) = (allowed.to_vec(), Vec::new());
    while !left.is_empty() {
        let fast = topology::fastest(tree, &left);
        left.retain(|cpu| !fast.contains(cpu));
        cpus.extend(fast);
    }
    // Sorting keeps the order of equal ones.
    cpus.sort_by_cached_key(|cpu| {
        let siblings = topology::threads(tree, *cpu).unwrap_or_default();
        siblings.iter().filter(|sibling| *sibling < cpu && allowed.contains(sibling)).count()
    });
    cpus
}

/// How many memory nodes the machine has; 1 where the system doesn't say. With several, memory is near some of the CPUs.
pub fn memory_nodes() -> usize {
    memory_nodes_of(&Tree::live())
}

fn memory_nodes_of(tree: &Tree) -> usize {
    let online = tree.text("sys/devices/system/node/online").ok().and_then(|text| list::parse(&text));
    online.map_or(1, |nodes| nodes.len().max(1))
}

/// Pins the calling thread to one CPU, for good.
pub fn pin(cpu: usize) -> io::Result<()> {
    allowed();
    set(&[cpu])
}

/// Pins another process of this user to one CPU, with all its threads, including those that it starts meanwhile.
pub fn pin_process(process: u32, cpu: usize) -> io::Result<()> {
    // A thread inherits its parent's mask, so once a pass finds no new thread, no new thread can have another mask.
    let mut done = BTreeSet::new();
    loop {
        let mut new = threads_of(process)?;
        new.retain(|thread| !done.contains(thread));
        if new.is_empty() {
            return Ok(());
        }
        for thread in new {
            pin_thread(thread, cpu)?;
            done.insert(thread);
        }
    }
}

/// Does the work with the calling thread on these CPUs only; a process or thread that it starts inherits the mask.
///
/// The earlier mask is restored afterwards, also on panic. If the mask cannot be set, the work is not done.
pub fn with_mask<T>(cpus: &[usize], work: impl FnOnce() -> T) -> io::Result<T> {
    struct Restore(Vec<usize>);
    impl Drop for Restore {
        fn drop(&mut self) {
            // Fails only if every CPU of the mask was taken from the process meanwhile; then the kernel has chosen
            // others.
            let _ = set(&self.0);
        }
    }
    allowed();
    let restore = Restore(current()?);
    set(cpus)?;
    let result = work();
    drop(restore);
    Ok(result)
}

pub(crate) fn fact(pinning: Option<&Pinning>) -> Fact {
    match pinning {
        Some(Pinning { worker, harness, shared: false, siblings: false }) => {
            Fact::present("pinning", format!("workers on CPU {worker}, harness on CPU {harness}"))
        }
        Some(Pinning { worker, harness, shared: false, .. }) => {
            Fact::present("pinning", format!("workers on CPU {worker}, harness on CPU {harness} of the same core"))
        }
        Some(Pinning { worker, .. }) => Fact::present("pinning", format!("workers and harness on CPU {worker}")),
        None => Fact::absent("pinning", format!("no CPU masks on {}", std::env::consts::OS)),
    }
}

fn choose(allowed: &[usize], worker: usize, siblings: &[usize]) -> Pinning {
    let others = || allowed.iter().copied().filter(|cpu| *cpu != worker);
    let apart = others().find(|cpu| !siblings.contains(cpu));
    let harness = apart.or(others().next());
    Pinning {
        worker,
        harness: harness.unwrap_or(worker),
        shared: harness.is_none(),
        siblings: apart.is_none() && harness.is_some(),
    }
}

fn all() -> Vec<usize> {
    (0..std::thread::available_parallelism().map_or(1, usize::from)).collect()
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn current() -> io::Result<Vec<usize>> {
    use rustix::thread::{CpuSet, sched_getaffinity};
    let mask = sched_getaffinity(None)
        .map_err(|error| io::Error::new(error.kind(), format!("cannot read the CPU mask: {error}")))?;
    Ok((0..CpuSet::MAX_CPU).filter(|cpu| mask.is_set(*cpu)).collect())
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn set(cpus: &[usize]) -> io::Result<()> {
    use rustix::thread::{CpuSet, sched_setaffinity};
    let refused = |why: &str| {
        let advice = "use CPUs that this process may use";
        io::Error::new(io::ErrorKind::InvalidInput, format!("CPUs {}: {why}; {advice}", list::write(cpus)))
    };
    let mut mask = CpuSet::new();
    for cpu in cpus {
        if *cpu >= CpuSet::MAX_CPU {
            return Err(refused(&format!("a mask ends at CPU {}", CpuSet::MAX_CPU - 1)));
        }
        mask.set(*cpu);
    }
    let before = current()?;
    sched_setaffinity(None, &mask).map_err(|error| refused(&format!("cannot set the mask: {error}")))?;
    // The kernel silently drops the CPUs that a cpuset forbids; a mask other than the requested one is an error.
    let mut asked = cpus.to_vec();
    asked.sort_unstable();
    asked.dedup();
    if current()? != asked {
        let mut old = CpuSet::new();
        before.iter().for_each(|cpu| old.set(*cpu));
        sched_setaffinity(None, &old)?;
        return Err(refused("not all of them may be used"));
    }
    Ok(())
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn threads_of(process: u32) -> io::Result<Vec<i32>> {
    let names = std::fs::read_dir(format!("/proc/{process}/task"))?.flatten().map(|entry| entry.file_name());
    Ok(names.filter_map(|name| name.to_str()?.parse().ok()).collect())
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn pin_thread(thread: i32, cpu: usize) -> io::Result<()> {
    use rustix::process::Pid;
    use rustix::thread::{CpuSet, sched_setaffinity};
    let mut mask = CpuSet::new();
    mask.set(cpu);
    match sched_setaffinity(Pid::from_raw(thread), &mask) {
        // It ended meanwhile.
        Err(rustix::io::Errno::SRCH) => Ok(()),
        set => Ok(set?),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn threads_of(_: u32) -> io::Result<Vec<i32>> {
    Err(unsupported())
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn pin_thread(_: i32, _: usize) -> io::Result<()> {
    Err(unsupported())
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn current() -> io::Result<Vec<usize>> {
    Err(unsupported())
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn set(cpus: &[usize]) -> io::Result<()> {
    let _ = list::write(cpus);
    Err(unsupported())
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn unsupported() -> io::Error {
    let os = std::env::consts::OS;
    io::Error::new(io::ErrorKind::Unsupported, format!("{os} has no CPU masks; measure without pinning"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn memory_nodes_are_counted() {
        let nodes = |text| memory_nodes_of(&Tree::of(&[("sys/devices/system/node/online", text)]));
        assert_eq!([nodes("0\n"), nodes("0-1\n"), nodes("0,2-3\n"), nodes("?")], [1, 2, 3, 1]);
        assert_eq!(memory_nodes_of(&Tree::of(&[])), 1);
    }

    #[test]
    fn harness_avoids_the_workers_core_where_possible() {
        let pinning = |worker, harness, shared, siblings| Pinning { worker, harness, shared, siblings };
        assert_eq!(choose(&[0, 1, 2, 3], 3, &[2, 3]), pinning(3, 0, false, false));
        assert_eq!(choose(&[2, 3], 3, &[2, 3]), pinning(3, 2, false, true));
        assert_eq!(choose(&[0, 4, 7], 7, &[3, 7]), pinning(7, 0, false, false));
        assert_eq!(choose(&[3, 5, 7], 7, &[3, 7]), pinning(7, 5, false, false));
        assert_eq!(choose(&[0, 1, 2, 3], 1, &[0, 1]), pinning(1, 2, false, false));
        assert_eq!(choose(&[5], 5, &[1, 5]), pinning(5, 5, true, false));
        assert_eq!(choose(&[0, 1], 1, &[]), pinning(1, 0, false, false));
    }

    #[test]
    fn worker_runs_on_the_fastest_kind_of_core() {
        let all = [0, 1, 2, 3, 4, 5, 6, 7];
        let worker = |tree: Tree, allowed: &[usize]| pinning_of(&tree, allowed).map(|pinning| pinning.worker);
        assert_eq!(worker(samples::phone(), &all), Some(7));
        assert_eq!(worker(samples::phone(), &[0, 1, 2, 3]), Some(3));
        let hybrid = [("sys/devices/cpu_core/cpus", "0-3"), ("sys/devices/cpu_atom/cpus", "4-7")];
        assert_eq!(worker(Tree::of(&hybrid), &all), Some(3));
        assert_eq!(worker(samples::laptop(), &all), Some(7));
        assert_eq!(worker(samples::empty(), &[]), None);
    }

    #[test]
    fn threads_take_a_core_each_before_sharing_one() {
        let pairs: Vec<(String, String)> = (0..4)
            .map(|cpu| {
                let path = format!("sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
                (path, format!("{},{}", cpu % 2, cpu % 2 + 2))
            })
            .collect();
        let pairs: Vec<_> = pairs.iter().map(|(path, list)| (path.as_str(), list.as_str())).collect();
        assert_eq!(spread_of(&Tree::of(&pairs), &[0, 1, 2, 3]), [0, 1, 2, 3]);
        assert_eq!(spread_of(&Tree::of(&pairs), &[0, 2, 3]), [0, 3, 2]);
        assert_eq!(spread_of(&samples::phone(), &[0, 1, 6, 7]), [7, 6, 0, 1]);
        assert_eq!(spread_of(&samples::empty(), &[4, 5]), [4, 5]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn mask_lasts_as_long_as_the_work_and_is_inherited() {
        let before = current().unwrap();
        let one = pinning().unwrap().worker;
        let (here, child) =
            with_mask(&[one], || (current().unwrap(), std::thread::spawn(|| current().unwrap()).join().unwrap()))
                .unwrap();
        assert_eq!((here, child), (vec![one], vec![one]));
        assert_eq!(current().unwrap(), before);
        assert_eq!(pinning().unwrap().worker, one);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn mask_is_restored_after_a_panic() {
        let before = current().unwrap();
        let one = before[0];
        let panicked = std::panic::catch_unwind(|| with_mask(&[one], || panic!("on purpose")));
        assert!(panicked.is_err());
        assert_eq!(current().unwrap(), before);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn impossible_mask_changes_nothing() {
        let before = current().unwrap();
        let beyond = [before[0], 1023];
        for cpus in [&[][..], &[4096][..], &beyond[..]] {
            if !cpus.is_empty() && cpus.iter().all(|cpu| before.contains(cpu)) {
                continue; // a machine of 1024 CPUs may set the last mask
            }
            let work = || -> () { panic!("the work is not done") };
            let error = with_mask(cpus, work).unwrap_err();
            assert!(error.to_string().contains("may use"), "{error}");
            assert_eq!(current().unwrap(), before);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn pinned_thread_still_knows_the_allowed_cpus() {
        let allowed = allowed();
        std::thread::spawn(move || {
            pin(allowed[0]).unwrap();
            assert_eq!(current().unwrap(), [allowed[0]]);
            assert_eq!(super::allowed(), allowed);
        })
        .join()
        .unwrap();
    }
}
