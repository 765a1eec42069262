//! A worker on a device: it has room for few cells at once, shares them with other workers on its board, and forgets them in a reset.
//!
//! Promise: a cell that was asked for once is there whenever its turn comes, however often it had to go in between.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use ciphermeter_core::CellId;
use ciphermeter_protocol::{LinkError, Prepare, Reply};

use super::Worker;
use crate::roster::{FORGOTTEN, Roster};

impl Worker {
    /// One on a device, which shares this roster with the others there.
    pub fn on_device(mut self, roster: Rc<RefCell<Roster>>) -> Self {
        self.roster = roster;
        self.wanted = Some(HashMap::new());
        self
    }

    /// Prepares a cell on a device. There may be one of that number from before the line to it broke, and what it refuses may have
    /// room once others are gone.
    pub(super) fn prepare_on_device(&mut self, id: CellId, request: Prepare) -> Result<Result<(), String>, LinkError> {
        let first = self.try_prepare(id, request.clone(), 0);
        let fits = self.facts.max_message.is_none_or(|most| request.message.max(request.aad) <= most);
        let others = self.prepared();
        match first {
            Err(LinkError::Reported(_)) => self.let_go(&[id])?,
            Ok(Err(_)) if fits && !others.is_empty() => self.let_go(&others)?,
            other => return other,
        }
        self.try_prepare(id, request, 0)
    }

    /// A device that has forgotten a cell was reset, and has forgotten all, those of other workers there, too.
    pub(super) fn forget_if_reset(&self, reply: &Result<Reply, LinkError>) {
        if let (Some(_), Err(LinkError::Reported(why))) = (&self.wanted, reply)
            && why.contains(FORGOTTEN)
        {
            self.known().clear();
        }
    }

    /// Releases cells, whether they are there or not.
    fn let_go(&mut self, ids: &[CellId]) -> Result<(), LinkError> {
        for id in ids {
            match self.release(*id) {
                Err(LinkError::Reported(_)) => self.known().remove(*id),
                released => released?,
            }
        }
        Ok(())
    }

    /// Prepares a device's cell again that made room for others, or was lost in a reset.
    pub(super) fn restore(&mut self, id: CellId) -> Result<(), LinkError> {
        let wanted = self.wanted.as_ref().and_then(|wanted| wanted.get(&id));
        match wanted.filter(|_| !self.known().has(id)).cloned() {
            Some(request) => self.prepare_on_device(id, request)?.map_err(LinkError::Reported),
            None => Ok(()),
        }
    }
}
