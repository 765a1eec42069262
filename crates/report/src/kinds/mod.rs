//! How each kind of measurement is shown: a file a kind. Writers ask the kind of a run, and know none.

mod devices;
mod kind;
mod messages;
mod parallel;
mod pictures;
mod self_check;
mod sustained;
mod transfers;
mod versions;

use ciphermeter_core::{Kind, Record, Run};

use crate::device::is_on_device;
pub(crate) use kind::ShownKind;
pub(crate) use pictures::Drawing;

/// The kind of a run.
pub(crate) fn of(run: &Run, records: &[Record]) -> &'static dyn ShownKind {
    match run.scenario.kind {
        _ if run.against.is_some() => &versions::Versions,
        _ if run.scenario.copies.is_some() => &self_check::SelfChecks,
        _ if records.iter().any(is_on_device) => &devices::Devices,
        Kind::Sustained => &sustained::Sustained,
        Kind::Parallel => &parallel::Parallel,
        Kind::Transfer => &transfers::Transfers,
        Kind::Message => &messages::Messages,
    }
}
