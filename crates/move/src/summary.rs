//! The result of a transfer, in a few lines on standard output, or on standard error where that carries the data.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::time::Duration;

use anyhow::Result;
use ciphermeter_core::{escaped_json, quoted, thousands};
use ciphermeter_host::usage;
use ciphermeter_protocol::JsonLine;
use ciphermeter_terminal::output::{self, wrapped};
use ciphermeter_transfer::{LeftOut, Rate, Report, Sentence, Skipped, Suite};

use crate::bottleneck::{Bottleneck, Limited};
use crate::options::LinkOptions;
use crate::words::{absolute, counted, entries, size};

/// Of fewer bytes the rate would be that of the handshake.
const LEAST_FOR_RATE: u64 = 10_000_000;
/// So many of the entries that were not moved for the same reason are named, and all are counted.
const NAMED: usize = 5;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Sent,
    Received,
    Piped,
    Discarded,
}

/// Prints the summary and all that was not moved; with `--explain`, both ends' rates; with `--json`, for programs.
/// `left_out` is what this end could not send.
pub fn print(report: &Report, end: End, left_out: &[LeftOut], options: &LinkOptions) -> Result<()> {
    if options.json {
        let lines: String = lines(report, end, left_out).iter().map(JsonLine::write).collect();
        return tell(&escaped_json(&lines), end);
    }
    let width = output::terminal_width();
    let mut text = wrapped(&summary(report, end), width);
    text += &wrapped(&bottleneck(report, end).to_string(), width);
    for line in not_moved(report, end, left_out) {
        text += &wrapped(&line, width);
    }
    if options.explain {
        text += &explained(report);
    }
    tell(&text, end)
}

/// Prints it to standard output, unless that carries what was received.
fn tell(text: &str, end: End) -> Result<()> {
    if end == End::Piped {
        output::say(text);
        return Ok(());
    }
    output::print(text)
}

impl End {
    const fn word(self) -> &'static str {
        match self {
            Self::Sent => "sent",
            Self::Received | Self::Piped => "received",
            Self::Discarded => "received and discarded",
        }
    }
}

fn bottleneck(report: &Report, end: End) -> Bottleneck {
    Bottleneck::of(report, end == End::Sent)
}

fn summary(report: &Report, end: End) -> String {
    let what = match report.files {
        _ if report.stream => "a stream".into(),
        count => counted(count as usize, "file"),
    };
    let time = report.authenticated;
    let rate = match report.bytes {
        0..LEAST_FOR_RATE => String::new(),
        bytes => format!(", {}/s", size((bytes as f64 / time.as_secs_f64().max(1e-9)) as u64)),
    };
    let discarded = if report.discarded && end == End::Sent { ", which the receiver discarded," } else { "" };
    let durable = match end {
        _ if report.discarded || report.piped || report.files == 0 => String::new(),
        _ => format!(" ({} until it was on disk)", duration(report.durable)),
    };
    let into = report.into.as_deref().map(|into| format!(" into {}", absolute(into))).unwrap_or_default();
    let equal = match report.skipped.iter().filter(|file| file.why == Skipped::Equal).count() {
        0 => String::new(),
        1 => " 1 file was there already.".into(),
        count => format!(" {} files were there already.", thousands(count)),
    };
    format!(
        "{} {what}, {}{into}{discarded} in {}{durable}{rate} with {}.{equal}",
        end.word(),
        contents(report),
        duration(time),
        report.suite,
    )
}

/// How much it is, and how much of that moved now.
fn contents(report: &Report) -> String {
    let whole = report.bytes + report.before + report.holes;
    let parts = [(report.before, "before"), (report.holes, "of holes, which take no space")];
    let parts: Vec<_> =
        parts.iter().filter(|(bytes, _)| *bytes > 0).map(|(bytes, what)| format!("{} {what}", size(*bytes))).collect();
    match parts.is_empty() {
        true => size(whole),
        false => format!("{} ({} now, {})", size(whole), size(report.bytes), parts.join(", ")),
    }
}

/// What was not moved, a line for each reason.
fn not_moved(report: &Report, end: End, left_out: &[LeftOut]) -> Vec<String> {
    let failed = report.failed.iter().map(|failed| (failed.name.clone(), failed.why.clone()));
    let skipped = report.skipped.iter().filter(|file| file.why != Skipped::Equal);
    let skipped = skipped.map(|file| (file.name.clone(), why_skipped(file.why, end)));
    let left_out = left_out.iter().map(|one| (one.path.to_string_lossy().into_owned(), one.why.to_string()));
    let mut lines: Vec<String> = by_reason(failed.chain(skipped).chain(left_out))
        .into_iter()
        .map(|(names, why)| format!("NOT {}: {}: {why}", end.word(), listed(&names)))
        .collect();
    if end != End::Sent && report.left_out > 0 {
        let entries = entries(report.left_out as usize);
        lines.push(format!("The sender could not send {entries}; its summary says which."));
    }
    lines
}

/// Names and their reasons, all that have the same one together, in the order of the first.
pub fn by_reason(all: impl Iterator<Item = (String, String)>) -> Vec<(Vec<String>, String)> {
    let mut places = HashMap::new();
    let mut found: Vec<(Vec<String>, String)> = Vec::new();
    for (name, why) in all {
        let place = *places.entry(why.clone()).or_insert(found.len());
        if place == found.len() {
            found.push((Vec::new(), why));
        }
        found[place].0.push(name);
    }
    found
}

/// The names; of many, the first and how many there are.
pub fn listed(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(NAMED).map(|name| quoted(name)).collect();
    match names.len() {
        0..=NAMED => shown.join(", "),
        all => format!("{}: {}, …", entries(all), shown.join(", ")),
    }
}

/// Why a file was not wanted, as this end says it.
fn why_skipped(why: Skipped, end: End) -> String {
    match why {
        Skipped::Declined if end != End::Sent => "you left it out".into(),
        Skipped::Exists if end != End::Sent => "its name is taken".into(),
        why => why.to_string(),
    }
}

/// One object for the whole, one for each entry that was not moved.
fn lines(report: &Report, end: End, left_out: &[LeftOut]) -> Vec<JsonLine> {
    let ns = |time: Duration| time.as_nanos() as u64;
    let summary = JsonLine::new("is", end.word())
        .integer("files", report.files.into())
        .integer("bytes", report.bytes)
        .text("suite", report.suite.to_string())
        .text("why", report.why.clone())
        .integer("streams", report.streams.into())
        .integer("attempt", report.attempt.into())
        .text("tls", report.agreed.clone())
        .integer("handshake_ns", ns(report.handshake))
        .integer("authenticated_ns", ns(report.authenticated))
        .maybe("durable_ns", (!report.discarded).then_some(ns(report.durable)))
        .integer("cipher_ns", ns(report.spent.cipher))
        .maybe("cpu_ns", report.cpu.map(ns))
        .maybe("peak_rss", usage::memory().peak_rss)
        // Of what a sender cannot send it says itself more.
        .maybe("sender_left_out", (end != End::Sent).then_some(report.left_out.into()));
    // As given, so that a script finds the names in it.
    let summary = match &report.into {
        Some(into) => summary.text("into", into.to_string_lossy()),
        None => summary,
    };
    let limited = bottleneck(report, end);
    let summary = summary.text("limited_by", limited.word());
    let summary = match limited.limited {
        Limited::By(_, rate) => summary.integer("limited_rate", rate),
        Limited::Both(..) => summary,
        Limited::Unknown(why) => summary.text("limited_why", why),
    };
    let not_moved = |is, key, name: &str, why: &str| JsonLine::new("is", is).text(key, name).text("why", why);
    let failed = report.failed.iter().map(|file| not_moved("failed", "name", &file.name, &file.why));
    let skipped = report.skipped.iter().map(|file| {
        let why = match file.why {
            Skipped::Declined => "declined",
            Skipped::Exists => "exists",
            Skipped::Equal => "equal",
            Skipped::Beyond => "beyond",
            Skipped::Unknown => "unknown",
        };
        not_moved("skipped", "name", &file.name, why)
    });
    let left_out = left_out
        .iter()
        .map(|left_out| not_moved("left-out", "path", &left_out.path.to_string_lossy(), &left_out.why.to_string()));
    std::iter::once(summary).chain(failed).chain(skipped).chain(left_out).collect()
}

fn explained(report: &Report) -> String {
    let mut text = String::from("\nMB/s                 sender seals  receiver opens  the slower\n");
    for suite in Suite::ALL {
        let rate = |rates: &[Rate], of: fn(&Rate) -> u32| rates.iter().find(|rate| rate.suite == suite).map(of);
        let (seal, open) =
            (rate(&report.sender_rates, |rate| rate.seal), rate(&report.receiver_rates, |rate| rate.open));
        let shown = |rate: Option<u32>| rate.map_or("-".into(), |rate| rate.to_string());
        let slower = seal.zip(open).map(|(seal, open)| seal.min(open));
        let mark = if suite == report.suite { "  taken" } else { "" };
        let (seal, open, slower) = (shown(seal), shown(open), shown(slower));
        let _ = writeln!(text, "{suite:<20} {seal:>12}  {open:>14}  {slower:>10}{mark}");
    }
    let cpu = usage::process_cpu().map_or("unknown".into(), duration);
    let memory = usage::memory().peak_rss.map_or("unknown".into(), |rss| format!("{:.1} MiB", rss as f64 / 1048576.0));
    let why = format!("\n{} was used, because {}.", report.suite, Sentence::from(&report.why));
    text += &format!("\n{}", wrapped(&why, 80));
    let _ = writeln!(text, "CPU time here {cpu}, memory at most {memory}");
    let _ = writeln!(
        text,
        "control channel TLS 1.3 with {}\nhandshake {}, inside the cipher {} here, {}, attempt {}",
        report.agreed,
        duration(report.handshake),
        duration(report.spent.cipher),
        counted(report.streams.into(), "data connection"),
        report.attempt
    );
    text
}

fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 0.1 { format!("{:.1} ms", seconds * 1e3) } else { format!("{seconds:.2} s") }
}

#[cfg(test)]
pub mod tests {
    use ciphermeter_transfer::{FailedFile, SkippedFile, Spent, WhyLeftOut};

    use super::*;

    pub fn report() -> Report {
        let rate = |suite, rate| Rate { suite, seal: rate, open: rate + 1 };
        let rates = vec![rate(Suite::Aes256Gcm, 5000), rate(Suite::ChaCha20Poly1305, 2000)];
        Report {
            files: 1,
            bytes: 500_000_000,
            before: 0,
            holes: 0,
            suite: Suite::Aes256Gcm,
            why: "the slower end does 5000 MB/s with it, 2000 MB/s with the other".into(),
            streams: 1,
            attempt: 1,
            agreed: "X25519MLKEM768, TLS13_AES_256_GCM_SHA384".into(),
            into: None,
            sender_rates: rates.clone(),
            receiver_rates: rates,
            handshake: Duration::from_millis(3),
            authenticated: Duration::from_millis(500),
            durable: Duration::from_millis(1500),
            spent: Spent { cipher: Duration::from_millis(90), ..Spent::default() },
            spent_there: None,
            cpu: Some(Duration::from_millis(400)),
            failed: Vec::new(),
            skipped: Vec::new(),
            stream: false,
            discarded: false,
            piped: false,
            left_out: 0,
            tops: Default::default(),
        }
    }

    #[test]
    fn summary_has_the_rate_where_it_means_something() {
        let text = summary(&report(), End::Sent);
        assert_eq!(text, "sent 1 file, 500 MB in 0.50 s (1.50 s until it was on disk), 1.00 GB/s with aes-256-gcm.");
        let discarded = Report { discarded: true, ..report() };
        let text = summary(&discarded, End::Sent);
        assert_eq!(text, "sent 1 file, 500 MB, which the receiver discarded, in 0.50 s, 1.00 GB/s with aes-256-gcm.");
        let text = summary(&discarded, End::Discarded);
        assert_eq!(text, "received and discarded 1 file, 500 MB in 0.50 s, 1.00 GB/s with aes-256-gcm.");
        assert!(!summary(&Report { files: 0, ..report() }, End::Sent).contains("on disk"));
        let short = summary(&Report { bytes: 4, ..report() }, End::Sent);
        assert_eq!(short, "sent 1 file, 4 B in 0.50 s (1.50 s until it was on disk) with aes-256-gcm.");
    }

    #[test]
    fn summary_tells_what_moved_from_what_is_here() {
        let report = Report { bytes: 2_000_000, before: 3_000_000, holes: 5_000_000, ..report() };
        let text = summary(&report, End::Received);
        assert!(
            text.starts_with(
                "received 1 file, 10.0 MB (2.00 MB now, 3.00 MB before, 5.00 MB of holes, which take no space) in"
            ),
            "{text}"
        );
    }

    #[test]
    fn many_entries_for_the_same_reason_are_counted() {
        let file = |number: usize| SkippedFile { name: format!("f{number}"), why: Skipped::Exists };
        let report = Report { skipped: (0..1011).map(file).collect(), ..report() };
        let lines = not_moved(&report, End::Received, &[]);
        assert_eq!(lines, ["NOT received: 1,011 entries: f0, f1, f2, f3, f4, …: its name is taken"]);
        let failed =
            |number: usize| FailedFile { name: format!("f{number}"), why: "no longer there".into(), is_told: true };
        let report = Report { failed: (0..3).map(failed).collect(), ..report };
        assert_eq!(not_moved(&report, End::Sent, &[])[0], "NOT sent: f0, f1, f2: no longer there");
    }

    #[test]
    fn explanation_fits_a_terminal() {
        let text = explained(&report());
        assert!(text.lines().all(|line| line.len() <= 80), "{text}");
        assert!(text.contains("aes-256-gcm                  5000            5001        5000  taken"), "{text}");
        assert!(
            text.contains("handshake 3.0 ms, inside the cipher 90.0 ms here, 1 data connection, attempt 1"),
            "{text}"
        );
    }

    #[test]
    fn json_is_one_flat_object_a_line() {
        let failed = vec![FailedFile { name: "a".into(), why: "it exists".into(), is_told: true }];
        let lines = lines(&Report { failed, ..report() }, End::Received, &[]);
        assert!(lines[0].write().starts_with(r#"{"is":"received","files":1,"bytes":500000000,"suite":"aes-256-gcm""#));
        assert_eq!(lines[0].get_integer("handshake_ns").unwrap(), Some(3_000_000));
        assert_eq!(lines[1].write(), "{\"is\":\"failed\",\"name\":\"a\",\"why\":\"it exists\"}\n");
    }

    #[test]
    fn what_was_not_moved_is_named() {
        let skipped = |name: &str, why| SkippedFile { name: name.into(), why };
        let left_out = [LeftOut { path: "d/pipe".into(), why: WhyLeftOut::Special("a pipe") }];
        let all = vec![skipped("a", Skipped::Declined), skipped("b", Skipped::Equal), skipped("c", Skipped::Exists)];
        let report = Report { skipped: all, left_out: 1, ..report() };
        assert_eq!(
            not_moved(&report, End::Sent, &left_out),
            [
                "NOT sent: a: the receiver declined it",
                "NOT sent: c: a file of that name exists at the receiver, which skips it",
                "NOT sent: d/pipe: it is a pipe, neither a file nor a folder",
            ]
        );
        let received = not_moved(&report, End::Received, &[]);
        assert_eq!(received[0], "NOT received: a: you left it out");
        assert_eq!(received[2], "The sender could not send 1 entry; its summary says which.");
        assert!(summary(&report, End::Sent).ends_with(" 1 file was there already."));
        let lines = lines(&report, End::Sent, &left_out);
        assert_eq!(lines[2].write(), "{\"is\":\"skipped\",\"name\":\"b\",\"why\":\"equal\"}\n");
        assert!(lines[4].write().starts_with("{\"is\":\"left-out\",\"path\":\"d/pipe\","));
    }
}
