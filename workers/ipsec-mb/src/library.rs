//! Intel's multi-buffer library, opened at run time: what it offers, and the code that it chooses for this CPU.
//!
//! Debian has 1.3 in libipsec-mb1. Its structures are those of the header that this worker was built with, so a library of another
//! version is refused.

use std::cell::OnceCell;
use std::ffi::{c_char, c_int, c_void};
use std::rc::Rc;
use std::sync::OnceLock;

use ciphermeter_core::{Algorithm, Form, Operation, Setup};
use ciphermeter_native::library::{
    File, Library, LibraryLocation, LoopParameters, Opened, Provider, Supported, TimedLoop, Unsupported, installed,
    key_setup_loop, numbers, text,
};

use crate::jobs::{Cipher, Functions, Init, Manager, Session, header_version};
use crate::loops;

/// The longest text of AES-CBC's encryption and of AES-CCM (MB_MAX_LEN16 in lib/include/mb_mgr_job_check.h).
const LONGEST: usize = 65_534;
/// The longest aad of AES-CCM, likewise.
const LONGEST_AAD: usize = 46;

const ALGORITHMS: [Algorithm; 9] = [
    Algorithm::Aes128Gcm,
    Algorithm::Aes256Gcm,
    Algorithm::ChaCha20Poly1305,
    Algorithm::Aes128Ccm,
    Algorithm::Aes256Ccm,
    Algorithm::Aes128Ccm8,
    Algorithm::Aes256Ccm8,
    Algorithm::Aes128Ccm4,
    Algorithm::Aes256Cbc,
];

/// The open library.
struct IpsecMb {
    functions: Functions,
    version: String,
    file: File,
}

pub fn open() -> Result<Box<dyn Provider>, String> {
    static OPENED: OnceLock<Result<IpsecMb, String>> = OnceLock::new();
    OPENED.get_or_init(ipsec_mb).as_ref().map(installed::provider).map_err(Clone::clone)
}

thread_local! {
    /// A manager is for one thread; a program has one for all its keys.
    static MANAGER: OnceCell<Option<Rc<Manager>>> = const { OnceCell::new() };
}

fn ipsec_mb() -> Result<IpsecMb, String> {
    let opened = Opened::open(&LibraryLocation {
        what: "libIPSec_MB",
        names: vec![format!("libIPSec_MB.so.{}", numbers(header_version()).0)],
        variable: "CIPHERMETER_IPSEC_MB",
        packages: "Debian: libipsec-mb1".into(),
    })?;
    let (narrower, flags) = code()?;
    // SAFETY: the types are those of the header; the version is looked at before anything else is called.
    unsafe {
        let version: unsafe extern "C" fn() -> *const c_char = opened.symbol("imb_get_version_str")?;
        let version = text(version());
        if version != header_version() {
            let built = header_version();
            return Err(opened.refused(format_args!(
                "is version {version}, and this worker was built for {built}: build it again where that version is installed"
            )));
        }
        let init = match narrower {
            Some(name) => Init::Of(opened.symbol(name)?),
            None => Init::Auto(opened.symbol("init_mb_mgr_auto")?),
        };
        let alloc: unsafe extern "C" fn(u64) -> *mut c_void = opened.symbol("alloc_mb_mgr")?;
        let functions = Functions {
            alloc,
            free: opened.symbol("free_mb_mgr")?,
            errno: opened.symbol("imb_get_errno")?,
            init,
            flags,
        };
        if Manager::new(functions).is_none() {
            return Err(opened.refused("has no code for this CPU, or no memory"));
        }
        Ok(IpsecMb { functions, version, file: opened.file(alloc as usize)? })
    }
}

/// What sets the code where the CPU doesn't, and what it is not to use, by the instructions that `--cpu` takes away. Its code with VAES
/// needs GFNI, too, which has a flag (IMB_FLAG_GFNI_OFF).
fn code() -> Result<(Option<&'static str>, u64), String> {
    let without = std::env::var("CIPHERMETER_CPU_WITHOUT").unwrap_or_default();
    match without.as_str() {
        "" => Ok((None, 0)),
        "vaes" => Ok((None, 1 << 2)),
        "avx512" => Ok((Some("init_mb_mgr_avx2"), 0)),
        "avx2" => Ok((Some("init_mb_mgr_avx"), 0)),
        _ => Err("CIPHERMETER_CPU_WITHOUT has none of vaes, avx512 and avx2; correct or unset it".into()),
    }
}

impl Library for IpsecMb {
    fn version(&self) -> String {
        self.version.clone()
    }

    fn file(&self) -> File {
        self.file.clone()
    }

    fn supported(&'static self) -> Vec<Supported> {
        let code = self.manager().map(|manager| manager.code());
        let supported = |algorithm| Supported {
            algorithm,
            forms: &[Form::InPlace, Form::Into, Form::Batch],
            // ChaCha20-Poly1305's key is raw.
            setup: if algorithm == Algorithm::ChaCha20Poly1305 { Setup::Inside } else { Setup::Outside },
            path: code.map_or("unknown", |code| path(algorithm, &self.version, code)),
        };
        ALGORITHMS.map(supported).into()
    }

    fn timed_loop(&'static self, parameters: &LoopParameters<'_>) -> Result<Box<dyn TimedLoop>, Unsupported> {
        let LoopParameters { algorithm, operation, key, .. } = *parameters;
        let cipher = Cipher::of(algorithm).ok_or_else(|| Unsupported::algorithm(algorithm))?;
        let manager = self.manager().ok_or_else(|| Unsupported("no memory".into()))?;
        if operation == Operation::KeySetup {
            return Ok(key_setup_loop(move |key| Session::new(&manager, algorithm, false, key)));
        }
        refuse(cipher, parameters)?;
        let session = Session::new(&manager, algorithm, !parameters.seals(), key);
        let timed_loop = session.and_then(|session| loops::timed_loop(session, cipher, parameters));
        timed_loop.ok_or_else(|| Unsupported(format!("key of {} bytes, or no memory", key.len())))
    }
}

impl IpsecMb {
    /// This thread's.
    fn manager(&self) -> Option<Rc<Manager>> {
        MANAGER.with(|manager| manager.get_or_init(|| Manager::new(self.functions)).clone())
    }
}

/// Sizes that its jobs don't have.
fn refuse(cipher: Cipher, parameters: &LoopParameters<'_>) -> Result<(), Unsupported> {
    let LoopParameters { message, aad, .. } = *parameters;
    match cipher {
        Cipher::Ccm if aad > LONGEST_AAD => Err(Unsupported(format!("aad of {aad} bytes; the most is {LONGEST_AAD}"))),
        Cipher::Ccm if message > LONGEST => Err(too_long(message)),
        // With its padding.
        Cipher::Cbc if parameters.seals() && message / 16 * 16 + 16 > LONGEST => Err(too_long(message)),
        _ => Ok(()),
    }
}

fn too_long(message: usize) -> Unsupported {
    Unsupported(format!("message of {message} bytes; its jobs have fewer than {LONGEST}"))
}

/// The code in 1.3, by the kind of its manager (IMB_ARCH): lib/*/mb_mgr_*.c there. Later versions have other code.
fn path(algorithm: Algorithm, version: &str, (arch, has_vaes): (c_int, bool)) -> &'static str {
    let is_gcm = Cipher::of(algorithm) == Some(Cipher::Gcm);
    match (algorithm, arch) {
        _ if (numbers(version).0, numbers(version).1) != (1, 3) => "unknown",
        (Algorithm::ChaCha20Poly1305, 5) => "avx512",
        (Algorithm::ChaCha20Poly1305, 4) => "avx2",
        (Algorithm::ChaCha20Poly1305, 3) => "avx",
        (Algorithm::ChaCha20Poly1305, 2) => "sse4.1",
        (_, 5) if has_vaes => "vaes-avx512",
        (_, 5) if is_gcm => "aesni-avx512",
        (_, 4) if is_gcm => "aesni-avx2",
        (_, 3..=5) => "aesni-avx",
        (_, 2) => "aesni",
        _ => "unknown",
    }
}
