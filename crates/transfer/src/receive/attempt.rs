//! One attempt at a transfer, from the sender's hello to the last receipt.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel as queue};
use std::thread;
use std::time::{Duration, Instant};

use ciphermeter_host::usage;

use super::accept::accept;
use super::accepted::Accepted;
use super::arrivals::Arrivals;
use super::choices::AcceptedOffer;
use super::context::AttemptContext;
use super::destination::{Destination, PlacedFiles};
use super::incoming::Incoming;
use super::offer::Offer;
use super::pipe::PipeArrivals;
use super::session::Session;
use super::transfer::Transfer;
use crate::Error;
use crate::channel::Channel;
use crate::hello::{Attempt, TransferId};
use crate::key::Opener;
use crate::listen::{Admitted, DataConnections, hash_resume_secret};
use crate::message::{FromReceiver, FromSender, OfferedFile, SenderHello, Unplaced, Welcome, Withdrawn};
use crate::ranges::Ranges;
use crate::rates::{Choice, DIFFERENT_SUITES, choose};
use crate::report::{FailedFile, Report, SkippedFile};
use crate::secret::ResumeSecret;
use crate::timed::Times;
use crate::wire::WIRE;

/// How long to wait for the sender's last message.
const LAST_MESSAGE_TIME: Duration = Duration::from_secs(2);

/// An accepted sender, and what was agreed on.
struct Agreed {
    channel: Channel,
    choice: Choice,
    streams: u16,
    began: Instant,
    sender_rates: Vec<crate::rates::Rate>,
}

/// Receives what a new sender offers. `transfer` is set as soon as it can be resumed.
pub(super) fn receive_first(
    context: &AttemptContext<'_>,
    sender: Admitted<SenderHello>,
    transfer: &mut Option<Transfer>,
) -> Result<Report, Error> {
    let (id, secret) = (context.destination.random_id()?, ResumeSecret::random()?);
    let is_pipe = context.destination.is_pipe();
    // Before the secret is known to anyone, and while the user decides: a sender that comes back then waits for the
    // decision.
    let hash = hash_resume_secret(&secret);
    if !is_pipe {
        context.door.allow_resume(id, &secret);
    }
    let mut agreed = agree(context, sender, id, 1, (!is_pipe).then_some(&secret))?;
    let channel = &mut agreed.channel;
    let offer = receive_offer(channel, &context.times)?;
    let accepted = accept(context, channel, id, &offer, None);
    // The user had unlimited time.
    channel.set_time_limit(Some(context.times.reply));
    let AcceptedOffer { folder, fates, declined_folders, filled } =
        accepted.inspect_err(|error| refuse(channel, error))?;
    let left_out = offer.left_out;
    let mut accepted = Accepted::new(offer, &fates);
    accepted.decline_folders(declined_folders);
    accepted.fill(filled);
    let begun = context.destination.begin(id, accepted, folder, &hash, context.door.identity());
    let mut begun = begun.inspect_err(|error| break_off(channel, error))?;
    begun.left_out = left_out;
    receive(context, agreed, transfer.insert(begun))
}

/// Resumes a transfer whose sender came back.
pub(super) fn receive_resumed(
    context: &AttemptContext<'_>,
    sender: Admitted<SenderHello>,
    transfer: &mut Transfer,
) -> Result<Report, Error> {
    let mut agreed = agree(context, sender, transfer.id, transfer.attempts.saturating_add(1), None)?;
    let channel = &mut agreed.channel;
    let offer = receive_offer(channel, &context.times)?;
    let accepted = accept(context, channel, transfer.id, &offer, Some(transfer))
        .and_then(|accepted| transfer.apply_offer(offer, accepted));
    channel.set_time_limit(Some(context.times.reply));
    accepted.inspect_err(|error| break_off(channel, error))?;
    receive(context, agreed, transfer)
}

/// Refuses a sender for good.
pub(super) fn refuse(channel: &mut Channel, error: &Error) {
    channel.set_time_limit(Some(LAST_MESSAGE_TIME));
    let _ = channel.send(&FromReceiver::Refused { why: error.for_peer() }).and_then(|()| channel.flush());
}

fn receive_offer(channel: &mut Channel, times: &Times) -> Result<Offer, Error> {
    let received = Offer::receive(channel, times);
    if let Err(error) = &received
        && !error.is_lost()
    {
        break_off(channel, error);
    }
    received
}

/// Tells the sender how the transfer will proceed.
fn agree(
    context: &AttemptContext<'_>,
    sender: Admitted<SenderHello>,
    id: TransferId,
    attempt: u32,
    secret: Option<&ResumeSecret>,
) -> Result<Agreed, Error> {
    let Admitted { mut channel, hello } = sender;
    let (options, began) = (context.options, Instant::now());
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
                None if context.destination.is_pipe() => refuse(&mut channel, &error),
                // What is here stays: it can still be resumed with another request.
                None => break_off(&mut channel, &error),
            }
            return Err(error);
        }
    };
    // The bytes of a pipe have one order.
    let streams = if context.destination.is_pipe() { 1 } else { hello.streams };
    channel.set_time_limit(Some(context.times.reply));
    channel.send(&FromReceiver::Welcome(Welcome {
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
fn receive(context: &AttemptContext<'_>, mut agreed: Agreed, transfer: &mut Transfer) -> Result<Report, Error> {
    let session = open_session(context, &mut agreed, transfer)?;
    let Agreed { mut channel, choice, streams, began, sender_rates } = agreed;
    let here = context.progress.done();
    let handshake = began.elapsed();
    let (begun, cpu) = (Instant::now(), usage::process_cpu());
    let flushed = channel.flush();
    transfer.begin_to_sync();
    let ended = flushed.and_then(|()| receive_data(&mut channel, &session, transfer, context.times.record));
    context.door.shut();
    let FileOutcomes { files, withdrawn, cipher } = match ended {
        Ok(outcomes) => outcomes,
        Err(error) => {
            // A connection that was merely lost or damaged is cut here, too, without a message: the sender comes back.
            if !context.forgives(&error) {
                break_off(&mut channel, &error);
            }
            session.end();
            return Err(error);
        }
    };
    channel.set_time_limit(Some(context.times.reply));
    channel.send(&FromReceiver::Authenticated { files: files.len() as u32 })?;
    // From here on all is here: whether the sender still reads this decides nothing.
    let _ = channel.flush();
    let authenticated = begun.elapsed();
    let cpu = usage::process_cpu().zip(cpu).map(|(now, before)| now - before);
    let agreed = channel.agreed();
    let placed = place_and_report(context, &mut channel, transfer, &files)?;
    let failed = withdrawn.into_iter().map(|(part, why)| (part, why.to_string()));
    let failed = failed.chain(placed.failed.into_iter().map(|(part, why, _)| (part, why)));
    let gone = transfer.accepted.not_offered().map(|part| (part, "the sender no longer offers it".to_owned()));
    let failed = failed.chain(gone);
    let failed = failed.filter_map(|(part, why)| {
        let name = transfer.accepted.file(part)?.name.to_string();
        Some(FailedFile { name, why })
    });
    let durable = begun.elapsed();
    channel.set_time_limit(Some(LAST_MESSAGE_TIME));
    let _ = channel.receive::<FromSender>();
    session.end();
    Ok(Report {
        files: placed.files,
        bytes: match context.progress.is_stream() {
            true => context.progress.done(),
            false => transfer.accepted.bytes() - here - context.progress.holes(),
        },
        before: here,
        holes: context.progress.holes(),
        suite: choice.suite,
        why: choice.why,
        streams,
        attempt: transfer.attempts,
        agreed,
        into: context.destination.path(transfer.folder.as_ref()),
        sender_rates,
        receiver_rates: context.options.rates.clone(),
        handshake,
        authenticated,
        durable,
        cipher,
        cpu,
        failed: failed.collect(),
        skipped: skipped(&transfer.accepted),
        stream: context.progress.is_stream(),
        piped: context.destination.is_pipe(),
        left_out: transfer.left_out,
        tops: transfer.accepted.names().map(|name| name.top().to_owned()).collect(),
    })
}

/// The files of the attempt's offer that are not wanted.
fn skipped(accepted: &Accepted) -> Vec<SkippedFile> {
    let why = |(part, file): (u32, &OfferedFile)| {
        Some(SkippedFile { name: file.name.to_string(), why: accepted.skipped(part)? })
    };
    accepted.offered().filter_map(why).collect()
}

/// Tells the sender what is here already, and lets data connections in.
fn open_session(context: &AttemptContext<'_>, agreed: &mut Agreed, transfer: &Transfer) -> Result<Arc<Session>, Error> {
    let channel = &mut agreed.channel;
    let have = transfer.have();
    for (file, (part, _)) in (0..).zip(transfer.accepted.offered()) {
        for (offset, length) in have.get(&part).into_iter().flat_map(Ranges::iter) {
            channel.send(&FromReceiver::Have { file, offset, length })?;
        }
        if let Some(why) = transfer.accepted.skipped(part) {
            channel.send(&FromReceiver::Skip { file, why })?;
        }
    }
    let progress = context.progress.clone();
    let arrivals = match context.destination {
        Destination::Pipe(pipe) => Incoming::Pipe(PipeArrivals::new(&transfer.accepted, pipe.clone(), progress)),
        Destination::Discard | Destination::Folder(_) => {
            let parts = transfer.storage.as_ref().map(|storage| storage.parts.clone());
            Incoming::Files(Arrivals::new(transfer.accepted.clone(), parts, progress, &have, transfer.declared.clone()))
        }
    };
    let keys = channel.keys(transfer.id, Attempt(transfer.attempts), context.door.opener())?;
    channel.send(&FromReceiver::Ready)?;
    let (transcript, waker) = (channel.transcript(), channel.waker()?);
    let (suite, times) = (agreed.choice.suite, context.times);
    let streams = agreed.streams;
    let session = Arc::new(Session::new(keys.clone(), transcript, suite, streams, times, arrivals, waker));
    // A sender that listens must know that data may flow before its connections come.
    if context.door.opener() == Opener::Receiver {
        agreed.channel.flush()?;
    }
    context.door.open(&session, &keys, streams);
    Ok(session)
}

/// Puts complete files under their names, and reports it.
fn place_and_report(
    context: &AttemptContext<'_>,
    channel: &mut Channel,
    transfer: &Transfer,
    files: &[u32],
) -> Result<PlacedFiles, Error> {
    let placed = context.destination.place_files(transfer, files);
    // The disk had unlimited time.
    channel.set_time_limit(Some(context.times.reply));
    let placed = placed.inspect_err(|error| break_off(channel, error))?;
    let words: HashMap<u32, Unplaced> = placed.failed.iter().map(|(part, _, word)| (*part, *word)).collect();
    for (file, (part, _)) in (0..).zip(transfer.accepted.offered()) {
        if let Some(&why) = words.get(&part) {
            let _ = channel.send(&FromReceiver::Failed { file, why });
        }
    }
    let _ = channel.send(&FromReceiver::Durable { files: placed.files }).and_then(|()| channel.flush());
    Ok(placed)
}

/// Tells the sender that the attempt is over.
fn break_off(channel: &mut Channel, error: &Error) {
    // A sender that does not read must not block the receiver: nothing would end this write.
    channel.set_time_limit(Some(LAST_MESSAGE_TIME));
    let _ = channel.send(&FromReceiver::BrokeOff { why: error.for_peer() }).and_then(|()| channel.flush());
}

/// What became of the files, by the numbers of accepted ones.
struct FileOutcomes {
    files: Vec<u32>,
    withdrawn: Vec<(u32, Withdrawn)>,
    cipher: Duration,
}

/// Waits for the sender's last line while the data connections work and what arrives is recorded.
fn receive_data(
    channel: &mut Channel,
    session: &Arc<Session>,
    transfer: &Transfer,
    record: Duration,
) -> Result<FileOutcomes, Error> {
    let (end, ended) = queue::<()>();
    let received = thread::scope(|scope| {
        let recording = scope.spawn(move || {
            let mut is_fine = true;
            while ended.recv_timeout(record) == Err(RecvTimeoutError::Timeout) {
                session.expire();
                if let Err(error) = transfer.record(&session.arrivals.take_unsynced()) {
                    is_fine = false;
                    session.fail(error);
                }
            }
            is_fine
        });
        let received = receive_withdrawals(channel, session, transfer);
        drop(end);
        match recording.join() {
            Ok(true) => received,
            // A failed sync is not reported twice: what follows would succeed, and the bytes be lost.
            _ => received.and_then(|_| Err(session.failure().unwrap_or(Error::Cut))),
        }
    });
    if received.is_err() {
        // What arrived counts even if what followed it does not; what cannot be recorded is sent again.
        let _ = transfer.record(&session.arrivals.take_unsynced());
    }
    received
}

/// Reads which files the sender withdrew, and checks that all others are here.
fn receive_withdrawals(channel: &mut Channel, session: &Session, transfer: &Transfer) -> Result<FileOutcomes, Error> {
    // A line comes only after all was sent: until then the data connections have their own time limits, and after that
    // the session has one.
    channel.set_time_limit(None);
    let before = channel.bytes_received();
    let mut withdrawn: HashMap<u32, Withdrawn> = HashMap::new();
    loop {
        match channel.receive().map_err(|error| session.failure().unwrap_or(error))? {
            FromSender::Withdrawn { file, why } => {
                let is_file = (file as usize) < transfer.accepted.count();
                if !is_file || withdrawn.insert(file, why).is_some() {
                    return Err(Error::message("a file was withdrawn twice or does not exist"));
                }
                session.set_line_bytes(channel.bytes_received() - before);
            }
            FromSender::Sent => break,
            FromSender::BrokeOff { why } => return Err(Error::BrokeOff(why)),
            _ => return Err(Error::message("unexpected while data flows")),
        }
    }
    let cipher = session.all_ended()?;
    let mut outcomes = FileOutcomes { files: Vec::new(), withdrawn: Vec::new(), cipher };
    for (file, (part, _)) in (0..).zip(transfer.accepted.offered()) {
        match withdrawn.get(&file) {
            _ if transfer.accepted.skipped(part).is_some() => {}
            Some(why) if session.arrivals.is_pipe() => return Err(Error::NotAccepted(why.to_string())),
            Some(&why) => outcomes.withdrawn.push((part, why)),
            None if session.arrivals.is_complete(file) => outcomes.files.push(part),
            None => return Err(Error::message("a file is incomplete, though it was not withdrawn")),
        }
    }
    Ok(outcomes)
}
