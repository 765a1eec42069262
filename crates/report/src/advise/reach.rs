//! How far ahead a cipher is by size: a mean over sizes says little where it is far from what it is at each.

use ciphermeter_estimate::Ratio;
use ciphermeter_stats::simultaneous;

use super::field::Field;
use ciphermeter_answer::point::Point;
use ciphermeter_answer::rank::Contender;

/// The sizes at which it is least and most ahead, each with the other's time ÷ its own; the intervals of all sizes hold at once.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Reach {
    pub(super) lowest: (Point, Ratio),
    pub(super) highest: (Point, Ratio),
}

impl Reach {
    /// `None` with a single size.
    pub(super) fn of(field: &Field, own: &Contender, other: &Contender) -> Option<Self> {
        let points = field.points();
        let confidence = simultaneous(points.len());
        let ratio = |(point, places): (Point, Vec<usize>)| {
            Some((point, Ratio::from_logs(&field.logs(other, own, &places), confidence)?))
        };
        let all: Vec<(Point, Ratio)> = points.into_iter().map(ratio).collect::<Option<_>>()?;
        let by_ratio = |(_, a): &&(Point, Ratio), (_, b): &&(Point, Ratio)| a.mid.total_cmp(&b.mid);
        let (lowest, highest) = (all.iter().min_by(by_ratio)?, all.iter().max_by(by_ratio)?);
        (all.len() > 1).then_some(Self { lowest: *lowest, highest: *highest })
    }

    /// `1.24× to 2.07×`; `None` where both ends are the same, or not known that well.
    pub(super) fn said(&self) -> Option<String> {
        let ends = [self.lowest.1, self.highest.1];
        let said = ciphermeter_answer::pair::reach(ends.iter().map(|ratio| (ratio.mid, ratio.mid)));
        (said.contains(" to ") && !ends.into_iter().any(|ratio| ratio.is_wide())).then_some(said)
    }
}
