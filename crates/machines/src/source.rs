//! Where a machine's runs come from: the file `source.toml` beside them.

use ciphermeter_core::escaped;
use serde::Deserialize;

/// The most bytes of the file.
pub(crate) const MOST: usize = 16 << 10;
/// The most characters of one of its texts.
const MOST_TEXT: usize = 200;

/// What a machine is to those who measured on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Setting {
    /// A guest of a hypervisor.
    Virtual,
    /// Hardware without one.
    Bare,
}

impl Setting {
    /// `virtual`, `bare`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Virtual => "virtual",
            Self::Bare => "bare",
        }
    }
}

/// Who measured, when and how.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// The machine in a few words, as its vendor sells it.
    pub title: String,
    /// Who measured.
    pub by: String,
    /// The day, `2026-11-30`.
    pub measured: String,
    /// The commit of Ciphermeter that measured.
    pub commit: String,
    /// The commands that measured.
    pub how: String,
    /// Virtual or bare.
    pub machine: Setting,
    /// What else a reader should know.
    #[serde(default)]
    pub remark: Option<String>,
}

impl Source {
    /// Reads one.
    ///
    /// # Errors
    /// A line on what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.len() > MOST {
            return Err(format!("it is longer than {MOST} bytes"));
        }
        let one_line = |error: toml::de::Error| escaped(&error.message().trim().replace('\n', "; "));
        let source: Self = toml::from_str(text).map_err(one_line)?;
        let Self { title, by, measured, commit, how, machine: _, remark } = &source;
        let texts = [("title", title), ("by", by), ("commit", commit), ("how", how)];
        let remark = remark.iter().map(|remark| ("remark", remark));
        for (name, text) in texts.into_iter().chain(remark) {
            if text.trim().is_empty() || text.chars().count() > MOST_TEXT || escaped(text) != *text {
                return Err(format!("`{name}` has no 1 to {MOST_TEXT} printable characters"));
            }
        }
        let is_hex = |letter: char| letter.is_ascii_digit() || ('a'..='f').contains(&letter);
        if !(7..=40).contains(&commit.len()) || !commit.chars().all(is_hex) {
            return Err("`commit` is no commit of git, 7 to 40 hexadecimal digits".into());
        }
        let is_like = |(own, like): (u8, u8)| if like == b'0' { own.is_ascii_digit() } else { own == like };
        if measured.len() != 10 || !measured.bytes().zip("0000-00-00".bytes()).all(is_like) {
            return Err("`measured` is no day such as 2026-11-30".into());
        }
        Ok(source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = "title = \"A board\"\nby = \"Ada\"\nmeasured = \"2026-11-30\"\ncommit = \"31981c4e\"\n\
                         how = \"ciphermeter run messages\"\nmachine = \"bare\"\n";

    #[test]
    fn source_names_who_when_and_how() {
        let source = Source::parse(WHOLE).unwrap();
        assert_eq!((source.machine, source.remark), (Setting::Bare, None));
    }

    #[test]
    fn source_that_lacks_or_adds_something_is_refused() {
        for line in WHOLE.lines() {
            let why = Source::parse(&WHOLE.replace(line, "")).unwrap_err();
            assert!(why.contains("missing field"), "{why}");
        }
        for (from, to, why) in [
            ("machine = \"bare\"", "machine = \"cloud\"", "unknown variant"),
            ("31981c4e", "main", "no commit"),
            ("2026-11-30", "yesterday", "no day"),
            ("Ada", "", "`by`"),
            ("Ada", "\\u001b[31m", "`by`"),
            ("machine", "host = \"x\"\nmachine", "unknown field"),
        ] {
            let said = Source::parse(&WHOLE.replacen(from, to, 1)).unwrap_err();
            assert!(said.contains(why), "{said}");
        }
    }
}
