//! What a text of a shared run may be: words and numbers of a closed list where that is possible, else a short text of plain letters.

/// A number with its unit has no more characters.
const MOST_NUMBER: usize = 24;

/// Units that may stand behind a number.
const UNITS: [&str; 8] = ["KiB", "MiB", "GiB", "GHz", "MHz", "kHz", "B", "%"];

/// Words with a `/` that names of systems and libraries have: every other one may be a path.
const WITH_SLASH: [&str; 2] = ["GNU/Linux", "x/crypto"];

/// A name, a model or a version: at most `most` letters, digits and a few marks, and no path.
pub fn is_plain(text: &str, most: usize) -> bool {
    let may = |letter: char| letter.is_ascii_alphanumeric() || " ().,+_:@-/".contains(letter);
    let is_word = |word: &str| !word.contains('/') || WITH_SLASH.contains(&word.trim_matches(['(', ')', ',']));
    (1..=most).contains(&text.len())
        && text.chars().all(may)
        && text.trim() == text
        && !text.contains("..")
        && text.split(' ').all(is_word)
}

/// Only these words, and numbers.
pub fn is_of(text: &str, words: &[&str]) -> bool {
    let mut parts = text.split([' ', ',', ';', '(', ')']).filter(|part| !part.is_empty()).peekable();
    parts.peek().is_some() && parts.all(|part| words.contains(&part) || is_number(part))
}

/// `3`, `0-1`, `2.80`, `48KiB`.
pub fn is_number(text: &str) -> bool {
    let digits = UNITS.iter().find_map(|unit| text.strip_suffix(unit)).unwrap_or(text);
    let may = |letter: char| letter.is_ascii_digit() || letter == '.' || letter == '-';
    text.len() <= MOST_NUMBER && digits.starts_with(|first: char| first.is_ascii_digit()) && digits.chars().all(may)
}

/// So many lower-case hexadecimal digits.
pub fn is_hex(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// A day of the calendar, `2026-11-30`; which months have 31 of them does not matter here.
pub fn is_day(text: &str) -> bool {
    let is_like = |(own, like): (u8, u8)| if like == b'0' { own.is_ascii_digit() } else { own == like };
    let number = |from: usize| text.get(from..from + 2).and_then(|digits| digits.parse::<u8>().ok()).unwrap_or(0);
    text.len() == 10
        && text.bytes().zip("0000-00-00".bytes()).all(is_like)
        && (1..=12).contains(&number(5))
        && (1..=31).contains(&number(8))
}

/// Lower-case words with digits between marks, as code paths are called: `vaes-avx512`, `aesni+pclmul`.
pub fn is_code_path(text: &str) -> bool {
    let may = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || "+-_. ,".contains(letter);
    (1..=60).contains(&text.len()) && text.chars().all(may) && !text.contains("..")
}

/// `3.5.0`, `1.1.1w`, `3.5.0-2`: what is behind the `@` of one of several versions.
pub fn is_version_mark(text: &str) -> bool {
    let number = text.split_once('-').map_or(text, |(number, _)| number);
    let copy = text.split_once('-').map_or("1", |(_, copy)| copy);
    let digits = number.strip_suffix(|last: char| last.is_ascii_lowercase()).unwrap_or(number);
    let is_number = |part: &str| (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    digits.split('.').count() <= 4 && digits.split('.').all(is_number) && is_number(copy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_hardware_and_versions_are_plain() {
        for text in [
            "Intel(R) Xeon(R) Platinum 8375C CPU @ 2.90GHz",
            "Arm Cortex-X2 (beside it Arm Cortex-A510, Arm Cortex-A710)",
            "Debian GNU/Linux 12 (bookworm)",
            "x/crypto v0.54.0",
            "tink-go 2.6.0 (nonces given), go1.26.0",
            "0.23.46 with aws-lc-rs 1.19.0",
        ] {
            assert!(is_plain(text, 100), "{text}");
        }
        for text in [
            "", " a", "/home/joe/lib.so", "home/joe", "a/../b", "..", "<b>", "a\nb", "é", "`id`", "$HOME", "a=b",
            "C:\\x", "x/crypto/secret",
        ] {
            assert!(!is_plain(text, 100), "{text}");
        }
        assert!(!is_plain("abc", 2));
    }

    #[test]
    fn closed_lists_take_numbers_and_no_other_word() {
        let words = ["logical", "allowed", "to", "this", "process"];
        assert!(is_of("2 logical, 2 allowed to this process (0-1)", &words));
        for text in ["", " ", "2 logical of joe", "0-1-host", "1e5", "-3", "2TB", &"9".repeat(25)] {
            assert!(!is_of(text, &words), "{text}");
        }
    }

    #[test]
    fn day_has_a_month_of_the_year() {
        assert!(is_day("2026-11-30") && is_day("1970-01-01"));
        for text in ["", "2026-13-01", "2026-00-10", "2026-11-32", "2026-11-3é", "2026-11-30T", "20261130"] {
            assert!(!is_day(text), "{text}");
        }
    }

    #[test]
    fn mark_of_a_version_is_no_name_of_a_file() {
        for mark in ["3.5.0", "1.1.1w", "3.5.0-2", "21"] {
            assert!(is_version_mark(mark), "{mark}");
        }
        for mark in ["", "new.so", "3.5.0-acme", "3.x", "1.1.1wx", "old", "3..5", "20261130.1"] {
            assert!(!is_version_mark(mark), "{mark}");
        }
    }

    #[test]
    fn code_paths_and_hashes_have_their_own_alphabets() {
        assert!(is_code_path("vaes-avx512") && !is_code_path("/usr") && !is_code_path("Joe") && !is_code_path(""));
        assert!(is_hex(&"0f".repeat(32), 64) && !is_hex(&"0F".repeat(32), 64) && !is_hex("0f", 64));
    }
}
