//! Which instructions this CPU has, with one interface for every architecture: false on other architectures.

/// Whether an x86-64 CPU (and its operating system) has all of these features.
macro_rules! x86 {
    ($($feature:tt),+) => {{
        #[cfg(target_arch = "x86_64")]
        { $(std::arch::is_x86_feature_detected!($feature))&&+ }
        #[cfg(not(target_arch = "x86_64"))]
        { false }
    }};
}

/// Whether an aarch64 CPU has all of these features.
macro_rules! arm {
    ($($feature:tt),+) => {{
        #[cfg(target_arch = "aarch64")]
        { $(std::arch::is_aarch64_feature_detected!($feature))&&+ }
        #[cfg(not(target_arch = "aarch64"))]
        { false }
    }};
}

pub(crate) use {arm, x86};

/// Implementer and part of the Arm core that executes this, where Linux lets a process read its register MIDR_EL1: some
/// libraries choose by it.
#[cfg_attr(not(feature = "all"), allow(dead_code))] // AWS-LC alone goes by the core
pub fn arm_core() -> Option<(u32, u32)> {
    #[cfg(all(target_arch = "aarch64", any(target_os = "linux", target_os = "android")))]
    {
        // Bit 11 of AT_HWCAP: the kernel answers the read (its Documentation/arch/arm64/cpu-feature-registers.rst).
        if rustix::param::linux_hwcap().0 & 1 << 11 != 0 {
            let midr: u64;
            // SAFETY: the kernel was asked; it touches no memory.
            unsafe { std::arch::asm!("mrs {}, MIDR_EL1", out(reg) midr, options(nomem, nostack, preserves_flags)) };
            return Some(((midr >> 24 & 0xff) as u32, (midr >> 4 & 0xfff) as u32));
        }
    }
    None
}

/// Bytes of an SVE register as this process may use it; 0 without SVE.
pub fn sve_bytes() -> usize {
    #[cfg(target_arch = "aarch64")]
    {
        #[target_feature(enable = "sve")]
        fn bytes() -> usize {
            let bytes;
            // SAFETY: the caller asked for SVE; it touches no memory.
            unsafe { std::arch::asm!("cntb {}", out(reg) bytes, options(pure, nomem, nostack, preserves_flags)) };
            bytes
        }
        if arm!("sve") {
            // SAFETY: it has SVE.
            return unsafe { bytes() };
        }
    }
    0
}

/// The first path whose condition is true, otherwise `soft`.
pub fn first_of(paths: &[(bool, &'static str)]) -> &'static str {
    paths.iter().find(|(here, _)| *here).map_or("soft", |(_, path)| path)
}
