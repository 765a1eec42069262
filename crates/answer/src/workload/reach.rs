//! How far ahead a cipher is by size: a mean over sizes says little where it is far from what it is at each.

use ciphermeter_estimate::Ratio;
use ciphermeter_stats::simultaneous;
use serde::Serialize;

use super::field::Field;
use crate::point::Point;
use crate::rank::Contender;
use crate::words::{reach, span};

/// The sizes at which it is least and most ahead; the intervals of all sizes hold at once.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Reach {
    pub lowest: RatioAt,
    pub highest: RatioAt,
}

/// How far ahead it is at a size.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct RatioAt {
    #[serde(flatten)]
    pub point: Point,
    /// The other's time ÷ its own.
    pub ratio: Ratio,
}

impl Reach {
    /// `None` with a single size.
    pub(super) fn of(field: &Field, own: &Contender, other: &Contender) -> Option<Self> {
        let points = field.points();
        let confidence = simultaneous(points.len());
        let at = |(point, places): (Point, Vec<usize>)| {
            Some(RatioAt { point, ratio: Ratio::from_logs(&field.logs(other, own, &places), confidence)? })
        };
        let all: Vec<RatioAt> = points.into_iter().map(at).collect::<Option<_>>()?;
        let by_ratio = |a: &&RatioAt, b: &&RatioAt| a.ratio.mid.total_cmp(&b.ratio.mid);
        let (lowest, highest) = (all.iter().min_by(by_ratio)?, all.iter().max_by(by_ratio)?);
        (all.len() > 1).then_some(Self { lowest: *lowest, highest: *highest })
    }

    /// `1.24× to 2.07×`; `None` where both ends are the same, or not known that well.
    pub(super) fn said(&self) -> Option<String> {
        let ends = [self.lowest.ratio, self.highest.ratio];
        let said = span(reach(ends));
        (said.contains(" to ") && !ends.into_iter().any(|ratio| ratio.is_wide())).then_some(said)
    }
}
