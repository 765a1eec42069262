//! The contention probe, `witness` in PROTOCOL.md: it keeps the core's integer units busy, and is not a measure of
//! ciphers.
//!
//! Eight chains of additions fill every integer unit of a core. On a physical core that is shared with another hardware
//! thread, any work of that thread takes units from the probe, so its time shows whether other work ran. For each 16
//! bytes of message: 64 additions.

use super::kernel::Kernel;

/// A kernel for every CPU of these families; `None` on others.
pub fn kernel() -> Option<Kernel> {
    cfg!(any(target_arch = "x86_64", target_arch = "aarch64")).then_some(Kernel { path: "integer", vector: 16, run })
}

/// Eight chains, eight steps each.
macro_rules! chains {
    ($add:literal) => {
        std::arch::asm!(
            concat!($add, $add, $add, $add, $add, $add, $add, $add),
            a = out(reg) _, b = out(reg) _, c = out(reg) _, d = out(reg) _,
            e = out(reg) _, f = out(reg) _, g = out(reg) _, h = out(reg) _,
            options(nomem, nostack),
        )
    };
}

unsafe fn run(count: usize) {
    for _ in 0..count {
        // SAFETY: touches no memory; every register that it writes is named.
        #[cfg(target_arch = "x86_64")]
        unsafe {
            chains!("add {a}, 1\nadd {b}, 1\nadd {c}, 1\nadd {d}, 1\nadd {e}, 1\nadd {f}, 1\nadd {g}, 1\nadd {h}, 1\n");
        }
        // SAFETY: as above.
        #[cfg(target_arch = "aarch64")]
        unsafe {
            chains!(
                "add {a}, {a}, 1\nadd {b}, {b}, 1\nadd {c}, {c}, 1\nadd {d}, {d}, 1\nadd {e}, {e}, 1\nadd {f}, {f}, 1\nadd {g}, {g}, 1\nadd {h}, {h}, 1\n"
            );
        }
    }
}
