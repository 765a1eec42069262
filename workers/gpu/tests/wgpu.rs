//! The provider `wgpu` on whatever adapter is here: Mesa's software Vulkan does.

mod common;

use ciphermeter_core::{Algorithm, Form};
use ciphermeter_protocol::Prepare;
use common::{FORMS, LENGTHS, Session};

/// A worker, unless there is no adapter.
fn session() -> Option<Session> {
    let mut session = Session::start("wgpu", &[]);
    match &session.describe().absent[..] {
        [] => Some(session),
        [(_, why), ..] => {
            println!("skipped: {why}");
            None
        }
    }
}

#[test]
fn vectors_are_answered_and_mistakes_refused() {
    let Some(mut session) = session() else { return };
    session.vectors();
    session.refusals();
}

#[test]
fn awkward_lengths_come_out_right() {
    let Some(mut session) = session() else { return };
    for form in FORMS {
        for length in LENGTHS {
            let cell = session.cell(Algorithm::Aes256Ctr, form, length);
            session.whole_cell(cell);
        }
        for key in [1, 7, 32, 33, 1000, 4097] {
            let cell = session.cell(Algorithm::Xor, form, 65537);
            session.whole_cell(Prepare { key, ..cell });
        }
    }
    session.ceilings(65537);
}

#[test]
fn several_chunks_come_out_right() {
    let Some(mut session) = session() else { return };
    // More than four chunks, so that a slot is used again; on the card more than a binding of 128 MiB.
    for form in FORMS {
        let cell = session.cell(Algorithm::Xor, form, (161 << 20) + 5);
        session.whole_cell(Prepare { key: 1000, ..cell });
    }
    for (form, length) in [(Form::EndToEnd, 65 << 20), (Form::Pageable, 33 << 20)] {
        let cell = session.cell(Algorithm::Aes256Ctr, form, length + 5);
        session.whole_cell(cell);
    }
    let cell = session.cell(Algorithm::Aes256Ctr, Form::Device, (129 << 20) + 5);
    session.whole_cell(cell);
    session.ceilings((65 << 20) + 5);
}

#[test]
fn a_wrong_adapter_is_absent_with_those_that_are_there() {
    let Some(_) = session() else { return };
    let described = Session::start("wgpu", &[("CIPHERMETER_WGPU_ADAPTER", "no such card")]).describe();
    assert!(described.offers.is_empty());
    let why = &described.absent[0].1;
    assert!(why.contains("names no adapter; there are 0 "), "{why}");
}

#[test]
fn software_is_not_taken_for_a_card() {
    let Some(mut session) = session() else { return };
    for offer in session.describe().offers {
        let software = offer.version.contains("llvmpipe");
        assert_eq!(offer.path.ends_with("-software"), software, "{} {}", offer.path, offer.version);
    }
}
