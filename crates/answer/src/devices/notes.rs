//! What else there is to know of devices: opening and key set-up where they change the answer, what emulation leaves out, what no meter
//! measured.

use std::collections::BTreeSet;

use ciphermeter_core::Counts;
use ciphermeter_estimate::Thresholds;

use super::answer::{DeviceAnswer, DevicesAnswer};
use super::choice::{Best, Offer};
use super::cost::Unit;
use super::course::Course;
use super::footprint::Footprint;
use crate::words::{bytes, capital, digits, listed, percent};

/// Which of the three any device says.
#[derive(Debug, Clone, Copy, Default)]
pub struct Known {
    /// Bytes of RAM.
    pub ram: bool,
    /// Bytes of flash.
    pub flash: bool,
    /// Charge or energy.
    pub charge: bool,
}

impl Known {
    /// Whether any of these offers says it.
    pub fn of<'a>(offers: impl Iterator<Item = &'a Offer>) -> Self {
        let mut known = Self::default();
        for footprint in offers.map(|offer| &offer.footprint) {
            known.ram |= footprint.ram().is_some();
            known.flash |= footprint.code.is_some();
            known.charge |= footprint.charged().is_some();
        }
        known
    }
}

impl DevicesAnswer {
    fn offers(&self) -> impl Iterator<Item = &Offer> {
        self.devices.iter().flat_map(DeviceAnswer::offers)
    }

    /// Opening, and a key for one message only: a line for each that has another answer, and one for those that have the same.
    pub fn questions(&self, is_brief: bool) -> (Vec<String>, Option<String>) {
        type CourseOf = fn(&DeviceAnswer) -> &Course;
        let asked: [(CourseOf, &str); 2] =
            [(|device| &device.opening, "opening"), (|device| &device.once, "a key used once (key-setup + seal)")];
        let (mut alike, mut lines) = (Vec::new(), Vec::new());
        for (course, title) in asked {
            let courses = self.devices.iter().map(|device| (device, course(device)));
            let courses = courses.filter(|(device, course)| !course.stretches.is_empty() && !device.choices.is_empty());
            let (others, agree): (Vec<_>, Vec<_>) =
                courses.partition(|(device, course)| differs(&device.course, course));
            match (others.is_empty(), agree.is_empty()) {
                (true, true) => {}
                (true, false) => alike.push(title.to_owned()),
                (false, is_all) => {
                    let rest = if is_all { "" } else { "; else the same" };
                    lines.push(format!("{}: {}{rest}.", capital(title), self.by_device(&others, is_brief)));
                }
            }
        }
        let same = (!alike.is_empty()).then(|| format!("The answer is the same for {}.", listed(&alike)));
        (lines, same)
    }

    /// AES and ChaCha20 alone on several devices, where another cipher wins on some.
    pub fn usual(&self, is_brief: bool) -> Option<String> {
        let courses: Vec<(&DeviceAnswer, &Course)> =
            self.devices.iter().filter_map(|device| Some((device, device.usual.as_ref()?))).collect();
        let which = if is_brief { "AES or ChaCha" } else { "Of AES and ChaCha20 alone" };
        let rest = if courses.len() < self.devices.len() && !is_brief { "; elsewhere as above" } else { "" };
        let sentence = || format!("{which}: {}{rest}.", self.by_device(&courses, is_brief));
        (self.devices.len() > 1 && !courses.is_empty()).then(sentence)
    }

    /// `Emulated: instructions (cycles on avr) are not microseconds, …`, in brief on one line.
    pub fn emulated(&self, is_brief: bool) -> Option<String> {
        let emulated = || self.devices.iter().filter(|device| device.is_emulated);
        let timed: Vec<String> =
            emulated().filter(|device| device.unit.is_time()).map(|one| one.name.clone()).collect();
        emulated().next()?;
        if is_brief && timed.is_empty() {
            return Some("Emulated: counts are not µs, and say nothing of wait states, accelerators or charge.".into());
        }
        let names = |wanted: Counts| -> Vec<String> {
            let own = self.devices.iter().filter(|device| device.unit == Unit::Count(wanted));
            own.map(|device| device.name.clone()).collect()
        };
        let (instructions, cycles) = (names(Counts::Instructions), names(Counts::Cycles));
        let what = match (instructions.is_empty(), cycles.is_empty()) {
            (false, false) => format!("instructions (cycles on {}) are", listed(&cycles)),
            (false, true) => "instructions are".into(),
            (true, false) => "cycles are".into(),
            (true, true) => format!("times on {} are", listed(&timed)),
        };
        let no = match instructions.is_empty() && cycles.is_empty() {
            true => "not a board's",
            false => "not microseconds",
        };
        Some(format!("Emulated: {what} {no}, and say nothing about flash wait states, accelerators or charge."))
    }

    /// How often was counted, and how far forks lay apart.
    pub fn counted(&self) -> Option<String> {
        let counting = || self.devices.iter().filter(|device| !device.unit.is_time());
        let offers = || counting().flat_map(DeviceAnswer::ciphers_at_all_sizes);
        let forks = offers().map(|offer| offer.forks).min()?;
        let apart = offers().map(|offer| offer.spread).fold(0.0, f64::max);
        let counted = match (forks, apart) {
            (1, _) => "Counted in one fork: nothing shows whether another would count the same.".into(),
            (forks, apart) if apart > 0.0 => {
                format!("Counted in {forks} forks, which lie up to {} apart.", percent(apart))
            }
            (forks, _) => {
                format!("Counted in {forks} forks of the same keys and messages, which agree to the last digit.")
            }
        };
        let has_equals =
            |device: &DeviceAnswer| device.choices.iter().any(|choice| matches!(choice.best, Best::Equal(_)));
        let equal = format!(" Equal: at most {} apart.", percent(Thresholds::EQUAL));
        Some(if counting().any(has_equals) { counted + &equal } else { counted })
    }

    /// How often was timed, and what the verdicts on times hold for.
    pub fn timed(&self) -> Option<String> {
        let timed = || self.devices.iter().filter(|device| device.unit.is_time());
        let forks = || timed().flat_map(DeviceAnswer::ciphers_at_all_sizes).map(|offer| offer.forks);
        let (least, most) = (forks().min()?, forks().max()?);
        let forks = if least < most { format!("{least} to {most}") } else { most.to_string() };
        let hold = match self.comparisons {
            1 => String::new(),
            2 => " for both comparisons at once".into(),
            all => format!(" for all {all} comparisons at once"),
        };
        Some(format!("Timed in {forks} forks; intervals of 95 %{hold}."))
    }

    /// What boards draw at the middle size, and while they wait: `esp32 draws 81.3 mA at work, 42.0 mA waiting.`
    pub fn currents(&self) -> Option<String> {
        let of = |device: &DeviceAnswer| {
            let footprint = device.middle()?.offers.first()?.footprint;
            let active = format!("{} draws {} mA at work", device.name, digits(footprint.active?));
            Some(match footprint.idle {
                Some(idle) => format!("{active}, {} mA waiting.", digits(idle)),
                None => format!("{active}."),
            })
        };
        let sentences: Vec<String> = self.devices.iter().filter_map(of).collect();
        (!sentences.is_empty()).then(|| sentences.join(" "))
    }

    /// Why a board has no charge.
    pub fn no_meter(&self) -> Option<String> {
        let boards = || self.devices.iter().filter(|device| !device.is_emulated && !device.choices.is_empty());
        let known = Known::of(boards().flat_map(DeviceAnswer::offers));
        (boards().next().is_some() && !known.charge).then(|| "charge: no meter; --meter DEVICE".into())
    }

    /// What no device says of RAM and flash.
    pub fn unreported(&self) -> Option<String> {
        let known = Known::of(self.offers());
        let says = |of: fn(&Footprint) -> Option<u64>| self.offers().any(|offer| of(&offer.footprint).is_some());
        let ram = match (says(|footprint| footprint.stack), says(|footprint| footprint.state)) {
            (true, false) => "state",
            (false, true) => "stack",
            _ => "stack, state",
        };
        self.offers().next()?;
        match (known.ram, known.flash) {
            (true, true) => None,
            (false, true) => Some(format!("RAM: the worker does not report {ram}.")),
            (true, false) => Some("flash: the worker does not report code.".into()),
            (false, false) => Some(format!("RAM and flash: the worker does not report {ram} and code.")),
        }
    }

    /// `cortex-m4 has no figure at 32 KiB: message and aad may have up to 16384 bytes here.`
    pub fn refused(&self) -> Option<String> {
        let of = |device: &DeviceAnswer| {
            let refused = device.refused.as_ref()?;
            Some(format!("{} has no figure {}: {}.", device.name, refused.at, refused.why))
        };
        let sentences: Vec<String> = self.devices.iter().filter_map(of).collect();
        (!sentences.is_empty()).then(|| sentences.join(" "))
    }

    /// `avr has no figure of Ascon-AEAD128 at 1 KiB: messages have up to 512 bytes here.`
    pub fn absent(&self) -> Option<String> {
        let of = |device: &DeviceAnswer| -> Vec<String> {
            let absent = device.absent.iter().map(|absent| {
                let why = absent.why.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
                format!("{} has no figure of {} {}{why}.", device.name, absent.algorithm.title(), absent.at)
            });
            absent.collect()
        };
        let sentences: Vec<String> = self.devices.iter().flat_map(of).collect();
        (!sentences.is_empty()).then(|| sentences.join(" "))
    }
}

impl DeviceAnswer {
    fn offers(&self) -> impl Iterator<Item = &Offer> {
        self.choices.iter().flat_map(|choice| &choice.offers)
    }

    /// Each cipher by its cheapest provider, at all sizes.
    fn ciphers_at_all_sizes(&self) -> impl Iterator<Item = &Offer> {
        self.choices.iter().flat_map(|choice| choice.ciphers())
    }

    /// At the middle size, what takes the least RAM and the least flash, where that is not what is cheapest.
    pub fn least(&self) -> Option<String> {
        let choice = self.middle()?;
        let least = |of: fn(&Footprint) -> Option<u64>| {
            let known = choice.offers.iter().filter_map(|offer| Some((of(&offer.footprint)?, offer)));
            let (least, offer) = known.min_by_key(|(bytes, _)| *bytes)?;
            let is_news = choice.ciphers().all(|offer| of(&offer.footprint).is_none_or(|bytes| bytes > least));
            is_news.then(|| format!("{}, {} by {}", bytes(least), offer.algorithm.title(), offer.provider))
        };
        let ram = least(Footprint::ram).map(|least| format!("least RAM {least}"));
        let flash = least(|footprint| footprint.code).map(|least| format!("least flash {least}"));
        let both: Vec<String> = ram.into_iter().chain(flash).collect();
        (!both.is_empty()).then(|| format!("{}.", capital(&both.join("; "))))
    }

    /// Figures of another form than the others have: `Ascon-AEAD128 by wolfssl has the form into, the others in-place.`
    pub fn other_form(&self) -> Option<String> {
        let others = || self.ciphers_at_all_sizes().filter(|offer| offer.form != self.form);
        let form = others().next()?.form;
        let names: BTreeSet<String> =
            others().map(|offer| format!("{} by {}", offer.algorithm.title(), offer.provider)).collect();
        let names: Vec<String> = names.into_iter().collect();
        let have = if names.len() == 1 { "has" } else { "have" };
        Some(format!("{} {have} the form {form}, the others {}.", listed(&names), self.form))
    }
}

/// A size without an answer contradicts none.
fn differs(one: &Course, other: &Course) -> bool {
    let at = |course: &Course, point| {
        let stretch = course.stretches.iter().find(|stretch| stretch.points.contains(point));
        stretch.map(|stretch| stretch.best.clone()).filter(|best| *best != Best::Unknown)
    };
    let mut points = other.stretches.iter().flat_map(|stretch| &stretch.points);
    points.any(|point| match (at(one, point), at(other, point)) {
        (Some(one), Some(other)) => one != other,
        _ => false,
    })
}
