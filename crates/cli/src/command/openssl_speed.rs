//! `help openssl-speed`: what it shows here, what whole messages take, and why the two differ.

use anyhow::Result;
use ciphermeter_native::openssl_speed::Shown;
use ciphermeter_report::{LEFT, RIGHT, TableColumn, plain_table};
use ciphermeter_terminal::{Exit, output};

use crate::openssl_speed::{counted, gb_per_s};

const SIZES: [(usize, &str); 4] = [(16, "16 B"), (1 << 10, "1 KiB"), (16 << 10, "16 KiB"), (1 << 20, "1 MiB")];
/// So often each is counted: with four sizes, 1.6 s.
const TURNS: usize = 10;

const REASON: &str = "\
`openssl speed -evp` does not seal messages:
  ChaCha20-Poly1305  sets key and nonce once and never finishes: no message
                     ends, and no tag is made
  AES-256-GCM        sets the key again for each message; a program sets it once
A whole message, as ciphermeter counts it, takes another nonce, 13 bytes of aad
and the tag; the key is set once. It matters most for short messages.

Its calls are repeated here as the library's version makes them: before 3.0.16,
3.3.3 and 3.4.1, AES-256-GCM was one endless stream, too (docs/instrument.md).
Try it: openssl speed -seconds 1 -bytes 1024 -evp chacha20-poly1305
";

pub fn explain() -> Result<Exit> {
    let (figures, exit) = match counted(&SIZES.map(|(bytes, _)| bytes), TURNS) {
        Ok(cells) => (figures(&cells), Exit::Fine),
        Err(error) => (format!("Not measured here: {error:#}\n"), Exit::Partial),
    };
    output::print(&format!("Why `openssl speed` shows other figures\n\n{figures}\n{REASON}")).map(|()| exit)
}

/// Both ciphers at each size, and what each count says at 1 KiB.
fn figures(cells: &[Shown]) -> String {
    let wide = TableColumn { gap: 2, ..RIGHT };
    let apart = TableColumn { gap: 4, ..RIGHT };
    let (aes, chacha) = ("AES-256-GCM", "ChaCha20-Poly1305");
    let columns = [("", LEFT), (aes, wide), (chacha, wide), (aes, apart), (chacha, wide)];
    let rows = SIZES.iter().zip(cells.chunks(2)).map(|((bytes, label), both)| {
        let rate = |ns| gb_per_s(*bytes, ns);
        let (aes, chacha) = (both[0], both[1]);
        [format!("  {label}"), rate(aes.shown_ns), rate(chacha.shown_ns), rate(aes.seal_ns), rate(chacha.seal_ns)]
    });
    let table = plain_table(columns, rows);
    let ahead = |[aes, chacha]: [f64; 2]| match chacha / aes {
        ratio if ratio >= 1.0 => format!("AES-256-GCM is {ratio:.1}× as fast as ChaCha20-Poly1305"),
        ratio => format!("ChaCha20-Poly1305 is {:.1}× as fast as AES-256-GCM", 1.0 / ratio),
    };
    let [shown, sealed] = match cells {
        [_, _, aes, chacha, ..] => [ahead([aes.shown_ns, chacha.shown_ns]), ahead([aes.seal_ns, chacha.seal_ns])],
        _ => Default::default(),
    };
    format!(
        "At 1 KiB\n  by `openssl speed`: {shown}\n  of whole messages:  {sealed}\n\n\
         GB/s      shown by `openssl speed`            of whole messages\n{table}"
    )
}
