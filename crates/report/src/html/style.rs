//! What the page looks like, and the script that it carries.

use crate::chart::colors;

/// The page's script: it hides lines, changes an axis, shows the values of points and filters rows. Without it, all is there.
pub(super) const SCRIPT: &str = include_str!("page.js");
const SHEET: &str = include_str!("page.css");
/// Marks of figures that are neither lines nor bars, and what they are in the dark.
const SHADES: [(&str, &str); 4] =
    [("#000000", "#E8E8E8"), ("#464646", "#B8B8B8"), ("#DEDEDE", "#3A3F47"), ("#FFFFFF", "#16191E")];

/// The style sheet, with the colors of figures on a dark background.
pub(super) fn css() -> String {
    let marks: String = SHADES
        .iter()
        .map(|(light, dark)| (light.to_string(), dark.to_string()))
        .chain(colors())
        .map(|(light, dark)| format!("svg [fill=\"{light}\"]{{fill:{dark}}}svg [stroke=\"{light}\"]{{stroke:{dark}}}"))
        .collect();
    format!("{SHEET}@media screen and (prefers-color-scheme:dark){{{marks}}}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn script_is_small_and_asks_no_network() {
        assert!(SCRIPT.len() < 20_000, "{}", SCRIPT.len());
        for word in ["fetch(", "XMLHttpRequest", "import", "http:", "https:", "//cdn"] {
            assert!(!SCRIPT.contains(word) && !SHEET.contains(word), "{word}");
        }
    }
}
