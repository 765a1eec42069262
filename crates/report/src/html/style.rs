//! What the page looks like, and the script that it carries.

use crate::chart::colors;

/// The page's script: it hides lines, changes an axis, shows the values of points and filters rows. Without it, all is there.
pub(super) const SCRIPT: &str = include_str!("page.js");
const SHEET: &str = include_str!("page.css");
/// Marks of figures that are neither lines nor bars, and what they are in the dark.
const SHADES: [(&str, &str); 4] =
    [("#000000", "#E8E8E8"), ("#464646", "#B8B8B8"), ("#DEDEDE", "#3A3F47"), ("#FFFFFF", "#16191E")];

/// Colors that are too light for a thin line on white, and what the page has instead.
const PALE: [(&str, &str); 3] = [("#E69F00", "#B07400"), ("#56B4E9", "#2B87BD"), ("#CC79A7", "#B9588D")];

/// A rule that reaches marks in figures, and those that figures refer to.
fn recolored(from: &str, to: &str) -> String {
    format!("[fill=\"{from}\"]{{fill:{to}}}[stroke=\"{from}\"]{{stroke:{to}}}")
}

/// The style sheet, with the colors of figures on a dark background.
pub(super) fn css() -> String {
    let marks: String = SHADES
        .iter()
        .map(|(light, dark)| (light.to_string(), dark.to_string()))
        .chain(colors())
        .map(|(light, dark)| recolored(&light, &dark))
        .collect();
    let pale: String = PALE.iter().map(|(from, to)| recolored(from, to)).collect();
    format!("{SHEET}{pale}@media screen and (prefers-color-scheme:dark){{{marks}}}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn script_is_small_and_asks_no_network() {
        assert!(SCRIPT.len() < 20_000, "{}", SCRIPT.len());
        for word in ["fetch(", "XMLHttpRequest", "@import", "import(", "http:", "https:", "//cdn"] {
            assert!(!SCRIPT.contains(word) && !SHEET.contains(word), "{word}");
        }
    }
}
