//! What every page has around its parts: its style sheet, its script, and the policy that allows no others.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{policy, style};

/// A page of this title and body; `markers` are what its figures refer to.
pub(super) fn page(title: &str, markers: &Markup, body: &Markup) -> Markup {
    let css = style::css();
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(policy::policy(&css, style::SCRIPT));
                meta name="generator" content="Ciphermeter";
                title { (title) }
                style { (PreEscaped(css)) }
            }
            body {
                (markers)
                (body)
                p #said role="status" aria-live="polite" {}
                script { (PreEscaped(style::SCRIPT)) }
            }
        }
    }
}

/// How the figures of a page are read.
pub(super) fn hint() -> Markup {
    html! {
        p.hint {
            "Point at a figure, or reach it by Tab and use the arrow keys, to read its values; select a name in a \
             legend to hide its line."
        }
    }
}
