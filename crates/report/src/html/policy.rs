//! What the page may load and run: its own style sheet and its own script, known by their hashes, and nothing else. Whatever a name from
//! elsewhere managed to smuggle into the page would not run.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};

/// The content security policy of a page with this style sheet and this script.
pub(super) fn policy(style: &str, script: &str) -> String {
    let (style, script) = (source(style), source(script));
    format!(
        "default-src 'none'; style-src {style}; script-src {script}; img-src data:; base-uri 'none'; form-action 'none'"
    )
}

/// How a policy names the text of an element.
pub(crate) fn source(text: &str) -> String {
    format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_named_by_its_hash() {
        // Of the standard's own example: CSP Level 3, 2.3.1, has it of `alert('Hello, world.');`.
        assert_eq!(source("alert('Hello, world.');"), "'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='");
    }
}
