//! The parts of a study's file, read within limits and checked.

use ciphermeter_core::{Bytes, Mask, Seconds, escaped};
use serde::{Deserialize, Serialize};

use crate::check::{Check, Contradiction};
use crate::claim::{Claim, Pick, Question, Way};
use crate::published::Published;
use crate::table::Table;

/// The longest file in bytes.
pub const MAX_STUDY: usize = 256 << 10;

/// A published study.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Study {
    /// Its name here: `python-sizes`.
    pub name: String,
    /// What it compares, in a few words.
    pub title: String,
    /// Authors, title and where it appeared.
    pub citation: String,
    /// What it measured on.
    pub machine: String,
    /// What it concludes, in our words.
    pub concludes: String,
    /// How it is measured again: as published, and as it should be done.
    #[serde(default)]
    pub measures: Vec<Measure>,
    /// Its tables.
    #[serde(default)]
    pub tables: Vec<Table>,
    /// What must hold between its numbers.
    #[serde(default)]
    pub checks: Vec<Check>,
    /// What else does not fit together, or cannot carry the conclusion.
    #[serde(default)]
    pub remarks: Vec<Remark>,
    /// What it claims.
    pub claims: Vec<Claim>,
}

/// A run that measures for a study.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    /// The scenario's name.
    pub scenario: String,
    /// What it is for.
    pub why: String,
    /// The ways of comparing that its records serve.
    #[serde(default)]
    pub serves: Vec<Way>,
    /// These sizes alone; empty: the scenario's.
    #[serde(default)]
    pub messages: Vec<Bytes>,
    /// The CPU's instructions to disable.
    #[serde(default)]
    pub cpu: Option<Mask>,
    /// The most time, as `run --budget` takes it.
    pub budget: Seconds,
}

/// Something that is wrong with the numbers, the method or the conclusion, in our words.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Remark {
    /// Where.
    pub source: String,
    /// What.
    pub says: String,
}

/// A study's file that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadStudy {
    /// It is longer than [`MAX_STUDY`].
    #[error("the study is longer than {MAX_STUDY} bytes; cite fewer tables")]
    TooLong,
    /// Not TOML, or not a study's.
    #[error("cannot read the study: {0}; see studies/README.md for the format")]
    Format(String),
    /// A part contradicts another.
    #[error("the study `{study}` cannot be used: {part}: {why}; correct its file")]
    Part {
        /// The study's name.
        study: String,
        /// The table, check or claim.
        part: String,
        /// What is wrong with it.
        why: String,
    },
}

impl Study {
    /// Reads a study's file.
    ///
    /// # Errors
    ///
    /// A file that is too long, is no study, or has parts that do not belong together.
    pub fn parse(text: &str) -> Result<Self, BadStudy> {
        if text.len() > MAX_STUDY {
            return Err(BadStudy::TooLong);
        }
        let study: Self = toml::from_str(text).map_err(|error| BadStudy::Format(error.message().to_owned()))?;
        match study.error() {
            None => Ok(study),
            // The file's own words are in all three, and an error is one line.
            Some((part, why)) => {
                Err(BadStudy::Part { study: escaped(&study.name), part: escaped(&part), why: escaped(&why) })
            }
        }
    }

    fn error(&self) -> Option<(String, String)> {
        let is_word = |text: &str| {
            !text.is_empty()
                && text.len() <= 40
                && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        };
        if !is_word(&self.name) {
            return Some(("name".into(), "a name has 1 to 40 letters, digits and hyphens".into()));
        }
        for (number, table) in self.tables.iter().enumerate() {
            let part = || format!("table `{}`", table.id);
            if self.tables[..number].iter().any(|before| before.id == table.id) {
                return Some((part(), "there are two of that name".into()));
            }
            if let Some(why) = table.error() {
                return Some((part(), why));
            }
        }
        for check in &self.checks {
            let why = match self.table(&check.table) {
                None => Some(format!("there is no table `{}`", check.table)),
                Some(table) => check.error(table),
            };
            if let Some(why) = why {
                return Some((format!("check `{}`", check.says), why));
            }
        }
        self.claims
            .iter()
            .enumerate()
            .find_map(|(number, claim)| {
                let is_named = is_word(&claim.id) && self.claims[..number].iter().all(|before| before.id != claim.id);
                let why = match is_named {
                    true => claim.error().or_else(|| self.claim_error(claim)),
                    false => Some("its name is no word, or another claim's".into()),
                };
                why.map(|why| (format!("claim `{}`", claim.id), why))
            })
            .or_else(|| self.measure_error())
    }

    /// What of a claim does not fit the rest of the study.
    fn claim_error(&self, claim: &Claim) -> Option<String> {
        for way in Way::ALL {
            let Some(question) = claim.question(way) else { continue };
            let Some(measure) = self.measure(&question, way) else {
                return Some(format!("no measure of the study has its scenario and CPU and serves `{}`", way.as_str()));
            };
            let is_measured = |size: &&Bytes| measure.messages.is_empty() || measure.messages.contains(size);
            let sizes = |pick: &Pick| pick.messages.iter().find(|size| !is_measured(size)).copied();
            if let Some(size) = sizes(question.left).or_else(|| sizes(question.right)) {
                return Some(format!("its measure of `{}` has no messages of {size}", measure.scenario));
            }
        }
        let question = claim.question(Way::AsPublished);
        let measured = question.and_then(|question| self.measure(&question, Way::AsPublished));
        let sizes = measured.map_or(&[][..], |measure| &measure.messages);
        claim.published.iter().enumerate().find_map(|(number, published)| {
            let is_twin = |before: &Published| before.here.is_some() && before.here == published.here;
            let why = match claim.published[..number].iter().any(is_twin) {
                true => Some("another published ratio stands beside the same pairs".into()),
                false => published.error(&self.tables, question, sizes),
            };
            why.map(|why| format!("published ratio `{}`: {why}", published.what))
        })
    }

    /// The first measure that is there twice, or that serves no claim in the way that it says.
    fn measure_error(&self) -> Option<(String, String)> {
        self.measures.iter().enumerate().find_map(|(number, measure)| {
            let is_same = |one: &Measure| one.scenario == measure.scenario && one.cpu == measure.cpu;
            let serves = |way| {
                let questions = self.claims.iter().filter_map(|claim| claim.question(way));
                questions.filter_map(|question| self.measure(&question, way)).any(|one| one == measure)
            };
            let why = if self.measures[..number].iter().any(is_same) {
                "there are two of that scenario and CPU; make one of them".into()
            } else if measure.serves.is_empty() {
                "it serves no comparison: give serves = [\"as-published\"], [\"proper\"] or both".into()
            } else {
                let idle = measure.serves.iter().find(|way| !serves(**way))?;
                format!("no claim is compared `{}` by it", idle.as_str())
            };
            Some((format!("measure `{}`", measure.scenario), why))
        })
    }

    /// A table, by its id.
    pub fn table(&self, id: &str) -> Option<&Table> {
        self.tables.iter().find(|table| table.id == id)
    }

    /// The measure that answers a claim's question.
    pub fn measure(&self, question: &Question<'_>, way: Way) -> Option<&Measure> {
        let answers = |measure: &&Measure| measure.scenario == question.scenario && measure.cpu == question.cpu;
        self.measures.iter().find(|measure| answers(measure) && measure.serves.contains(&way))
    }

    /// The checks that fail, with the rows that contradict each, and how many rows each looked at.
    pub fn contradictions(&self) -> Vec<(&Check, Vec<Contradiction>, usize)> {
        let failing = self.checks.iter().filter_map(|check| {
            let (found, rows) = check.contradictions(self.table(&check.table)?);
            (!found.is_empty()).then_some((check, found, rows))
        });
        failing.collect()
    }
}

impl Measure {
    /// The arguments of `ciphermeter` that measure it.
    pub fn arguments(&self) -> Vec<String> {
        let mut words = vec!["run".to_owned(), self.scenario.clone(), "--budget".into(), self.budget.to_string()];
        if !self.messages.is_empty() {
            let sizes: Vec<String> = self.messages.iter().map(|size| size.0.to_string()).collect();
            words.extend(["--message".into(), sizes.join(",")]);
        }
        if let Some(cpu) = self.cpu {
            words.extend(["--cpu".into(), cpu.to_string()]);
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SMALL: &str = r#"
        name = "small"
        title = "two ciphers"
        citation = "nobody, nowhere"
        machine = "none"
        concludes = "nothing"
        [[measures]]
        scenario = "messages"
        why = "as published"
        serves = ["as-published", "proper"]
        messages = ["1KiB", "16"]
        cpu = "no-aes"
        budget = "10s"
        [[tables]]
        id = "rates"
        source = "Table 1"
        title = "rates"
        rows_are = "cipher"
        columns = [{ id = "rate", name = "rate", unit = "MB/s", rate = true }, { id = "time", name = "time", unit = "s" }]
        rows = [["AES", "126.04", "0"], ["ChaCha20", "72.37", "-"]]
        [[claims]]
        id = "faster"
        source = "page 1"
        says = "one is faster"
        scenario = "messages"
        cpu = "no-aes"
        left = { algorithm = "aes-256-gcm" }
        right = { algorithm = "chacha20-poly1305" }
        expect = { is = "faster" }
        published = [{ what = "1 KB", table = "rates", left = ["AES", "rate"], right = ["ChaCha20", "rate"], here = { messages = ["1KiB"] } }]
        [claims.proper]
        says = "one library"
        scenario = "messages"
        cpu = "no-aes"
        left = { provider = "openssl", algorithm = "aes-256-gcm" }
        right = { provider = "openssl", algorithm = "chacha20-poly1305" }
    "#;

    fn why(text: &str) -> String {
        Study::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn study_is_read_with_its_runs() {
        let study = Study::parse(SMALL).unwrap();
        assert_eq!(
            study.measures[0].arguments(),
            ["run", "messages", "--budget", "10s", "--message", "1024,16", "--cpu", "no-aes"]
        );
    }

    #[test]
    fn what_does_not_belong_together_is_refused() {
        let twice = "here = { messages = [\"1KiB\"] } }, { what = \"2\", table = \"rates\", left = [\"AES\", \"rate\"], \
                     right = [\"ChaCha20\", \"rate\"], here = { messages = [\"1KiB\"] } }";
        for (from, to, words) in [
            ("left = {", "lef = {", "unknown field `lef`"),
            ("expect = { is = \"faster\" }", "", "claim `faster`: it names no record"),
            ("expect = { is = \"faster\" }", "needs = \"a board\"", "it needs what is not here"),
            ("{ is = \"faster\" }", "{ is = \"time-ratio\", published = -1.0, tolerance = 0.1 }", "above 0"),
            ("{ is = \"faster\" }", "{ is = \"time-ratio\", published = 2.0, tolerance = 0.1 }", "1.742 follows"),
            ("id = \"faster\"", "id = \"a b\"", "its name is no word"),
            ("name = \"small\"", "name = \"<b>\"", "a name has 1 to 40 letters"),
            ("\"1KiB\", \"16\"", "\"1XB\"", "cannot read the study"),
            ("budget = \"10s\"", "budget = \"long\"", "cannot read the study"),
            // Measures and the ways that they serve.
            ("cpu = \"no-aes\"\n        left", "left", "no measure of the study has its scenario and CPU"),
            ("\"as-published\", \"proper\"", "\"proper\"", "and serves `as-published`"),
            ("serves = [\"as-published\", \"proper\"]", "", "and serves `as-published`"),
            ("\"as-published\", \"proper\"", "\"usual\"", "unknown variant `usual`"),
            (
                "[[claims]]",
                "[[measures]]\nscenario = \"bulk\"\nwhy = \"w\"\nbudget = \"1s\"\n[[claims]]",
                "measure `bulk`: it serves no",
            ),
            (
                "[[claims]]",
                "[[measures]]\nscenario = \"bulk\"\nserves = [\"proper\"]\nwhy = \"w\"\nbudget = \"1s\"\n[[claims]]",
                "no claim is compared `proper` by it",
            ),
            (
                "[[claims]]",
                "[[measures]]\nscenario = \"messages\"\ncpu = \"no-aes\"\nserves = [\"proper\"]\nwhy = \"w\"\nbudget = \"1s\"\n[[claims]]",
                "there are two of that scenario",
            ),
            // The proper comparison.
            (
                "says = \"one library\"\n        scenario = \"messages\"",
                "says = \"one library\"",
                "its proper comparison names no record",
            ),
            // Cells and sizes.
            ("table = \"rates\"", "table = \"times\"", "published ratio `1 KB`: there is no table `times`"),
            ("[\"AES\", \"rate\"]", "[\"Aes\", \"rate\"]", "no number in row `Aes`, column `rate`"),
            ("[\"AES\", \"rate\"]", "[\"AES\", \"speed\"]", "no number in row `AES`, column `speed`"),
            ("[\"ChaCha20\", \"rate\"]", "[\"ChaCha20\", \"time\"]", "no number in row `ChaCha20`, column `time`"),
            ("[\"AES\", \"rate\"]", "[\"AES\", \"time\"]", "a number that rounds to 0 or less gives no ratio"),
            ("[\"AES\", \"rate\"]", "[\"AES\"]", "cannot read the study"),
            (
                "here = { messages = [\"1KiB\"] }",
                "here = { messages = [\"1kB\"] }",
                "no pair of the claim has messages of 1000",
            ),
            (
                "left = { algorithm",
                "left = { messages = [\"16\"], algorithm",
                "no pair of the claim has messages of 1KiB",
            ),
            (
                "left = { algorithm",
                "left = { messages = [\"17\"], algorithm",
                "its measure of `messages` has no messages of 17",
            ),
            ("here = { messages = [\"1KiB\"] } }", twice, "another published ratio stands beside the same pairs"),
        ] {
            assert!(SMALL.contains(from), "{from}");
            let said = why(&SMALL.replacen(from, to, 1));
            assert!(said.contains(words), "{to}: {said}");
            assert_eq!(said.lines().count(), 1, "{said}");
        }
        let same = why(&SMALL.replace("provider = \"openssl\", ", ""));
        assert!(same.contains("its proper comparison is the published one"), "{same}");
        assert_eq!(why(&"#".repeat(MAX_STUDY + 1)), BadStudy::TooLong.to_string());
    }

    proptest! {
        #[test]
        fn no_text_panics(text in ".{0,200}", cut in 0..SMALL.len()) {
            let _ = Study::parse(&text);
            let _ = Study::parse(&SMALL[..cut]);
            let _ = Study::parse(&SMALL.replacen(|one: char| one.is_ascii_digit(), &text, 1));
            if let Ok(study) = Study::parse(&format!("{}{text}{}", &SMALL[..cut], &SMALL[cut..])) {
                let measured = crate::measured::Measured { study: &study, runs: Vec::new() };
                prop_assert!(!measured.page().is_empty());
            }
        }
    }
}
