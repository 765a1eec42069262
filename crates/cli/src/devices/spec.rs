//! How a device is named on the command line.

use std::fmt;
use std::str::FromStr;

use ciphermeter_core::escaped;
use ciphermeter_protocol::Address;

/// What stands before the name of an emulated device.
const EMULATED: &str = "qemu:";

/// A device: `/dev/ttyUSB0`, `tcp:HOST:PORT`, `qemu:NAME`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeviceSpec {
    /// One that a worker's manifest describes, by its name.
    Emulated(String),
    Board(Address),
}

impl DeviceSpec {
    /// What it is called in a run.
    pub fn name(&self) -> &str {
        match self {
            Self::Emulated(name) => name,
            Self::Board(address) => address.name(),
        }
    }
}

impl FromStr for DeviceSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.strip_prefix(EMULATED) {
            Some(name) => Ok(Self::Emulated(name.into())),
            None => Address::parse(text).map(Self::Board).map_err(|why| escaped(&why)),
        }
    }
}

impl fmt::Display for DeviceSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Emulated(name) => write!(f, "{EMULATED}{name}"),
            Self::Board(address) => write!(f, "{address}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn device_reads_as_it_is_written() {
        for (text, name) in [
            ("qemu:cortex-m4", "cortex-m4"),
            ("qemu:avr", "avr"),
            ("/dev/ttyUSB0@921600", "ttyUSB0"),
            ("tcp:board.local:3333", "board.local:3333"),
        ] {
            let spec: DeviceSpec = text.parse().unwrap();
            assert_eq!((spec.to_string().as_str(), spec.name()), (text, name));
        }
        assert!("cortex-m4".parse::<DeviceSpec>().unwrap_err().contains("write it like /dev/ttyUSB0"));
        assert!("a\u{7}b".parse::<DeviceSpec>().unwrap_err().starts_with("a\\u{7}b is no device"));
    }
}
