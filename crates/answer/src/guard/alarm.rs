//! An alarm and whether it stands.

use ciphermeter_core::Cell;
use ciphermeter_estimate::{Comparison, Ratio, Side};
use ciphermeter_stats::Effect;
use serde::Serialize;

use super::instructions::Explained;

/// What the second measurement says of an alarm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// The cell is surely slower again, by more than two copies of the old file may differ.
    Confirmed,
    /// It is not surely slower again.
    NotSlower,
    /// It is surely slower again, but two copies of the old file surely differ, too, and may differ by as much.
    ControlDiffers,
    /// It is surely slower again, and whether two copies of the old file differ by as much is not known.
    ControlTooWide,
    /// It, or its control, could not be measured again.
    NotMeasured,
}

impl Standing {
    /// Whether the second measurement left it open.
    pub(super) fn is_open(self) -> bool {
        match self {
            Self::ControlTooWide | Self::NotMeasured => true,
            Self::Confirmed | Self::NotSlower | Self::ControlDiffers => false,
        }
    }
}

/// An alarm of the first measurement.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Alarm {
    /// Which cell.
    #[serde(flatten)]
    pub cell: Cell,
    /// Time now ÷ time before, as it raised the alarm.
    pub first: Ratio,
    /// What the second measurement says of it.
    #[serde(flatten)]
    pub weighed: Weighed,
    /// What explains it; `None` unless it is confirmed.
    pub explained: Option<Explained>,
    /// Why it was not measured again; `None` if it was.
    pub unmeasured: Option<String>,
}

/// What a cell's second measurement comes to.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Weighed {
    /// Time now ÷ time before; `None` where it was not measured again.
    pub again: Option<Ratio>,
    /// Time of a second copy of the old file ÷ time of the first, in the same rounds.
    pub control: Option<Ratio>,
    /// Whether the alarm stands.
    pub standing: Standing,
}

/// A comparison, and the ratio that it rests on.
type Judged = (Comparison, Ratio);

/// Weighs alarms, each with its two effects where they rest on enough forks: that of new ÷ old and that of the control. Each of the two is a
/// family: the chance that even one cell is called slower again that is not is at most 5 %.
pub fn weigh(alarms: &[[Option<Effect>; 2]], threshold: f64) -> Vec<Weighed> {
    let [again, control] = [0, 1].map(|place| {
        let effects: Vec<Effect> = alarms.iter().filter_map(|alarm| alarm[place]).collect();
        let mut judged = Comparison::beyond(&effects, threshold).into_iter();
        alarms.iter().map(|alarm| alarm[place].and_then(|_| judged.next())).collect::<Vec<_>>()
    });
    let weighed = |(again, control): (Option<Judged>, Option<Judged>)| Weighed {
        again: again.map(|(_, ratio)| ratio),
        control: control.map(|(_, ratio)| ratio),
        standing: standing(again, control),
    };
    again.into_iter().zip(control).map(weighed).collect()
}

fn standing(again: Option<Judged>, control: Option<Judged>) -> Standing {
    let Some((comparison, slowdown)) = again else { return Standing::NotMeasured };
    if comparison.faster() != Some(Side::First) {
        return Standing::NotSlower;
    }
    let Some((control, apart)) = control else { return Standing::NotMeasured };
    match apart.differ_at_most() {
        Some(most) if most < slowdown.mid - 1.0 => Standing::Confirmed,
        _ if control.faster().is_some() => Standing::ControlDiffers,
        _ => Standing::ControlTooWide,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use ciphermeter_estimate::Logs;

    use super::*;

    /// Twelve forks around a share, which lie so far apart.
    fn effect(share: f64, spread: f64) -> Option<Effect> {
        let place = |fork: u32| f64::from(fork) / 11.0 - 0.5;
        let by_fork: BTreeMap<u32, f64> = (0..12).map(|fork| (fork, share.ln_1p() + spread * place(fork))).collect();
        Logs::located(&by_fork).effect()
    }

    fn standings(alarms: &[[Option<Effect>; 2]]) -> Vec<Standing> {
        weigh(alarms, 0.003).into_iter().map(|weighed| weighed.standing).collect()
    }

    #[test]
    fn alarm_stands_where_the_cell_is_slower_again_and_copies_of_one_file_are_not() {
        let quiet = effect(0.0, 0.002);
        assert_eq!(standings(&[[effect(0.01, 0.002), quiet]]), [Standing::Confirmed]);
        assert_eq!(standings(&[[effect(0.001, 0.002), quiet]]), [Standing::NotSlower]);
        assert_eq!(standings(&[[effect(-0.02, 0.002), quiet]]), [Standing::NotSlower]);
        assert_eq!(standings(&[[effect(0.01, 0.05), quiet]]), [Standing::NotSlower], "not surely");
    }

    #[test]
    fn control_that_may_differ_by_as_much_confirms_nothing_in_either_direction() {
        let slower = effect(0.01, 0.002);
        for share in [0.012, -0.012] {
            assert_eq!(standings(&[[slower, effect(share, 0.002)]]), [Standing::ControlDiffers], "{share}");
        }
        assert_eq!(standings(&[[slower, effect(0.0, 0.08)]]), [Standing::ControlTooWide]);
        assert_eq!(standings(&[[slower, effect(0.004, 0.001)]]), [Standing::Confirmed], "copies differ by far less");
    }

    #[test]
    fn what_was_not_measured_again_is_not_confirmed() {
        let slower = effect(0.01, 0.002);
        assert_eq!(standings(&[[None, slower], [slower, None]]), [Standing::NotMeasured; 2]);
        let weighed = weigh(&[[slower, None], [slower, effect(0.0, 0.002)]], 0.003);
        assert_eq!(weighed[1].standing, Standing::Confirmed, "one cell's gap is no other's");
        assert!(weighed[0].again.is_some() && weighed[0].control.is_none());
    }
}
