//! Command lines that we propose: whatever stands in them, a user may paste them into a shell.

use crate::escaped;

/// A text as one word of a command line, in quotes where a shell would read it as anything else.
///
/// It is escaped first, so that what is shown is what is pasted. A text that needs that is no longer the same, and the
/// command says so when it runs.
pub fn shell_word(text: &str) -> String {
    let text = escaped(text);
    match text.split(',').all(|part| !part.is_empty() && shlex::try_quote(part).is_ok_and(|word| word == part)) {
        // A list with commas is as plain.
        true => text,
        // Only a NUL cannot be quoted, and it is escaped by now.
        false => shlex::try_quote(&text).unwrap_or_default().into_owned(),
    }
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
        let word = shell_word("$(touch x)\n\u{202e}\0");
        assert_eq!(shlex::split(&word), Some(vec![r"$(touch x)\n\u{202e}\u{0}".to_string()]), "{word}");
        assert_eq!(shell_word(""), "''");
    }

    proptest! {
        #[test]
        fn any_text_is_one_word(text in any::<String>()) {
            prop_assert_eq!(shlex::split(&shell_word(&text)), Some(vec![escaped(&text)]));
        }
    }
}
