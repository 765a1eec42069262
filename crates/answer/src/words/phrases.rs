//! Phrases that several sentences share.

use std::fmt::Display;

use ciphermeter_core::{Algorithm, Operation, escaped};

/// A share in percent, to two digits, and without a point where it is whole: `5 %`, `7.3 %`, `-0.4 %`, `48 %`.
pub fn percent(share: f64) -> String {
    match share * 100.0 {
        share if (share - share.round()).abs() < 1e-6 || share.abs() >= 9.95 => format!("{share:.0} %"),
        share => format!("{share:.1} %"),
    }
}

/// `a`, `a and b`, `a, b and c`.
pub fn listed(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [only] => only.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// The names; of more than `most`, how many they are: `12 libraries`.
pub fn few(names: &[String], most: usize, what: &str) -> String {
    if names.len() > most { format!("{} {what}", names.len()) } else { listed(names) }
}

/// The first names, and of more than `most` how many more there are: `a, b and 2 more`.
pub fn first_of(mut names: Vec<String>, most: usize) -> String {
    let more = names.len().saturating_sub(most);
    names.truncate(most);
    names.extend((more > 0).then(|| format!("{more} more")));
    listed(&names)
}

/// `AES-256-GCM and ChaCha20-Poly1305`.
pub fn titles<'a>(algorithms: impl IntoIterator<Item = &'a Algorithm>) -> String {
    listed(&algorithms.into_iter().map(|algorithm| algorithm.title().to_owned()).collect::<Vec<_>>())
}

/// `1 cell`, `3 cells`.
pub fn counted<N: Display + PartialEq + From<u8>>(count: N, what: &str) -> String {
    let plural = if count == N::from(1) { "" } else { "s" };
    format!("{count} {what}{plural}")
}

/// The number in a library's version: beside it stand the package of one algorithm, or what it was built with.
pub fn version_number(version: &str) -> String {
    let is_number = |word: &&str| word.starts_with(|first: char| first.is_ascii_digit());
    escaped(version.split(' ').find(is_number).unwrap_or_default().trim_end_matches(','))
}

/// The numbers of the versions of one library's cells, each once: `0.11.1 and 0.11.0` where it is a
/// package for each algorithm.
pub fn version_numbers<'a>(versions: impl IntoIterator<Item = &'a str>) -> String {
    let mut numbers: Vec<String> = Vec::new();
    for number in versions.into_iter().map(version_number).filter(|number| !number.is_empty()) {
        if !numbers.contains(&number) {
            numbers.push(number);
        }
    }
    listed(&numbers)
}

/// `aws-lc's AES-256-GCM`.
pub fn of_library(algorithm: Algorithm, provider: &str) -> String {
    format!("{}'s {}", escaped(provider), algorithm.title())
}

/// The sentence with a capital.
pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().collect::<String>() + letters.as_str()).unwrap_or_default()
}

/// What is done in an operation: `sealing`.
pub fn doing(operation: Operation) -> &'static str {
    match operation {
        Operation::Seal => "sealing",
        Operation::Open => "opening",
        Operation::Encrypt => "encrypting",
        Operation::Decrypt => "decrypting",
        _ => "moving files",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_a_version_is_found_among_its_words() {
        assert_eq!(version_number("OpenSSL 3.0.19, built 2025"), "3.0.19");
        assert_eq!(version_number("50.0.2, OpenSSL 4.0.3"), "50.0.2");
        assert_eq!(version_number("unknown"), "");
        let versions = ["aes-gcm 0.11.1", "chacha20poly1305 0.11.0", "aes-gcm 0.11.1", "unknown"];
        assert_eq!(version_numbers(versions), "0.11.1 and 0.11.0");
    }
}
