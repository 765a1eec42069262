//! The user's decision on an offer, and the facts it rests on.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::path::PathBuf;

use super::accepted::Excess;
use super::choices::Decision;
use super::offer::Offer;
use super::room::{Needs, Wanted};
use crate::Error;
use crate::name::Name;
use crate::target::Disk;

/// An offer that needs the user's decision.
#[derive(Debug, Clone)]
pub struct Question<'a> {
    /// All that is offered.
    pub offer: &'a Offer,
    /// The folder that the names go into; `None` where everything is discarded or goes to a pipe.
    pub into: Option<PathBuf>,
    /// Whether it goes to a pipe: the offer is one stream or one file.
    pub is_pipe: bool,
    /// Whether that folder is a new one, made for this transfer.
    pub is_new_folder: bool,
    /// Whether it is what an unfinished transfer in that folder has accepted, of which nothing can be left out.
    pub is_resumed: bool,
    /// Where the offer goes beyond what was accepted before; empty for the first offer.
    pub excess: Vec<Excess>,
    /// New files whose names are taken, by their numbers in the offer.
    pub existing: Vec<u32>,
    /// Folders that are there already, and that new names would go into.
    pub taken_folders: Vec<String>,
    /// How the disk stores files, if anything is written to one.
    pub disk: Disk,
    /// Whether there is no room for all of it.
    pub lacks_room: bool,
}

impl Question<'_> {
    /// Files and folders that go beyond what was accepted before, by their numbers in the offer.
    pub fn beyond(&self) -> (HashSet<u32>, HashSet<u32>) {
        let names: HashSet<&Name> = self.excess.iter().map(|excess| &excess.name).collect();
        let files = (0..).zip(&self.offer.files).filter(|(_, file)| names.contains(&file.name));
        let folders = (0..).zip(&self.offer.folders).filter(|(_, (name, _))| names.contains(name));
        (files.map(|(number, _)| number).collect(), folders.map(|(number, _)| number).collect())
    }

    /// Bytes that the files and folders take of the disk.
    pub fn on_disk(&self) -> u64 {
        Needs::new(&Wanted::all(self.offer), self.disk, None).bytes
    }
}

/// Decides on offers.
pub trait User {
    /// Accepts an offer, with what becomes of single files, or returns the reason against it: [`Error::Declined`], or
    /// [`Error::NotAccepted`] with a reason for both ends.
    fn accepts(&self, question: &Question<'_>) -> Result<Decision, Error>;

    /// An attempt was lost; the sender may come back.
    fn lost(&self, error: &Error);

    /// A file of which so many bytes were here has changed, and begins anew.
    fn restarted(&self, _name: &Name, _here: u64) {}

    /// A sender at that address speaks an earlier version of the wire format and was refused; the ticket stays valid.
    fn refused_outdated(&self, _outdated: SocketAddr) {}
}
