//! The results of the turns. Ratios are medians over the rounds' ratios: what slows the machine down slows both.

use ciphermeter_core::Bytes;
use ciphermeter_stats::median;

use super::entry::Entry;
use super::mover::{Span, To, Took};

/// All tables: by destination, and by what the time covers.
pub fn all(entries: &[Entry], size: Bytes) -> String {
    let mut text = String::new();
    for to in [To::Nowhere, To::File] {
        let those = |span| entries.iter().filter(|entry| entry.to == to && entry.span == span).collect::<Vec<_>>();
        text += &table(&those(Span::Processes), &format!("{to}, processes and all"), size);
        text += &table(&those(Span::Bytes), &format!("{to}, from the first byte"), size);
        text += &bound(&those(Span::Bytes));
    }
    text
}

/// What the others are compared with.
const OURS: &str = "ciphermeter aes-256-gcm";

fn named(entries: &[&Entry], name: &str) -> Option<Vec<f64>> {
    entries.iter().find(|entry| entry.name == name).map(|entry| entry.seconds())
}

/// Without ours, only the rates.
fn table(entries: &[&Entry], title: &str, size: Bytes) -> String {
    if entries.is_empty() {
        return String::new();
    }
    let ours = named(entries, OURS);
    let heading = if ours.is_some() { "ciphermeter AES is" } else { "" };
    let mut text = format!("\n{title:<34} {:>6}  {:<13}  {heading}\n", "MiB/s", "middle half");
    for entry in entries {
        let mut turns = entry.seconds();
        let ratio = ours.as_ref().map(|ours| {
            let mut ratios: Vec<f64> = turns.iter().zip(ours).map(|(other, ours)| other / ours).collect();
            format!("{:.2}×", middle(&mut ratios))
        });
        let ratio = ratio.unwrap_or_default();
        turns.sort_by(f64::total_cmp);
        let rate = |time: f64| size.0 as f64 / time / f64::from(1 << 20);
        let range = format!("{:.0} to {:.0}", rate(turns[turns.len() * 3 / 4]), rate(turns[turns.len() / 4]));
        text += &format!("{:<34} {:>6.0}  {range:<13}  {ratio}\n", entry.name, rate(middle(&mut turns)));
    }
    text
}

/// The rate as a share of what TCP and the program's own cipher allow one after the other: 1 ÷ (1/tcp-plain + 1/seal),
/// round by round.
fn bound(entries: &[&Entry]) -> String {
    let Some(plain) = named(entries, "tcp-plain") else { return String::new() };
    let mut text = String::new();
    for entry in entries {
        let share = |(took, plain): (&Took, &f64)| Some((plain + took.seal?.as_secs_f64()) / took.time.as_secs_f64());
        let mut shares: Vec<f64> = entry.turns.iter().zip(&plain).filter_map(share).collect();
        if !shares.is_empty() {
            text += &format!("{}: {:.2} of 1/(1/tcp-plain + 1/its own seal)\n", entry.name, middle(&mut shares));
        }
    }
    if let Some(iperf) = named(entries, "iperf3") {
        let mut shares: Vec<f64> = plain.iter().zip(iperf).map(|(plain, iperf)| iperf / plain).collect();
        text += &format!("tcp-plain: {:.2} of iperf3 with writes of the same size\n", middle(&mut shares));
    }
    text
}

fn middle(values: &mut [f64]) -> f64 {
    median(values).unwrap_or(f64::NAN)
}
