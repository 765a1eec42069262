//! Whether this machine is virtual, and under which hypervisor.
//!
//! Read from `/sys/hypervisor`, the firmware's names, the device tree, the clocks that a hypervisor offers and the
//! CPU's `hypervisor` flag. A hypervisor that hides is not detected, so the negative is "none seen".

use ciphermeter_core::Fact;

use crate::{cpuinfo, tree::Tree};

/// Words in the firmware's names of vendor and product. Amazon and Microsoft also make real machines.
const NAMES: [(&str, &str); 14] = [
    ("QEMU", "QEMU"),
    ("Standard PC (", "QEMU"),
    ("KVM", "KVM"),
    ("VMware", "VMware"),
    ("VirtualBox", "VirtualBox"),
    ("Virtual Machine", "Hyper-V"),
    ("Xen", "Xen"),
    ("HVM domU", "Xen"),
    ("Parallels", "Parallels"),
    ("BHYVE", "bhyve"),
    ("Google Compute Engine", "Google Compute Engine"),
    ("OpenStack", "OpenStack"),
    ("Droplet", "DigitalOcean"),
    ("Apple Virtualization", "Apple Virtualization"),
];

/// The hypervisor, `None` if nothing indicates one; or why this is unknown.
pub(crate) fn seen(tree: &Tree) -> Result<Option<String>, String> {
    let flags = tree.text("proc/cpuinfo").ok().and_then(|text| cpuinfo::field(&text, "flags").map(str::to_owned));
    let flagged = flags.as_deref().is_some_and(|flags| flags.split(' ').any(|flag| flag == "hypervisor"));
    let firmware = firmware(tree);
    let device = device_tree(tree);
    let named = tree
        .text("sys/hypervisor/type")
        .ok()
        .filter(|name| !name.is_empty())
        .map(|name| if name == "xen" { "Xen".into() } else { name })
        .or_else(|| firmware.as_deref().and_then(by_name))
        .or_else(|| device.clone().flatten())
        .or_else(|| by_clock(tree));
    match (named, flagged) {
        (Some(name), _) => Ok(Some(name)),
        (None, true) => Ok(Some("of unknown kind".into())),
        (None, false) if flags.is_some() || firmware.is_some() || device.is_some() => Ok(None),
        (None, false) => Err("neither CPU flags nor firmware nor device tree can be read here".into()),
    }
}

/// `yes (KVM)` or `none seen`.
pub(crate) fn fact(tree: &Tree) -> Fact {
    match seen(tree) {
        Ok(Some(name)) => Fact::present("hypervisor", format!("yes ({name})")),
        Ok(None) => Fact::present("hypervisor", "none seen"),
        Err(why) => Fact::absent("hypervisor", why),
    }
}

/// Vendor and product as in the firmware (DMI).
fn firmware(tree: &Tree) -> Option<String> {
    let text = |name: &str| tree.text(&format!("sys/class/dmi/id/{name}")).ok();
    match (text("sys_vendor"), text("product_name")) {
        (None, None) => None,
        (vendor, product) => Some(format!("{}\n{}", vendor.unwrap_or_default(), product.unwrap_or_default())),
    }
}

fn by_name(firmware: &str) -> Option<String> {
    if firmware.starts_with("Amazon EC2") {
        // An instance without a hypervisor is called `….metal` or `….metal-24xl`.
        return (!firmware.contains(".metal")).then(|| "Amazon EC2".to_owned());
    }
    NAMES.iter().find(|(word, _)| firmware.contains(word)).map(|(_, name)| (*name).to_owned())
}

/// The hypervisor named by the device tree; the outer `None` if there is no device tree.
fn device_tree(tree: &Tree) -> Option<Option<String>> {
    let own = tree.text("proc/device-tree/compatible").ok()?;
    let node = tree.text("proc/device-tree/hypervisor/compatible").unwrap_or_default();
    Some(match (node.as_str(), own.contains("linux,dummy-virt")) {
        (node, _) if node.contains("kvm") => Some("KVM".into()),
        (node, _) if node.contains("xen") => Some("Xen".into()),
        ("", true) => Some("of unknown kind".into()),
        ("", false) => None,
        (node, _) => Some(node.split('\0').next().unwrap_or(node).to_owned()),
    })
}

/// The hypervisor whose clock is offered.
fn by_clock(tree: &Tree) -> Option<String> {
    let clocks = tree.text("sys/devices/system/clocksource/clocksource0/available_clocksource").ok()?;
    let known = [("kvm-clock", "KVM"), ("hyperv_clocksource", "Hyper-V"), ("xen", "Xen")];
    known.iter().find(|(clock, _)| clocks.split(' ').any(|c| c.starts_with(clock))).map(|(_, name)| (*name).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn machines_and_guests_are_distinguished() {
        assert_eq!(seen(&samples::laptop()), Ok(None));
        assert_eq!(seen(&samples::server()), Ok(None));
        assert_eq!(seen(&samples::guest()), Ok(Some("KVM".into())));
        assert!(seen(&samples::empty()).is_err());
    }

    #[test]
    fn firmware_names_distinguish_real_machines() {
        assert_eq!(by_name("Amazon EC2\nc7i.metal-24xl"), None);
        assert_eq!(by_name("Amazon EC2\nc7g.large"), Some("Amazon EC2".into()));
        assert_eq!(by_name("Microsoft Corporation\nSurface Laptop 5"), None);
        assert_eq!(by_name("Microsoft Corporation\nVirtual Machine"), Some("Hyper-V".into()));
        assert_eq!(by_name("QEMU\nStandard PC (Q35 + ICH9, 2009)"), Some("QEMU".into()));
    }

    #[test]
    fn flag_alone_names_no_hypervisor() {
        let tree = Tree::of(&[("proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu hypervisor aes\n")]);
        assert_eq!(fact(&tree).value.unwrap(), "yes (of unknown kind)");
    }

    #[test]
    fn device_tree_names_its_hypervisor() {
        let tree = Tree::of(&[
            ("proc/device-tree/compatible", "linux,dummy-virt\0"),
            ("proc/device-tree/hypervisor/compatible", "linux,kvm\0"),
        ]);
        assert_eq!(seen(&tree), Ok(Some("KVM".into())));
        let board = Tree::of(&[("proc/device-tree/compatible", "raspberrypi,5-model-b\0brcm,bcm2712\0")]);
        assert_eq!(seen(&board), Ok(None));
    }
}
