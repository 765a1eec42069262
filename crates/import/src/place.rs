//! Where in a JSON text its parser stopped, as a way through objects and lists:
//! `samples[0].iterations[4]`. The parser itself knows no more than line and column, and an export
//! is a single line.

use ciphermeter_core::escaped;

/// serde_json takes in nothing that is deeper. It skips what is deeper, and so does this, in no memory.
const DEEPEST: usize = 128;
/// The most characters of a name.
const NAME: usize = 64;

/// An object or a list that is open.
enum Open<'a> {
    /// With its last name.
    Object(&'a str),
    /// With the place in it.
    List(usize),
}

/// The way to where `error` came up in `text`; empty for all of it.
pub(crate) fn path(text: &str, error: &serde_json::Error) -> String {
    let mut open = Vec::new();
    let mut deeper = 0_usize;
    let mut names_next = false;
    let bytes = &text.as_bytes()[..offset(text, error)];
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'{' | b'[' if open.len() == DEEPEST => deeper += 1,
            b'}' | b']' if deeper > 0 => deeper -= 1,
            _ if deeper > 0 && *byte != b'"' => {}
            b'{' => open.push(Open::Object("")),
            b'[' => open.push(Open::List(0)),
            b'}' | b']' => drop(open.pop()),
            b',' => {
                if let Some(Open::List(place)) = open.last_mut() {
                    *place += 1;
                }
            }
            b'"' => {
                let end = closing_quote(bytes, at);
                if let (Some(Open::Object(name)), 0, true) = (open.last_mut(), deeper, names_next) {
                    *name = text.get(at..end).unwrap_or_default();
                }
                at = end + 1;
            }
            _ => {}
        }
        names_next = match byte {
            b'{' | b',' => matches!(open.last(), Some(Open::Object(_))),
            byte => names_next && byte.is_ascii_whitespace(),
        };
    }
    written(&open)
}

/// The bytes of the text up to the error.
fn offset(text: &str, error: &serde_json::Error) -> usize {
    let before: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    before.saturating_add(error.column()).min(text.len())
}

/// Where the text ends that begins at `from`.
fn closing_quote(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => break,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    at.min(bytes.len())
}

fn written(open: &[Open]) -> String {
    let mut path = String::new();
    for step in open {
        match step {
            Open::Object("") => {}
            Open::Object(name) => {
                let dot = if path.is_empty() { "" } else { "." };
                let name: String = name.chars().take(NAME).collect();
                path += &format!("{dot}{}", escaped(&name));
            }
            Open::List(place) => path += &format!("[{place}]"),
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "read to be refused")]
    struct Inner {
        k: Vec<u32>,
        text: Option<String>,
    }

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "read to be refused")]
    struct Outer {
        a: Vec<Inner>,
        b: u32,
    }

    #[test]
    fn type_that_is_wrong_is_found() {
        for (text, place) in [
            (r#"{"b":1,"a":[{"k":[]},{"k":[0,1,"x",3]}]}"#, "a[1].k[2]"),
            ("{\n \"b\": 1,\n \"a\": [\n  {\"k\": [0, -1]}]}", "a[0].k[1]"),
            (r#"{"a":[],"b":1.5}"#, "b"),
            (r#"{"a":[{"k":[],"text":{"x":1}}]}"#, "a[0].text"),
            (r#"{"a":[{"text":"\"]}{,\\"},{}],"b":1}"#, "a[0]"),
            (r#"{"more":[[{"z":[1,"}"]}]],"a":[],"b":[]}"#, "b"),
            (r#"{"a":[]}"#, ""),
            (r#"{"a":[{"k":[1,2"#, "a[0].k[1]"),
            ("[]", ""),
        ] {
            let error = serde_json::from_str::<Outer>(text).unwrap_err();
            assert_eq!(path(text, &error), place, "{text}: {error}");
        }
    }

    #[test]
    fn depth_costs_no_memory() {
        let deep = "[".repeat(100_000);
        let text = format!(r#"{{"more":{deep}{},"a":[],"b":-1}}"#, "]".repeat(deep.len()));
        let error = serde_json::from_str::<Outer>(&text).unwrap_err();
        assert_eq!(path(&text, &error), "b");
    }
}
