//! The one gate for offers.

use std::collections::{HashMap, HashSet};

use super::accepted::{Excess, Fate};
use super::choices::{AcceptedOffer, Decision, settle};
use super::context::AttemptContext;
use super::offer::Offer;
use super::pipe::check_offer;
use super::room::Wanted;
use super::transfer::Transfer;
use super::user::Question;
use crate::Error;
use crate::channel::Channel;
use crate::hello::TransferId;
use crate::message::Skipped;
use crate::name::Name;

/// The one gate for an offer, in the first attempt and in every later one: the user must accept what goes beyond what was
/// accepted before, and there must be room.
pub(super) fn accept(
    context: &AttemptContext<'_>,
    channel: &mut Channel,
    id: TransferId,
    offer: &Offer,
    transfer: Option<&Transfer>,
) -> Result<AcceptedOffer, Error> {
    let destination = context.destination;
    check_offer(offer, destination.is_pipe())?;
    let before = transfer.map(|transfer| &*transfer.accepted);
    let excess = before.map(|accepted| accepted.exceeded_by(offer));
    let is_within = excess.as_ref().is_some_and(Vec::is_empty);
    let folder = match transfer.and_then(|transfer| transfer.folder.clone()) {
        None if !is_within => destination.new_folder(id, before, offer)?,
        kept => kept,
    };
    if is_within {
        destination.check_room(&Wanted::all(offer), transfer)?;
        return Ok(AcceptedOffer { folder, ..AcceptedOffer::default() });
    }
    let taken = destination.taken(offer, folder.as_ref(), before)?;
    let question = Question {
        offer,
        into: destination.path(folder.as_ref()),
        is_pipe: destination.is_pipe(),
        is_new_folder: folder.is_some(),
        is_resumed: false,
        excess: excess.unwrap_or_default(),
        existing: taken.files.clone(),
        taken_folders: taken.folders.clone(),
        disk: destination.disk()?,
        lacks_room: destination.check_room(&Wanted::all(offer), transfer).is_err(),
    };
    context.asked.set(true);
    let decision = context.user.accepts(&question).map_err(|error| match error {
        Error::Declined if before.is_some() => Error::DeclinedMore,
        error => error,
    })?;
    if destination.is_pipe() && !decision.declined.is_empty() {
        return Err(Error::Declined);
    }
    let reply = context.times.reply;
    let mut fates = settle(channel, reply, destination.target(), offer, &taken, &decision)?;
    let beyond = left_out(&question, &decision, &mut fates);
    let adds_nothing = !question.excess.is_empty() && beyond.len() == question.excess.len();
    // What stays within what was accepted goes where that went.
    let folder = if adds_nothing { transfer.and_then(|transfer| transfer.folder.clone()) } else { folder };
    destination.check_room(&Wanted::of(offer, &fates, &decision.declined_folders), transfer)?;
    let declined = |number: &u32| Some(offer.folders.get(*number as usize)?.0.clone());
    let declined_folders = decision.declined_folders.iter().filter_map(declined).collect();
    Ok(AcceptedOffer { folder, fates, declined_folders, filled: taken.folders, beyond })
}

/// What goes beyond the offer that was accepted before, and is declined; the sender hears why.
fn left_out(question: &Question<'_>, decision: &Decision, fates: &mut HashMap<u32, Fate>) -> Vec<Excess> {
    let (mut files, mut folders) = question.beyond();
    files.retain(|file| decision.declined.contains(file));
    folders.retain(|folder| decision.declined_folders.contains(folder));
    fates.extend(files.iter().map(|&file| (file, Fate::Skipped(Skipped::Beyond))));
    let files = files.iter().map(|&file| &question.offer.files[file as usize].name);
    let names: HashSet<&Name> =
        files.chain(folders.iter().map(|&folder| &question.offer.folders[folder as usize].0)).collect();
    question.excess.iter().filter(|excess| names.contains(&excess.name)).cloned().collect()
}
