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
    use axum::extract::Query;
    use axum::http::Uri;
    use proptest::prelude::*;

    use super::*;
    use crate::names::machine_name;
    use crate::queries::{Which, WhichCell};

    #[test]
    fn any_name_fits_into_a_link() {
        assert_eq!(path("/machines/", "a b/ü?"), "/machines/a%20b%2F%C3%BC%3F");
    }

    proptest! {
        #[test]
        fn link_to_any_cell_leads_back_to_it(text in "\\PC*|.*") {
            let link: Uri = path("/cell?cell=", &text).parse().unwrap();
            let Query(WhichCell { cell, machine }) = Query::try_from_uri(&link).unwrap();
            prop_assert_eq!((cell, machine), (text, None));
        }

        #[test]
        fn machine_that_is_named_in_a_query_is_accepted_as_it_is_or_not_at_all(query in "machine=.*") {
            let Ok(uri) = format!("/api/runs?{query}").parse::<Uri>() else { return Ok(()) };
            let Ok(Query(Which { machine: Some(machine), .. })) = Query::try_from_uri(&uri) else { return Ok(()) };
            let Some(name) = machine_name(&machine) else { return Ok(()) };
            prop_assert!(!name.chars().any(char::is_control) && name.chars().count() <= 100);
            prop_assert_eq!(machine_name(name), Some(name));
            prop_assert!(path("/machines/", name).parse::<Uri>().is_ok());
        }
    }
}
