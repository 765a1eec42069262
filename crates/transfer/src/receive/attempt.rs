//! One attempt at a transfer, from the sender's hello to the last receipt.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Instant;

use ciphermeter_host::usage;

use super::accept::accept;
use super::accepted::{Accepted, Excess};
use super::arrivals::Arrivals;
use super::choices::AcceptedOffer;
use super::context::AttemptContext;
use super::destination::Destination;
use super::incoming::Incoming;
use super::offer::Offer;
use super::pipe::PipeArrivals;
use super::receipts::{FileOutcomes, break_off, place_and_report, receive_data};
use super::session::Session;
use super::transfer::Transfer;
use crate::Error;
use crate::channel::Channel;
use crate::hello::{Attempt, TransferId};
use crate::key::Opener;
use crate::listen::{Admitted, hash_resume_secret};
use crate::message::{FromReceiver, FromSender, OfferedFile, SenderHello, Skipped, Welcome};
use crate::name::Name;
use crate::ranges::Ranges;
use crate::rates::{Choice, DIFFERENT_SUITES, choose};
use crate::report::{FailedFile, Report, SkippedFile};
use crate::secret::ResumeSecret;
use crate::timed::{LAST_MESSAGE, Times};
use crate::wire::WIRE;

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
    let mut agreed = agree(context, sender, id, 1, (!is_pipe).then_some(secret))?;
    let channel = &mut agreed.channel;
    let offer = receive_offer(channel, &context.times)?;
    let accepted = accept(context, channel, id, &offer, None);
    // The user had unlimited time.
    channel.set_time_limit(Some(context.times.reply));
    let AcceptedOffer { folder, fates, declined_folders, filled, .. } =
        accepted.inspect_err(|error| refuse(channel, error))?;
    let left_out = offer.left_out;
    let mut accepted = Accepted::new(offer, &fates);
    accepted.decline_folders(declined_folders);
    accepted.fill(filled);
    let begun = context.destination.begin(id, accepted, folder, &hash, context.door.identity());
    let mut begun = begun.inspect_err(|error| break_off(channel, error))?;
    begun.left_out = left_out;
    if begun.storage.is_some() {
        context.progress.keep(id);
    }
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
        .and_then(|accepted| transfer.apply_offer(offer, accepted, |name, here| context.user.restarted(name, here)));
    channel.set_time_limit(Some(context.times.reply));
    accepted.inspect_err(|error| break_off(channel, error))?;
    receive(context, agreed, transfer)
}

/// Refuses a sender for good.
pub(super) fn refuse(channel: &mut Channel, error: &Error) {
    channel.set_time_limit(Some(LAST_MESSAGE));
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
    secret: Option<ResumeSecret>,
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
    channel.notice_loss_within(context.times.reply)?;
    channel.send(&FromReceiver::Welcome(Welcome {
        wire: WIRE,
        transfer: id,
        attempt,
        // It is wiped with this line; what stays is its hash.
        resume: secret,
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
    let handshake = began.elapsed();
    let (begun, cpu) = (Instant::now(), usage::process_cpu());
    let flushed = channel.flush();
    transfer.begin_to_sync();
    // A connection that was merely lost or damaged is cut without a message: the sender comes back.
    let tell = |channel: &mut Channel, error: &Error| {
        if !context.forgives(error) {
            break_off(channel, error);
        }
    };
    let ended = flushed.and_then(|()| receive_data(&mut channel, &session, transfer, &context.times, tell));
    context.door.shut();
    let FileOutcomes { files, withdrawn, spent, spent_there, authenticated } = match ended {
        Ok(outcomes) => outcomes,
        Err(error) => {
            session.end();
            return Err(error);
        }
    };
    let authenticated = authenticated.saturating_duration_since(begun);
    let cpu = usage::process_cpu().zip(cpu).map(|(now, before)| now - before);
    let agreed = channel.agreed();
    let placed = place_and_report(context, &mut channel, transfer, &files, spent)?;
    let unplaced: HashSet<u32> = placed.failed.iter().map(|(part, ..)| *part).collect();
    let arrived = files.iter().filter(|part| !unplaced.contains(part));
    let arrived = arrived.filter_map(|part| Some((*part, transfer.accepted.file(*part)?.size)));
    let arrived = session.arrivals.take_spared().of(arrived);
    let failed = withdrawn.into_iter().map(|(part, why)| (part, why.to_string()));
    let failed = failed.chain(placed.failed.into_iter().map(|(part, why, _)| (part, why)));
    let failed = failed.filter_map(|(part, why)| {
        let name = transfer.accepted.file(part)?.name.to_string();
        Some(FailedFile { name, why, is_told: true })
    });
    let failed = failed.chain(missing(transfer));
    let durable = begun.elapsed();
    channel.set_time_limit(Some(LAST_MESSAGE));
    let _ = channel.receive::<FromSender>();
    session.end();
    Ok(Report {
        files: placed.files,
        bytes: match context.progress.is_stream() {
            true => context.progress.done(),
            false => arrived.bytes,
        },
        before: arrived.before,
        holes: arrived.holes,
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
        spent,
        spent_there,
        cpu,
        failed: failed.collect(),
        skipped: skipped(&transfer.accepted),
        stream: context.progress.is_stream(),
        discarded: context.destination.is_discard(),
        piped: context.destination.is_pipe(),
        left_out: transfer.left_out,
        tops: transfer.accepted.names().map(|name| name.top().to_owned()).collect(),
    })
}

/// What was accepted and does not come with the attempt's offer, and what of that goes beyond.
fn missing(transfer: &Transfer) -> impl Iterator<Item = FailedFile> {
    let skipped = transfer.accepted.offered().filter(|(part, _)| transfer.accepted.skipped(*part).is_some());
    let skipped: HashSet<&Name> = skipped.map(|(_, file)| &file.name).collect();
    let beyond = transfer.beyond.iter().map(move |Excess { name, kind }| {
        let is_told = skipped.contains(name);
        FailedFile { name: name.to_string(), why: format!("it {kind}; ask for it in a new transfer"), is_told }
    });
    let other: HashSet<&Name> = transfer.beyond.iter().map(|excess| &excess.name).collect();
    let gone = transfer.accepted.not_offered().filter_map(|part| Some(&transfer.accepted.file(part)?.name));
    let why = || "the sender no longer offers it".to_owned();
    let gone = gone.filter(move |name| !other.contains(name));
    gone.map(move |name| FailedFile { name: name.to_string(), why: why(), is_told: false }).chain(beyond)
}

/// The files of the attempt's offer that are not wanted. What goes beyond the accepted offer is named as missing instead.
fn skipped(accepted: &Accepted) -> Vec<SkippedFile> {
    let why = |(part, file): (u32, &OfferedFile)| {
        let why = accepted.skipped(part).filter(|why| *why != Skipped::Beyond)?;
        Some(SkippedFile { name: file.name.to_string(), why })
    };
    accepted.offered().filter_map(why).collect()
}

/// Tells the sender what is here already, and lets data connections in.
fn open_session(context: &AttemptContext<'_>, agreed: &mut Agreed, transfer: &Transfer) -> Result<Arc<Session>, Error> {
    let channel = &mut agreed.channel;
    channel.expect_many_lines(context.times);
    let have = transfer.have();
    for (file, (part, _)) in (0..).zip(transfer.accepted.offered()) {
        if let Some(why) = transfer.accepted.skipped(part) {
            channel.send(&FromReceiver::Skip { file, why })?;
            continue;
        }
        for (offset, length) in have.get(&part).into_iter().flat_map(Ranges::iter) {
            channel.send(&FromReceiver::Have { file, offset, length })?;
        }
    }
    let progress = context.progress.clone();
    let arrivals = match context.destination {
        Destination::Pipe(pipe) => Incoming::Pipe(PipeArrivals::new(&transfer.accepted, pipe.clone(), progress)),
        Destination::Discard | Destination::Folder(_) => {
            let parts = transfer.storage.as_ref().map(|storage| storage.parts.clone());
            let (accepted, declared) = (transfer.accepted.clone(), transfer.declared.clone());
            Incoming::Files(Box::new(Arrivals::new(accepted, parts, progress, &have, declared)))
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
