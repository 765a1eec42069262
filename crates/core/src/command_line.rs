//! Command lines that we propose: whatever stands in them, a user may paste them into a shell.

use std::ffi::OsStr;

use crate::quoted::shown_as_they_are;

/// A text or a path as one word of a command line, in quotes where a shell would read it as anything else. What is shown
/// is what is pasted: characters that do not show as themselves, and bytes of a path that are no text, are escapes, as
/// bash, zsh, ksh and POSIX 2024 read them. So is a backtick: a command that stands between two ends at the next one.
///
/// No word contains a NUL, so one stays `\u{0}`, and the command says so when it runs.
pub fn shell_word(text: impl AsRef<OsStr>) -> String {
    let bytes = text.as_ref().as_encoded_bytes();
    let Ok(text) = str::from_utf8(bytes) else { return in_dollar_quotes(bytes) };
    if shown_as_they_are(text).any(|(character, shows)| !shows || character == '`') {
        return in_dollar_quotes(bytes);
    }
    match text.split(',').all(|part| !part.is_empty() && shlex::try_quote(part).is_ok_and(|word| word == part)) {
        // A list with commas is as plain.
        true => text.into(),
        // Only a NUL cannot be quoted, and that does not show.
        false => shlex::try_quote(text).unwrap_or_default().into_owned(),
    }
}

/// `$'…'`, with octal escapes: those have an end, unlike hexadecimal ones. A quote is one, too, so that a shell that does
/// not know this form still reads one word.
fn in_dollar_quotes(bytes: &[u8]) -> String {
    let mut word = String::from("$'");
    for chunk in bytes.utf8_chunks() {
        for (character, shows) in shown_as_they_are(chunk.valid()) {
            match character {
                '\0' => word.push_str(r"\\u{0}"),
                '\\' => word.push_str(r"\\"),
                '\n' => word.push_str(r"\n"),
                '\t' => word.push_str(r"\t"),
                character if shows && !matches!(character, '\'' | '`') => word.push(character),
                character => push_octal(&mut word, character.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        push_octal(&mut word, chunk.invalid());
    }
    word + "'"
}

fn push_octal(word: &mut String, bytes: &[u8]) {
    bytes.iter().for_each(|byte| word.push_str(&format!("\\{byte:03o}")));
}

/// An option with its value, as words of a command line: `--store runs.db`.
pub fn option_words(option: &str, value: impl AsRef<OsStr>) -> String {
    // A value that looks like an option needs the equals sign.
    let between = if value.as_ref().as_encoded_bytes().starts_with(b"-") { "=" } else { " " };
    format!("{option}{between}{}", shell_word(value))
}

/// The first of our own commands that stands in backticks in a sentence, as words: what remedies
/// it.
pub fn command_in(sentence: &str) -> Option<Vec<String>> {
    let quoted = sentence.split('`').skip(1).step_by(2);
    quoted.filter_map(shlex::split).find(|words| words.len() > 1 && words[0] == "ciphermeter")
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn plain_words_stay_as_they_are() {
        assert_eq!(option_words("--store", "runs/laptop-2.db"), "--store runs/laptop-2.db");
        assert_eq!(shell_word("qemu:cortex-m4,qemu:avr"), "qemu:cortex-m4,qemu:avr");
    }

    #[test]
    fn command_that_a_sentence_names_is_its_words() {
        let words = command_in("the worker `go` is not built: `ciphermeter workers build 'my go'` builds it");
        assert_eq!(words.unwrap(), ["ciphermeter", "workers", "build", "my go"]);
        assert_eq!(command_in("its toolchain is missing: `go version`, `ciphermeter"), None);
    }

    #[test]
    fn value_stays_one_value() {
        assert_eq!(option_words("--against", "a; touch x"), "--against 'a; touch x'");
        assert_eq!(option_words("--store", "-rf"), "--store=-rf");
        assert_eq!(shell_word(""), "''");
        assert_eq!(shell_word("a\tb's\u{200d}\n"), r"$'a\tb\047s\342\200\215\n'");
        assert_eq!(shell_word("`id`"), r"$'\140id\140'");
        assert_eq!(shell_word("a\0'b"), r"$'a\\u{0}\047b'");
    }

    /// What bash makes of a word, wherever it runs.
    fn read_by_bash(word: &str) -> Vec<u8> {
        let mut bash = std::process::Command::new("bash");
        bash.args(["-c", &format!("printf %s {word}")]).env("LC_ALL", "C").output().unwrap().stdout
    }

    #[test]
    fn path_that_is_no_text_is_read_back_to_the_same_bytes() {
        let path = OsStr::from_bytes(b"x\xff/it's `a`\xc3 \\\xe2\x80");
        let word = shell_word(path);
        assert_eq!(word, r"$'x\377/it\047s \140a\140\303 \\\342\200'");
        assert_eq!(read_by_bash(&word), path.as_bytes());
        assert_eq!(option_words("--into", OsStr::from_bytes(b"-\xff")), r"--into=$'-\377'");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn any_text_is_one_word_that_shows(text in any::<String>()) {
            let word = shell_word(&text);
            prop_assert_eq!(&crate::escaped(&word), &word);
            prop_assert!(!word.contains('`'));
            prop_assert_eq!(shlex::split(&word).unwrap().len(), 1);
            prop_assert_eq!(read_by_bash(&word), text.replace('\0', r"\u{0}").into_bytes());
        }

        #[test]
        fn any_bytes_are_one_word_that_shows(bytes in prop::collection::vec(1..=255_u8, 0..20)) {
            let word = shell_word(OsStr::from_bytes(&bytes));
            prop_assert_eq!(&crate::escaped(&word), &word);
            prop_assert_eq!(read_by_bash(&word), bytes);
        }
    }
}
