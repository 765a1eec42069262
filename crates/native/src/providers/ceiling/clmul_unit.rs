//! `clmul-unit`: 3 carry-less multiplications for each 16 bytes, in registers and independent of each other.
//!
//! GHASH with Karatsuba's trick needs three for a block, if its reduction is spread over infinitely many: no
//! implementation needs fewer.

use super::kernel::Kernel;
#[cfg(target_arch = "aarch64")]
use crate::cpu::arm;
#[cfg(target_arch = "x86_64")]
use crate::cpu::x86;

/// The widest kernel that this CPU supports.
pub fn kernel() -> Option<Kernel> {
    #[cfg(target_arch = "x86_64")]
    {
        if x86!("vpclmulqdq", "avx512f") {
            return Some(Kernel { path: "vpclmul-avx512", vector: 64, run: vpclmul512 });
        }
        if x86!("vpclmulqdq", "avx2") {
            return Some(Kernel { path: "vpclmul-avx2", vector: 32, run: vpclmul256 });
        }
        if x86!("pclmulqdq") {
            return Some(Kernel { path: "pclmul", vector: 16, run: pclmul });
        }
    }
    #[cfg(target_arch = "aarch64")]
    if arm!("pmull") {
        return Some(Kernel { path: "armv8-pmull", vector: 16, run: pmull });
    }
    None
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "vpclmulqdq,avx512f")]
unsafe fn vpclmul512(count: usize) {
    for _ in 0..count {
        // SAFETY: touches no memory; the registers that it writes are named, and the caller has the features.
        unsafe {
            std::arch::asm!(
                "vpclmulqdq zmm0, zmm14, zmm15, 0",
                "vpclmulqdq zmm1, zmm14, zmm15, 1",
                "vpclmulqdq zmm2, zmm14, zmm15, 17",
                out("zmm0") _, out("zmm1") _, out("zmm2") _,
                options(nomem, nostack, preserves_flags),
            );
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "vpclmulqdq,avx2")]
unsafe fn vpclmul256(count: usize) {
    for _ in 0..count {
        // SAFETY: as in `vpclmul512`.
        unsafe {
            std::arch::asm!(
                "vpclmulqdq ymm0, ymm14, ymm15, 0",
                "vpclmulqdq ymm1, ymm14, ymm15, 1",
                "vpclmulqdq ymm2, ymm14, ymm15, 17",
                out("ymm0") _, out("ymm1") _, out("ymm2") _,
                options(nomem, nostack, preserves_flags),
            );
        }
    }
}

/// The old encoding overwrites one of its operands, so there must be many chains: four vectors at a time, then the
/// rest.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "pclmulqdq")]
unsafe fn pclmul(count: usize) {
    for _ in 0..count / 4 {
        // SAFETY: as in `vpclmul512`.
        unsafe {
            std::arch::asm!(
                "pclmulqdq xmm0, xmm15, 0", "pclmulqdq xmm1, xmm15, 1", "pclmulqdq xmm2, xmm15, 17",
                "pclmulqdq xmm3, xmm15, 0", "pclmulqdq xmm4, xmm15, 1", "pclmulqdq xmm5, xmm15, 17",
                "pclmulqdq xmm6, xmm15, 0", "pclmulqdq xmm7, xmm15, 1", "pclmulqdq xmm8, xmm15, 17",
                "pclmulqdq xmm9, xmm15, 0", "pclmulqdq xmm10, xmm15, 1", "pclmulqdq xmm11, xmm15, 17",
                out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _, out("xmm4") _, out("xmm5") _,
                out("xmm6") _, out("xmm7") _, out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _,
                options(nomem, nostack, preserves_flags),
            );
        }
    }
    for _ in 0..count % 4 {
        // SAFETY: as in `vpclmul512`.
        unsafe {
            std::arch::asm!(
                "pclmulqdq xmm0, xmm15, 0",
                "pclmulqdq xmm1, xmm15, 1",
                "pclmulqdq xmm2, xmm15, 17",
                out("xmm0") _, out("xmm1") _, out("xmm2") _,
                options(nomem, nostack, preserves_flags),
            );
        }
    }
}

/// No multiplication reads a register that another writes, so they wait only for the unit. Four vectors at a time, then
/// the rest: the fastest cores do four multiplications a cycle, but take at most one branch a cycle, so a loop of three
/// would limit them. Each of the twelve has a register of its own, because in-order cores wait before they write a
/// register again.
#[cfg(target_arch = "aarch64")]
#[target_feature(enable = "aes,neon")]
unsafe fn pmull(count: usize) {
    for _ in 0..count / 4 {
        // SAFETY: touches no memory; the registers that it writes are named, and the caller has the features.
        unsafe {
            std::arch::asm!(
                "pmull v0.1q, v30.1d, v31.1d", "pmull2 v1.1q, v30.2d, v31.2d", "pmull v2.1q, v31.1d, v31.1d",
                "pmull v3.1q, v30.1d, v31.1d", "pmull2 v4.1q, v30.2d, v31.2d", "pmull v5.1q, v31.1d, v31.1d",
                "pmull v6.1q, v30.1d, v31.1d", "pmull2 v7.1q, v30.2d, v31.2d", "pmull v16.1q, v31.1d, v31.1d",
                "pmull v17.1q, v30.1d, v31.1d", "pmull2 v18.1q, v30.2d, v31.2d", "pmull v19.1q, v31.1d, v31.1d",
                out("v0") _, out("v1") _, out("v2") _, out("v3") _, out("v4") _, out("v5") _, out("v6") _, out("v7") _,
                out("v16") _, out("v17") _, out("v18") _, out("v19") _,
                options(nomem, nostack, preserves_flags),
            );
        }
    }
    for _ in 0..count % 4 {
        // SAFETY: as above.
        unsafe {
            std::arch::asm!(
                "pmull v0.1q, v30.1d, v31.1d",
                "pmull2 v1.1q, v30.2d, v31.2d",
                "pmull v2.1q, v31.1d, v31.1d",
                out("v0") _, out("v1") _, out("v2") _,
                options(nomem, nostack, preserves_flags),
            );
        }
    }
}
