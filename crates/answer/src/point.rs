//! The sizes at which ciphers were measured, and how they are named.

use ciphermeter_core::Parameters;

use crate::words::{listed, size};

/// The sizes of a cell or group, in bytes, and what its calls go round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct Point {
    /// Bytes of the message.
    pub message: u64,
    /// Bytes of associated data.
    pub aad: u64,
    /// 0: one message again and again.
    pub working_set: u64,
    /// How many keys calls take turns with.
    pub keys: u64,
}

impl Point {
    /// The sizes of a cell.
    pub fn of(parameters: &Parameters) -> Self {
        let (working_set, keys) = parameters.goes_round();
        Self { message: parameters.message(), aad: parameters.aad(), working_set, keys }
    }
}

/// The sizes of a table, and how they are told apart.
pub struct Points(pub Vec<Point>);

impl Points {
    /// `1 KiB`; where the message alone does not say which, `1 KiB + 12 B aad`, `1 KiB of 64 MiB`, `1 KiB, 1000 keys`.
    pub fn label(&self, point: Point) -> String {
        let varies = |of: fn(&Point) -> u64| {
            self.0.iter().any(|other| other.message == point.message && of(other) != of(&point))
        };
        let mut label = size(point.message);
        if varies(|point| point.aad) {
            label += &format!(" + {} aad", size(point.aad));
        }
        if point.working_set > 0 && varies(|point| point.working_set) {
            label += &format!(" of {}", size(point.working_set));
        }
        if varies(|point| point.keys) {
            label += &format!(", {} key{}", point.keys, if point.keys == 1 { "" } else { "s" });
        }
        label
    }

    /// Whether any of them goes round several messages or keys.
    pub fn rotate(&self) -> bool {
        self.0.iter().any(|point| point.working_set > 0 || point.keys > 1)
    }

    /// What all of them go round, in a sentence.
    pub fn rotation(&self) -> Option<String> {
        let first = self.0.first()?;
        let all = |of: fn(&Point) -> u64| self.0.iter().all(|point| of(point) == of(first)).then(|| of(first));
        let set = all(|point| point.working_set).filter(|set| *set > 0);
        let keys = all(|point| point.keys).filter(|keys| *keys > 1);
        let set = set.map(|set| format!("the next message of a {} working set", size(set)));
        let keys = keys.map(|keys| format!("the next of {keys} keys"));
        let both: Vec<String> = set.into_iter().chain(keys).collect();
        (!both.is_empty()).then(|| format!("Each call takes {}.", listed(&both)))
    }

    /// `at every size`, `from 1 KiB to 1 MiB`, `at 16 B and 64 B`.
    pub fn at(&self, some: &[Point]) -> String {
        if self.are_all(some) { "at every size".into() } else { self.named(some) }
    }

    /// The same behind a negation: `at any size`.
    pub fn at_any(&self, some: &[Point]) -> String {
        if self.are_all(some) { "at any size".into() } else { self.named(some) }
    }

    fn are_all(&self, some: &[Point]) -> bool {
        some.len() == self.0.len() && some.len() > 1
    }

    fn named(&self, some: &[Point]) -> String {
        let mut runs: Vec<Vec<usize>> = Vec::new();
        for place in (0..self.0.len()).filter(|place| some.contains(&self.0[*place])) {
            match runs.last_mut().filter(|run| run.last() == Some(&place.wrapping_sub(1))) {
                Some(run) => run.push(place),
                None => runs.push(vec![place]),
            }
        }
        let labels = |places: &[usize]| -> Vec<String> { places.iter().map(|at| self.label(self.0[*at])).collect() };
        let (long, short): (Vec<_>, Vec<_>) = runs.into_iter().partition(|run| run.len() > 2);
        let long = long.iter().map(|run| match &labels(run)[..] {
            [first, .., last] => format!("from {first} to {last}"),
            _ => String::new(),
        });
        let short = labels(&short.concat());
        let short = (!short.is_empty()).then(|| format!("at {}", listed(&short)));
        listed(&long.chain(short).collect::<Vec<_>>())
    }
}

/// At most so many of them, the smallest and the largest among them.
pub fn spread(mut points: Vec<Point>, most: usize) -> Vec<Point> {
    points.sort_unstable();
    points.dedup();
    let (count, most) = (points.len(), most.max(2));
    if count <= most {
        return points;
    }
    (0..most).map(|place| points[place * (count - 1) / (most - 1)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(message: u64, aad: u64) -> Point {
        Point { message, aad, working_set: 0, keys: 1 }
    }

    fn points(messages: &[u64]) -> Vec<Point> {
        messages.iter().map(|message| point(*message, 0)).collect()
    }

    #[test]
    fn sizes_in_words() {
        let all = Points(points(&[16, 64, 256, 1024, 16_384]));
        assert_eq!(all.at(&points(&[16, 64, 256, 1024, 16_384])), "at every size");
        assert_eq!(all.at_any(&points(&[16, 64, 256, 1024, 16_384])), "at any size");
        assert_eq!(all.at(&points(&[64, 256, 1024])), "from 64 B to 1 KiB");
        assert_eq!(all.at(&points(&[16, 64, 1024])), "at 16 B, 64 B and 1 KiB");
        assert_eq!(all.at(&points(&[16, 256, 1024, 16_384])), "from 256 B to 16 KiB and at 16 B");
        assert_eq!(Points(points(&[1024])).at(&points(&[1024])), "at 1 KiB");
    }

    #[test]
    fn aad_is_named_where_it_tells_points_apart() {
        let points = Points(vec![point(16, 12), point(1024, 0), point(1024, 64)]);
        assert_eq!(points.label(points.0[0]), "16 B");
        assert_eq!(points.label(points.0[2]), "1 KiB + 64 B aad");
    }

    #[test]
    fn what_calls_go_round_is_named_where_it_tells_points_apart() {
        let (hot, cold) = (point(1024, 0), Point { working_set: 64 << 20, keys: 1000, ..point(1024, 0) });
        let both = Points(vec![hot, cold]);
        assert_eq!(both.label(hot), "1 KiB, 1 key");
        assert_eq!((both.label(cold), both.rotation()), ("1 KiB of 64 MiB, 1000 keys".into(), None));
        let alone = Points(vec![cold, Point { message: 16, ..cold }]);
        assert_eq!(alone.label(cold), "1 KiB");
        assert_eq!(
            alone.rotation().unwrap(),
            "Each call takes the next message of a 64 MiB working set and the next of 1000 keys."
        );
        assert_eq!(Points(points(&[16, 64])).rotation(), None);
    }

    #[test]
    fn spread_keeps_both_ends() {
        let all = points(&[1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(spread(all.clone(), 8), all);
        assert_eq!(spread(all, 4), points(&[1, 3, 5, 8]));
        assert_eq!(spread(points(&[2, 1, 2]), 6), points(&[1, 2]));
    }
}
