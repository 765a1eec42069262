//! The worker on an ESP32-C3, without an operating system: the portable core and its components are C, linked in by
//! `build.rs`; this is what the board gives them. `line` is the serial line, `clock` the two counters, `board` the LED and
//! the I²C bus, `aes` the accelerator.
//!
//! Every peripheral is opened before the worker runs and stays open. There is one thread and no interrupt is enabled, so
//! that nothing runs beside what is timed.

#![no_std]
#![no_main]

mod aes;
mod bare;
mod board;
mod clock;
mod line;

use core::panic::PanicInfo;

use esp_hal::clock::CpuClock;

// What the second-stage boot loader reads.
esp_bootloader_esp_idf::esp_app_desc!();

unsafe extern "C" {
    fn worker_run();
}

#[esp_hal::main]
fn main() -> ! {
    let peripherals = esp_hal::init(esp_hal::Config::default().with_cpu_clock(CpuClock::_160MHz));
    clock::count_cycles();
    line::open(peripherals.UART0, peripherals.GPIO20, peripherals.GPIO21, peripherals.USB_DEVICE);
    board::open(peripherals.GPIO8, peripherals.I2C0, peripherals.GPIO5, peripherals.GPIO6);
    aes::open(peripherals.AES);
    // SAFETY: the core's only entry, called once.
    unsafe { worker_run() };
    esp_hal::system::software_reset()
}

/// The harness sees a board that starts again, which is what it can deal with.
#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    esp_hal::system::software_reset()
}
