//! Where a TOML file is wrong, and how, on one line: the library's own error is a picture of several.

use crate::escaped;

/// The error in that text, with the number of its line. Both come from outside, so all of it is printable.
pub fn toml_error(error: &toml::de::Error, text: &str) -> String {
    let message = escaped(&error.message().trim().replace('\n', "; "));
    match error.span() {
        Some(place) => format!("line {}: {message}", line_at(text, place.start)),
        None => message,
    }
}

/// The number of the line, from 1, of the byte at that place, from 0.
pub fn line_at(text: &str, place: usize) -> usize {
    text.bytes().take(place).filter(|byte| *byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_is_one_printable_line_with_its_number() {
        let text = "title = \"a\"\n\nwrong\u{1b} = \n";
        let said = toml_error(&toml::from_str::<toml::Table>(text).unwrap_err(), text);
        assert!(said.starts_with("line 3: "), "{said}");
        assert_eq!(said, escaped(&said));
        assert_eq!([0, 11, 12, 99].map(|place| line_at(text, place)), [1, 1, 2, 4]);
    }
}
