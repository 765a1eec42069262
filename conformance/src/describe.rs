//! `describe`: whether the list is well-formed, and its offers.

use std::collections::HashSet;
use std::io;

use serde_json::{Value, json};

use crate::facts::Facts;
use crate::reply::Reply;
use crate::report::{Check, Fault, clip, ensure, failed};
use crate::suite::Suite;
use crate::words::{Algorithm, BATCH_FORM, CARD_FORMS, FORMS, Kind, PROCESS_FORM};
use crate::worker::Worker;

/// No sane worker has more lines than this; reading a list without `end` must stop somewhere.
const MOST_LINES: usize = 1000;

/// One provider's algorithm, as the worker declared it.
#[derive(Clone, Debug)]
pub struct Offer {
    pub provider: String,
    pub algorithm: &'static Algorithm,
    pub operations: Vec<String>,
    pub forms: Vec<String>,
    /// The forms in which a message is split.
    pub split_forms: Vec<String>,
}

impl Offer {
    /// Every declared operation in every declared form that it has.
    pub fn ways(&self) -> impl Iterator<Item = Way<'_>> {
        self.operations
            .iter()
            .flat_map(move |operation| self.forms.iter().map(move |form| Way { offer: self, operation, form }))
            .filter(|way| way.operation != "key-setup" || !way.is_of_batches())
    }

    /// Every split form; only `encrypt` has them.
    pub fn split_ways(&self) -> impl Iterator<Item = Way<'_>> {
        self.split_forms.iter().map(move |form| Way { offer: self, operation: "encrypt", form })
    }

    /// Whether it transfers files.
    pub fn moves(&self) -> bool {
        self.operations.iter().any(|operation| operation == "transfer")
    }

    /// Whether it starts a process for each call.
    pub fn starts(&self) -> bool {
        self.forms.iter().any(|form| form == PROCESS_FORM)
    }

    /// The first way that satisfies the condition.
    pub fn way(&self, condition: impl Fn(&Way) -> bool) -> Option<Way<'_>> {
        self.ways().find(condition)
    }
}

/// An offer, one of its operations, one of its forms.
#[derive(Clone, Copy, Debug)]
pub struct Way<'a> {
    pub offer: &'a Offer,
    pub operation: &'a str,
    pub form: &'a str,
}

impl Way<'_> {
    /// A check's title: what is checked, then for which way.
    pub fn title(&self, what: &str) -> String {
        let Way { offer, operation, form } = self;
        format!("{what}: {} {} {operation} {form}", offer.provider, offer.algorithm.name)
    }

    /// Whether the operation has outputs: key-setup and ceilings have none, except for a transferred file.
    pub fn has_output(&self) -> bool {
        self.offer.moves() || (self.operation != "key-setup" && self.offer.algorithm.kind != Kind::Ceiling)
    }

    /// Whether messages are handed over many at a time.
    pub fn is_of_batches(&self) -> bool {
        self.form == BATCH_FORM
    }

    /// Whether a card does it.
    pub fn is_of_card(&self) -> bool {
        CARD_FORMS.contains(&self.form)
    }

    /// Whether it produces ciphertext.
    pub fn seals(&self) -> bool {
        matches!(self.operation, "seal" | "encrypt")
    }

    /// A `prepare` of this way. Bare ciphers and key set-up have no aad. Transfers have messages of any length.
    pub fn prepare(&self, cell: u64, message: u64, aad: u64, seed: u64) -> Value {
        let message = if self.offer.moves() { message } else { self.offer.algorithm.nearest(message) };
        json!({
            "do": "prepare", "cell": cell, "provider": self.offer.provider,
            "algorithm": self.offer.algorithm.name, "operation": self.operation, "form": self.form,
            "message": message, "aad": aad, "threads": 1, "seed": seed,
        })
    }
}

/// Checks `describe` and returns the well-formed offers.
pub fn check(suite: &mut Suite) -> io::Result<Vec<Offer>> {
    let (mut list, mut offers, mut facts) = (Vec::new(), Vec::new(), None);
    suite.check("describe: a list that starts with worker and ends with end", |worker| {
        list = ask(worker)?;
        worker.learn(*facts.insert(header(list.first())?))
    })?;
    suite.learn(facts.unwrap_or_default());
    for reply in list.iter().skip(1).take(list.len().saturating_sub(2)) {
        let subject = |key| reply.optional_text(key).ok().flatten().unwrap_or("?").to_owned();
        let title = format!("describe: {} {} {}", reply.is(), subject("provider"), subject("algorithm"));
        suite.check(title.trim_end_matches([' ', '?']), |_| entry(reply, &mut offers))?;
    }
    suite.check("describe: the same list again", |worker| {
        let lines = |list: &[Reply]| list.iter().map(|reply| reply.line().to_owned()).collect::<Vec<_>>();
        let again = ask(worker)?;
        ensure(lines(&again) == lines(&list), || "expected the first list again, got another".into())
    })?;
    if offers.is_empty() {
        for reply in list.iter().filter(|reply| reply.is() == "absent") {
            if let (Ok(provider), Ok(why)) = (reply.text("provider"), reply.text("why")) {
                suite.skip(provider, &clip(why))?;
            }
        }
        suite.skip("everything that needs an offer", "this worker offers nothing here")?;
    }
    Ok(offers)
}

fn ask(worker: &mut Worker) -> Result<Vec<Reply>, Fault> {
    let mut list = vec![worker.ask(&json!({"do": "describe"}))?];
    while list.last().is_some_and(|reply| reply.is() != "end") {
        if list.len() >= MOST_LINES {
            return failed(format!("expected end within {MOST_LINES} lines"));
        }
        list.push(worker.read()?.expect_one_of(&["worker", "offer", "absent", "end"])?);
    }
    Ok(list)
}

fn header(first: Option<&Reply>) -> Result<Facts, Fault> {
    let Some(reply) = first else { return failed("expected a list, got nothing") };
    ensure(reply.is() == "worker", || format!("expected worker first, got {}", reply.shown()))?;
    reply.expect_integer("protocol", 1)?;
    for key in ["worker", "runtime"] {
        filled(reply, key)?;
    }
    Facts::of(reply)
}

fn entry(reply: &Reply, offers: &mut Vec<Offer>) -> Check {
    match reply.is() {
        "absent" => absent(reply),
        "offer" => {
            let offer = read_offer(reply)?;
            let key = |offer: &Offer| (offer.provider.clone(), offer.algorithm.name, offer.moves());
            ensure(!offers.iter().any(|other| key(other) == key(&offer)), || {
                "expected one offer a provider and algorithm, transfers aside, got a second".into()
            })?;
            offers.push(offer);
            Ok(())
        }
        _ => failed(format!("expected offers and absents between worker and end, got {}", reply.shown())),
    }
}

/// A worker that found its library wrong has said so as it should, but is not one to measure.
fn absent(reply: &Reply) -> Check {
    let (provider, why) = (filled(reply, "provider")?, filled(reply, "why")?);
    match reply.optional_integer("wrong")?.unwrap_or(0) {
        0 => Ok(()),
        1 => failed(format!("expected right answers of {provider}, the worker says: {}", clip(why))),
        told => failed(format!("expected wrong 0 or 1, got {told}")),
    }
}

fn read_offer(reply: &Reply) -> Result<Offer, Fault> {
    for key in ["version", "path"] {
        filled(reply, key)?;
    }
    let provider = filled(reply, "provider")?.to_owned();
    let name = filled(reply, "algorithm")?;
    let Some(algorithm) = Algorithm::named(name) else {
        return failed(format!("expected an algorithm of PROTOCOL.md's table, got {name}"));
    };
    let operations = words(reply, "operations", |word| algorithm.allows(word))?;
    let moves = operations.iter().any(|operation| operation == "transfer");
    ensure(!moves || operations.len() == 1, || "expected transfer in an offer of its own".into())?;
    let all: &[&str] = match (moves, reply.text("forms")? == PROCESS_FORM) {
        (true, _) => algorithm.transfer_forms(),
        (false, true) => &[PROCESS_FORM],
        (false, false) => &FORMS,
    };
    let encrypts = operations.iter().any(|operation| operation == "encrypt");
    let splits = |word: &str| encrypts && algorithm.splits(word);
    let is_batch = |word: &str| word == BATCH_FORM && all == FORMS && algorithm.kind != Kind::Ceiling;
    let fits = |word: &str| splits(word) || is_batch(word) || (all.contains(&word) && !algorithm.is_of_split_alone());
    let all_forms = words(reply, "forms", fits)?;
    let (split_forms, forms): (Vec<_>, Vec<_>) = all_forms.into_iter().partition(|form| splits(form));
    let on_card = forms.is_empty() && split_forms.iter().all(|form| CARD_FORMS.contains(&form.as_str()));
    // What shows the limit of a way is measured on that way.
    ensure(algorithm.kind != Kind::Ceiling || provider == "ceiling" || on_card || moves, || {
        format!("expected {name} from the provider ceiling only, or of a card or a transfer, got from {provider}")
    })?;
    let setup = reply.optional_text("setup")?.unwrap_or("outside");
    ensure(matches!(setup, "outside" | "inside"), || format!("expected setup outside or inside, got {setup}"))?;
    let apart = setup == "outside" || !operations.iter().any(|operation| operation == "key-setup");
    ensure(apart, || "expected no key-setup beside setup inside".into())?;
    let starts = all == [PROCESS_FORM];
    ensure(!starts || setup == "inside", || "expected setup inside where each call has a process of its own".into())?;
    if let Some(hash) = reply.optional_text("sha256")? {
        filled(reply, "library")?;
        let is_hash = hash.len() == 64 && hash.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        ensure(is_hash, || format!("expected 64 lower-case hex digits in sha256, got {hash}"))?;
    }
    Ok(Offer { provider, algorithm, operations, forms, split_forms })
}

fn filled<'a>(reply: &'a Reply, key: &str) -> Result<&'a str, Fault> {
    let text = reply.text(key)?;
    ensure(!text.is_empty(), || format!("expected something in \"{key}\", got an empty string"))?;
    Ok(text)
}

/// The comma-separated words at `key`: at least one, each allowed, none twice.
fn words(reply: &Reply, key: &str, allowed: impl Fn(&str) -> bool) -> Result<Vec<String>, Fault> {
    let words: Vec<String> = reply.text(key)?.split(',').map(str::to_owned).collect();
    if let Some(word) = words.iter().find(|word| !allowed(word)) {
        return failed(format!("expected {key} that this algorithm can have, got \"{word}\""));
    }
    let distinct: HashSet<&String> = words.iter().collect();
    ensure(distinct.len() == words.len(), || format!("expected each of the {key} once, got {}", words.join(",")))?;
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offer(change: &str) -> Result<Offer, Fault> {
        let mut fields = json!({"is": "offer", "provider": "p", "version": "1", "algorithm": "aes-256-gcm",
            "operations": "key-setup,seal,open", "forms": "into", "path": "soft"});
        let change: Value = serde_json::from_str(change).unwrap();
        for (key, value) in change.as_object().unwrap() {
            fields[key] = value.clone();
        }
        read_offer(&Reply::parse(fields.to_string())?)
    }

    #[test]
    fn offers_keep_to_the_tables() {
        assert!(offer("{}").is_ok());
        assert!(offer(r#"{"operations":"seal,open","forms":"process","setup":"inside"}"#).is_ok());
        // What a way carries bare is its provider's.
        assert!(offer(r#"{"algorithm":"tcp-plain","operations":"transfer","forms":"discard"}"#).is_ok());
        assert_eq!(offer(r#"{"forms":"into,batch"}"#).unwrap().ways().count(), 5, "key-setup has no batches");
        for algorithm in [
            r#""memcpy","operations":"seal""#,
            r#""xor","operations":"encrypt""#,
            r#""xor","operations":"encrypt","forms":"into,static,device""#,
            r#""read-modify-write","operations":"encrypt","forms":"static""#,
            r#""copy-in","operations":"encrypt","forms":"end-to-end","provider":"cuda""#,
            r#""tcp-plain","operations":"transfer","forms":"file""#,
            r#""aes-256-gcm","operations":"transfer","forms":"discard,file""#,
        ] {
            assert!(offer(&format!(r#"{{"provider":"ceiling","algorithm":{algorithm}}}"#)).is_ok(), "{algorithm}");
        }
        for change in [
            r#"{"algorithm":"aes-512-gcm"}"#,
            r#"{"algorithm":"memcpy","operations":"seal"}"#,
            r#"{"operations":"seal,encrypt"}"#,
            r#"{"operations":"seal,seal"}"#,
            r#"{"operations":""}"#,
            r#"{"operations":"transfer"}"#,
            r#"{"operations":"transfer","forms":"into,discard"}"#,
            r#"{"operations":"seal,transfer","forms":"file"}"#,
            r#"{"forms":"discard"}"#,
            r#"{"algorithm":"aes-128-gcm","operations":"transfer","forms":"file"}"#,
            r#"{"provider":"ceiling","algorithm":"tcp-plain","operations":"seal"}"#,
            r#"{"forms":"into,onto"}"#,
            r#"{"provider":"ceiling","algorithm":"memcpy","operations":"seal","forms":"batch"}"#,
            r#"{"operations":"transfer","forms":"discard,batch"}"#,
            r#"{"forms":"into,static"}"#,
            r#"{"algorithm":"xor","operations":"decrypt","forms":"static"}"#,
            r#"{"algorithm":"chacha20","operations":"encrypt","forms":"dynamic"}"#,
            r#"{"algorithm":"memcpy","operations":"encrypt","forms":"static"}"#,
            r#"{"provider":"ceiling","algorithm":"read-modify-write","operations":"encrypt","forms":"into"}"#,
            r#"{"operations":"seal,open","forms":"process"}"#,
            r#"{"operations":"seal,open","forms":"process,into","setup":"inside"}"#,
            r#"{"operations":"transfer","forms":"process","setup":"inside"}"#,
            r#"{"provider":"ceiling","algorithm":"read-modify-write","operations":"seal","forms":"static"}"#,
            r#"{"setup":"inside"}"#,
            r#"{"sha256":"00","library":"l.so"}"#,
            r#"{"version":""}"#,
            r#"{"path":null}"#,
        ] {
            assert!(offer(change).is_err(), "{change}");
        }
    }
}
