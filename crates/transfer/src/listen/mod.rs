//! The end that listens: what may come in, and by which proof.

mod admission;
mod caller;
mod listener;
mod pending;

pub(crate) use admission::{Admission, DataConnections, PortEvent, ResumeSecretHash, hash_resume_secret};
pub(crate) use caller::{Admitted, Caller};
pub(crate) use listener::Listener;
