//! The axis below a panel: its labels, and the grid's lines above them.

use crate::canvas::{Anchor, Canvas, Drawn, GRID, INK, TICK};
use crate::font::Font;
use crate::scale::{Scale, thinned};

/// Between an axis and its labels.
pub const LABEL_GAP: i32 = 24;

/// Draws the ticks between the ends of the scale, through the panel from top to bottom.
pub fn draw_below(
    canvas: &Canvas,
    font: &Font,
    scale: &Scale,
    (ends, (top, bottom)): ((i32, i32), (i32, i32)),
    has_labels: bool,
) -> Drawn {
    let places: Vec<i32> = scale.ticks.iter().map(|tick| scale.place(tick.at, ends)).collect();
    let widths: Vec<i32> = scale.ticks.iter().map(|tick| font.width(&tick.label, TICK)).collect();
    for place in thinned(&places, &widths, 28) {
        let x = places[place];
        canvas.line(&[(x, top), (x, bottom)], GRID, 3)?;
        canvas.line(&[(x, bottom), (x, bottom + 12)], INK, 4)?;
        if has_labels {
            let label = &scale.ticks[place].label;
            canvas.text(label, (x, bottom + LABEL_GAP + TICK / 2), TICK, Anchor::Center, INK)?;
        }
    }
    Ok(())
}
