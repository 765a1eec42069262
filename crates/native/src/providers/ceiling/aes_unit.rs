//! `aes-unit`: 14 AES rounds for each 16 bytes, in registers and independent of each other.
//!
//! Assembly, because a compiler would execute equal rounds only once: each vector's 14 rounds write 14 registers, and
//! (except for the old encoding, whose chains are one round a vector long) read none that another round writes. The
//! content of the registers is irrelevant: the instructions take the same time for all data.

use super::kernel::Kernel;
#[cfg(target_arch = "aarch64")]
use crate::cpu::arm;
#[cfg(target_arch = "x86_64")]
use crate::cpu::x86;

/// The widest kernel that this CPU supports.
pub fn kernel() -> Option<Kernel> {
    #[cfg(target_arch = "x86_64")]
    {
        if x86!("vaes", "avx512f") {
            return Some(Kernel { path: "vaes-avx512", vector: 64, run: vaes512 });
        }
        if x86!("vaes", "avx2") {
            return Some(Kernel { path: "vaes-avx2", vector: 32, run: vaes256 });
        }
        if x86!("aes") {
            return Some(Kernel { path: "aesni", vector: 16, run: aesni });
        }
    }
    #[cfg(target_arch = "aarch64")]
    if arm!("aes") {
        return Some(Kernel { path: "armv8-aes", vector: 16, run: armv8 });
    }
    None
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "vaes,avx512f")]
unsafe fn vaes512(count: usize) {
    for _ in 0..count {
        // SAFETY: touches no memory; the registers that it writes are named, and the caller has the features.
        unsafe {
            std::arch::asm!(
                "vaesenc zmm0, zmm14, zmm15", "vaesenc zmm1, zmm14, zmm15", "vaesenc zmm2, zmm14, zmm15",
                "vaesenc zmm3, zmm14, zmm15", "vaesenc zmm4, zmm14, zmm15", "vaesenc zmm5, zmm14, zmm15",
                "vaesenc zmm6, zmm14, zmm15", "vaesenc zmm7, zmm14, zmm15", "vaesenc zmm8, zmm14, zmm15",
                "vaesenc zmm9, zmm14, zmm15", "vaesenc zmm10, zmm14, zmm15", "vaesenc zmm11, zmm14, zmm15",
                "vaesenc zmm12, zmm14, zmm15", "vaesenc zmm13, zmm14, zmm15",
                out("zmm0") _, out("zmm1") _, out("zmm2") _, out("zmm3") _, out("zmm4") _, out("zmm5") _, out("zmm6") _,
                out("zmm7") _, out("zmm8") _, out("zmm9") _, out("zmm10") _, out("zmm11") _, out("zmm12") _, out("zmm13") _,
                options(nomem, nostack, preserves_flags),
            );
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "vaes,avx2")]
unsafe fn vaes256(count: usize) {
    for _ in 0..count {
        // SAFETY: as in `vaes512`.
        unsafe {
            std::arch::asm!(
                "vaesenc ymm0, ymm14, ymm15", "vaesenc ymm1, ymm14, ymm15", "vaesenc ymm2, ymm14, ymm15",
                "vaesenc ymm3, ymm14, ymm15", "vaesenc ymm4, ymm14, ymm15", "vaesenc ymm5, ymm14, ymm15",
                "vaesenc ymm6, ymm14, ymm15", "vaesenc ymm7, ymm14, ymm15", "vaesenc ymm8, ymm14, ymm15",
                "vaesenc ymm9, ymm14, ymm15", "vaesenc ymm10, ymm14, ymm15", "vaesenc ymm11, ymm14, ymm15",
                "vaesenc ymm12, ymm14, ymm15", "vaesenc ymm13, ymm14, ymm15",
                out("ymm0") _, out("ymm1") _, out("ymm2") _, out("ymm3") _, out("ymm4") _, out("ymm5") _, out("ymm6") _,
                out("ymm7") _, out("ymm8") _, out("ymm9") _, out("ymm10") _, out("ymm11") _, out("ymm12") _, out("ymm13") _,
                options(nomem, nostack, preserves_flags),
            );
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "aes")]
unsafe fn aesni(count: usize) {
    for _ in 0..count {
        // SAFETY: as in `vaes512`.
        unsafe {
            std::arch::asm!(
                "aesenc xmm0, xmm15", "aesenc xmm1, xmm15", "aesenc xmm2, xmm15", "aesenc xmm3, xmm15",
                "aesenc xmm4, xmm15", "aesenc xmm5, xmm15", "aesenc xmm6, xmm15", "aesenc xmm7, xmm15",
                "aesenc xmm8, xmm15", "aesenc xmm9, xmm15", "aesenc xmm10, xmm15", "aesenc xmm11, xmm15",
                "aesenc xmm12, xmm15", "aesenc xmm13, xmm15",
                out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _, out("xmm4") _, out("xmm5") _, out("xmm6") _,
                out("xmm7") _, out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _, out("xmm12") _, out("xmm13") _,
                options(nomem, nostack, preserves_flags),
            );
        }
    }
}

/// `AESE` and `AESMC` of one register are adjacent, because cores fuse such pairs into one operation (Arm's software
/// optimization guides, "AES encryption/decryption"). Every form overwrites its operand, so each register is a chain of
/// one round a vector. Fourteen chains cover the widest and slowest known units: four pairs a cycle at three cycles
/// each. Four vectors at a time: a core that decodes eight instructions a cycle can just feed four pairs, and the
/// loop's own two instructions must not cost it a tenth.
#[cfg(target_arch = "aarch64")]
#[target_feature(enable = "aes,neon")]
unsafe fn armv8(count: usize) {
    macro_rules! vectors {
        ($many:literal) => {
            std::arch::asm!(
                concat!(".rept ", $many),
                "aese v0.16b, v31.16b", "aesmc v0.16b, v0.16b", "aese v1.16b, v31.16b", "aesmc v1.16b, v1.16b",
                "aese v2.16b, v31.16b", "aesmc v2.16b, v2.16b", "aese v3.16b, v31.16b", "aesmc v3.16b, v3.16b",
                "aese v4.16b, v31.16b", "aesmc v4.16b, v4.16b", "aese v5.16b, v31.16b", "aesmc v5.16b, v5.16b",
                "aese v6.16b, v31.16b", "aesmc v6.16b, v6.16b", "aese v7.16b, v31.16b", "aesmc v7.16b, v7.16b",
                "aese v16.16b, v31.16b", "aesmc v16.16b, v16.16b", "aese v17.16b, v31.16b", "aesmc v17.16b, v17.16b",
                "aese v18.16b, v31.16b", "aesmc v18.16b, v18.16b", "aese v19.16b, v31.16b", "aesmc v19.16b, v19.16b",
                "aese v20.16b, v31.16b", "aesmc v20.16b, v20.16b", "aese v21.16b, v31.16b", "aesmc v21.16b, v21.16b",
                ".endr",
                out("v0") _, out("v1") _, out("v2") _, out("v3") _, out("v4") _, out("v5") _, out("v6") _, out("v7") _,
                out("v16") _, out("v17") _, out("v18") _, out("v19") _, out("v20") _, out("v21") _,
                options(nomem, nostack, preserves_flags),
            )
        };
    }
    for _ in 0..count / 4 {
        // SAFETY: touches no memory; the registers that it writes are named, and the caller has the features.
        unsafe { vectors!("4") };
    }
    for _ in 0..count % 4 {
        // SAFETY: as above.
        unsafe { vectors!("1") };
    }
}
