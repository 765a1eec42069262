//! The calls of `openssl speed`, repeated here on the same libcrypto: the ruler with which this instrument is compared.
//!
//! `openssl speed -evp NAME -bytes N` turns padding off once, which costs something in every later initialisation. For
//! ChaCha20-Poly1305 it then only updates in place, one endless stream, and for AES-256-GCM, too, in versions that do not
//! [begin anew](begins_anew). Those that do set the nonce's length for each call, set key *and* nonce, update and finish,
//! without aad and without fetching a tag. An alarm ends the window by a flag that the loop checks in each turn, and the
//! process's user CPU time is counted. [`replica`] does exactly that; [`whole_seal`] counts in the same way what a user
//! must do for each message. Version 3.0.19 was traced; of 1.1.1w, 3.3.1, 3.4.1 and 4.0.3, `apps/speed.c` was read.

use std::ffi::c_int;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use ciphermeter_core::{Algorithm, Form, Operation};
use ciphermeter_protocol::seed::{fill, period};

use crate::NativeError;
use crate::buffer_layout::BufferLayout;
use crate::clock::thread_cpu_ns;
use crate::providers::opened::numbers;
use crate::providers::openssl::library::{Cipher, Context, LibCrypto};
use crate::providers::{LoopParameters, openssl};
use crate::stream::Streams;

/// The result of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count {
    /// Calls that ended within the window.
    pub calls: u64,
    /// The CPU time that they took, in nanoseconds. The loops make no system calls, so it is user time.
    pub cpu_ns: u64,
}

/// Counts the calls of `openssl speed -evp` for `window`. Algorithms: `aes-256-gcm`, `chacha20-poly1305`.
///
/// Fails where there is no libcrypto, or it lacks the algorithm, or the message is longer than 1 GiB.
pub fn replica(algorithm: Algorithm, message_bytes: usize, window: Duration) -> Result<Count, NativeError> {
    let len = length(message_bytes)?;
    let (library, cipher) = cipher(algorithm)?;
    // Room for what OpenSSL writes at the end; speed allocates its buffer with malloc, too.
    let mut buffer = vec![0; message_bytes + 64];
    let speed = Speed::new(library, cipher)?;
    match algorithm {
        Algorithm::Aes256Gcm if begins_anew(&library.version()) => count(window, || speed.gcm(&mut buffer, len)),
        _ => count(window, || speed.update(&mut buffer, len)),
    }
}

/// Counts complete seals in place for `window`: another nonce each time, 13 bytes of aad, the tag fetched.
pub fn whole_seal(algorithm: Algorithm, message_bytes: usize, window: Duration) -> Result<Count, NativeError> {
    length(message_bytes)?;
    let refused = |why| NativeError::OpenSsl(format!("{algorithm}: {why}"));
    let (operation, form, aad) = (Operation::Seal, Form::InPlace, 13);
    let streams = Streams::new(algorithm, 0, message_bytes, aad);
    let parameters = LoopParameters { algorithm, operation, form, key: &streams.key, message: message_bytes, aad };
    let provider = openssl::open().map_err(NativeError::OpenSsl)?;
    let mut timed_loop = provider.timed_loop(&parameters).map_err(|why| refused(why.0))?;
    let (message, sealed, nonce) = (message_bytes, algorithm.sealed_bytes(message_bytes), algorithm.nonce_bytes());
    let layout =
        BufferLayout { algorithm, operation, form, message, sealed, aad, offset: 0, nonce_at: 0, nonce, texts: 1 };
    let (mut memory, mut fresh) = (vec![0; layout.bytes()], Vec::new());
    layout.fill(&mut memory, &streams, &[]);
    let mut buffers = layout.buffers(&mut memory, &mut fresh, true);
    let mut iteration = 0;
    count(window, || {
        iteration += 1;
        timed_loop.run(&mut buffers, iteration, 1).map_err(|failed| failed.to_string())
    })
}

/// Whether `openssl speed` of that version sets key and nonce for each call of AES-256-GCM: since a correction of its `-decrypt`
/// (<https://github.com/openssl/openssl/pull/25823>), which went into all branches that were maintained.
fn begins_anew(version: &str) -> bool {
    let (major, minor, patch) = numbers(version);
    let first = match (major, minor) {
        (3, 0) => 16,
        (3, 1) => 8,
        (3, 2) => 4,
        (3, 3) => 3,
        (3, 4) => 1,
        _ => return (major, minor) > (3, 4),
    };
    patch >= first
}

fn length(message_bytes: usize) -> Result<c_int, NativeError> {
    let fits = message_bytes as u64 <= ciphermeter_protocol::MAX_MESSAGE;
    c_int::try_from(message_bytes)
        .ok()
        .filter(|_| fits)
        .ok_or_else(|| NativeError::OpenSsl("a message of more than 1 GiB; use a smaller one".into()))
}

fn cipher(algorithm: Algorithm) -> Result<(&'static LibCrypto, Cipher), NativeError> {
    let library = LibCrypto::open().map_err(NativeError::OpenSsl)?;
    let known = matches!(algorithm, Algorithm::Aes256Gcm | Algorithm::ChaCha20Poly1305);
    let cipher = known.then(|| library.cipher(algorithm.as_str())).flatten();
    let lacks = || NativeError::OpenSsl(format!("no replica of {algorithm}; use aes-256-gcm or chacha20-poly1305"));
    Ok((library, cipher.ok_or_else(lacks)?))
}

/// Calls until another thread sets a flag at the end of the window, as speed's alarm does.
fn count(window: Duration, mut call: impl FnMut() -> Result<(), String>) -> Result<Count, NativeError> {
    let run = Arc::new(AtomicBool::new(true));
    let alarm = Arc::clone(&run);
    let timer = thread::spawn(move || {
        thread::sleep(window);
        alarm.store(false, Ordering::Relaxed);
    });
    let (start, mut calls) = (thread_cpu_ns(), 0);
    // On a busy machine the window may be over before the first call.
    loop {
        call().map_err(NativeError::OpenSsl)?;
        calls += 1;
        if !run.load(Ordering::Relaxed) {
            break;
        }
    }
    let cpu_ns = thread_cpu_ns().saturating_sub(start);
    // It has nothing left to do; whether it panicked does not matter.
    let _ = timer.join();
    Ok(Count { calls, cpu_ns })
}

/// The context of `openssl speed`.
struct Speed {
    library: &'static LibCrypto,
    context: Context,
    key: Vec<u8>,
    nonce: [u8; 12],
}

impl Speed {
    fn new(library: &'static LibCrypto, cipher: Cipher) -> Result<Self, NativeError> {
        let mut key = vec![0; 32];
        fill(&mut key, &period("key", 0, 32));
        // SAFETY: no arguments; null is taken care of.
        let context = unsafe { (library.new)() };
        if context.is_null() {
            return Err(NativeError::OpenSsl("EVP_CIPHER_CTX_new failed; free some memory".into()));
        }
        let speed = Self { library, context, key, nonce: [0; 12] };
        let (key, nonce) = (speed.key.as_ptr(), speed.nonce.as_ptr());
        // SAFETY: both ciphers read 32 bytes of key and 12 of nonce.
        let set = unsafe {
            (library.seal.init)(context, cipher, ptr::null_mut(), key, nonce) == 1
                && (library.set_padding)(context, 0) == 1
        };
        if set {
            Ok(speed)
        } else {
            Err(NativeError::OpenSsl("EVP_EncryptInit_ex failed; try another libcrypto".into()))
        }
    }

    /// speed checks none of these return codes; here a failure ends the window, which costs next to nothing.
    fn gcm(&self, buffer: &mut [u8], len: c_int) -> Result<(), String> {
        const SET_IVLEN: c_int = 0x9;
        let (library, context, mut given) = (self.library, self.context, 0);
        // SAFETY: the context lives; key and nonce have their lengths; the buffer holds `len` bytes and 64 more.
        let done = unsafe {
            (library.ctrl)(context, SET_IVLEN, 12, ptr::null_mut()) == 1
                && (library.reinit)(context, ptr::null(), ptr::null_mut(), self.key.as_ptr(), self.nonce.as_ptr(), -1)
                    == 1
                && (library.seal.update)(context, buffer.as_mut_ptr(), &mut given, buffer.as_ptr(), len) == 1
                && (library.seal.last)(context, buffer.as_mut_ptr(), &mut given) == 1
        };
        if done { Ok(()) } else { Err("a call that openssl speed makes failed; try another libcrypto".into()) }
    }

    fn update(&self, buffer: &mut [u8], len: c_int) -> Result<(), String> {
        let mut given = 0;
        // SAFETY: as in `gcm`.
        let done =
            unsafe { (self.library.seal.update)(self.context, buffer.as_mut_ptr(), &mut given, buffer.as_ptr(), len) };
        if done == 1 { Ok(()) } else { Err("EVP_EncryptUpdate failed; try another libcrypto".into()) }
    }
}

impl Drop for Speed {
    fn drop(&mut self) {
        // SAFETY: made by EVP_CIPHER_CTX_new and freed once.
        unsafe { (self.library.free)(self.context) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW: Duration = Duration::from_millis(20);

    #[test]
    fn both_loops_count() {
        if let Err(why) = LibCrypto::open() {
            return println!("skipped: {why}");
        }
        for algorithm in [Algorithm::Aes256Gcm, Algorithm::ChaCha20Poly1305] {
            for message in [0, 16, 1024, 65_536] {
                assert!(replica(algorithm, message, WINDOW).unwrap().calls > 0);
                assert!(whole_seal(algorithm, message, WINDOW).unwrap().calls > 0);
            }
        }
    }

    /// What makes `openssl speed` show ChaCha20-Poly1305 faster than whole messages are.
    #[test]
    fn gcm_begins_each_call_anew_and_chacha_goes_on_with_one_stream() {
        if let Err(why) = LibCrypto::open() {
            return println!("skipped: {why}");
        }
        let speed = |algorithm| cipher(algorithm).and_then(|(library, cipher)| Speed::new(library, cipher)).unwrap();
        let gcm = speed(Algorithm::Aes256Gcm);
        let call = || {
            let mut buffer = [0; 16 + 64];
            gcm.gcm(&mut buffer, 16).unwrap();
            buffer
        };
        assert_eq!(call()[..16], call()[..16]);
        let (chacha, mut twice, mut once) = (speed(Algorithm::ChaCha20Poly1305), [0; 32], [0; 32]);
        twice.chunks_mut(16).for_each(|half| chacha.update(half, 16).unwrap());
        speed(Algorithm::ChaCha20Poly1305).update(&mut once, 32).unwrap();
        assert_eq!(twice, once);
        assert_ne!(once[..16], once[16..]);
    }

    #[test]
    fn versions_begin_gcm_anew_as_their_speed_does() {
        for (version, anew) in [
            ("1.1.1w", false),
            ("3.0.15", false),
            ("3.0.16", true),
            ("3.3.1", false),
            ("3.3.3", true),
            ("3.4.0", false),
            ("3.4.1", true),
            ("3.5.0", true),
            ("4.0.3", true),
        ] {
            assert_eq!(begins_anew(version), anew, "{version}");
        }
    }

    #[test]
    fn other_algorithms_are_refused() {
        assert!(replica(Algorithm::Aes256Ctr, 16, WINDOW).is_err());
        assert!(whole_seal(Algorithm::Xor, 16, WINDOW).is_err());
    }
}
