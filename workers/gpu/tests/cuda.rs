//! The provider `cuda` on a card that is not there: a C++ library in its place that runs kernels.cu on the host.

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use ciphermeter_core::{Algorithm, Form};
use ciphermeter_protocol::{Prepare, Reply, Request};
use common::{FORMS, LENGTHS, Session};

/// The folder of the library, or why there is none.
static CARD: LazyLock<Result<PathBuf, String>> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fake_cuda");
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let library = folder.join("libcuda.so");
    let built = Command::new("c++")
        .args(["-std=c++17", "-O2", "-fPIC", "-shared", "-Wall", "-Wno-unknown-pragmas"])
        .arg("-I")
        .arg(root.join("src/cuda"))
        .arg(root.join("tests/fake_cuda/card.cpp"))
        .arg("-o")
        .arg(&library)
        .output()
        .map_err(|_| "no C++ compiler (c++) is here")?;
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    std::fs::copy(&library, folder.join("libnvrtc.so")).map_err(|error| error.to_string())?;
    Ok(folder)
});

/// A worker on the card, with that environment.
fn session(environment: &[(&str, &str)]) -> Option<Session> {
    match &*CARD {
        Ok(folder) => {
            let folder = folder.to_string_lossy();
            let all: Vec<_> = [("LD_LIBRARY_PATH", &*folder)].into_iter().chain(environment.iter().copied()).collect();
            Some(Session::start("cuda", &all))
        }
        Err(why) => {
            println!("skipped: {why}");
            None
        }
    }
}

#[test]
fn each_design_answers_the_vectors() {
    for design in ["tables", "bitsliced"] {
        let Some(mut session) = session(&[("CIPHERMETER_CUDA_DESIGN", design)]) else { return };
        let described = session.describe();
        let aes = described.offers.iter().find(|offer| offer.algorithm == Algorithm::Aes256Ctr).expect("AES");
        assert_eq!(aes.path, design);
        session.vectors();
    }
}

#[test]
fn awkward_lengths_come_out_right() {
    let Some(mut session) = session(&[]) else { return };
    session.refusals();
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
    let Some(mut session) = session(&[("FAKE_CUDA_MIB", "600"), ("CIPHERMETER_CUDA_DESIGN", "bitsliced")]) else {
        return;
    };
    // More than four chunks, so that a slot is used again.
    for form in FORMS {
        let cell = session.cell(Algorithm::Xor, form, (161 << 20) + 5);
        session.whole_cell(Prepare { key: 1000, ..cell });
    }
    for form in [Form::EndToEnd, Form::Pageable] {
        let cell = session.cell(Algorithm::Aes256Ctr, form, (33 << 20) + 5);
        session.whole_cell(cell);
    }
    session.ceilings((65 << 20) + 5);
}

#[test]
fn a_message_beyond_the_card_is_refused_with_both_figures() {
    let Some(mut session) = session(&[("FAKE_CUDA_MIB", "100")]) else { return };
    let cell = session.cell(Algorithm::Aes256Ctr, Form::Device, 200 << 20);
    match session.ask(Request::Prepare(cell)) {
        Reply::Unsupported(why) => {
            assert!(why.starts_with("needs 200 MiB of the card's memory, of whose 100 MiB"), "{why}")
        }
        other => panic!("{other:?}"),
    }
    // A copy needs room for two; what goes through the card may be as long as it likes.
    let cell = session.cell(Algorithm::Memcpy, Form::Device, 60 << 20);
    assert!(matches!(session.ask(Request::Prepare(cell)), Reply::Unsupported(_)));
    let cell = session.cell(Algorithm::Xor, Form::Device, 60 << 20);
    session.whole_cell(cell);
}

#[test]
fn an_end_to_end_message_may_be_larger_than_the_card() {
    let Some(mut session) = session(&[("FAKE_CUDA_MIB", "140")]) else { return };
    let cell = session.cell(Algorithm::Xor, Form::EndToEnd, 170 << 20);
    session.whole_cell(cell);
}

#[test]
fn a_lost_card_is_an_error_with_a_remedy_and_the_process_survives() {
    // The self-test and the trial are over by then.
    let Some(mut session) = session(&[("FAKE_CUDA_LOST", "60"), ("CIPHERMETER_CUDA_DESIGN", "bitsliced")]) else {
        return;
    };
    let prepare = session.cell(Algorithm::Aes256Ctr, Form::EndToEnd, 100_000);
    let cell = prepare.cell;
    assert_eq!(session.ask(Request::Prepare(prepare)), Reply::Ready { cell });
    let why = session.try_ask(Request::Sample { cell, warmup_ns: 0, iterations: 100, layout: None }).unwrap_err();
    assert!(why.contains("CUDA_ERROR_ILLEGAL_ADDRESS") && why.contains("start the worker again"), "{why}");
    assert!(session.try_ask(Request::Peek { cell, at: 0, bytes: 1 }).is_err());
    let again = session.cell(Algorithm::Aes256Ctr, Form::Device, 64);
    assert!(session.try_ask(Request::Prepare(again)).unwrap_err().contains("start the worker again"));
    assert_eq!(session.ask(Request::Release { cell }), Reply::Released { cell });
    assert!(matches!(session.ask(Request::Clock), Reply::Clock { .. }));
}

#[test]
fn a_machine_without_a_driver_says_so() {
    let described = Session::start("cuda", &[("LD_LIBRARY_PATH", "")]).describe();
    if described.offers.is_empty() {
        let why = &described.absent[0].1;
        assert!(why.contains("install") || why.contains("CUDA"), "{why}");
    } else {
        println!("skipped: here is a card");
    }
}
