//! The line to the harness: UART0 (the USB chip of most boards, or pins 20 and 21) and the C3's own USB serial port. Both
//! listen; answers go to the one from which the last byte came.

use esp_hal::Blocking;
use esp_hal::peripherals::{GPIO20, GPIO21, UART0, USB_DEVICE};
use esp_hal::uart::{Config, Uart};
use esp_hal::usb::usb_serial_jtag::UsbSerialJtag;

use crate::bare::Bare;

const BAUD: u32 = 115_200;

/// One less than a USB packet holds: computers wait for more after a full one.
const PACKET: usize = 63;

struct Line {
    uart: Uart<'static, Blocking>,
    usb: UsbSerialJtag<'static, Blocking>,
    usb_talks: bool,
    packet: [u8; PACKET],
    filled: usize,
}

static LINE: Bare<Line> = Bare::empty();

pub fn open(uart: UART0<'static>, rx: GPIO20<'static>, tx: GPIO21<'static>, usb: USB_DEVICE<'static>) {
    // The configuration is a constant that the UART can do, so it does not fail.
    let uart = Uart::new(uart, Config::default().with_baudrate(BAUD)).unwrap().with_rx(rx).with_tx(tx);
    LINE.put(Line { uart, usb: UsbSerialJtag::new(usb), usb_talks: false, packet: [0; PACKET], filled: 0 });
}

impl Line {
    /// The next byte, if there is one. Bytes that were lost or broken are the harness's to notice: the line is no JSON.
    fn byte(&mut self) -> Option<u8> {
        if let Ok(byte) = self.usb.read_byte() {
            self.usb_talks = true;
            return Some(byte);
        }
        let mut byte = [0];
        match self.uart.read_buffered(&mut byte) {
            Ok(1) => {
                self.usb_talks = false;
                Some(byte[0])
            }
            _ => None,
        }
    }

    fn put(&mut self, byte: u8) {
        self.packet[self.filled] = byte;
        self.filled += 1;
        if byte == b'\n' || self.filled == PACKET {
            self.send();
        }
    }

    /// Sends what has gathered. Neither way fails on this chip: both only wait for room.
    fn send(&mut self) {
        let mut rest = &self.packet[..self.filled];
        self.filled = 0;
        if self.usb_talks {
            let _ = self.usb.write(rest);
            return;
        }
        while let (false, Ok(sent)) = (rest.is_empty(), self.uart.write(rest)) {
            rest = &rest[sent..];
        }
    }
}

#[unsafe(no_mangle)]
extern "C" fn port_put(byte: u8) {
    LINE.with(|line| line.put(byte));
}

#[unsafe(no_mangle)]
extern "C" fn port_get() -> i32 {
    loop {
        if let Some(Some(byte)) = LINE.with(Line::byte) {
            return byte.into();
        }
    }
}
