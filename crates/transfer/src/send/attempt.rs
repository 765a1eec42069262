//! One attempt at a transfer, from the connect to the receipts.

use std::collections::BTreeSet;
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use ciphermeter_host::usage;

use super::answer::read_answer;
use super::input::{Input, send_input};
use super::keeper::Keeper;
use super::known_receiver::{Credential, KnownReceiver, ResumeCredential};
use super::options::SendOptions;
use super::plan::Plan;
use super::receipts::{Outcome, report_withdrawn, wait_for_receipts};
use super::route::{Joining, Route, Way};
use super::stream::{self, Shared};
use crate::Error;
use crate::channel::Channel;
use crate::connect::connect;
use crate::hello::{Attempt, Stream};
use crate::key::Opener;
use crate::limit::{LEAST, Limit};
use crate::message::{FromReceiver, FromSender, MAX_STREAMS, OfferedFile, SenderHello, Welcome};
use crate::progress::Progress;
use crate::rates::{DIFFERENT_SUITES, choose};
use crate::report::{Report, SkippedFile};
use crate::source::SourceFile;
use crate::spent::Spent;
use crate::timed::{LAST_MESSAGE, Times};
use crate::walk::Listing;
use crate::wire::WIRE;

/// Makes one attempt. `keeper` gets what the next attempt needs.
pub(super) fn run(
    receiver: &mut KnownReceiver,
    way: Way,
    listing: &Listing,
    options: &SendOptions,
    progress: &Progress,
    keeper: &mut Keeper<'_>,
    input: Option<Input>,
) -> Result<Report, Error> {
    let began = Instant::now();
    let times = options.times.within(options.patience);
    // Until a first offer is taken there is nothing to resume, however it ends.
    let first = !matches!(receiver.credential, Credential::Resume(_));
    let (mut channel, came_to) = match way {
        Way::Calls => (call(receiver, first, &times)?, None),
        Way::Answers(admitted, admission) => (admitted.channel, Some(admission)),
    };
    let as_refusal = |error| match error {
        Error::BrokeOff(why) if first => Error::Refused(why),
        error => error,
    };
    channel.notice_loss_within(times.reply)?;
    // A receiver that listens is found again while its user may still be deciding on this offer; one that calls again is
    // done with that.
    let is_asking = !first && came_to.is_none() && progress.kept().is_none();
    let welcome_time = (!is_asking).then_some(times.reply);
    let welcome = greet(&mut channel, receiver, options, times.reply, welcome_time).map_err(as_refusal)?;
    let (transfer, attempt) = (welcome.transfer, Attempt(welcome.attempt));
    let route = match came_to {
        None => Route::Opens(channel.peer()?),
        Some(admission) => {
            // Before the receiver knows that data may flow: from then on its connections come.
            let keys = channel.keys(transfer, attempt, Opener::Receiver)?;
            let joining = Arc::new(Joining::new(keys.hello_key(), welcome.streams, channel.waker()?));
            admission.expect_connections(Some(joining.clone()));
            Route::Joins(admission, joining)
        }
    };
    send_listing(&mut channel, times, listing, input.is_some())?;
    // With the last line the receiver may have the transfer. A sender that is killed right after it must know how to
    // resume.
    let can_resume = welcome.resume.is_some();
    let resume = welcome.resume.as_ref().map(|secret| ResumeCredential { transfer, secret: secret.clone() });
    if let Some(resume) = &resume {
        keeper.store(resume, receiver)?;
        route.allow_resume(resume);
    }
    let end_of_offer = end_of_offer(listing);
    if let Err(error) = channel.send(&end_of_offer).and_then(|()| channel.flush()) {
        // A receiver that has not read the offer to its end has stored nothing.
        if first {
            keeper.forget(transfer);
        }
        return Err(error);
    }
    if let Some(resume) = resume {
        receiver.credential = Credential::Resume(resume);
    }
    let receiver_has = read_answer(&mut channel, listing, times, !receiver.accepts).map_err(as_refusal)?;
    receiver.accepts = true;
    if matches!(receiver.credential, Credential::Resume(_)) {
        progress.keep(transfer);
    }
    let handshake = began.elapsed();

    let (begun, cpu) = (Instant::now(), usage::process_cpu());
    let (total, here) = receiver_has.bytes(&listing.files);
    let skipped = |(&file, &why)| SkippedFile { name: listing.files[file as usize].name.to_string(), why };
    let skipped: Vec<SkippedFile> = receiver_has.skipped.iter().map(skipped).collect();
    let mut missing: Vec<bool> =
        (0..listing.files.len() as u32).map(|n| receiver_has.skipped.contains_key(&n)).collect();
    match input {
        Some(_) => progress.start_stream(),
        None => progress.start(total, here),
    }
    let (stream, piped) = (input.is_some(), first && !can_resume);
    let shared = Shared {
        keys: channel.keys(transfer, attempt, route.opener())?,
        route,
        transcript: channel.transcript(),
        suite: welcome.suite,
        plan: Plan::new(&listing.files, &keeper.unreadable, receiver_has, welcome.streams, progress),
        limit: options.limit.map(Limit::new),
        window: times.window,
        control: piped.then(|| channel.waker().map(Arc::new)).transpose()?,
        progress,
    };
    let agreed = channel.agreed();
    let sent = match input {
        Some(input) => send_input(&shared, input, times.life, |error| break_off(&mut channel, error)),
        None => send_over_streams(&shared, welcome.streams),
    };
    let spent = match sent {
        Err(error @ (Error::Input(_) | Error::Unread(_))) => return Err(error),
        Ok(spent) => spent,
        Err(error) => return Err(read_abort(&mut channel).unwrap_or(error)),
    };
    let (withdrawn, spared) = shared.plan.ended();
    withdrawn.iter().for_each(|withdrawn| missing[withdrawn.file as usize] = true);
    let failed = report_withdrawn(&mut channel, times, withdrawn, &listing.files, spent)?;
    wait_for_receipts(
        channel,
        listing,
        Outcome { missing, spared },
        Report {
            files: 0,
            bytes: progress.done(),
            before: 0,
            holes: 0,
            suite: welcome.suite,
            why: welcome.why.clone().into(),
            streams: welcome.streams,
            attempt: attempt.0,
            agreed,
            into: None,
            sender_rates: options.rates.clone(),
            receiver_rates: welcome.suites,
            handshake,
            authenticated: Duration::ZERO,
            durable: Duration::ZERO,
            spent,
            spent_there: None,
            cpu,
            failed,
            skipped,
            stream,
            discarded: false,
            piped,
            tops: BTreeSet::default(),
            left_out: listing.left_out.len() as u32,
        },
        begun,
        times.reply,
    )
}

/// Connects to the receiver.
fn call(receiver: &KnownReceiver, first: bool, times: &Times) -> Result<Channel, Error> {
    let (key, time) = (receiver.key, times.handshake());
    let connected = connect(&receiver.addresses, times.authentication, move |socket, peer| {
        Channel::connect(socket, key, time).map_err(|error| match error {
            Error::Lost { why, .. } if first && is_closed(&why) => Error::GreetingCut { peer: peer.to_string() },
            error => error,
        })
    });
    connected.map(|(channel, _)| channel)
}

/// Sends the hello, reads how the transfer will proceed, and checks that it follows from both ends' hellos.
fn greet(
    channel: &mut Channel,
    receiver: &KnownReceiver,
    options: &SendOptions,
    hello_time: Duration,
    welcome_time: Option<Duration>,
) -> Result<Welcome, Error> {
    let (token, transfer, resume) = match &receiver.credential {
        Credential::Token(token) => (Some(token.clone()), None, None),
        Credential::Admitted => (None, None, None),
        Credential::Resume(credential) => (None, Some(credential.transfer), Some(credential.secret.clone())),
    };
    let hello = SenderHello {
        wire: WIRE,
        token,
        transfer,
        resume,
        suites: options.rates.clone(),
        wanted: options.wanted,
        streams: streams_asked(options),
    };
    channel.set_time_limit(Some(hello_time));
    channel.send(&FromSender::Hello(hello))?;
    channel.flush()?;
    channel.set_time_limit(welcome_time);
    let welcome = match channel.receive()? {
        FromReceiver::Welcome(welcome) => welcome,
        FromReceiver::Refused { why } => return Err(Error::Refused(why)),
        FromReceiver::BrokeOff { why } => return Err(Error::BrokeOff(why)),
        _ => return Err(Error::message("unexpected before the welcome")),
    };
    if welcome.wire != WIRE || welcome.streams == 0 || welcome.streams > streams_asked(options) {
        return Err(Error::message("the welcome grants what was not requested"));
    }
    if let Some(wanted) = options.wanted
        && welcome.suite != wanted
    {
        return Err(Error::Disagreed(DIFFERENT_SUITES));
    }
    // The receiver's user may request a suite. Without that, both ends compute the same choice, or the connection was
    // tampered with.
    let fastest = choose(&options.rates, &welcome.suites, None).map(|choice| choice.suite);
    if options.wanted.is_none() && !welcome.asked && fastest != Some(welcome.suite) {
        return Err(Error::message("the suite is not the one that follows from both ends' rates"));
    }
    Ok(welcome)
}

/// As many as are wanted, but few enough that the limit leaves each a bearable rate.
fn streams_asked(options: &SendOptions) -> u16 {
    let within_limit = options.limit.map_or(MAX_STREAMS, |limit| u16::try_from(limit / LEAST).unwrap_or(MAX_STREAMS));
    options.streams.min(within_limit).clamp(1, MAX_STREAMS)
}

/// Sends the list of all that is offered, except the last line of the offer.
fn send_listing(channel: &mut Channel, times: Times, listing: &Listing, stream: bool) -> Result<(), Error> {
    channel.expect_many_lines(times);
    for folder in &listing.folders {
        channel.send(&FromSender::Folder { name: folder.name.clone(), mode: folder.mode })?;
    }
    for file in &listing.files {
        channel.send(&FromSender::File(OfferedFile { stream, ..offered_file(file) }))?;
    }
    Ok(())
}

/// The last line of the offer.
fn end_of_offer(listing: &Listing) -> FromSender {
    let bytes = listing.files.iter().map(|file| file.size).sum();
    FromSender::Offered { files: listing.files.len() as u32, bytes, left_out: listing.left_out.len() as u32 }
}

fn offered_file(file: &SourceFile) -> OfferedFile {
    OfferedFile {
        name: file.name.clone(),
        size: file.size,
        data: (file.data < file.size).then_some(file.data),
        link: file.link.clone(),
        stream: false,
        mode: file.mode,
        modified: file.modified,
        nanoseconds: file.modified_nanoseconds,
        version: file.version,
    }
}

/// Sends everything over that many connections. The first that breaks ends the others.
fn send_over_streams(shared: &Shared<'_>, number: u16) -> Result<Spent, Error> {
    let sockets = Mutex::new((false, Vec::new()));
    let share = |socket: &TcpStream| {
        let mut sockets = sockets.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if sockets.0 {
            let _ = socket.shutdown(Shutdown::Both);
        }
        sockets.1.extend(socket.try_clone());
    };
    let cut = || {
        let mut sockets = sockets.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        sockets.0 = true;
        for socket in &sockets.1 {
            let _ = socket.shutdown(Shutdown::Both);
        }
    };
    let run_stream = |stream| stream::run(shared, Stream(stream), share).inspect_err(|_| cut());
    let mut ended: Vec<_> = thread::scope(|scope| {
        let others: Vec<_> = (1..number).map(|stream| scope.spawn(move || run_stream(stream))).collect();
        let first = run_stream(0);
        let joined = others.into_iter().map(|thread| thread.join().unwrap_or(Err(Error::Cut)));
        std::iter::once(first).chain(joined).collect()
    });
    // Which connection broke first is no longer known here; an error other than a lost connection says most.
    ended.sort_by_key(|ended| !matches!(ended, Err(error) if !error.is_lost()));
    ended.into_iter().sum()
}

/// Tells the receiver that the attempt is over.
fn break_off(channel: &mut Channel, error: &Error) {
    channel.set_time_limit(Some(LAST_MESSAGE));
    let _ = channel.send(&FromSender::BrokeOff { why: error.for_peer() }).and_then(|()| channel.flush());
}

/// What the receiver said before it aborted, if it did.
fn read_abort(channel: &mut Channel) -> Option<Error> {
    channel.set_time_limit(Some(LAST_MESSAGE));
    match channel.receive() {
        Ok(FromReceiver::BrokeOff { why }) => Some(Error::BrokeOff(why)),
        _ => None,
    }
}

/// Whether the other end closed the connection, as opposed to a network failure.
fn is_closed(why: &std::io::Error) -> bool {
    matches!(why.kind(), std::io::ErrorKind::UnexpectedEof | std::io::ErrorKind::ConnectionReset)
}
