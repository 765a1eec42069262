//! The timed calls: a batch of jobs, a job alone, and AES-GCM's call for one message.

use std::ptr;

use ciphermeter_core::Form;
use ciphermeter_native::library::{
    CallArguments, Failed, LoopParameters, TAG, TimedLoop, batch_loop, padding, writing_loop,
};
use subtle::ConstantTimeEq;

use crate::jobs::{Cipher, MOST, Session};

/// A loop around what the form asks for.
pub fn timed_loop(session: Session, cipher: Cipher, parameters: &LoopParameters<'_>) -> Option<Box<dyn TimedLoop>> {
    let opens = !parameters.seals();
    if parameters.form == Form::Batch {
        return Some(batch_loop(move |batch| all::<MOST>(&session, cipher, opens, batch)));
    }
    match cipher {
        Cipher::Gcm => gcm(session, opens),
        _ => Some(writing_loop(move |call| all::<1>(&session, cipher, opens, std::iter::once(call)))),
    }
}

/// Hands messages over as jobs, `N` at most, and has all of them done.
#[inline(always)]
fn all<'c, const N: usize>(
    session: &Session,
    cipher: Cipher,
    opens: bool,
    calls: impl ExactSizeIterator<Item = CallArguments<'c>>,
) -> Result<usize, Failed> {
    let count = calls.len();
    let mut jobs = session.jobs::<N>(count).ok_or(Failed::Library("get_next_burst"))?;
    // What the library computes where it opens, and what it must be.
    let mut computed = [[0; TAG]; N];
    let mut messages: [(*const u8, &[u8]); N] = [(ptr::null(), &[]); N];
    let mut len = 0;
    for (place, call) in calls.enumerate() {
        if cipher == Cipher::Cbc && opens && (call.text.is_empty() || call.text.len() % padding::BLOCK != 0) {
            return Err(Failed::Rejected);
        }
        len = if cipher == Cipher::Cbc && !opens { call.text.pad() } else { call.text.len() };
        let tag = if opens { computed[place].as_mut_ptr() } else { call.tag.as_mut_ptr() };
        // SAFETY: buffers of the loop and this array's elements stay until all jobs have run, below; output has room
        // for padding.
        unsafe { jobs.fill(place, &call, len, tag) };
        messages[place] = (call.text.output().cast_const(), &*call.tag);
    }
    // SAFETY: as many were filled as there are.
    if !unsafe { jobs.run() } {
        return Err(Failed::Library("submit_burst"));
    }
    let opened = if opens { &messages[..count] } else { &[] };
    let mut produced = None;
    for ((text, tag), computed) in opened.iter().zip(&computed) {
        if !is_equal(computed, tag) {
            return Err(Failed::Rejected);
        }
        if cipher == Cipher::Cbc {
            // SAFETY: the job wrote as many bytes.
            let text = unsafe { std::slice::from_raw_parts(*text, len) };
            let bytes = padding::unpadded(text).ok_or(Failed::Rejected)?;
            if *produced.get_or_insert(bytes) != bytes {
                return Err(Failed::Length(bytes));
            }
        }
    }
    Ok(produced.unwrap_or(len))
}

/// Compares tags in constant time, as one number: byte by byte it would take a third of a short message's time.
#[inline(always)]
fn is_equal(computed: &[u8; TAG], tag: &[u8]) -> bool {
    let mut expected = [0; TAG];
    expected[..tag.len()].copy_from_slice(tag);
    u128::from_ne_bytes(*computed).ct_eq(&u128::from_ne_bytes(expected)).into()
}

/// One message of AES-GCM by the call that it has for that.
fn gcm(session: Session, opens: bool) -> Option<Box<dyn TimedLoop>> {
    let (gcm, key, context) = session.gcm()?;
    Some(writing_loop(move |call| {
        let (text, nonce, aad, tag) = (call.text, call.nonce, call.aad, call.tag);
        if nonce.len() != 12 {
            return Err(Failed::Library("the nonce"));
        }
        let (len, mut computed) = (text.len(), [0; TAG]);
        let to = if opens { computed.as_mut_ptr() } else { tag.as_mut_ptr() };
        // SAFETY: key and context are the session's; every pointer goes with its length; a tag has 16 bytes.
        unsafe {
            gcm(
                key,
                context,
                text.output(),
                text.input(),
                len as u64,
                nonce.as_ptr(),
                aad.as_ptr(),
                aad.len() as u64,
                to,
                TAG as u64,
            );
        }
        if session.manager().failed() {
            return Err(Failed::Library("AES-GCM"));
        }
        if opens && !is_equal(&computed, tag) {
            return Err(Failed::Rejected);
        }
        Ok(len)
    }))
}
