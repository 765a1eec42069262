//! Where a device is to be had.

use std::fmt;

use ciphermeter_host::serial::{BAUD, Line};

/// What stands before a host and a port.
const TCP: &str = "tcp:";

/// A device's place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Address {
    /// On a serial line.
    Serial(Line),
    /// On the network, at a host and a port.
    Tcp(String),
}

impl Address {
    /// `/dev/ttyUSB0`, `/dev/ttyUSB0@921600` or `tcp:HOST:PORT`.
    ///
    /// # Errors
    /// It is none of them.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "{text} is no device: write it like /dev/ttyUSB0, /dev/ttyUSB0@921600 or tcp:192.168.4.1:3333; \
                 `ciphermeter device` lists those that are here"
            )
        };
        if text.chars().any(|c| c.is_control() || c.is_whitespace()) {
            return Err(wrong());
        }
        if let Some(place) = text.strip_prefix(TCP) {
            let (host, port) = place.rsplit_once(':').ok_or_else(wrong)?;
            let is_place = !host.is_empty() && port.parse::<u16>().is_ok_and(|port| port != 0);
            return if is_place { Ok(Self::Tcp(place.into())) } else { Err(wrong()) };
        }
        match Line::parse(text) {
            Ok(line) if line.path.contains('/') => Ok(Self::Serial(line)),
            _ => Err(wrong()),
        }
    }

    /// What the device is called: the last part of its path, or its host and port.
    pub fn name(&self) -> &str {
        match self {
            Self::Serial(line) => line.path.rsplit('/').find(|part| !part.is_empty()).unwrap_or(&line.path),
            Self::Tcp(place) => place,
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Serial(Line { path, baud: BAUD }) => f.write_str(path),
            Self::Serial(Line { path, baud }) => write!(f, "{path}@{baud}"),
            Self::Tcp(place) => write!(f, "{TCP}{place}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_is_a_path_or_a_host_and_a_port() {
        for (text, name) in [
            ("/dev/ttyUSB0", "ttyUSB0"),
            ("/dev/serial/by-id/usb-Silicon_Labs_CP2102-if00-port0", "usb-Silicon_Labs_CP2102-if00-port0"),
            ("/dev/ttyACM0@921600", "ttyACM0"),
            ("./board", "board"),
            ("tcp:192.168.4.1:3333", "192.168.4.1:3333"),
            ("tcp:[::1]:3333", "[::1]:3333"),
        ] {
            let address = Address::parse(text).unwrap();
            assert_eq!((address.name(), address.to_string().as_str()), (name, text));
        }
        assert_eq!(Address::parse("/dev/ttyUSB0@115200").unwrap().to_string(), "/dev/ttyUSB0");
    }

    #[test]
    fn anything_else_is_refused_with_examples() {
        for text in
            ["", "ttyUSB0", "tcp:", "tcp:host", "tcp::1", "tcp:host:0", "tcp:host:99999", "/dev/tty@fast", "/dev/x y"]
        {
            let why = Address::parse(text).unwrap_err();
            assert!(why.contains("write it like /dev/ttyUSB0") && why.contains("`ciphermeter device`"), "{why}");
        }
    }
}
