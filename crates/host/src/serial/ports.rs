//! The serial ports that are plugged in.

use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

use crate::tree::Tree;

/// Where Linux lists terminals, serial ports among them.
const TERMINALS: &str = "sys/class/tty";
/// So many folders above a port at the most stands what is plugged in.
const ABOVE: usize = 4;

/// A serial port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Port {
    /// Its file.
    pub path: PathBuf,
    /// What is plugged in, as USB names it; `None` where it is no USB device or has no name.
    pub product: Option<String>,
    /// Whether this user may read and write it.
    pub is_allowed: bool,
}

/// The serial ports of this machine, by name.
pub fn ports() -> Vec<Port> {
    let found = if cfg!(any(target_os = "linux", target_os = "android")) {
        listed(&Tree::live()).into_iter().map(|(name, product)| (Path::new("/dev").join(name), product)).collect()
    } else {
        callout()
    };
    let port = |(path, product): (PathBuf, Option<String>)| {
        let is_allowed = access(&path, Access::READ_OK | Access::WRITE_OK).is_ok();
        Port { path, product, is_allowed }
    };
    found.into_iter().map(port).collect()
}

/// macOS has a file for each that does not wait for a carrier, and for Bluetooth, too.
fn callout() -> Vec<(PathBuf, Option<String>)> {
    let entries = std::fs::read_dir("/dev").into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.retain(|name| name.starts_with("cu.") && !name.contains("Bluetooth") && !name.contains("debug-console"));
    names.sort();
    names.into_iter().map(|name| (Path::new("/dev").join(name), None)).collect()
}

/// Names of ports and what is plugged in. A terminal without a device behind it is none, and neither is a UART of type 0: a place for
/// one on a board that has none there.
fn listed(tree: &Tree) -> Vec<(String, Option<String>)> {
    let names = tree.names(TERMINALS).into_iter();
    let is_port = |name: &String| {
        let folder = format!("{TERMINALS}/{name}");
        tree.has(&format!("{folder}/device")) && tree.number(&format!("{folder}/type")) != Ok(0)
    };
    names.filter(is_port).map(|name| (name.clone(), product(tree, &name))).collect()
}

fn product(tree: &Tree, name: &str) -> Option<String> {
    let mut folder = format!("{TERMINALS}/{name}/device");
    for _ in 0..ABOVE {
        if let Ok(product) = tree.text(&format!("{folder}/product")) {
            return Some(product).filter(|product| !product.is_empty());
        }
        folder += "/..";
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_terminals_with_a_device() {
        let tree = Tree::of(&[
            ("sys/class/tty/tty0/dev", "4:0"),
            ("sys/class/tty/ttyS0/device/id", "PNP0501"),
            ("sys/class/tty/ttyS0/type", "4"),
            ("sys/class/tty/ttyS1/device/id", "none"),
            ("sys/class/tty/ttyS1/type", "0"),
            // Each is a link to the port's own folder, far below the USB device's.
            ("sys/class/tty/ttyUSB0/device/port_number", "0"),
            ("sys/class/tty/ttyUSB0/product", "CP2102 USB to UART Bridge Controller"),
        ]);
        let uart = Some("CP2102 USB to UART Bridge Controller".into());
        assert_eq!(listed(&tree), [("ttyS0".into(), None), ("ttyUSB0".into(), uart)]);
    }

    #[test]
    fn every_listed_port_is_a_file() {
        assert!(ports().iter().all(|port| port.path.exists()));
    }
}
