//! What on this machine spoils measurements, each with the observed figure and a remedy.
//!
//! Nothing here is changed or tried: the doctor only reads, and names the remedy.

use crate::cpuinfo;
use crate::cpus;
use crate::switches::switches;
use crate::tree::Tree;

mod finding;
mod frequency;
mod neighbours;

use finding::Machine;
pub use finding::{Finding, Verdict};

/// Looks at everything, and reports what is well, too. What cannot be seen here is omitted, or is a note where its
/// absence matters.
pub fn spoilers() -> Vec<Finding> {
    let release = rustix::system::uname().release().to_string_lossy().into_owned();
    let (tree, allowed) = (Tree::live(), cpus::allowed());
    let (emulated, switches) = (cpuinfo::emulated(&tree), switches());
    let pinning = cpus::pinning();
    examine(&Machine { tree: &tree, allowed: &allowed, pinning, release: &release, emulated, switches: &switches })
}

fn examine(machine: &Machine) -> Vec<Finding> {
    let checks = [
        frequency::emulator,
        frequency::switches,
        neighbours::cpus,
        frequency::kind,
        neighbours::siblings,
        frequency::governor,
        frequency::turbo,
        frequency::battery,
        frequency::throttled,
        frequency::clocksource,
        neighbours::hypervisor,
        neighbours::steal,
        neighbours::load,
        neighbours::limit,
        neighbours::swap,
        frequency::kernel,
    ];
    checks.iter().filter_map(|check| check(machine)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpus::Pinning;
    use crate::samples;

    const LAPTOP: Pinning = Pinning { worker: 7, harness: 0, shared: false, siblings: false };
    const TWO: Pinning = Pinning { worker: 1, harness: 0, shared: false, siblings: false };

    fn verdicts(tree: &Tree, allowed: &[usize], pinning: Option<Pinning>) -> Vec<(String, Verdict)> {
        let (release, emulated) = ("6.8.0-45-generic", false);
        let findings = examine(&Machine { tree, allowed, pinning, release, emulated, switches: &[] });
        findings.into_iter().map(|finding| (finding.about, finding.verdict)).collect()
    }

    fn verdict(of: &[(String, Verdict)], about: &str) -> Option<Verdict> {
        of.iter().find(|(name, _)| name == about).map(|(_, verdict)| *verdict)
    }

    #[test]
    fn laptop_on_battery_is_flagged() {
        let seen = verdicts(&samples::laptop(), &[0, 1, 2, 3, 4, 5, 6, 7], Some(LAPTOP));
        for (about, expected) in [
            ("cpus", Verdict::Good),
            ("siblings", Verdict::Note),
            ("governor", Verdict::Note),
            ("turbo", Verdict::Note),
            ("power supply", Verdict::Bad),
            ("heat", Verdict::Note),
            ("clocksource", Verdict::Good),
            ("hypervisor", Verdict::Good),
            ("steal", Verdict::Good),
            ("load", Verdict::Note),
            ("cpu limit", Verdict::Good),
            ("swap", Verdict::Note),
        ] {
            assert_eq!(verdict(&seen, about), Some(expected), "{about}");
        }
    }

    #[test]
    fn quiet_server_is_good() {
        let seen = verdicts(&samples::server(), &[0, 1], Some(TWO));
        let notes: Vec<_> = seen.iter().filter(|(_, verdict)| *verdict != Verdict::Good).collect();
        assert_eq!(notes, [&("turbo".to_owned(), Verdict::Note)], "the switch is unknown");
    }

    #[test]
    fn limited_guest_is_flagged() {
        let seen = verdicts(&samples::guest(), &[0, 1], Some(TWO));
        for about in ["steal", "cpu limit", "clocksource"] {
            assert_eq!(verdict(&seen, about), Some(Verdict::Bad), "{about}");
        }
        assert_eq!(verdict(&seen, "hypervisor"), Some(Verdict::Note));
        assert_ne!(verdict(&seen, "siblings"), Some(Verdict::Good), "a guest cannot know who shares its core");
        assert_eq!(verdict(&seen, "load"), Some(Verdict::Note));
    }

    #[test]
    fn unknown_machine_gets_no_invented_diagnosis() {
        let seen = verdicts(&samples::empty(), &[0], None);
        assert!(seen.iter().all(|(about, verdict)| *verdict != Verdict::Good || about == "kernel"), "{seen:?}");
    }

    #[test]
    fn every_problem_has_a_remedy_and_good_findings_have_none() {
        for finding in spoilers() {
            assert_eq!(finding.remedy.is_none(), finding.verdict == Verdict::Good, "{finding:?}");
            assert!(finding.what.ends_with('.'), "{finding:?}");
        }
    }
}
