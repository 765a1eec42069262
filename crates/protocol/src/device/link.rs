//! Links that share the line to a device.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::{Rc, Weak};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::address::Address;
use super::error::ConnectError;
use super::line::DeviceLine;
use crate::polling::Interruption;
use crate::{Deadline, JsonLine, Link, LinkError};

/// A link to a worker on a device, which may share the line with others.
pub struct DeviceLink(Rc<RefCell<DeviceLine>>);

/// How long a board may take to start.
const PATIENCE: Duration = Duration::from_secs(10);

/// The lines that are open.
pub struct DeviceLines {
    open: BTreeMap<Address, Weak<RefCell<DeviceLine>>>,
    patience: Duration,
    interruption: Interruption,
}

impl Default for DeviceLines {
    fn default() -> Self {
        Self::with_patience(PATIENCE)
    }
}

impl DeviceLines {
    /// None yet; a device may take so long to start.
    pub fn with_patience(patience: Duration) -> Self {
        Self { open: BTreeMap::new(), patience, interruption: Interruption::default() }
    }

    /// The same in a run that the user ends by setting this (see [`crate::PipeLink::interruptible`]).
    #[must_use]
    pub fn interruptible(mut self, interrupted: Arc<AtomicBool>) -> Self {
        self.interruption = Interruption::new(interrupted);
        self
    }

    /// A link to the worker there. The line is opened, unless another link has it; one that broke is opened again, and then serves all
    /// links that have it.
    ///
    /// # Errors
    /// It cannot be opened, or no worker answers.
    pub fn link(&mut self, address: &Address) -> Result<DeviceLink, ConnectError> {
        if let Some(line) = self.open.get(address).and_then(Weak::upgrade) {
            if line.borrow().is_broken() {
                line.borrow_mut().open_again()?;
            }
            return Ok(DeviceLink(line));
        }
        let line = Rc::new(RefCell::new(DeviceLine::open(address, self.patience, self.interruption.clone())?));
        self.open.insert(address.clone(), Rc::downgrade(&line));
        Ok(DeviceLink(line))
    }
}

impl Link for DeviceLink {
    fn send(&mut self, line: &JsonLine, deadline: Deadline) -> Result<(), LinkError> {
        self.0.borrow_mut().send(line, deadline)
    }

    fn receive(&mut self, deadline: Deadline) -> Result<JsonLine, LinkError> {
        self.0.borrow_mut().receive(deadline)
    }

    fn life(&self) -> u64 {
        self.0.borrow().life()
    }
}
