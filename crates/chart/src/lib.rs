//! Figures of panels: lines over an axis, and rows along one. It knows no record and no run: a
//! [`Spec`](spec::Spec) says what is asked and with which values, a [`Sheet`](sheet::Sheet) what is
//! drawn of them, and this crate where on the page it stands.

mod axis;
mod canvas;
mod font;
mod html;
mod lines;
mod page;
mod panel;
mod png;
mod rows;
pub mod scale;
pub mod sheet;
pub mod spec;
pub mod style;
mod words;

pub use canvas::FigureWidth;
pub use html::{Written, figure};
pub use page::draw;
pub use panel::markers;
pub use png::render as render_png;
#[doc(hidden)]
pub use png::tree;
pub use words::write_csv;
