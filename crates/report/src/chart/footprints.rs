//! What an algorithm takes on devices apart from its cost: RAM and flash, a panel for each device, a bar for each cipher of each provider.

use ciphermeter_core::{Record, Run};

use super::caption::{clean, origin, versions};
use super::cell::name;
use super::styles::CipherStyles;
use ciphermeter_answer::devices::{Choice, DevicesAnswer, Footprint, Offer};
use ciphermeter_answer::measured::is_here;
use ciphermeter_answer::words::{bytes as in_words, capital, size};
use ciphermeter_chart::scale::unit_of_memory;
use ciphermeter_chart::sheet::{Point, Row, Sheet};
use ciphermeter_chart::spec::{Most, Panels, RowPanels, Spec};

/// What is drawn of a footprint.
struct Quantity {
    name: &'static str,
    title: &'static str,
    axis: &'static str,
    bytes: fn(&Footprint) -> Option<u64>,
    words: &'static str,
}

const ALL: [Quantity; 2] = [
    Quantity {
        name: "ram",
        title: "How much RAM does it take?",
        axis: "RAM",
        bytes: Footprint::ram,
        words: "The library's objects and the most stack that the timed calls used, as the device reports them; the message is not in it.",
    },
    Quantity {
        name: "flash",
        title: "How much flash does it take?",
        axis: "flash",
        bytes: |footprint| footprint.code,
        words: "Code and constant tables that the algorithm reaches, as the device reports them.",
    },
];

/// Those that any device reports, with names for their files, at the size in the middle.
pub(super) fn footprints(run: &Run, records: &[Record]) -> Vec<(String, Sheet)> {
    let Some(answer) = DevicesAnswer::of(records) else { return Vec::new() };
    let all: Vec<(&str, &Choice)> =
        answer.devices.iter().filter_map(|device| Some((device.name.as_str(), device.middle()?))).collect();
    let of = |quantity: &Quantity| Some((quantity.name.to_owned(), quantity.sheet(run, records, &all)?));
    ALL.iter().filter_map(of).collect()
}

impl Quantity {
    fn sheet(&self, run: &Run, records: &[Record], all: &[(&str, &Choice)]) -> Option<Sheet> {
        let offers = || all.iter().flat_map(|(_, choice)| &choice.offers);
        let most = offers().filter_map(|offer| (self.bytes)(&offer.footprint)).max()?;
        let (unit, word) = unit_of_memory(most);
        let styles = CipherStyles::new(offers().map(|offer| offer.algorithm));
        let bar = |(offer, bytes): (&Offer, u64)| {
            let point = Point::new(bytes as f64, None).in_unit(unit);
            let row = Row::new(name(&offer.provider, offer.algorithm), styles.of(offer.algorithm), point);
            Row { figure: in_words(bytes), ..row }
        };
        let panel = |(device, choice): &(&str, &Choice)| {
            let known = choice.offers.iter().filter_map(|offer| Some((offer, (self.bytes)(&offer.footprint)?)));
            let mut known: Vec<(&Offer, u64)> = known.collect();
            known.sort_by_key(|(offer, bytes)| (*bytes, offer.cell));
            (clean(device), known.into_iter().map(bar).collect::<Vec<_>>())
        };
        let (first, shown) = (all.first()?.1.offers.first()?, offers().map(|offer| offer.cell).collect::<Vec<_>>());
        let shown = || records.iter().filter(|record| shown.contains(&record.id));
        Spec {
            title: self.title.into(),
            subtitle: format!(
                "{} of {}, messages of {}",
                capital(self.axis),
                first.operation,
                size(all.first()?.1.point.message)
            ),
            quantity: format!("{}, {word}", self.axis),
            panels: Panels::Rows(RowPanels {
                most: Most(9, "devices"),
                most_rows: Most(16, "ciphers, larger than these"),
                unit: Some(""),
                has_titles: false,
                ..RowPanels::bars(all.iter().map(panel))
            }),
            caption: vec![Some(self.words.into())],
            ends: vec![versions(shown()), Some(origin(run, records.iter().filter(|record| !is_here(record))))],
        }
        .sheet()
    }
}
