//! Whether a worker claims far less time than passed.

use crate::{Warning, median};

/// A worker must claim a quarter of what its calls may have taken.
pub const MOST_UNCLAIMED: u64 = 4;

/// By so many times the root of the number of samples must those that are over exceed a half of all: 3.2 standard errors. On a machine so
/// busy that waiting decides, up to a half may be over by chance.
const SURELY_OVER_HALF: f64 = 1.6;

/// Times that are mostly less than a quarter of what passed. `samples` are (ns, what its calls took by the harness's clock, where that is
/// known to be so much longer).
pub fn unclaimed(samples: &[(u64, Option<u64>)]) -> Option<Warning> {
    let is_over = |(ns, elapsed): &(u64, u64)| *ns > 0 && elapsed / MOST_UNCLAIMED > *ns;
    let over = samples.iter().filter_map(|(ns, elapsed)| Some((*ns, (*elapsed)?))).filter(is_over);
    let mut times: Vec<f64> = over.map(|(ns, elapsed)| elapsed as f64 / ns as f64).collect();
    let (count, all) = (times.len() as f64, samples.len() as f64);
    let times = median(&mut times)?;
    let is_sure = count > all / 2.0 + SURELY_OVER_HALF * all.sqrt();
    is_sure.then_some(Warning::Unclaimed { times, share: count / all })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_a_quarter_of_what_passed_are_flagged() {
        let lie = (100, Some(1200));
        let mixed = [[lie; 80].as_slice(), &[(100, None); 20]].concat();
        assert_eq!(unclaimed(&mixed), Some(Warning::Unclaimed { times: 12.0, share: 0.8 }));
        assert_eq!(unclaimed(&mixed[30..]), Some(Warning::Unclaimed { times: 12.0, share: 50.0 / 70.0 }));
        assert_eq!(unclaimed(&mixed[50..]), None, "so many may have waited by chance");
        assert_eq!((unclaimed(&[lie; 10]), unclaimed(&[lie; 11]).is_some()), (None, true));
        assert_eq!(unclaimed(&[(100, Some(400)); 30]), None);
        assert_eq!(unclaimed(&[]), None);
    }
}
