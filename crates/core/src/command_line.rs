//! Command lines that we propose: whatever stands in them, a user may paste them into a shell.

use std::borrow::Cow;

use crate::quoted::shown_as_they_are;

/// A text as one word of a command line, in quotes where a shell would read it as anything else. What is shown is what
/// is pasted: characters that do not show as themselves are escapes, as bash, zsh, ksh and POSIX 2024 read them.
///
/// No word contains a NUL, so one stays `\u{0}`, and the command says so when it runs.
pub fn shell_word(text: &str) -> String {
    let text: Cow<'_, str> = if text.contains('\0') { text.replace('\0', r"\u{0}").into() } else { text.into() };
    if shown_as_they_are(&text).any(|(_, shows)| !shows) {
        return in_dollar_quotes(&text);
    }
    match text.split(',').all(|part| !part.is_empty() && shlex::try_quote(part).is_ok_and(|word| word == part)) {
        // A list with commas is as plain.
        true => text.into_owned(),
        // Only a NUL cannot be quoted, and it is escaped by now.
        false => shlex::try_quote(&text).unwrap_or_default().into_owned(),
    }
}

/// `$'…'`, with octal escapes: those have an end, unlike hexadecimal ones. A quote is one, too, so that a shell that does
/// not know this form still reads one word.
fn in_dollar_quotes(text: &str) -> String {
    let mut word = String::from("$'");
    for (character, shows) in shown_as_they_are(text) {
        match character {
            '\\' => word.push_str(r"\\"),
            '\n' => word.push_str(r"\n"),
            '\t' => word.push_str(r"\t"),
            character if shows && character != '\'' => word.push(character),
            character => {
                for byte in character.encode_utf8(&mut [0; 4]).bytes() {
                    word.push_str(&format!("\\{byte:03o}"));
                }
            }
        }
    }
    word + "'"
}

/// An option with its value, as words of a command line: `--store runs.db`.
pub fn option_words(option: &str, value: &str) -> String {
    // A value that looks like an option needs the equals sign.
    let between = if value.starts_with('-') { "=" } else { " " };
    format!("{option}{between}{}", shell_word(value))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn plain_words_stay_as_they_are() {
        assert_eq!(option_words("--store", "runs/laptop-2.db"), "--store runs/laptop-2.db");
        assert_eq!(shell_word("qemu:cortex-m4,qemu:avr"), "qemu:cortex-m4,qemu:avr");
    }

    #[test]
    fn value_stays_one_value() {
        assert_eq!(option_words("--against", "a; touch x"), "--against 'a; touch x'");
        assert_eq!(option_words("--store", "-rf"), "--store=-rf");
        assert_eq!(shell_word(""), "''");
        assert_eq!(shell_word("a\tb's\u{200d}\n"), r"$'a\tb\047s\342\200\215\n'");
    }

    /// What bash makes of a word, wherever it runs.
    fn read_by_bash(word: &str) -> String {
        let mut bash = std::process::Command::new("bash");
        let read = bash.args(["-c", &format!("printf %s. {word}")]).env("LC_ALL", "C").output().unwrap();
        String::from_utf8(read.stdout).unwrap().strip_suffix('.').unwrap().into()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn any_text_is_one_word_that_shows(text in any::<String>()) {
            let word = shell_word(&text);
            prop_assert_eq!(&crate::escaped(&word), &word);
            prop_assert_eq!(shlex::split(&word).unwrap().len(), 1);
            prop_assert_eq!(read_by_bash(&word), text.replace('\0', r"\u{0}"));
        }
    }
}
