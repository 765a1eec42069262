//! What a person is told of a device, on one screen.

use std::collections::{BTreeMap, BTreeSet};

use ciphermeter_core::{Bytes, escaped, option_words};
use ciphermeter_terminal::output::{self, page_width};

use super::ask::{Checked, Found};
use crate::devices::DeviceSpec;

/// Columns of a version.
const VERSION: usize = 10;

pub fn page(spec: &DeviceSpec, found: &Found) -> String {
    let mut text = output::wrapped(&escaped(&format!("{spec}: {}", found.board)), page_width());
    text += &output::wrapped(&facts(found), page_width());
    text.push('\n');
    text += &format!(
        "{:<12} {:<VERSION$} {:<18} {:<14} {}\n",
        "provider", "version", "algorithm", "forms", "known answers"
    );
    found.offers.iter().for_each(|offer| text += &row(offer));
    text += &long_versions(&found.offers);
    text.push('\n');
    for why in found.wrong.iter().map(|why| format!("WRONG OUTPUT, as its worker found itself: {why}")) {
        text += &output::wrapped(&escaped(&why), page_width());
    }
    for why in &found.lacks {
        text += &output::wrapped(&format!("lacking: {}", escaped(why)), page_width());
    }
    text + &output::wrapped(&verdict(spec, found), page_width())
}

fn facts(found: &Found) -> String {
    let counts = match (found.counts, found.emulated) {
        (Some(counts), _) => format!("counts {counts} instead of time"),
        (None, _) => format!("times in steps of {} ns", found.step),
    };
    let how = if found.emulated { "emulated; " } else { "" };
    let clock = found.clock_hz.map(|hertz| format!("; CPU at {:.0} MHz", hertz as f64 / 1e6)).unwrap_or_default();
    let code = found.code_in.map(|place| format!("; code in {place}")).unwrap_or_default();
    let message = messages(found).map(|limits| format!("; messages up to {limits}")).unwrap_or_default();
    let stack = found.stack.map(|bytes| format!("; its stack reached {bytes} B")).unwrap_or_default();
    let heap = match (found.heap_free_at_first, found.heap_free, found.heap_least_free) {
        (Some(first), Some(now), Some(least)) => {
            format!("; heap free: {first} B at first, {now} B after the known answers, {least} B at the least")
        }
        (_, Some(now), _) => format!("; {now} B of heap free"),
        _ => String::new(),
    };
    let meter = found.current_meter.as_ref().map(|name| format!("; {name} measures its current")).unwrap_or_default();
    let Found { worker, runtime, .. } = found;
    format!("{how}{counts}{clock}{code}{message}{stack}{heap}{meter}; worker {worker} ({runtime})")
}

/// `256 B`; where images differ, `256 B (mbedtls-2), 1 KiB (bearssl, monocypher)`.
fn messages(found: &Found) -> Option<String> {
    let mut limits = BTreeMap::<u64, BTreeSet<&str>>::new();
    for offer in &found.offers {
        limits.entry(offer.max_message?).or_default().insert(&offer.provider);
    }
    let text = |bytes: u64| if bytes < 1024 { format!("{bytes} B") } else { Bytes(bytes).to_string() };
    let each = limits.iter().map(|(bytes, of)| {
        let of: Vec<&str> = of.iter().copied().collect();
        format!("{} ({})", text(*bytes), of.join(", "))
    });
    match limits.len() {
        0 => found.max_message.map(text),
        1 => limits.keys().next().map(|bytes| text(*bytes)),
        _ => Some(each.collect::<Vec<_>>().join(", ")),
    }
}

fn row(offer: &Checked) -> String {
    let Checked { provider, version, algorithm, forms, right, unsupported, wrong, .. } = offer;
    let forms: Vec<&str> = forms.iter().map(|form| form.as_str()).collect();
    let answers = match (wrong, unsupported) {
        (Some(_), _) => "WRONG".into(),
        (None, 0) => format!("{right} right"),
        (None, passed_over) => format!("{right} right, {passed_over} not taken"),
    };
    let line = format!("{provider:<12} {:<VERSION$} {algorithm:<18} {:<14} {answers}\n", cut(version), forms.join(","));
    match wrong {
        Some(why) => line + &output::hanging(2, "", &escaped(why), page_width()),
        None => line,
    }
}

/// A version as the column has it; of one that is cut, a line below the table says the rest.
fn cut(version: &str) -> String {
    match version.chars().count() > VERSION {
        true => version.chars().take(VERSION - 1).chain(['…']).collect(),
        false => version.into(),
    }
}

/// Versions for which the column has no room, a line each.
fn long_versions(offers: &[Checked]) -> String {
    let long = offers.iter().filter(|offer| cut(&offer.version) != offer.version);
    let lines: BTreeSet<String> =
        long.map(|offer| format!("{} is {}", offer.provider, escaped(&offer.version))).collect();
    lines.iter().map(|line| output::hanging(0, "", line, page_width())).collect()
}

fn verdict(spec: &DeviceSpec, found: &Found) -> String {
    match found.is_wrong() {
        true => "An output is wrong: what is wrong is not measured.".into(),
        false if found.is_nothing() => "Nothing here can be measured.".into(),
        false if !found.lacks.is_empty() => {
            format!("What was answered is right. `{}` measures the rest.", measure(spec))
        }
        false => format!("All outputs are right. `{}` measures it.", measure(spec)),
    }
}

fn measure(spec: &DeviceSpec) -> String {
    format!("ciphermeter run iot {}", option_words("--device", spec.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(provider: &str, version: &str) -> (String, String) {
        let (provider, version, algorithm) = (provider.into(), version.into(), "xor".into());
        let (forms, path) = (Vec::new(), "soft".into());
        let offer = Checked {
            provider,
            version,
            algorithm,
            forms,
            path,
            max_message: None,
            right: 3,
            unsupported: 0,
            wrong: None,
        };
        (row(&offer), long_versions(&[offer]))
    }

    #[test]
    fn version_that_has_no_room_is_said_in_full_below() {
        for (version, shown) in [
            ("0.5 of August 2017", "0.5 of Au…"),
            ("1.19.0-beta.2", "1.19.0-be…"),
            ("v5.9.4-stable", "v5.9.4-st…"),
            ("aes-gcm 0.11.1", "aes-gcm 0…"),
            ("größer als alle", "größer al…"),
        ] {
            let (row, below) = said("bearssl", version);
            assert_eq!(row.split_once(" xor").unwrap().0.trim_end(), format!("{:<12} {shown}", "bearssl").trim_end());
            assert_eq!(below, format!("bearssl is {version}\n"));
        }
        for version in ["3.6.5", "2024.10.06", "2.28.10", "", "0.11.0-rc1"] {
            let (row, below) = said("mine", version);
            assert!(row.starts_with(&format!("{:<12} {version:<10} xor", "mine")) && below.is_empty(), "{row}{below}");
        }
    }
}
