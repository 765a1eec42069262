//! What tells series apart: a color of Okabe and Ito's palette, which readers with any color vision tell apart, and a marker and a dash,
//! which survive grey printing.
//!
//! Source of the palette: Okabe and Ito, "Color Universal Design" (2008).

/// So many styles differ from each other; a panel has no more series.
pub const STYLES: usize = 7;

/// The style of a series; from [`STYLES`] on there is no room for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct SeriesStyle {
    place: usize,
    source: Source,
}

/// Where values are from: those of two sources have the same colors and marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Source {
    /// There is one.
    Only,
    /// Measured here, beside published values.
    Here,
    /// Published.
    Published,
}

/// The mark of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Marker {
    Circle,
    Square,
    Up,
    Diamond,
    Down,
    Cross,
    Bar,
}

impl SeriesStyle {
    /// AES wherever it stands beside ChaCha20.
    pub const AES: Self = Self::new(0);
    /// ChaCha20 beside AES.
    pub const CHACHA20: Self = Self::new(1);

    /// That of a place in the palette.
    pub const fn new(place: usize) -> Self {
        Self { place, source: Source::Only }
    }

    /// A library where each has a line of its own: with the colors of ciphers last, so that
    /// neighbouring figures aren't misread. From [`STYLES`] on there is none.
    pub fn of_library(place: usize) -> Self {
        Self::new(if place < STYLES { (place + 2) % STYLES } else { place })
    }

    /// What was measured here, where published values have the same color: filled, with a solid line.
    pub fn here(place: usize) -> Self {
        Self { place, source: Source::Here }
    }

    /// Published values beside those: hollow, with a dotted line.
    pub fn published(place: usize) -> Self {
        Self { place, source: Source::Published }
    }

    /// All that have room beside each other.
    pub fn usual() -> impl Iterator<Item = Self> {
        (0..STYLES).map(Self::new)
    }

    /// Those of measured and of published values.
    pub fn pairs() -> impl Iterator<Item = Self> {
        (0..STYLES).flat_map(|place| [Self::published(place), Self::here(place)])
    }

    pub(crate) fn has_room(self) -> bool {
        self.place < STYLES
    }

    /// Whether it is of values that were published.
    pub(crate) fn is_published(self) -> bool {
        self.source == Source::Published
    }

    /// What tells it from others in a page.
    pub(crate) fn id(self) -> String {
        let source = match self.source {
            Source::Only => "",
            Source::Here => "h",
            Source::Published => "p",
        };
        format!("{source}{}", self.place)
    }

    /// Red, green and blue.
    pub fn color(self) -> (u8, u8, u8) {
        const COLORS: [(u8, u8, u8); STYLES] =
            [(0, 114, 178), (213, 94, 0), (0, 158, 115), (204, 121, 167), (230, 159, 0), (86, 180, 233), (0, 0, 0)];
        COLORS[self.place % STYLES]
    }

    /// The same on a dark background, lighter.
    pub fn dark_color(self) -> (u8, u8, u8) {
        const COLORS: [(u8, u8, u8); STYLES] = [
            (61, 155, 224),
            (240, 129, 58),
            (43, 196, 154),
            (227, 154, 196),
            (242, 182, 50),
            (140, 211, 250),
            (232, 232, 232),
        ];
        COLORS[self.place % STYLES]
    }

    /// The mark of its points.
    pub(crate) fn marker(self) -> Marker {
        use Marker::{Bar, Circle, Cross, Diamond, Down, Square, Up};
        [Circle, Square, Up, Diamond, Down, Cross, Bar][self.place % STYLES]
    }

    /// Whether its markers are filled.
    pub fn is_filled(self) -> bool {
        match self.source {
            Source::Only => self.place.is_multiple_of(2),
            source => source == Source::Here,
        }
    }

    /// The length of a dash and of the gap behind it; `None` for a solid line.
    pub fn dash(self) -> Option<(i32, i32)> {
        const DASHES: [Option<(i32, i32)>; STYLES] =
            [None, Some((36, 20)), None, Some((12, 18)), Some((60, 20)), Some((24, 12)), Some((8, 12))];
        match self.source {
            Source::Only => DASHES[self.place % STYLES],
            Source::Here => None,
            Source::Published => Some((8, 16)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn looks_differ_in_color_and_marker_and_neighbours_in_dash() {
        let all: Vec<SeriesStyle> = (0..STYLES).map(SeriesStyle::new).collect();
        assert_eq!(all.iter().map(|style| style.color()).collect::<BTreeSet<_>>().len(), STYLES);
        assert!(all.iter().all(|style| all.iter().filter(|other| other.marker() == style.marker()).count() == 1));
        assert_ne!(SeriesStyle::AES.dash(), SeriesStyle::CHACHA20.dash());
    }

    #[test]
    fn published_values_are_hollow_and_have_the_color_of_those_measured_here() {
        for (place, usual) in SeriesStyle::usual().enumerate() {
            let (here, published) = (SeriesStyle::here(place), SeriesStyle::published(place));
            assert!(here.is_filled() && !published.is_filled() && here.has_room() && published.has_room());
            assert_eq!([here.color(), published.color()], [usual.color(); 2]);
            assert!(here.marker() == published.marker() && here.dash().is_none() && published.dash().is_some());
        }
        assert!(
            ![SeriesStyle::new(STYLES), SeriesStyle::here(STYLES), SeriesStyle::published(STYLES)]
                .iter()
                .any(|one| one.has_room())
        );
    }
}
