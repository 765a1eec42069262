//! One attempt at a transfer, from the sender's hello to the last receipt.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel as queue};
use std::thread;
use std::time::{Duration, Instant};

use ciphermeter_host::usage;

use super::arrivals::Arrivals;
use super::door::{Door, Knock, hashed};
use super::offer::Offer;
use super::options::ReceiveOptions;
use super::person::{Person, Question};
use super::place::{Place, Placed};
use super::session::Session;
use super::transfer::Transfer;
use crate::Error;
use crate::channel::ReceiverChannel;
use crate::hello::{Attempt, TransferId};
use crate::message::{FromReceiver, FromSender, Unplaced, Welcome, Withdrawn};
use crate::name::Name;
use crate::progress::Progress;
use crate::ranges::Ranges;
use crate::rates::{Choice, DIFFERENT_SUITES, choose};
use crate::report::{Failed, Report};
use crate::secret::ResumeSecret;
use crate::timed::Times;
use crate::wire::WIRE;

/// How long to wait for the sender's last message.
const FAREWELL: Duration = Duration::from_secs(2);

/// What an attempt works with.
pub(super) struct Stage<'a> {
    pub(super) door: &'a Arc<Door>,
    pub(super) place: &'a Place,
    pub(super) options: &'a ReceiveOptions,
    /// The times of the options, within the user's patience.
    pub(super) times: Times,
    pub(super) person: &'a dyn Person,
    pub(super) progress: &'a Arc<Progress>,
    /// Whether the user was asked since this was last read. The answer may take any time and is no delay of either end.
    pub(super) asked: Cell<bool>,
}

/// An accepted sender, and what was agreed on.
struct Agreed {
    channel: ReceiverChannel,
    choice: Choice,
    streams: u16,
    began: Instant,
    sender_rates: Vec<crate::rates::Rate>,
}

/// Receives what a new sender offers. `transfer` is set as soon as it can be resumed.
pub(super) fn first(stage: &Stage<'_>, knock: Knock, transfer: &mut Option<Transfer>) -> Result<Report, Error> {
    let (id, secret) = (stage.place.fresh_id()?, ResumeSecret::random()?);
    // Before the secret is known to anyone, and while the user decides: a sender that comes back then waits for the
    // decision.
    let hash = hashed(&secret);
    stage.door.let_back(id, hash.clone());
    let mut agreed = agree(stage, knock, id, 1, Some(&secret))?;
    let channel = &mut agreed.channel;
    let offer = hear_offer(channel, &stage.times)?;
    let accepted = accept(stage, id, &offer, None);
    // The user had unlimited time.
    channel.allow(Some(stage.times.reply));
    let folder = accepted.inspect_err(|error| refuse(channel, error))?;
    let begun = stage.place.begin(id, offer, folder, &hash, stage.door.identity());
    let begun = begun.inspect_err(|error| break_off(channel, error))?;
    receive(stage, agreed, transfer.insert(begun))
}

/// Resumes a transfer whose sender came back.
pub(super) fn again(stage: &Stage<'_>, knock: Knock, transfer: &mut Transfer) -> Result<Report, Error> {
    let mut agreed = agree(stage, knock, transfer.id, transfer.attempts.saturating_add(1), None)?;
    let channel = &mut agreed.channel;
    let offer = hear_offer(channel, &stage.times)?;
    let accepted = accept(stage, transfer.id, &offer, Some(transfer)).and_then(|folder| {
        transfer.folder = folder;
        transfer.take(offer)
    });
    channel.allow(Some(stage.times.reply));
    accepted.inspect_err(|error| break_off(channel, error))?;
    receive(stage, agreed, transfer)
}

/// The one gate for an offer, in the first attempt and in every later one: there must be room, and the user must accept
/// what goes beyond what was accepted before. Returns the new folder that the names go into, if there is to be one.
fn accept(
    stage: &Stage<'_>,
    id: TransferId,
    offer: &Offer,
    transfer: Option<&Transfer>,
) -> Result<Option<Name>, Error> {
    let before = transfer.map(|transfer| &*transfer.accepted);
    let beyond = before.map(|accepted| accepted.exceeded_by(offer));
    let is_within = beyond.as_ref().is_some_and(Vec::is_empty);
    let folder = match transfer.and_then(|transfer| transfer.folder.clone()) {
        None if !is_within => stage.place.new_folder(id, before, offer)?,
        kept => kept,
    };
    stage.place.takes(offer, folder.as_ref(), transfer)?;
    if !is_within {
        let into = stage.place.path(folder.as_ref());
        let beyond = beyond.unwrap_or_default();
        let question = Question { offer, into, is_new_folder: folder.is_some(), beyond };
        stage.asked.set(true);
        stage.person.accepts(&question).map_err(|error| match error {
            Error::Declined if before.is_some() => Error::DeclinedMore,
            error => error,
        })?;
    }
    Ok(folder)
}

/// Refuses a sender for good.
pub(super) fn refuse(channel: &mut ReceiverChannel, error: &Error) {
    channel.allow(Some(FAREWELL));
    let _ = channel.say(&FromReceiver::Refused { why: error.for_peer() }).and_then(|()| channel.flush());
}

fn hear_offer(channel: &mut ReceiverChannel, times: &Times) -> Result<Offer, Error> {
    let heard = Offer::hear(channel, times);
    if let Err(error) = &heard
        && !error.is_lost()
    {
        break_off(channel, error);
    }
    heard
}

/// Tells the sender how the transfer will proceed.
fn agree(
    stage: &Stage<'_>,
    knock: Knock,
    id: TransferId,
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
                // What is here stays: it can still be resumed with another request.
                None => break_off(&mut channel, &error),
            }
            return Err(error);
        }
    };
    let streams = hello.streams;
    channel.allow(Some(stage.times.reply));
    channel.say(&FromReceiver::Welcome(Welcome {
        wire: WIRE,
        transfer: id,
        attempt,
        resume: secret.cloned(),
        suites: options.rates.clone(),
        suite: choice.suite,
        why: choice.why.as_str().into(),
        asked: options.wanted.is_some(),
        streams,
    }))?;
    channel.flush()?;
    Ok(Agreed { channel, choice, streams, began, sender_rates: hello.suites })
}

/// Receives the data and sends the receipts.
fn receive(stage: &Stage<'_>, mut agreed: Agreed, transfer: &mut Transfer) -> Result<Report, Error> {
    let session = expected(stage, &mut agreed, transfer)?;
    let Agreed { mut channel, choice, streams, began, sender_rates } = agreed;
    let here = stage.progress.done();
    let handshake = began.elapsed();
    let (begun, cpu) = (Instant::now(), usage::process_cpu());
    let ended = channel.flush().and_then(|()| data(&mut channel, &session, transfer, stage.times.remember));
    stage.door.expect(None);
    let Closing { files, withdrawn, cipher } = match ended {
        Ok(closing) => closing,
        Err(error) => {
            // A connection that was merely lost is cut here, too, without a message: the sender comes back.
            if !error.is_lost() {
                break_off(&mut channel, &error);
            }
            session.end();
            return Err(error);
        }
    };
    channel.allow(Some(stage.times.reply));
    channel.say(&FromReceiver::Authenticated { files: files.len() as u32 })?;
    // From here on all is here: whether the sender still reads this decides nothing.
    let _ = channel.flush();
    let authenticated = begun.elapsed();
    let cpu = usage::process_cpu().zip(cpu).map(|(now, before)| now - before);
    let agreed = channel.agreed();
    let placed = placed(stage, &mut channel, transfer, &files)?;
    let failed = withdrawn.into_iter().map(|(part, why)| (part, why.to_string()));
    let failed = failed.chain(placed.failed.into_iter().map(|(part, why, _)| (part, why)));
    let failed = failed.filter_map(|(part, why)| {
        let name = transfer.accepted.file(part)?.name.to_string();
        Some(Failed { name, why })
    });
    let durable = begun.elapsed();
    channel.allow(Some(FAREWELL));
    let _ = channel.hear::<FromSender>();
    session.end();
    Ok(Report {
        files: placed.files,
        bytes: transfer.accepted.bytes() - here,
        suite: choice.suite,
        why: choice.why,
        streams,
        attempt: transfer.attempts,
        agreed,
        into: stage.place.path(transfer.folder.as_ref()),
        sender_rates,
        receiver_rates: stage.options.rates.clone(),
        handshake,
        authenticated,
        durable,
        cipher,
        cpu,
        failed: failed.collect(),
    })
}

/// Tells the sender what is here already, and lets data connections in.
fn expected(stage: &Stage<'_>, agreed: &mut Agreed, transfer: &Transfer) -> Result<Arc<Session>, Error> {
    let channel = &mut agreed.channel;
    let have = transfer.have();
    for (file, (part, _)) in (0..).zip(transfer.accepted.offered()) {
        for (offset, length) in have.get(&part).into_iter().flat_map(Ranges::iter) {
            channel.say(&FromReceiver::Have { file, offset, length })?;
        }
    }
    let parts = transfer.kept.as_ref().map(|kept| kept.parts.clone());
    let arrivals = Arrivals::new(transfer.accepted.clone(), parts, stage.progress.clone(), &have);
    let keys = channel.keys(transfer.id, Attempt(transfer.attempts))?;
    channel.say(&FromReceiver::Ready)?;
    let (transcript, waker) = (channel.transcript(), channel.waker()?);
    let (suite, times) = (agreed.choice.suite, stage.times);
    let session = Arc::new(Session::new(keys, transcript, suite, agreed.streams, times, arrivals, waker));
    stage.door.expect(Some(session.clone()));
    Ok(session)
}

/// Puts complete files under their names, and reports it.
fn placed(
    stage: &Stage<'_>,
    channel: &mut ReceiverChannel,
    transfer: &Transfer,
    files: &[u32],
) -> Result<Placed, Error> {
    let placed = stage.place.put(transfer, files);
    // The disk had unlimited time.
    channel.allow(Some(stage.times.reply));
    let placed = placed.inspect_err(|error| break_off(channel, error))?;
    let words: HashMap<u32, Unplaced> = placed.failed.iter().map(|(part, _, word)| (*part, *word)).collect();
    for (file, (part, _)) in (0..).zip(transfer.accepted.offered()) {
        if let Some(&why) = words.get(&part) {
            let _ = channel.say(&FromReceiver::Failed { file, why });
        }
    }
    let _ = channel.say(&FromReceiver::Durable { files: placed.files }).and_then(|()| channel.flush());
    Ok(placed)
}

/// Tells the sender that the attempt is over.
fn break_off(channel: &mut ReceiverChannel, error: &Error) {
    // A sender that does not read must not block the receiver: nothing would end this write.
    channel.allow(Some(FAREWELL));
    let _ = channel.say(&FromReceiver::BrokeOff { why: error.for_peer() }).and_then(|()| channel.flush());
}

/// What became of the files, by the numbers of accepted ones.
struct Closing {
    files: Vec<u32>,
    withdrawn: Vec<(u32, Withdrawn)>,
    cipher: Duration,
}

/// Waits for the sender's last line while the data connections work and what arrives is recorded.
fn data(
    channel: &mut ReceiverChannel,
    session: &Arc<Session>,
    transfer: &Transfer,
    remember: Duration,
) -> Result<Closing, Error> {
    let (end, ended) = queue::<()>();
    let heard = thread::scope(|scope| {
        scope.spawn(move || {
            while ended.recv_timeout(remember) == Err(RecvTimeoutError::Timeout) {
                session.expire();
                if let Err(error) = transfer.remember(&session.arrivals.take_unsynced()) {
                    session.fail(error);
                }
            }
        });
        let heard = hear(channel, session, transfer);
        drop(end);
        heard
    });
    if heard.is_err() {
        // Complete pieces count even if what followed them does not; what cannot be recorded is sent again.
        let _ = transfer.remember(&session.arrivals.take_unsynced());
    }
    heard
}

/// Reads which files the sender withdrew, and checks that all others are here.
fn hear(channel: &mut ReceiverChannel, session: &Session, transfer: &Transfer) -> Result<Closing, Error> {
    // A line comes only after all was sent: until then the data connections have their own time limits, and after that
    // the session has one.
    channel.allow(None);
    let before = channel.heard();
    let mut withdrawn: HashMap<u32, Withdrawn> = HashMap::new();
    loop {
        match channel.hear().map_err(|error| session.failure().unwrap_or(error))? {
            FromSender::Withdrawn { file, why } => {
                let is_file = (file as usize) < transfer.accepted.count();
                if !is_file || withdrawn.insert(file, why).is_some() {
                    return Err(Error::Message("a file was withdrawn twice or does not exist".into()));
                }
                session.heard(channel.heard() - before);
            }
            FromSender::Sent => break,
            FromSender::BrokeOff { why } => return Err(Error::BrokeOff(why)),
            _ => return Err(Error::Message("unexpected while data flows".into())),
        }
    }
    let cipher = session.all_ended()?;
    let mut closing = Closing { files: Vec::new(), withdrawn: Vec::new(), cipher };
    for (file, (part, _)) in (0..).zip(transfer.accepted.offered()) {
        match withdrawn.get(&file) {
            Some(&why) => closing.withdrawn.push((part, why)),
            None if session.arrivals.is_whole(file) => closing.files.push(part),
            None => return Err(Error::Message("a file is incomplete, though it was not withdrawn".into())),
        }
    }
    Ok(closing)
}
