//! The machine's name, kernel, operating system, pages and load.

use ciphermeter_core::{Bytes, Fact};

use crate::{cpuinfo, tree, tree::Tree};

/// Vendor and product from the firmware, or the board's name from the device tree. No serial number, no host name.
pub(crate) fn machine(tree: &Tree) -> Fact {
    let board = || tree.text("proc/device-tree/model");
    match (tree.text("sys/class/dmi/id/sys_vendor"), tree.text("sys/class/dmi/id/product_name")) {
        (Ok(vendor), Ok(product)) => Fact::present("machine", tree::name(&format!("{vendor} {product}"))),
        _ => match board() {
            Ok(name) => Fact::present("machine", tree::name(&name)),
            Err(_) => Fact::absent("machine", "neither firmware (DMI) nor device tree names it here"),
        },
    }
}

/// The architecture of this build, and whether an emulator provides it.
pub(crate) fn architecture(tree: &Tree) -> Fact {
    let built_for = std::env::consts::ARCH;
    match cpuinfo::emulated(tree) {
        true => Fact::present("architecture", format!("{built_for}, emulated on another")),
        false => Fact::present("architecture", built_for),
    }
}

/// Name and release from `uname`.
pub(crate) fn kernel() -> Fact {
    let name = rustix::system::uname();
    Fact::present("kernel", format!("{} {}", name.sysname().to_string_lossy(), name.release().to_string_lossy()))
}

/// An identifier of this boot, different after each start; `None` where the system has none.
pub(crate) fn boot(tree: &Tree) -> Option<String> {
    tree.text("proc/sys/kernel/random/boot_id").ok().map(|text| text.trim().to_owned())
}

/// `PRETTY_NAME` of the distribution.
pub(crate) fn os(tree: &Tree) -> Fact {
    let text = match tree.text("etc/os-release").or_else(|_| tree.text("usr/lib/os-release")) {
        Ok(text) => text,
        Err(why) => return Fact::absent("os", why),
    };
    match pretty_name(&text) {
        Some(name) => Fact::present("os", name),
        None => Fact::absent("os", "/etc/os-release has no PRETTY_NAME"),
    }
}

fn pretty_name(text: &str) -> Option<String> {
    let name = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    let name = name.trim().trim_matches(['"', '\'']);
    (!name.is_empty()).then(|| name.to_owned())
}

pub(crate) fn page_size() -> Fact {
    Fact::present("page size", Bytes(rustix::param::page_size() as u64).to_string())
}

/// How many threads were ready to run, on average of the last minute.
pub(crate) fn load(tree: &Tree) -> Fact {
    match minute(tree) {
        Ok(load) => Fact::present("load", format!("{load:.2} over 1 min")),
        Err(why) => Fact::absent("load", why),
    }
}

/// The number behind [`load`].
pub(crate) fn minute(tree: &Tree) -> Result<f64, String> {
    let text = tree.text("proc/loadavg")?;
    let number = text.split(' ').next().and_then(|first| first.parse::<f64>().ok()).filter(|load| load.is_finite());
    number.ok_or_else(|| "/proc/loadavg doesn't begin with a number".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn names_are_read_from_firmware_or_device_tree() {
        assert_eq!(machine(&samples::laptop()).value.unwrap(), "LENOVO 20XWCTO1WW");
        let board = Tree::of(&[("proc/device-tree/model", "Raspberry Pi 5 Model B Rev 1.0\0")]);
        assert_eq!(machine(&board).value.unwrap(), "Raspberry Pi 5 Model B Rev 1.0");
        assert!(machine(&samples::guest()).why.is_some());
    }

    #[test]
    fn distribution_is_its_pretty_name() {
        assert_eq!(
            pretty_name("ID=debian\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n").unwrap(),
            "Debian GNU/Linux 12 (bookworm)"
        );
        assert_eq!(pretty_name("PRETTY_NAME=\"\"\n"), None);
        assert_eq!(os(&samples::server()).value.unwrap(), "Ubuntu 24.04.1 LTS");
    }

    #[test]
    fn load_is_the_first_number() {
        assert_eq!(minute(&samples::laptop()), Ok(2.61));
        assert!(minute(&Tree::of(&[("proc/loadavg", "nan 0 0")])).is_err());
        assert!(minute(&samples::empty()).is_err());
    }
}
