//! Disks and file systems, which the kernel encrypts.

use super::entry::{Choice, Program, Section, Setting};

pub(super) const LUKS: Program = Program {
    name: "luks",
    also: "cryptsetup",
    title: "LUKS",
    scenario: None,
    providers: &[],
    says: "LUKS uses AES-XTS of the kernel, which is not measured here yet: `cryptsetup benchmark` measures it, and `ciphermeter advise --for luks` has the lines for either result; `ciphermeter run disk` measures libraries at the sizes of sectors",
    choice: Choice::NotMeasured {
        why: "LUKS encrypts with the kernel's AES-XTS unless you choose another cipher, such as Adiantum for a CPU without AES instructions; neither is measured here yet. The faster of the two is the answer.",
        ask: &[
            "cryptsetup benchmark --cipher aes-xts-plain64 --key-size 512",
            "cryptsetup benchmark --cipher xchacha12,aes-adiantum-plain64 --key-size 256",
        ],
        setting: luks,
    },
    sources: &[
        "https://man7.org/linux/man-pages/man8/cryptsetup-benchmark.8.html",
        "https://man7.org/linux/man-pages/man8/cryptsetup-luksFormat.8.html",
        "https://github.com/google/adiantum",
    ],
    ..Program::LIKE_ITS_SCENARIO
};

fn luks() -> Setting {
    Setting {
        sections: vec![
            Section::new(
                "a new LUKS2 volume, which erases DEVICE; AES",
                ["  cryptsetup luksFormat --type luks2 \\", "    --cipher aes-xts-plain64 --key-size 512 DEVICE"],
            ),
            Section::new(
                "the same with Adiantum (Linux 5.0 or later)",
                [
                    "  cryptsetup luksFormat --type luks2 --sector-size 4096 \\",
                    "    --cipher xchacha12,aes-adiantum-plain64 --key-size 256 DEVICE",
                ],
            ),
        ],
        check: Some("cryptsetup luksDump DEVICE".into()),
        links: None,
        remarks: vec!["A volume keeps its cipher until `cryptsetup reencrypt` changes it."],
    }
}

pub(super) const ZFS: Program = Program {
    name: "zfs",
    also: "openzfs",
    title: "ZFS",
    scenario: None,
    providers: &[],
    says: "ZFS uses AES of its own kernel module, which is not measured here: `ciphermeter run disk` measures libraries at the sizes of its records",
    choice: Choice::NotMeasured {
        why: "ZFS encrypts with AES of its own kernel module. It has AES alone, so there is no choice between ciphers, only between modes and keys; GCM has been the default and the faster mode since 0.8.4.",
        // Of the module icp, and since 2.2 of zfs, of which it is then a part.
        ask: &["cat /sys/module/*/parameters/icp_gcm_impl", "cat /sys/module/*/parameters/icp_aes_impl"],
        setting: zfs,
    },
    sources: &[
        "https://openzfs.github.io/openzfs-docs/man/master/7/zfsprops.7.html",
        "https://github.com/openzfs/zfs/commit/31b160f0a6c673c8f926233af2ed6d5354808393",
        "https://github.com/openzfs/zfs/issues/8679",
        "https://github.com/openzfs/zfs/commit/ad9e767657c3d3c0ec9e09a17f6732bcbf915401",
    ],
    ..Program::LIKE_ITS_SCENARIO
};

fn zfs() -> Setting {
    Setting {
        sections: vec![Section::new(
            "a new file system, and never later (OpenZFS 0.8 or later)",
            ["  zfs create -o encryption=aes-256-gcm -o keyformat=passphrase POOL/NAME"],
        )],
        check: Some("zfs get encryption POOL/NAME".into()),
        links: None,
        remarks: vec!["The two files say which code the module took for GCM and for AES."],
    }
}
