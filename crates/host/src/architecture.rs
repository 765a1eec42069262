//! For which processor a program or library is built: what its ELF header says. The loader's own words for a library of
//! another architecture are "No such file" or a number.

use std::env;
use std::io::Read;
use std::path::Path;

use crate::file;

/// What of a header is compared: the size of its words, their order, and the processor (`e_machine`).
#[derive(Clone, Copy, PartialEq, Eq)]
struct Built([u8; 4]);

impl Built {
    /// `None` for a file that is no ELF, or cannot be read.
    fn of(path: &Path) -> Option<Self> {
        let mut header = [0; 20];
        file::open(path).ok()?.read_exact(&mut header).ok()?;
        let [0x7f, b'E', b'L', b'F', bits, order, ..] = header else { return None };
        let mut machine = [header[18], header[19]];
        if order == 2 {
            machine.reverse();
        }
        Some(Self([bits, order, machine[0], machine[1]]))
    }

    /// As `uname -m` has it, where that is one word.
    fn name(self) -> String {
        let Self([bits, order, low, high]) = self;
        match (u16::from_le_bytes([low, high]), bits, order) {
            (3, ..) => "i386".into(),
            (21, _, 1) => "ppc64le".into(),
            (22, 2, _) => "s390x".into(),
            (40, ..) => "arm".into(),
            (62, 2, _) => "x86_64".into(),
            (183, _, 1) => "aarch64".into(),
            (243, 2, _) => "riscv64".into(),
            (258, 2, _) => "loongarch64".into(),
            (machine, bits, _) => format!("processor {machine} with {} bits", u32::from(bits) * 32),
        }
    }
}

/// Why this process cannot load a library: it is built for another architecture. `None` where it is not, or where that is unknown.
pub fn other(library: &Path) -> Option<String> {
    between(Built::of(library)?, Built::of(&env::current_exe().ok()?)?)
}

fn between(library: Built, own: Built) -> Option<String> {
    (library != own).then(|| format!("it is built for {}, and this program for {}", library.name(), own.name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built(bits: u8, order: u8, machine: u8) -> Built {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("library");
        let mut header = [0; 64];
        header[..6].copy_from_slice(&[0x7f, b'E', b'L', b'F', bits, order]);
        header[if order == 2 { 19 } else { 18 }] = machine;
        std::fs::write(&path, header).unwrap();
        Built::of(&path).unwrap()
    }

    #[test]
    fn a_library_of_another_architecture_is_named() {
        let here = built(2, 1, 62);
        for (other, name) in [
            (built(2, 1, 183), "aarch64"),
            (built(1, 1, 3), "i386"),
            (built(2, 2, 22), "s390x"),
            (built(1, 1, 62), "processor 62 with 32 bits"),
        ] {
            assert_eq!(between(other, here), Some(format!("it is built for {name}, and this program for x86_64")));
        }
        assert_eq!(between(built(2, 1, 62), here), None);
    }

    #[test]
    fn what_is_no_library_has_no_architecture() {
        assert_eq!(other(Path::new("/")), None);
        assert_eq!(other(&std::env::current_exe().unwrap()), None);
    }
}
