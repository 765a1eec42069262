//! The two counters. Time is that of the system timer, 16 MHz from the crystal, so 62.5 ns a tick. Cycles are those of the
//! CPU's performance counter, which target.h reads in the core.

use core::arch::asm;
use core::ffi::{c_char, c_int};
use core::ptr;

use esp_hal::timer::systimer::{SystemTimer, Unit};

/// `struct port_unit` of port.h.
#[repr(C)]
pub struct PortUnit {
    counts: *const c_char,
    numerator: u32,
    denominator: u32,
}

#[unsafe(no_mangle)]
extern "C" fn port_ticks() -> u64 {
    SystemTimer::unit_value(Unit::Unit0)
}

/// Nanoseconds: 1000 ÷ 16 = 125 ÷ 2.
#[unsafe(no_mangle)]
extern "C" fn port_unit() -> PortUnit {
    PortUnit { counts: ptr::null(), numerator: 125, denominator: 2 }
}

#[unsafe(no_mangle)]
extern "C" fn port_exit(_code: c_int) {
    esp_hal::system::software_reset()
}

/// Lets the performance counter count cycles: its event (0x7e0) and its mode (0x7e1). ESP32-C3 Technical Reference
/// Manual, "ESP-RISC-V CPU", registers mpcer and mpcmr.
pub fn count_cycles() {
    // SAFETY: these registers only concern the counter.
    unsafe { asm!("csrwi 0x7e0, 1", "csrwi 0x7e1, 1") };
}
