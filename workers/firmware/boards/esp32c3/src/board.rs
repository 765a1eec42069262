//! What boards/common asks of a board: the LED that is lit while a sample runs, and the I²C bus of the current meter.

use core::slice;

use esp_hal::Blocking;
use esp_hal::gpio::{Level, Output, OutputConfig};
use esp_hal::i2c::master::{BusTimeout, Config, I2c};
use esp_hal::peripherals::{GPIO5, GPIO6, GPIO8, I2C0};
use esp_hal::time::Rate;

use crate::bare::Bare;

/// Lit at a low level, as on the small boards that have a plain LED on this pin.
static LED: Bare<Output<'static>> = Bare::empty();
static BUS: Bare<I2c<'static, Blocking>> = Bare::empty();

pub fn open(led: GPIO8<'static>, i2c: I2C0<'static>, sda: GPIO5<'static>, scl: GPIO6<'static>) {
    LED.put(Output::new(led, Level::High, OutputConfig::default()));
    // A bus without a meter, or without pull-up resistors, must not hold the worker up.
    let config = Config::default().with_frequency(Rate::from_khz(400)).with_timeout(BusTimeout::BusCycles(40));
    if let Ok(bus) = I2c::new(i2c, config) {
        BUS.put(bus.with_sda(sda).with_scl(scl));
    }
}

#[unsafe(no_mangle)]
extern "C" fn board_led(lit: bool) {
    LED.with(|led| led.set_level(if lit { Level::Low } else { Level::High }));
}

/// Writes `count` bytes and reads as many as `wanted`, if any. False: nothing answered.
///
/// # Safety
/// The pointers are to as many bytes as they say.
#[unsafe(no_mangle)]
unsafe extern "C" fn board_i2c(address: u8, bytes: *const u8, count: usize, answer: *mut u8, wanted: usize) -> bool {
    // SAFETY: the caller's promise; `answer` may be null where nothing is wanted.
    let bytes = unsafe { slice::from_raw_parts(bytes, count) };
    let done = BUS.with(|bus| {
        if wanted == 0 {
            return bus.write(address, bytes).is_ok();
        }
        // SAFETY: as above.
        let answer = unsafe { slice::from_raw_parts_mut(answer, wanted) };
        bus.write_read(address, bytes, answer).is_ok()
    });
    done.unwrap_or(false)
}
