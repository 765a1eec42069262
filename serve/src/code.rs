//! QR codes, for a terminal and for a page.

use maud::{Markup, html};
use qrcode::render::unicode::Dense1x2;
use qrcode::{Color, EcLevel, QrCode};

/// Squares around a code, without which cameras do not find it.
const QUIET: usize = 4;

/// A screen is not torn or stained: with the least redundancy the squares are largest.
fn made(text: &str) -> Option<QrCode> {
    QrCode::with_error_correction_level(text, EcLevel::L).ok()
}

/// The code in half blocks, for a terminal that is dark; `None`: the text is too long for one.
pub fn blocks(text: &str) -> Option<String> {
    let code = made(text)?;
    let light = Dense1x2::Dark;
    Some(code.render::<Dense1x2>().light_color(light).dark_color(Dense1x2::Light).quiet_zone(true).build())
}

/// The code as a drawing; dark on light in every theme, as cameras read nothing else.
pub fn drawing(text: &str) -> Option<Markup> {
    let code = made(text)?;
    let width = code.width();
    let size = width + 2 * QUIET;
    let dark = code.to_colors().into_iter().enumerate().filter(|(_, color)| *color == Color::Dark);
    let squares: String =
        dark.map(|(at, _)| format!("M{} {}h1v1h-1z", at % width + QUIET, at / width + QUIET)).collect();
    Some(html! {
        svg.code viewBox=(format!("0 0 {size} {size}")) role="img" aria-label="The link as a QR code" {
            rect width=(size) height=(size) fill="#fff" {}
            path d=(squares) fill="#000" {}
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINK: &str = "https://team.example:8787/join/#join=ciphermeter_0123456789abcdef";

    /// What a camera reads of squares, each of several pixels.
    fn read(size: usize, is_dark: impl Fn(usize, usize) -> bool) -> String {
        const PIXELS: usize = 4;
        let shade = |x: usize, y: usize| if is_dark(x / PIXELS, y / PIXELS) { 0 } else { 255 };
        let mut image = rqrr::PreparedImage::prepare_from_greyscale(size * PIXELS, size * PIXELS, shade);
        image.detect_grids()[0].decode().unwrap().1
    }

    #[test]
    fn code_on_a_dark_terminal_is_read() {
        let lines: Vec<Vec<char>> = blocks(LINK).unwrap().lines().map(|line| line.chars().collect()).collect();
        let size = lines[0].len();
        assert!(lines.iter().all(|line| line.len() == size) && lines.len() == size.div_ceil(2));
        // A terminal lights what a block fills: both halves, the upper or the lower one.
        let is_dark = |x: usize, y: usize| match lines[y / 2][x] {
            '█' => false,
            '▀' => y % 2 == 1,
            '▄' => y.is_multiple_of(2),
            _ => true,
        };
        assert_eq!(read(size, is_dark), LINK);
    }

    #[test]
    fn code_on_a_page_is_read() {
        let svg = drawing(LINK).unwrap().into_string();
        let size = svg.split("viewBox=\"0 0 ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap().parse().unwrap();
        let is_dark = |x: usize, y: usize| svg.contains(&format!("M{x} {y}h1v1h-1z"));
        assert_eq!(read(size, is_dark), LINK);
        assert!(blocks(&"x".repeat(3000)).is_none() && drawing(&"x".repeat(3000)).is_none());
    }
}
