//! Proves the direction of imports: a crate imports only crates listed above it, and only those that it may.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

/// The crates, top to bottom, each with the crates that it may import.
const CRATES: &[(&str, &[&str])] = &[
    ("core", &[]),
    ("stats", &[]),
    ("estimate", &["core", "stats"]),
    ("host", &["core"]),
    ("protocol", &["core", "host"]),
    ("native", &["core", "host", "protocol"]),
    ("meter", &["core", "stats", "estimate", "host", "protocol"]),
    ("transfer", &["core", "host"]),
    ("transfer-worker", &["core", "host", "protocol", "transfer"]),
    ("store", &["core"]),
    ("import", &["core", "estimate"]),
    ("answer", &["core", "stats", "estimate"]),
    ("machines", &["core", "estimate", "import", "answer"]),
    ("study", &["core", "estimate", "answer"]),
    ("chart", &["core", "answer"]),
    ("report", &["core", "stats", "estimate", "import", "answer", "study", "chart"]),
    ("terminal", &["core", "host"]),
    ("move", &["core", "host", "protocol", "transfer", "transfer-worker", "terminal"]),
    (
        "cli",
        &[
            "core", "stats", "estimate", "host", "protocol", "native", "meter", "transfer", "transfer-worker", "store",
            "import", "machines", "report", "study", "terminal", "move",
        ],
    ),
];

/// What `lab` may import: neither the binary, which it starts, nor the transfers that it times. No crate may import `lab`.
const LAB: &[&str] = &["core", "stats", "estimate", "host", "protocol", "native", "meter", "store", "report"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

/// Everything that the manifest depends on, for any purpose and platform, by the packages' real names.
fn dependencies(manifest: &Table) -> BTreeSet<String> {
    let kinds = ["dependencies", "dev-dependencies", "build-dependencies"];
    let platforms = manifest.get("target").and_then(Value::as_table).into_iter().flatten();
    let tables = platforms.filter_map(|(_, table)| table.as_table()).chain([manifest]);
    let lists = tables.flat_map(|table| kinds.iter().filter_map(|kind| table.get(*kind)?.as_table()));
    let real = |name: &String, value: &Value| {
        value.get("package").and_then(Value::as_str).map_or_else(|| name.clone(), str::to_owned)
    };
    lists.flatten().map(|(name, value)| real(name, value)).collect()
}

/// What is wrong with a manifest whose crate may import `allowed`, a sentence each.
fn trespasses(text: &str, allowed: &[&str]) -> Vec<String> {
    let manifest: Table = text.parse().expect("a manifest is TOML");
    let may = |name: &str| allowed.contains(&name.strip_prefix("ciphermeter-").unwrap_or(""));
    let ours = dependencies(&manifest).into_iter().filter(|name| name.starts_with("ciphermeter"));
    ours.filter(|name| !may(name)).map(|name| format!("imports {name}")).collect()
}

fn manifest(folder: &Path) -> String {
    let file = folder.join("Cargo.toml");
    fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

#[test]
fn crates_import_only_allowed_crates() {
    for (name, allowed) in CRATES {
        let found = trespasses(&manifest(&root().join("crates").join(name)), allowed);
        assert!(found.is_empty(), "crates/{name} {}", found.join(", "));
    }
}

#[test]
fn lab_imports_neither_the_binary_nor_transfers() {
    let found = trespasses(&manifest(&root().join("lab")), LAB);
    assert!(found.is_empty(), "lab {}", found.join(", "));
}

#[test]
fn crates_import_only_crates_above_them() {
    for (place, (name, allowed)) in CRATES.iter().enumerate() {
        for import in *allowed {
            assert!(CRATES[..place].iter().any(|(above, _)| above == import), "{import} is not above {name}");
        }
    }
}

#[test]
fn every_folder_is_a_crate() {
    let folders = fs::read_dir(root().join("crates")).expect("crates/").flatten();
    let found: BTreeSet<String> = folders
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(found, CRATES.iter().map(|(name, _)| name.to_string()).collect());
}

#[test]
fn crate_is_named_after_its_folder() {
    for (name, _) in CRATES {
        let manifest: Table = manifest(&root().join("crates").join(name)).parse().expect("TOML");
        let expected = if *name == "cli" { "ciphermeter".to_owned() } else { format!("ciphermeter-{name}") };
        assert_eq!(manifest["package"]["name"].as_str(), Some(expected.as_str()));
    }
}

/// No rename in the workspace's own list hides one crate behind another's name.
#[test]
fn workspace_names_each_crate_by_its_own_name() {
    let manifest: Table = manifest(&root()).parse().expect("TOML");
    let listed = manifest["workspace"]["dependencies"].as_table().expect("a table");
    for (name, value) in listed {
        if let Some(path) = value.get("path").and_then(Value::as_str) {
            assert_eq!(format!("ciphermeter-{}", path.trim_start_matches("crates/")), *name);
        }
        assert!(value.get("package").is_none(), "{name} is renamed");
    }
}

/// The only worker that is not a separate program but the built-in one, compiled for a lesser CPU.
const SECOND_BUILD: &str = "rustcrypto-soft";
/// Other workers in Rust, and what they share with the built-in one: words, facts and the worker's lines; those of a
/// library each its loops.
const OTHERS_IN_RUST: &[(&str, &[&str])] = &[
    ("boringssl", OF_A_LIBRARY),
    ("gpu", &["core", "host", "protocol"]),
    ("ipsec-mb", OF_A_LIBRARY),
    ("nss", OF_A_LIBRARY),
    ("wolfssl", OF_A_LIBRARY),
];
const OF_A_LIBRARY: &[&str] = &["core", "native"];

#[test]
fn suite_and_workers_import_no_crate() {
    let workers = fs::read_dir(root().join("workers")).into_iter().flatten().flatten().map(|entry| entry.path());
    let outside = workers
        .filter(|folder| folder.join("Cargo.toml").is_file())
        .filter(|folder| !folder.ends_with(SECOND_BUILD))
        .filter(|folder| !OTHERS_IN_RUST.iter().any(|(name, _)| folder.ends_with(name)))
        .chain([root().join("conformance")]);
    for folder in outside {
        let text = manifest(&folder);
        assert!(
            trespasses(&text, &[]).is_empty() && !text.contains("crates/"),
            "{} imports a crate of the workspace",
            folder.display()
        );
    }
}

#[test]
fn workers_in_rust_import_what_they_share_alone() {
    for (name, shared) in OTHERS_IN_RUST {
        let trespassed = trespasses(&manifest(&root().join("workers").join(name)), shared);
        assert!(trespassed.is_empty(), "{name} {}", trespassed.join(", "));
    }
}

/// The outputs that are no text for people: what was received, and the answer to the other end of an ssh.
const OF_BYTES: [&str; 2] = ["move/src/recv/pipe.rs", "move/src/ssh/served.rs"];

#[test]
fn outputs_are_written_in_one_file_which_escapes() {
    let crates = root().join("crates");
    let mut folders: Vec<PathBuf> = ["cli", "move", "terminal"].map(|name| crates.join(name).join("src")).into();
    let mut writing = BTreeSet::new();
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(&crates).expect("a source").to_str().expect("UTF-8");
            let text = fs::read_to_string(&path).expect("a source");
            // Behind a comma, it is handed to something that writes.
            let writes = ["stdout()", "stderr()"]
                .iter()
                .flat_map(|stream| text.split(stream).skip(1))
                .any(|rest| [".lock()", ".write", ".as_fd()", ","].iter().any(|call| rest.starts_with(call)));
            writing.extend(writes.then(|| name.to_owned()));
        }
    }
    let may: BTreeSet<String> = ["terminal/src/output.rs"].into_iter().chain(OF_BYTES).map(String::from).collect();
    assert_eq!(writing, may, "what writes to a standard stream: use output::print or output::say elsewhere");
}

#[test]
fn wrong_manifest_is_detected() {
    let wrong = [
        "[dependencies]\nciphermeter-meter.workspace = true",
        "[dev-dependencies]\nciphermeter-cli = { path = \"../cli\" }",
        "[build-dependencies]\nciphermeter-store.workspace = true",
        "[target.'cfg(unix)'.dependencies]\nciphermeter-host.workspace = true",
        "[dependencies]\nharmless = { package = \"ciphermeter-report\", path = \"../report\" }",
        "[dependencies]\nciphermeter = { path = \"../cli\" }",
        "[dependencies]\nciphermeter-lab = { path = \"../../lab\" }",
    ];
    for text in wrong {
        assert_eq!(trespasses(text, &["core", "stats"]).len(), 1, "{text}");
    }
    assert!(trespasses("[dependencies]\nciphermeter-core.workspace = true\nserde = \"1\"", &["core"]).is_empty());
}
