//! Both ends in one process, on loopback, one file for each promise.

mod calls;
mod changes;
mod common;
mod downgrade;
mod entries;
mod kept;
mod moves;
mod patience;
mod pipes;
mod places;
mod resume;
mod strangers;
mod tampering;
mod wire_md;
