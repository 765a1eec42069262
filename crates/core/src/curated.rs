//! The scenarios that come with Ciphermeter: every file of `scenarios/`.

use crate::{Algorithm, Scenario};

/// Name and text of each.
pub const CURATED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/scenarios.rs"));

impl Scenario {
    /// Its premise. A run keeps the scenario as it was then: before scenarios had premises, that of the curated scenario of the same name
    /// and kind was meant, unless that has other ciphers now.
    pub fn stated_premise(&self) -> Option<String> {
        let curated = || {
            let (_, text) = CURATED.iter().find(|(name, _)| *name == self.name)?;
            let has = |algorithm: &Algorithm| self.cells.iter().any(|block| block.algorithms.contains(algorithm));
            let is_same = |curated: &Self| {
                curated.kind == self.kind && curated.cells.iter().flat_map(|block| &block.algorithms).any(has)
            };
            Self::parse(text).ok().filter(is_same)?.premise
        };
        self.premise.clone().or_else(curated)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;

    #[test]
    fn run_of_an_older_curated_scenario_has_its_premise() {
        let text = |name: &str| CURATED.iter().find(|(known, _)| *known == name).map(|(_, text)| *text).unwrap();
        let disk = Scenario::parse(text("disk")).unwrap();
        assert!(disk.premise.as_ref().is_some_and(|premise| premise.contains("run kernel")));
        let older = Scenario { premise: None, ..disk.clone() };
        assert_eq!(older.stated_premise(), disk.premise);
        let mut of_others = older.clone();
        of_others.cells[0].algorithms = vec![Algorithm::Aes256Ctr];
        assert_eq!(of_others.stated_premise(), None, "that scenario has other ciphers now");
        let own = Scenario { premise: Some("Mine.".into()), ..disk.clone() };
        assert_eq!(own.stated_premise().as_deref(), Some("Mine."));
        assert_eq!(Scenario { kind: Kind::Parallel, ..older.clone() }.stated_premise(), None);
        assert_eq!(Scenario { name: "sectors".into(), ..older }.stated_premise(), None);
        assert_eq!(Scenario::parse(text("tls")).unwrap().stated_premise(), None);
    }
}
