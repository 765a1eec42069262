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

    #[test]
    fn code_is_square_with_room_around_it() {
        let lines: Vec<String> = blocks("https://team.example/join/").unwrap().lines().map(String::from).collect();
        let width = lines[0].chars().count();
        assert!(lines.iter().all(|line| line.chars().count() == width) && lines.len() == width.div_ceil(2));
        // The whole quiet zone is light, which is what a dark terminal shows of a full block.
        assert!(lines[0].chars().all(|block| block == '█') && lines[5].starts_with("████"), "{}", lines.join("\n"));
        assert!(drawing("https://team.example/join/").unwrap().into_string().contains("M4 4h1v1h-1z"));
        assert!(blocks(&"x".repeat(3000)).is_none());
    }
}
