//! The library's manager, its sessions and its jobs, as jobs.c has them.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::{self, NonNull};
use std::rc::Rc;

use ciphermeter_core::Algorithm;
use ciphermeter_native::library::CallArguments;

/// Messages that are handed over at once, at most.
pub const MOST: usize = ciphermeter_core::BATCH as usize;

/// A job of the library.
pub type Job = c_void;

/// The call for one message of AES-GCM: key, context, output, input, its length, nonce, aad, its length, tag, its length.
pub type Gcm =
    unsafe extern "C" fn(*const c_void, *mut c_void, *mut u8, *const u8, u64, *const u8, *const u8, u64, *mut u8, u64);

unsafe extern "C" {
    fn jobs_version() -> *const c_char;
    fn jobs_arch(manager: *const c_void) -> c_int;
    fn jobs_has_vaes(manager: *const c_void) -> c_int;
    fn jobs_session(
        manager: *mut c_void,
        cipher: c_int,
        opens: c_int,
        key: *const u8,
        key_len: usize,
        tag_len: usize,
    ) -> *mut c_void;
    fn jobs_release(session: *mut c_void);
    fn jobs_next(manager: *mut c_void, count: u32, jobs: *mut *mut Job) -> u32;
    fn jobs_fill(
        job: *mut Job,
        session: *const c_void,
        input: *const u8,
        output: *mut u8,
        len: u64,
        nonce: *const u8,
        nonce_len: u64,
        aad: *const u8,
        aad_len: u64,
        tag: *mut u8,
    );
    fn jobs_run(manager: *mut c_void, count: u32, jobs: *mut *mut Job) -> c_int;
    fn jobs_gcm(manager: *const c_void, key_len: usize, opens: c_int) -> Option<Gcm>;
    fn jobs_gcm_key(session: *const c_void) -> *const c_void;
    fn jobs_gcm_context(session: *mut c_void) -> *mut c_void;
}

/// The version whose header jobs.c was compiled with.
pub fn header_version() -> &'static str {
    // SAFETY: a constant of jobs.c.
    unsafe { CStr::from_ptr(jobs_version()) }.to_str().unwrap_or_default()
}

/// What the library does. The order is that of jobs.c.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cipher {
    Gcm,
    Ccm,
    ChaCha20Poly1305,
    Cbc,
}

impl Cipher {
    /// `None` for what it has not.
    pub fn of(algorithm: Algorithm) -> Option<Self> {
        Some(match algorithm {
            Algorithm::Aes128Gcm | Algorithm::Aes256Gcm => Self::Gcm,
            Algorithm::Aes128Ccm | Algorithm::Aes256Ccm => Self::Ccm,
            Algorithm::Aes128Ccm8 | Algorithm::Aes256Ccm8 | Algorithm::Aes128Ccm4 => Self::Ccm,
            Algorithm::ChaCha20Poly1305 => Self::ChaCha20Poly1305,
            Algorithm::Aes256Cbc => Self::Cbc,
            _ => return None,
        })
    }
}

/// What chooses the code of a manager.
#[derive(Clone, Copy)]
pub enum Init {
    /// `init_mb_mgr_auto`: by the CPU.
    Auto(unsafe extern "C" fn(*mut c_void, *mut c_int)),
    /// `init_mb_mgr_avx2` and so on: that of a set of instructions.
    Of(unsafe extern "C" fn(*mut c_void)),
}

/// How the library allocates and releases a manager, and which error was the last.
#[derive(Clone, Copy)]
pub struct Functions {
    pub alloc: unsafe extern "C" fn(u64) -> *mut c_void,
    pub free: unsafe extern "C" fn(*mut c_void),
    pub errno: unsafe extern "C" fn(*mut c_void) -> c_int,
    /// Chooses the code.
    pub init: Init,
    /// What of the CPU it is not to use.
    pub flags: u64,
}

/// Where jobs wait for others to be done with. Its owner is one thread.
pub struct Manager {
    pointer: NonNull<c_void>,
    functions: Functions,
}

impl Manager {
    /// `None` where there is no memory, or no code for this CPU.
    pub fn new(functions: Functions) -> Option<Rc<Self>> {
        // SAFETY: as the header has them.
        let pointer = NonNull::new(unsafe { (functions.alloc)(functions.flags) })?;
        let manager = Self { pointer, functions };
        // SAFETY: just allocated.
        unsafe {
            match functions.init {
                Init::Auto(init) => init(pointer.as_ptr(), ptr::null_mut()),
                Init::Of(init) => init(pointer.as_ptr()),
            }
        }
        (!manager.failed()).then(|| Rc::new(manager))
    }

    /// Whether the latest call failed.
    #[inline]
    pub fn failed(&self) -> bool {
        // SAFETY: a manager of the library.
        unsafe { (self.functions.errno)(self.pointer.as_ptr()) != 0 }
    }

    /// The number of its set of instructions (IMB_ARCH), and whether its code for AVX-512 has VAES.
    pub fn code(&self) -> (c_int, bool) {
        // SAFETY: a manager of the version that jobs.c was compiled for.
        unsafe { (jobs_arch(self.pointer.as_ptr()), jobs_has_vaes(self.pointer.as_ptr()) != 0) }
    }
}

impl Drop for Manager {
    fn drop(&mut self) {
        // SAFETY: allocated by the library, and released once.
        unsafe { (self.functions.free)(self.pointer.as_ptr()) }
    }
}

/// A key that is set up for one cipher and one direction.
pub struct Session {
    manager: Rc<Manager>,
    pointer: NonNull<c_void>,
    key_len: usize,
    opens: bool,
}

impl Session {
    /// `None` where the key has another length than the algorithm's, or there is no memory.
    pub fn new(manager: &Rc<Manager>, algorithm: Algorithm, opens: bool, key: &[u8]) -> Option<Self> {
        let cipher = Cipher::of(algorithm).filter(|_| key.len() == algorithm.key_bytes())?;
        let (direction, tag) = (c_int::from(opens), algorithm.tag_bytes());
        // SAFETY: a manager of this version, and a key of the length that goes with the cipher.
        let pointer =
            unsafe { jobs_session(manager.pointer.as_ptr(), cipher as c_int, direction, key.as_ptr(), key.len(), tag) };
        let pointer = NonNull::new(pointer)?;
        Some(Self { manager: Rc::clone(manager), pointer, key_len: key.len(), opens })
    }

    /// The manager that its jobs go to.
    pub fn manager(&self) -> &Manager {
        &self.manager
    }

    /// The call for one message of AES-GCM, with its key and its context.
    pub fn gcm(&self) -> Option<(Gcm, *const c_void, *mut c_void)> {
        let session = self.pointer.as_ptr();
        // SAFETY: a manager and a session of jobs.c.
        unsafe {
            let call = jobs_gcm(self.manager.pointer.as_ptr(), self.key_len, c_int::from(self.opens))?;
            Some((call, jobs_gcm_key(session), jobs_gcm_context(session)))
        }
    }

    /// Room in the manager for so many jobs, of `N` at most.
    #[inline(always)]
    pub fn jobs<const N: usize>(&self, count: usize) -> Option<Jobs<'_, N>> {
        let mut jobs = [ptr::null_mut(); N];
        // SAFETY: the array has room for as many.
        let got = count <= N
            && unsafe { jobs_next(self.manager.pointer.as_ptr(), count as u32, jobs.as_mut_ptr()) } == count as u32;
        got.then_some(Jobs { session: self, jobs, count })
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // SAFETY: made by `jobs_session`, and released once.
        unsafe { jobs_release(self.pointer.as_ptr()) }
    }
}

/// Jobs to fill and run.
pub struct Jobs<'s, const N: usize> {
    session: &'s Session,
    jobs: [*mut Job; N],
    count: usize,
}

impl<const N: usize> Jobs<'_, N> {
    /// Makes one of them that of a message, of whose text so many bytes are worked on. The tag is written to `tag`.
    ///
    /// # Safety
    /// What the call points to, and `tag` with room for a tag, stay until the jobs have run. Input and output have `len` bytes.
    #[inline]
    pub unsafe fn fill(&mut self, place: usize, call: &CallArguments<'_>, len: usize, tag: *mut u8) {
        let (text, nonce, aad) = (&call.text, call.nonce, call.aad);
        // SAFETY: every pointer goes with its length; the caller's promise.
        unsafe {
            jobs_fill(
                self.jobs[place],
                self.session.pointer.as_ptr(),
                text.input(),
                text.output(),
                len as u64,
                nonce.as_ptr(),
                nonce.len() as u64,
                aad.as_ptr(),
                aad.len() as u64,
                tag,
            );
        }
    }

    /// Has all of them done; whether all succeeded.
    ///
    /// # Safety
    /// Each is filled.
    #[inline]
    pub unsafe fn run(mut self) -> bool {
        // SAFETY: the caller's promise; the array holds `count` jobs.
        unsafe { jobs_run(self.session.manager.pointer.as_ptr(), self.count as u32, self.jobs.as_mut_ptr()) != 0 }
    }
}
