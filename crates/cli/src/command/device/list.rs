//! What is here: serial ports, and emulated devices.

use std::path::Path;

use anyhow::Result;
use ciphermeter_core::{escaped, quoted_path, shell_word};
use ciphermeter_host::serial::{Port, Refusal, ports};
use ciphermeter_terminal::Exit;
use ciphermeter_terminal::output::{self, page_width};
use serde_json::json;

use crate::devices::Emulated;

/// Columns of the first column.
const FIRST: usize = 16;

pub fn list(emulated: &[Emulated], as_json: bool) -> Result<Exit> {
    let ports = ports();
    let printed = match as_json {
        true => output::print_json(&document(&ports, emulated)),
        false => output::print(&text(&ports, emulated)),
    };
    printed.map(|()| Exit::Fine)
}

fn text(ports: &[Port], emulated: &[Emulated]) -> String {
    let mut text = String::from("Serial ports\n");
    for port in ports {
        let product = port.product.as_deref().map(escaped).unwrap_or_default();
        let refusal = match port.is_allowed {
            true => String::new(),
            false => format!("  {}", Refusal::forbidden(&port.path)),
        };
        let line = format!("  {:<FIRST$} {product}{refusal}", quoted_path(&port.path));
        text += &format!("{}\n", line.trim_end());
    }
    if ports.is_empty() {
        text += "  none: plug a board in; a cable that only charges shows nothing\n";
    }
    text += "\nEmulated devices\n";
    for emulated in emulated {
        let (built, missing) = emulated.providers();
        let remedies = || emulated.not_built().into_iter().map(|(_, remedy)| remedy).collect::<Vec<_>>().join("; ");
        let has = match (built.is_empty(), missing.is_empty()) {
            (true, _) => format!("not built: {}", remedies()),
            (false, true) => built.join(", "),
            (false, false) => format!("{}; not built: {}", built.join(", "), missing.join(", ")),
        };
        text += &format!(
            "  qemu:{:<11} {}\n  {:<FIRST$} {}\n",
            emulated.device.name,
            escaped(&emulated.device.board),
            "",
            escaped(&has)
        );
    }
    if emulated.is_empty() {
        text += "  none: give the workers' folder with --workers\n";
    }
    let example = shell_word(ports.first().map_or(Path::new("/dev/ttyUSB0"), |port| &port.path));
    let next =
        format!("`ciphermeter device {example}` checks a board; `ciphermeter run iot --device {example}` measures it.");
    text + "\n" + &output::wrapped(&next, page_width()) + "A board on the network is tcp:HOST:PORT.\n"
}

fn document(ports: &[Port], emulated: &[Emulated]) -> String {
    let port = |port: &Port| json!({"device": port.path.display().to_string(), "product": port.product, "allowed": port.is_allowed});
    let device = |emulated: &Emulated| {
        let (built, missing) = emulated.providers();
        json!({
            "device": format!("qemu:{}", emulated.device.name), "board": emulated.device.board,
            "built": built, "not_built": missing,
        })
    };
    let all = json!({
        "ports": ports.iter().map(port).collect::<Vec<_>>(),
        "emulated": emulated.iter().map(device).collect::<Vec<_>>(),
    });
    format!("{all:#}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn list_stays_within_a_page() {
        let list = text(&[], &[]);
        assert!(list.contains("`ciphermeter run iot --device /dev/ttyUSB0` measures it."), "{list}");
        assert!(list.lines().all(|line| line.chars().count() <= 80), "{list}");
    }
}
