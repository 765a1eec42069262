//! Parts of a study's file, and what is wrong with them, so that an error names the part and the line that is to be corrected.

use std::fmt;

use ciphermeter_core::{Mask, escaped};

/// A part of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// `claim`, or a key of the whole file.
    sort: &'static str,
    /// Its place among those of its sort, its name, and what else tells it from one of that name.
    which: Option<(usize, String, String)>,
}

/// What is wrong with a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The part.
    pub part: Part,
    /// What is wrong with it.
    pub why: String,
    /// The other part that it does not fit, where there is one.
    pub other: Option<Part>,
}

impl Part {
    /// A key of the whole file.
    pub fn key(key: &'static str) -> Self {
        Self { sort: key, which: None }
    }

    /// The part of that place, from 0, among those of a sort.
    pub fn nth(sort: &'static str, place: usize, name: &str) -> Self {
        Self { sort, which: Some((place, name.into(), String::new())) }
    }

    /// A measure, with the CPU that tells it from another one of its scenario.
    pub fn measure(place: usize, scenario: &str, cpu: Option<Mask>) -> Self {
        let cpu = cpu.map_or(String::new(), |cpu| format!(" ({cpu})"));
        Self { sort: "measure", which: Some((place, scenario.into(), cpu)) }
    }

    /// The part with what is wrong with it.
    pub fn is_wrong(self, why: impl Into<String>) -> Fault {
        Fault { part: self, why: why.into(), other: None }
    }

    /// The line that names it: in the block behind a heading like `[[claims]]`, or that of a key of the whole file. `None` where it was
    /// not found, as parts may be written in several ways.
    pub(crate) fn line(&self, text: &str) -> Option<usize> {
        let has = |line: &str, wanted: &str, begins: &str| {
            line.split_once('=').is_some_and(|(key, value)| key.trim() == wanted && value.trim().starts_with(begins))
        };
        let lines = || (1..).zip(text.lines());
        let Some((place, name, _)) = &self.which else {
            return lines().find(|(_, line)| has(line, self.sort, "")).map(|(number, _)| number);
        };
        let key = match self.sort {
            "check" => "says",
            "measure" => "scenario",
            "factor" => "name",
            _ => "id",
        };
        let heading = format!("[[{}s]]", self.sort);
        let mut own =
            lines().filter(|(_, line)| line.trim().starts_with(&heading)).map(|(number, _)| number).skip(*place);
        let first = own.next()?;
        let is_other = |line: &str| line.trim().starts_with("[[");
        let mut block = lines().skip(first).take_while(|(_, line)| !is_other(line));
        let named = block.find(|(_, line)| has(line, key, &format!("\"{name}\"")));
        Some(named.map_or(first, |(number, _)| number))
    }
}

impl fmt::Display for Part {
    /// On one line: the names are the file's.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.which {
            None => write!(f, "{}", self.sort),
            Some((_, name, more)) => write!(f, "{} `{}`{more}", self.sort, escaped(name)),
        }
    }
}

impl Fault {
    /// The same, where it is another part that it does not fit.
    pub fn beside(self, other: Part) -> Self {
        Self { other: Some(other), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn second_part_of_a_name_has_its_own_line() {
        let text = "name = \"s\"\n[[measures]]\nscenario = \"a\"\n[[measures]] # the same again\nwhy = \"w\"\n  scenario = \"a\"\n\
                    [[claims]]\nsays = \"x\"\n[claims.proper]\n[[claims]]\nid = \"c\"\n";
        let line = |sort, place, name| Part::nth(sort, place, name).line(text);
        assert_eq!(line("measure", 0, "a"), Some(3));
        assert_eq!(line("measure", 1, "a"), Some(6));
        assert_eq!(line("measure", 2, "a"), None, "written in another way");
        assert_eq!(line("claim", 0, "c"), Some(7), "no line names it, so that of its heading");
        assert_eq!(line("claim", 1, "c"), Some(11));
        assert_eq!((Part::key("name").line(text), Part::key("title").line(text)), (Some(1), None));
    }
}
