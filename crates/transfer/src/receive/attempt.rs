//! One try at a transfer, from the sender's greeting to the last receipt.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel as queue};
use std::thread;
use std::time::{Duration, Instant};

use ciphermeter_host::usage;

use super::arrivals::Arrivals;
use super::door::{Door, Knock, hashed};
use super::place::Placed;
use super::session::Session;
use super::transfer::Transfer;
use super::{Person, Place, ReceiveOptions};
use crate::Error;
use crate::channel::{ReceiverChannel, printable};
use crate::hello::Attempt;
use crate::message::{FromReceiver, FromSender, MAX_STREAMS, Manifest, WIRE, Welcome};
use crate::progress::Progress;
use crate::rates::{Choice, DIFFERENT_SUITES, choose};
use crate::report::{Failed, Report};
use crate::secret::ResumeSecret;

/// What an attempt stands on.
pub(super) struct Stage<'a> {
    pub(super) door: &'a Arc<Door>,
    pub(super) place: &'a Place,
    pub(super) options: &'a ReceiveOptions,
    pub(super) person: &'a dyn Person,
    pub(super) progress: &'a Arc<Progress>,
}

/// A sender who was welcomed, and what was agreed on.
struct Agreed {
    channel: ReceiverChannel,
    choice: Choice,
    streams: u16,
    began: Instant,
    sender_rates: Vec<crate::rates::Rate>,
}

/// Receives what a new sender offers. `transfer` is set as soon as it can be gone on with.
pub(super) fn first(stage: &Stage<'_>, knock: Knock, transfer: &mut Option<Transfer>) -> Result<Report, Error> {
    let (id, secret) = (stage.place.fresh_id()?, ResumeSecret::random()?);
    // Before anybody knows the secret, and while the person makes up his mind: who comes back then waits for it.
    let hash = hashed(&secret);
    stage.door.let_back(id, hash.clone());
    let mut agreed = agree(stage, knock, id, 1, Some(&secret))?;
    let channel = &mut agreed.channel;
    let offer = hear_offer(channel, stage.options.times.reply)?;
    let accepted = stage.place.takes(&offer).and_then(|()| match stage.person.accepts(&offer) {
        true => Ok(()),
        false => Err(Error::Declined),
    });
    // The person had all the time he wanted.
    channel.allow(Some(stage.options.times.reply));
    if let Err(error) = accepted {
        refuse(channel, &error);
        return Err(error);
    }
    let accepted = stage.place.begin(id, offer, &hash, stage.door.identity());
    let accepted = accepted.inspect_err(|error| break_off(&mut agreed.channel, error))?;
    receive(stage, agreed, transfer.insert(accepted))
}

/// Goes on with a transfer whose sender came back.
pub(super) fn again(stage: &Stage<'_>, knock: Knock, transfer: &mut Transfer) -> Result<Report, Error> {
    let mut agreed = agree(stage, knock, transfer.id, transfer.attempts.saturating_add(1), None)?;
    let offer = hear_offer(&mut agreed.channel, stage.options.times.reply)?;
    transfer.again(offer).inspect_err(|error| break_off(&mut agreed.channel, error))?;
    receive(stage, agreed, transfer)
}

/// Says no to a sender, for good.
pub(super) fn refuse(channel: &mut ReceiverChannel, error: &Error) {
    let why = match error {
        Error::Declined => "declined".into(),
        error => error.to_string(),
    };
    let _ = channel.say(&FromReceiver::Refused { why }).and_then(|()| channel.flush());
}

fn hear_offer(channel: &mut ReceiverChannel, time: Duration) -> Result<super::Offer, Error> {
    let heard = super::Offer::hear(channel, time);
    if let Err(error) = &heard
        && !error.is_lost()
    {
        break_off(channel, error);
    }
    heard
}

/// Says what is going to be done.
fn agree(
    stage: &Stage<'_>,
    knock: Knock,
    id: crate::hello::TransferId,
    attempt: u32,
    secret: Option<&ResumeSecret>,
) -> Result<Agreed, Error> {
    let Knock { mut channel, hello } = knock;
    let (options, began) = (stage.options, Instant::now());
    let wanted = options.wanted.or(hello.wanted);
    let choice = match choose(&hello.suites, &options.rates, wanted) {
        Some(choice) if hello.wanted.is_none_or(|wanted| wanted == choice.suite) => choice,
        _ => {
            let why = match hello.wanted.is_some() && options.wanted.is_some() {
                true => DIFFERENT_SUITES,
                false => "no suite will do that both ends have; use the same version of ciphermeter on both",
            };
            let error = Error::Disagreed(why);
            match secret {
                Some(_) => refuse(&mut channel, &error),
                // What is here stays: asked for otherwise, he may still go on.
                None => break_off(&mut channel, &error),
            }
            return Err(error);
        }
    };
    let streams = hello.streams.clamp(1, MAX_STREAMS);
    channel.allow(Some(stage.options.times.reply));
    channel.say(&FromReceiver::Welcome(Welcome {
        wire: WIRE,
        transfer: id,
        attempt,
        resume: secret.cloned(),
        suites: options.rates.clone(),
        suite: choice.suite,
        why: choice.why.clone(),
        asked: options.wanted.is_some(),
        streams,
    }))?;
    channel.flush()?;
    Ok(Agreed { channel, choice, streams, began, sender_rates: hello.suites })
}

/// Takes the data and gives the receipts.
fn receive(stage: &Stage<'_>, mut agreed: Agreed, transfer: &mut Transfer) -> Result<Report, Error> {
    let session = expected(stage, &mut agreed, transfer)?;
    let Agreed { mut channel, choice, streams, began, sender_rates } = agreed;
    let here = stage.progress.done();
    let handshake = began.elapsed();
    let (begun, cpu) = (Instant::now(), usage::process_cpu());
    let ended = channel.flush().and_then(|()| data(&mut channel, &session, transfer, stage.options.times.remember));
    stage.door.expect(None);
    let Closing { files, mut failed, cipher } = match ended {
        Ok(closing) => closing,
        Err(error) => {
            // What was merely lost is cut here, too, without a word: the sender comes back.
            if !error.is_lost() {
                break_off(&mut channel, &error);
            }
            session.end();
            return Err(error);
        }
    };
    channel.allow(Some(stage.options.times.reply));
    channel.say(&FromReceiver::Authenticated { files: files.len() as u32 })?;
    // From here on all is here: what the sender still hears of it decides nothing any more.
    let _ = channel.flush();
    let authenticated = begun.elapsed();
    let cpu = usage::process_cpu().zip(cpu).map(|(now, before)| now - before);
    let placed = placed(stage, &mut channel, transfer, &files)?;
    failed.extend(placed.failed.into_iter().map(|(file, why)| {
        let name = transfer.offer.files[file as usize].name.to_string();
        Failed { name, why }
    }));
    let durable = begun.elapsed();
    channel.allow(Some(super::FAREWELL));
    let _ = channel.hear::<FromSender>();
    session.end();
    Ok(Report {
        files: placed.files,
        bytes: transfer.offer.bytes() - here,
        suite: choice.suite,
        why: choice.why,
        streams,
        attempt: transfer.attempts,
        sender_rates,
        receiver_rates: stage.options.rates.clone(),
        handshake,
        authenticated,
        durable,
        cipher,
        cpu,
        failed,
    })
}

/// Says what is here already, and lets data connections come.
fn expected(stage: &Stage<'_>, agreed: &mut Agreed, transfer: &Transfer) -> Result<Arc<Session>, Error> {
    let channel = &mut agreed.channel;
    for (&file, ranges) in &transfer.have {
        for (offset, length) in ranges.iter() {
            channel.say(&FromReceiver::Have { file, offset, length })?;
        }
    }
    let parts = transfer.kept.as_ref().map(|kept| kept.parts.clone());
    let arrivals = Arrivals::new(transfer.offer.clone(), parts, stage.progress.clone(), &transfer.have);
    let keys = channel.keys(transfer.id, Attempt(transfer.attempts))?;
    channel.say(&FromReceiver::Ready)?;
    let (transcript, waker) = (channel.transcript(), channel.waker()?);
    let (suite, window) = (agreed.choice.suite, stage.options.times.window);
    let session = Arc::new(Session::new(keys, transcript, suite, agreed.streams, window, arrivals, waker));
    stage.door.expect(Some(session.clone()));
    Ok(session)
}

/// Puts whole files under their names, and says so.
fn placed(
    stage: &Stage<'_>,
    channel: &mut ReceiverChannel,
    transfer: &Transfer,
    files: &[u32],
) -> Result<Placed, Error> {
    let placed = stage.place.put(transfer, files);
    // The disk had all the time it wanted.
    channel.allow(Some(stage.options.times.reply));
    let placed = placed.inspect_err(|error| break_off(channel, error))?;
    for (file, why) in &placed.failed {
        let _ = channel.say(&FromReceiver::Failed { file: *file, why: why.clone() });
    }
    let _ = channel.say(&FromReceiver::Durable { files: placed.files }).and_then(|()| channel.flush());
    Ok(placed)
}

/// Tells the sender that it is over.
fn break_off(channel: &mut ReceiverChannel, error: &Error) {
    let _ = channel.say(&FromReceiver::BrokeOff { why: error.to_string() }).and_then(|()| channel.flush());
}

/// What came of the files.
struct Closing {
    files: Vec<u32>,
    failed: Vec<Failed>,
    cipher: Duration,
}

/// Waits for the sender's last word, while the data connections do their work and what they brought is remembered.
fn data(
    channel: &mut ReceiverChannel,
    session: &Arc<Session>,
    transfer: &mut Transfer,
    remember: Duration,
) -> Result<Closing, Error> {
    let (end, ended) = queue::<()>();
    let (heard, remembered) = thread::scope(|scope| {
        let transfer = &*transfer;
        let remembering = scope.spawn(move || {
            let mut remembered = Vec::new();
            while ended.recv_timeout(remember) == Err(RecvTimeoutError::Timeout) {
                let pieces = session.arrivals.take_unsynced();
                match transfer.remember(&pieces) {
                    Ok(()) => remembered.extend(pieces),
                    Err(error) => session.fail(error),
                }
            }
            remembered
        });
        let heard = hear(channel, session, transfer);
        drop(end);
        (heard, remembering.join().unwrap_or_default())
    });
    if heard.is_err() {
        // What the journal tells must be known here, too: the next attempt throws away what isn't.
        transfer.have(&remembered);
        // Whole pieces count even if what came after them doesn't.
        let pieces = session.arrivals.take_unsynced();
        if transfer.remember(&pieces).is_ok() {
            transfer.have(&pieces);
        }
    }
    heard
}

/// Hears what the sender says of each file, and sees that it is so.
fn hear(channel: &mut ReceiverChannel, session: &Session, transfer: &Transfer) -> Result<Closing, Error> {
    // A message comes only when all was sent: the data connections have their own clocks.
    channel.allow(None);
    let mut manifests: Vec<Manifest> = Vec::new();
    let mut failed = Vec::new();
    let mut seen = vec![false; transfer.offer.files.len()];
    let mut once = |file: u32| {
        let first = seen.get_mut(file as usize).is_some_and(|seen| !std::mem::replace(seen, true));
        if first { Ok(()) } else { Err(Error::Message("a file was closed twice, or there is no such file".into())) }
    };
    loop {
        match channel.hear().map_err(|error| session.failure().unwrap_or(error))? {
            FromSender::Manifest(manifest) => {
                once(manifest.file)?;
                manifests.push(manifest);
            }
            FromSender::Withdrawn { file, why } => {
                once(file)?;
                let name = transfer.offer.files[file as usize].name.to_string();
                failed.push(Failed { name, why: printable(&why) });
            }
            FromSender::Sent => break,
            FromSender::BrokeOff { why } => return Err(Error::BrokeOff(printable(&why))),
            _ => return Err(Error::Message("it comes while data flows".into())),
        }
    }
    let cipher = session.all_ended()?;
    if manifests.len() + failed.len() != transfer.offer.files.len() {
        return Err(Error::Message("a file was never closed".into()));
    }
    for manifest in &manifests {
        if !session.arrivals.is_as(manifest) {
            return Err(Error::Message("a file is not what its manifest says".into()));
        }
    }
    let files = manifests.iter().map(|manifest| manifest.file).collect();
    Ok(Closing { files, failed, cipher })
}
