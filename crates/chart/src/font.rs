//! How wide text is, by the widths of the embedded font.
//!
//! The SVG names DejaVu Sans, then Verdana, which was drawn to the same widths, then any sans-serif; most others are narrower, so what is
//! laid out here has room in them, too.

use ttf_parser::Face;
use unicode_width::UnicodeWidthChar;

/// The font of PNGs. `fonts/README.md` says how it was made.
pub const BYTES: &[u8] = include_bytes!("../fonts/DejaVuSans-subset.ttf");
/// What the SVG asks for.
pub const FAMILIES: &str = "DejaVu Sans, Verdana, sans-serif";

pub struct Font {
    face: Option<Face<'static>>,
}

impl Font {
    pub fn new() -> Self {
        Self { face: Face::parse(BYTES, 0).ok() }
    }

    /// The width of a text in letters so many units high, rounded up.
    pub fn width(&self, text: &str, height: i32) -> i32 {
        let ems: f64 = text.chars().map(|c| self.advance(c)).sum();
        (ems * f64::from(height)).ceil() as i32
    }

    /// In ems. What the font lacks is taken to be as wide as any other font may make it.
    fn advance(&self, c: char) -> f64 {
        let known = self.face.as_ref().and_then(|face| {
            let glyph = face.glyph_index(c)?;
            Some(f64::from(face.glyph_hor_advance(glyph)?) / f64::from(face.units_per_em()))
        });
        known.unwrap_or_else(|| c.width().unwrap_or(0) as f64)
    }

    /// The text, cut off with `…` to fit.
    pub fn fit(&self, text: &str, height: i32, most: i32) -> String {
        if self.width(text, height) <= most {
            return text.to_owned();
        }
        let mut kept = String::new();
        for c in text.chars() {
            kept.push(c);
            if self.width(&kept, height) + self.width("…", height) > most {
                kept.pop();
                break;
            }
        }
        kept.trim_end().to_owned() + "…"
    }

    /// Lines that fit, broken between words; a word that is longer is cut off.
    pub fn wrap(&self, text: &str, height: i32, most: i32) -> Vec<String> {
        let mut lines = Vec::<String>::new();
        for word in text.split(' ').filter(|word| !word.is_empty()) {
            let word = self.fit(word, height, most);
            match lines.last_mut() {
                Some(line) if self.width(&format!("{line} {word}"), height) <= most => {
                    line.push(' ');
                    line.push_str(&word);
                }
                _ => lines.push(word),
            }
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn font_has_what_figures_say() {
        let font = Font::new();
        let face = font.face.as_ref().unwrap();
        let text = "ABCxyz019 GB/s µ×÷±–—−…≈≤≥°·∞äéßŁπσ\u{fffd}";
        assert!(text.chars().all(|c| face.glyph_index(c).is_some()));
        assert!(BYTES.len() < 60_000, "{}", BYTES.len());
    }

    #[test]
    fn text_is_cut_and_wrapped_to_fit() {
        let font = Font::new();
        let text = "the quick brown fox jumps over averyveryveryverylongword";
        let lines = font.wrap(text, 40, 400);
        assert!(lines.len() > 2 && lines.iter().all(|line| font.width(line, 40) <= 400), "{lines:?}");
        assert!(lines.last().unwrap().ends_with('…'));
        assert_eq!(font.fit("abc", 40, 400), "abc");
        assert!(font.width(&font.fit(text, 40, 300), 40) <= 300);
        assert!(font.wrap("", 40, 400).is_empty());
        assert_eq!(font.width("漢", 40), 80, "unknown letters take their columns");
    }
}
