//! Links to what may have any name.

/// A link's path with a part that may have any characters.
pub fn path(before: &str, part: &str) -> String {
    let escaped: String = part.bytes().map(escaped).collect();
    format!("{before}{escaped}")
}

/// A byte of a link's part, as RFC 3986 (2.1) has it.
fn escaped(byte: u8) -> String {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).into(),
        _ => format!("%{byte:02X}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_name_fits_into_a_link() {
        assert_eq!(path("/machines/", "a b/ü?"), "/machines/a%20b%2F%C3%BC%3F");
    }
}
