//! Order statistics.

/// The median, `None` of nothing. Reorders its argument.
pub fn median(values: &mut [f64]) -> Option<f64> {
    quantile(values, 0.5)
}

/// The median of what stays in its order; 0 of nothing.
pub(crate) fn median_of(values: &[f64]) -> f64 {
    median(&mut values.to_vec()).unwrap_or(0.0)
}

/// The quantile `q` (0 to 1) with linear interpolation between neighbours (Hyndman and Fan's type 7), `None` of nothing.
/// Reorders its argument.
pub fn quantile(values: &mut [f64], q: f64) -> Option<f64> {
    let last = values.len().checked_sub(1)?;
    let place = q.clamp(0.0, 1.0) * last as f64;
    let (below, share) = (place.floor() as usize, place.fract());
    let (_, low, above) = values.select_nth_unstable_by(below, f64::total_cmp);
    let low = *low;
    match above.iter().copied().min_by(f64::total_cmp) {
        Some(high) if share > 0.0 => Some(low + share * (high - low)),
        _ => Some(low),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn small_cases() {
        assert_eq!(median(&mut []), None);
        assert_eq!(median(&mut [3.0]), Some(3.0));
        assert_eq!(median(&mut [4.0, 1.0]), Some(2.5));
        assert_eq!(median(&mut [9.0, 1.0, 5.0]), Some(5.0));
        assert_eq!(quantile(&mut [4.0, 3.0, 2.0, 1.0, 0.0], 0.25), Some(1.0));
        assert_eq!(quantile(&mut [10.0, 0.0], 0.95), Some(9.5));
    }

    proptest! {
        #[test]
        fn agrees_with_sorting(mut values in proptest::collection::vec(-1e9..1e9f64, 1..60), q in 0.0..=1.0f64) {
            let got = quantile(&mut values, q).unwrap();
            values.sort_by(f64::total_cmp);
            let place = q * (values.len() - 1) as f64;
            let (low, high) = (values[place.floor() as usize], values[place.ceil() as usize]);
            prop_assert!(low <= got && got <= high);
        }
    }
}
