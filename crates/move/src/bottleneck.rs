//! What limited a transfer, from what both ends measured.
//!
//! Promises: what is named took longest by a margin; two that are alike are both named; and where that cannot be known, it
//! is said, with the reason.

use std::fmt;
use std::time::Duration;

use ciphermeter_transfer::Report;

use crate::words::size;

/// Of a shorter transfer, starting took as long.
const LEAST: Duration = Duration::from_millis(100);
/// Of fewer bytes the cipher's rate would be that of its calls.
const LEAST_SEALED: u64 = 1_000_000;
/// What takes so many times as long as everything else is the one.
const MARGIN: f64 = 1.25;
/// What takes less of the whole time, of two that are alike together, leaves too much of it to other things: its rate was never near.
const LEAST_SHARE: f64 = 2.0 / 3.0;
/// What takes less of it is not worth a word.
const LEAST_NAMED: f64 = 0.05;

/// What a transfer may wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Link,
    SenderFiles,
    ReceiverFiles,
    Cipher,
    /// The sender's user said so.
    Limit,
}

/// What limited a transfer.
#[derive(Debug, Clone, PartialEq)]
pub enum Limited {
    /// One thing, which alone would do so many bytes a second; `--limit`: which let through so many.
    By(Part, u64),
    Both(Part, Part),
    Unknown(&'static str),
}

/// Where the time of a transfer went, in seconds.
#[derive(Debug, Clone, PartialEq)]
pub struct Bottleneck {
    pub limited: Limited,
    /// The whole.
    total: f64,
    /// At the sender.
    sealing: f64,
    /// Bytes a second with the cipher alone, where enough was sealed to tell.
    cipher_rate: Option<u64>,
    /// Where no part limited it: what each took, in seconds, the longest first.
    shares: Vec<(Part, f64)>,
    is_stream: bool,
    is_piped: bool,
}

impl Bottleneck {
    /// `is_sender`: as this end, it reports.
    pub fn of(report: &Report, is_sender: bool) -> Self {
        let is_kept = !(report.discarded || report.piped);
        let total = if is_kept { report.durable } else { report.authenticated };
        let unknown = |why| Self {
            limited: Limited::Unknown(why),
            total: total.as_secs_f64(),
            sealing: 0.0,
            cipher_rate: None,
            shares: Vec::new(),
            is_stream: report.stream,
            is_piped: report.piped,
        };
        let Some(there) = report.spent_there else { return unknown("the other end does not say what it measured") };
        let (sender, receiver) = if is_sender { (report.spent, there) } else { (there, report.spent) };
        let each = |time: Duration| time.as_secs_f64() / f64::from(report.streams.max(1));
        let at_last = if is_kept { report.durable.saturating_sub(report.authenticated) } else { Duration::ZERO };
        let mut times = [
            // Time in which neither end had anything else to do.
            (Part::Link, each(sender.network.min(receiver.network))),
            (Part::SenderFiles, each(sender.files)),
            (Part::ReceiverFiles, each(receiver.files) + at_last.as_secs_f64()),
            (Part::Cipher, each(sender.cipher.max(receiver.cipher))),
            (Part::Limit, each(sender.limit)),
        ];
        let rate = |time: f64| (report.bytes as f64 / time.max(1e-9)) as u64;
        let cipher_rate = (report.bytes >= LEAST_SEALED).then(|| rate(times[3].1));
        times.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        let [(first, longest), (second, next), ..] = times;
        let are_alike = longest < MARGIN * next;
        let is_spread = longest + if are_alike { next } else { 0.0 } < LEAST_SHARE * total.as_secs_f64();
        let limited = match () {
            () if report.files == 0 => Limited::Unknown("no file was moved whole"),
            () if report.bytes == 0 => Limited::Unknown("there were no bytes to move"),
            () if total < LEAST => Limited::Unknown("it was over too soon"),
            () if is_spread => Limited::Unknown("no part of it took two thirds of the time"),
            () if are_alike => Limited::Both(first, second),
            // What is waited for there is no work, so only the whole has a rate.
            () if first == Part::Limit => Limited::By(first, rate(total.as_secs_f64())),
            () => Limited::By(first, rate(longest)),
        };
        let is_named = |(_, time): &(Part, f64)| is_spread && *time >= LEAST_NAMED * total.as_secs_f64();
        let shares = times.into_iter().filter(is_named).collect();
        Self { limited, sealing: each(sender.cipher), cipher_rate, shares, ..unknown("") }
    }

    /// The word for programs.
    pub fn word(&self) -> &'static str {
        match self.limited {
            Limited::By(Part::Link, _) => "link",
            Limited::By(Part::SenderFiles, _) if self.is_stream => "sender-pipe",
            Limited::By(Part::SenderFiles, _) => "sender-disk",
            Limited::By(Part::ReceiverFiles, _) if self.is_piped => "receiver-pipe",
            Limited::By(Part::ReceiverFiles, _) => "receiver-disk",
            Limited::By(Part::Cipher, _) => "cipher",
            Limited::By(Part::Limit, _) => "limit",
            Limited::Both(..) => "several",
            Limited::Unknown(_) => "unknown",
        }
    }

    fn named(&self, part: Part) -> &'static str {
        match part {
            Part::Link => "the link",
            Part::SenderFiles if self.is_stream => "what is piped in at the sender",
            Part::SenderFiles => "the sender's disk",
            Part::ReceiverFiles if self.is_piped => "what reads the pipe at the receiver",
            Part::ReceiverFiles => "the receiver's disk",
            Part::Cipher => "the cipher",
            Part::Limit => "--limit",
        }
    }
}

/// One sentence, and what encryption cost; where no part limited it, what each took.
impl fmt::Display for Bottleneck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.limited {
            Limited::Unknown(why) => {
                write!(f, "What limited it is unknown: {why}.")?;
                let shares = self.shares.iter().map(|(part, time)| format!("{} took {time:.1}", self.named(*part)));
                let shares: Vec<String> = shares.collect();
                return match &shares[..] {
                    [] => Ok(()),
                    shares => write!(f, " Of {:.1} s, {}.", self.total, shares.join(", ")),
                };
            }
            Limited::By(part, rate) => write!(f, "Limited by {}: {}/s.", self.named(part), size(rate))?,
            Limited::Both(one, other) => write!(f, "Limited by {} and {} alike.", self.named(one), self.named(other))?,
        }
        if let Some(rate) = self.cipher_rate.filter(|_| !matches!(self.limited, Limited::By(Part::Cipher, _))) {
            write!(f, " The cipher alone would do {}/s.", size(rate))?;
        }
        write!(f, " Of {:.1} s, sealing was {:.1}.", self.total, self.sealing)
    }
}

#[cfg(test)]
mod tests {
    use ciphermeter_transfer::Spent;

    use super::*;
    use crate::summary::tests::report;

    fn ms(files: u64, cipher: u64, network: u64, limit: u64) -> Spent {
        let time = Duration::from_millis;
        Spent { files: time(files), cipher: time(cipher), network: time(network), limit: time(limit) }
    }

    /// 3 GB, authentic after that many ms and durable after that many.
    fn moved(sender: Spent, receiver: Spent, [authenticated, durable]: [u64; 2]) -> Report {
        let time = Duration::from_millis;
        Report {
            bytes: 3_000_000_000,
            spent: sender,
            spent_there: Some(receiver),
            authenticated: time(authenticated),
            durable: time(durable),
            ..report()
        }
    }

    #[test]
    fn each_part_is_named_where_it_took_longest() {
        for (sender, receiver, times, words) in [
            // 9.9 s at the receiver's disk, most of them after the last byte.
            (
                ms(300, 400, 2300, 0),
                ms(2800, 350, 150, 0),
                [3000, 10_100],
                "Limited by the receiver's disk: 303 MB/s. The cipher alone would do 7.50 GB/s. Of 10.1 s, sealing was 0.4.",
            ),
            (
                ms(100, 400, 11_000, 0),
                ms(500, 300, 11_200, 0),
                [12_000, 12_100],
                "Limited by the link: 273 MB/s. The cipher alone would do 7.50 GB/s. Of 12.1 s, sealing was 0.4.",
            ),
            (
                ms(9000, 400, 200, 0),
                ms(500, 300, 9000, 0),
                [9700, 9900],
                "Limited by the sender's disk: 333 MB/s. The cipher alone would do 7.50 GB/s. Of 9.9 s, sealing was 0.4.",
            ),
            (
                ms(300, 6000, 100, 0),
                ms(300, 2000, 4000, 0),
                [6500, 6500],
                "Limited by the cipher: 500 MB/s. Of 6.5 s, sealing was 6.0.",
            ),
            (
                ms(300, 2000, 4000, 0),
                ms(300, 6000, 100, 0),
                [6500, 6500],
                "Limited by the cipher: 500 MB/s. Of 6.5 s, sealing was 2.0.",
            ),
            (
                ms(100, 400, 300, 29_000),
                ms(100, 300, 29_500, 0),
                [30_000, 30_000],
                "Limited by --limit: 100 MB/s. The cipher alone would do 7.50 GB/s. Of 30.0 s, sealing was 0.4.",
            ),
            (
                ms(5000, 400, 400, 0),
                ms(5200, 300, 5000, 0),
                [6000, 6000],
                "Limited by the receiver's disk and the sender's disk alike. The cipher alone would do 7.50 GB/s. Of 6.0 s, sealing was 0.4.",
            ),
        ] {
            let report = moved(sender, receiver, times);
            assert_eq!(Bottleneck::of(&report, true).to_string(), words);
            let there = Report { spent: receiver, spent_there: Some(sender), ..report };
            assert_eq!(Bottleneck::of(&there, false).to_string(), words, "both ends say the same");
        }
    }

    #[test]
    fn few_bytes_tell_no_rate_of_the_cipher() {
        let few = Report { bytes: 999_999, ..moved(ms(1, 1, 1, 0), ms(1, 1, 1, 0), [10, 2010]) };
        let words = "Limited by the receiver's disk: 500 kB/s. Of 2.0 s, sealing was 0.0.";
        assert_eq!(Bottleneck::of(&few, true).to_string(), words);
    }

    /// What each of four connections waited for at the same time counts once.
    #[test]
    fn connections_beside_each_other_are_one_wait() {
        let report = Report { streams: 4, ..moved(ms(4, 4000, 36_000, 0), ms(4, 2000, 38_000, 0), [10_000, 10_000]) };
        assert_eq!(Bottleneck::of(&report, true).limited, Limited::By(Part::Link, 333_333_333));
    }

    #[test]
    fn what_is_not_known_is_said() {
        let slow = moved(ms(0, 0, 9000, 0), ms(0, 0, 9000, 0), [9000, 9000]);
        for (report, words) in [
            (Report { spent_there: None, ..slow.clone() }, "the other end does not say what it measured"),
            (Report { bytes: 0, ..slow.clone() }, "there were no bytes to move"),
            (Report { files: 0, ..slow.clone() }, "no file was moved whole"),
            (moved(ms(0, 0, 9, 0), ms(0, 0, 9, 0), [9, 99]), "it was over too soon"),
            (moved(ms(9, 9, 9, 0), ms(9, 9, 9, 0), [9000, 9000]), "no part of it took two thirds of the time"),
        ] {
            let said = Bottleneck::of(&report, true);
            assert_eq!((said.to_string(), said.word()), (format!("What limited it is unknown: {words}."), "unknown"));
        }
    }

    #[test]
    fn part_whose_rate_was_never_near_is_no_limit() {
        let sender = ms(210, 110, 790, 0);
        let receiver = ms(180, 160, 660, 0);
        let report = Report { bytes: 1_000_000_000, ..moved(sender, receiver, [1140, 1190]) };
        let words = "What limited it is unknown: no part of it took two thirds of the time. Of 1.2 s, the link took 0.7, the \
                     receiver's disk took 0.2, the sender's disk took 0.2, the cipher took 0.2.";
        assert_eq!(Bottleneck::of(&report, true).to_string(), words);
        let two = moved(ms(1000, 100, 900, 0), ms(100, 100, 950, 0), [3000, 3000]);
        assert_eq!(Bottleneck::of(&two, true).word(), "unknown", "two that are alike explain 1.9 of 3 s");
    }

    #[test]
    fn no_disk_is_named_where_there_is_none() {
        let piped = Report { stream: true, piped: true, ..moved(ms(9000, 1, 1, 0), ms(1, 1, 9000, 0), [9000, 9900]) };
        assert!(
            Bottleneck::of(&piped, true)
                .to_string()
                .starts_with("Limited by what is piped in at the sender: 333 MB/s.")
        );
        let reads = Report { spent: ms(1, 1, 9000, 0), spent_there: Some(ms(9000, 1, 1, 0)), ..piped };
        assert_eq!(Bottleneck::of(&reads, true).word(), "receiver-pipe");
        let discarded = Report { discarded: true, ..moved(ms(1, 1, 8000, 0), ms(1, 1, 8000, 0), [9000, 99_000]) };
        assert_eq!(Bottleneck::of(&discarded, true).word(), "link", "nothing was synced");
    }
}
