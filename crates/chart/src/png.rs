//! The SVG as a PNG: resvg renders it with the embedded font, so it is the same on every machine.

use std::sync::Arc;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

use crate::canvas::UNITS;
use crate::font::BYTES;

/// A tree as PNGs and tests see it.
pub fn tree(svg: &str) -> Result<Tree, String> {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(BYTES.to_vec());
    let options = Options { fontdb: Arc::new(fonts), ..Options::default() };
    Tree::from_str(svg, &options).map_err(|error| error.to_string())
}

/// So many pixels as the page has units: 400 a inch where the figure is 163 mm wide.
pub fn render(svg: &str) -> Result<Vec<u8>, String> {
    let tree = tree(svg)?;
    let scale = UNITS as f32;
    let [width, height] = [tree.size().width(), tree.size().height()].map(|pixels| (pixels * scale).round() as u32);
    let mut pixels = Pixmap::new(width, height).ok_or("a page without pixels")?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| error.to_string())
}
