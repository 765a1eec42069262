//! The table of machines: every file of `machines/` is fit for others, and what is not is refused; the site of them; and answers for
//! hardware that isn't here.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use ciphermeter_machines::{pack, unpack};
use serde_json::Value;

use crate::common::hostile::{HOSTILE, MARKUP, is_safe};
use crate::common::planted_run::{Planted, aes_first, chacha20_first, folder};
use crate::common::{TestFolder, refuses};

fn table() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../machines").canonicalize().expect("machines/")
}

fn folders() -> Vec<PathBuf> {
    let entries = fs::read_dir(table()).expect("machines/").map(|entry| entry.expect("an entry").path());
    let mut folders: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

/// A machine's files by their names.
type Files = Vec<(String, Vec<u8>)>;

fn files(folder: &Path) -> Files {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut files: Files = entries.map(|path| (name(&path), fs::read(path).expect("a file"))).collect();
    files.sort();
    files
}

fn name(path: &Path) -> String {
    path.file_name().expect("a name").to_string_lossy().into_owned()
}

/// What `report --site` says of a machine's files; `None`: they are fit.
fn refused(machine: &str, files: &Files) -> Option<String> {
    let folder = TestFolder::new();
    for (name, content) in files {
        folder.write(&format!("{machine}/{name}"), content);
    }
    let said = folder.run(&["report", "--site", "site", &format!("./{machine}")]);
    assert_eq!(said.code == Some(0), folder.path("site").exists(), "{said:?}");
    (said.code != Some(0)).then_some(said.err)
}

#[test]
fn every_machine_of_the_table_is_fit_for_others() {
    let folders = folders();
    assert!(!folders.is_empty());
    for folder in folders {
        assert_eq!(refused(&name(&folder), &files(&folder)), None, "{}", folder.display());
    }
    let others = fs::read_dir(table()).expect("machines/").map(|entry| entry.expect("an entry").path());
    let others: Vec<String> = others.filter(|path| !path.is_dir()).map(|path| name(&path)).collect();
    assert_eq!(others, Vec::<String>::new(), "a machine has a folder");
}

/// The machine of the table on which tests rest, which has a run of messages.
const MACHINE: &str = "epyc-genoa";

/// That machine, changed.
fn with(change: impl FnOnce(&mut Files)) -> Option<String> {
    let mut files = files(&table().join(MACHINE));
    change(&mut files);
    refused("a-machine", &files)
}

/// The same with its first run's document changed.
fn with_document(change: impl FnOnce(&mut Value)) -> String {
    let said = with(|files| {
        let (_, run) = files.iter_mut().find(|(name, _)| name.ends_with(".json.gz")).expect("a run");
        let mut document: Value = serde_json::from_slice(&unpack(run.clone()).expect("a document")).expect("JSON");
        change(&mut document);
        *run = pack(document.to_string().as_bytes()).expect("memory");
    });
    said.expect("a refusal")
}

#[test]
fn machine_without_its_source_is_refused() {
    assert_eq!(with(|_| {}), None);
    let said = with(|files| files.retain(|(name, _)| name != "source.toml")).expect("a refusal");
    assert!(said.contains("a machine is a folder with source.toml and runs"), "{said}");
    let said = with(|files| files.retain(|(name, _)| name == "source.toml")).expect("a refusal");
    assert!(said.contains("it has no run"), "{said}");
}

#[test]
fn run_that_is_not_what_its_source_says_is_refused() {
    let of_source = |from: &str, to: &str| {
        let said = with(|files| {
            let (_, source) = files.iter_mut().find(|(name, _)| name == "source.toml").expect("a source");
            let text = String::from_utf8(source.clone()).expect("UTF-8");
            assert!(text.contains(from), "{text}");
            *source = text.replace(from, to).into_bytes();
        });
        said.expect("a refusal")
    };
    assert!(of_source("measured = \"20", "measured = \"19").contains("source.toml says 19"));
    assert!(of_source("\"virtual\"", "\"bare\"").contains("calls the machine bare"));
    let said = with(|files| {
        files.iter_mut().filter(|(name, _)| name.ends_with("gz")).for_each(|(name, _)| *name = "a.json.gz".into())
    });
    assert!(said.expect("a refusal").contains("call it "));
}

#[test]
fn run_that_holds_more_than_the_list_allows_is_refused() {
    for (said, way) in [
        (with_document(|run| run["host"]["machine"] = "Joe's laptop".into()), ".host.machine"),
        (with_document(|run| run["host"]["kernel"] = "Linux 6.1.0-joe".into()), ".host.kernel"),
        (with_document(|run| run["run"]["notes"] = vec!["at joe's"].into()), ".run.notes"),
        (
            with_document(|run| {
                run["run"]["started"] =
                    run["run"]["started"].as_str().expect("a day").replace("00:00Z", "00:01Z").into()
            }),
            ".run.started",
        ),
        (with_document(|run| run["run"]["scenario"]["title"] = "Joe's".into()), ".run.scenario.title"),
        (with_document(|run| run["records"][0]["library"] = "/home/joe/libcrypto.so.3".into()), ".records[0].library"),
        (with_document(|run| run["records"][0]["note"] = "joe".into()), ".records[0].note is not shared"),
        (with_document(|run| run["host"]["absent"]["turbo"] = "joe".into()), "turbo"),
    ] {
        assert!(said.contains(way), "{said}");
    }
}

#[test]
fn run_that_lies_is_refused() {
    let said = with_document(|run| {
        let range = &mut run["records"][0]["summary"]["range"];
        for end in ["low", "mid", "high"] {
            range[end] = (range[end].as_f64().expect("ns") / 2.0).into();
        }
    });
    assert!(said.contains("its samples say"), "{said}");
    let said =
        with_document(|run| run["records"][0]["outcome"] = serde_json::json!({"is": "wrong-output", "why": "x"}));
    assert!(said.contains("with wrong output"), "{said}");
    let said = with_document(|run| run["run"]["method"] = 3.into());
    assert!(said.contains("method 3"), "{said}");
    let said = with_document(|run| run["run"]["status"] = "interrupted".into());
    assert!(said.contains("it was interrupted"), "{said}");
    let said = with_document(|run| run["records"].as_array_mut().expect("records").truncate(1));
    assert!(!said.is_empty());
}

#[test]
fn run_that_was_disturbed_beyond_use_is_refused() {
    let said = with_document(|run| {
        for record in run["records"].as_array_mut().expect("records") {
            for fork in record["samples"].as_array_mut().expect("forks") {
                let times = fork["ns"].as_array().expect("ns").clone();
                // All but every eighth was off its CPU for a quarter of its time.
                let off = times.iter().enumerate().map(|(at, ns)| {
                    let ns = ns.as_u64().expect("ns");
                    Value::from(if at % 8 == 0 { 0 } else { ns / 4 })
                });
                fork["off_cpu_ns"] = off.collect();
            }
        }
    });
    assert!(said.contains("other work disturbed") || said.contains("have the forks that a figure takes"), "{said}");
}

/// So many bytes that no packing makes fewer.
fn noise(bytes: usize) -> Vec<u8> {
    let mut state = 1_u64;
    let next = |_| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 56) as u8
    };
    (0..bytes).map(next).collect()
}

#[test]
fn file_that_is_too_long_is_refused() {
    let too_long = |content: Vec<u8>| {
        with(|files| {
            files.iter_mut().filter(|(name, _)| name.ends_with("gz")).for_each(|(_, run)| *run = content.clone())
        })
        .expect("a refusal")
    };
    let noise = pack(&noise(700_001)).expect("memory");
    assert!(too_long(noise).contains("more than 700000 bytes"));
    let bomb = pack(&vec![b' '; 64 << 20]).expect("memory");
    assert!(bomb.len() < 700_000 && too_long(bomb).contains("longer than 16 MiB"));
    assert!(too_long(b"{}".to_vec()).contains("not packed"));
}

#[test]
fn names_that_ciphermeter_gives_are_all_known() {
    let manifests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../workers");
    let mut missing = Vec::new();
    for entry in fs::read_dir(manifests).expect("workers/").flatten() {
        let Ok(text) = fs::read_to_string(entry.path().join("worker.toml")) else { continue };
        let manifest: toml::Table = text.parse().expect("TOML");
        let name = manifest["name"].as_str().expect("a name");
        // One hosts boards, the others split a message: neither is shared.
        if ["firmware", "gpu", "openmp"].contains(&name) {
            continue;
        }
        let known = |list: &[&str], name: &str| list.contains(&name);
        let providers = manifest.get("providers").and_then(toml::Value::as_array).into_iter().flatten();
        let providers = providers.map(|name| name.as_str().expect("a name"));
        missing.extend(providers.filter(|name| !known(ciphermeter_machines::PROVIDERS, name)).map(str::to_owned));
        missing.extend((!known(ciphermeter_machines::WORKERS, name)).then(|| name.to_owned()));
        let language = manifest["language"].as_str().expect("a language");
        missing.extend((!known(ciphermeter_machines::LANGUAGES, language)).then(|| language.to_owned()));
    }
    let built_in = ciphermeter_native::PROVIDERS.iter().filter(|name| !ciphermeter_machines::PROVIDERS.contains(name));
    missing.extend(built_in.map(ToString::to_string));
    assert_eq!(missing, Vec::<String>::new());
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).expect("a folder").map(|entry| name(&entry.expect("an entry").path())).collect();
    names.sort();
    names
}

#[test]
fn site_has_a_row_and_a_page_for_each_machine() {
    let folder = folder([
        Planted::new("messages", aes_first).with_fact("cpu", "AMD EPYC 7763 64-Core Processor"),
        Planted::new("messages", chacha20_first).with_fact("cpu", "Arm Cortex-A72"),
    ]);
    assert_eq!(folder.run(&["export", "1", "--share", "--yes", "-o", "epyc.json.gz"]).code, Some(0));
    let said = folder.run(&["report", "--site", "site", "epyc.json.gz", "2"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(
        said.out.contains("site/index.html: 2 machines") && said.err.contains("is not fit for comparisons"),
        "{said:?}"
    );
    let pages = ["arm-cortex-a72-messages.html", "arm-cortex-a72-messages.json.gz"];
    let pages = [&pages[..], &["epyc-messages.html", "epyc-messages.json.gz"]].concat();
    let mut expected = [&[".ciphermeter-site", "index.html", "site.css", "site.js"][..], &pages].concat();
    expected.sort_unstable();
    assert_eq!(names(&folder.path("site")), expected);
    let index = fs::read_to_string(folder.path("site/index.html")).expect("a page");
    for words in
        ["epyc", "AMD EPYC 7763", "Arm Cortex-A72", "AES or ChaCha20?", "Small messages", "Not fit for comparisons"]
    {
        assert!(index.contains(words), "no {words} in {index}");
    }
    let page = fs::read_to_string(folder.path("site/epyc-messages.html")).expect("a page");
    assert!(page.contains("href=\"index.html\"") && page.contains("href=\"epyc-messages.json.gz\""));
    assert_eq!(folder.run(&["import", "site/epyc-messages.json.gz"]).code, Some(0), "its samples are read again");
    assert_eq!(folder.run(&["report", "--site", "site", "2"]).code, Some(0), "written again");
    assert!(!folder.path("site/epyc-messages.html").exists());
}

#[test]
fn site_of_the_table_is_written_without_arguments_and_of_its_folder() {
    let folder = TestFolder::new();
    assert_eq!(folder.run(&["report", "--site", "a"]).code, Some(0));
    let whole = table().display().to_string();
    assert_eq!(folder.run(&["report", "--site", "b", &whole]).code, Some(0));
    assert_eq!(names(&folder.path("a")), names(&folder.path("b")));
    let index = fs::read_to_string(folder.path("a/index.html")).expect("a page");
    assert!(index.contains("<td>AES-256-XTS</td>"), "of sectors, the faster cipher is used without a tag: {index}");
    let one = table().join(MACHINE).display().to_string();
    assert_eq!(folder.run(&["report", "--site", "c", &one]).code, Some(0));
}

#[test]
fn site_touches_no_folder_of_anyone_else() {
    let folder = folder([Planted::new("messages", aes_first)]);
    folder.write("mine/notes.txt", "mine");
    refuses(&folder.run(&["report", "--site", "mine"]), &["holds other files", "--site"]);
    symlink(folder.path("mine"), folder.path("link")).expect("a link");
    refuses(&folder.run(&["report", "--site", "link"]), &["it is a link"]);
    refuses(&folder.run(&["report", "--site", "link/"]), &["it is a link"]);
    folder.write("file", "mine");
    refuses(&folder.run(&["report", "--site", "file"]), &["it is not a folder"]);
    refuses(&folder.run(&["report", "--site", "no/such"]), &["cannot make the folder"]);
    assert_eq!(names(&folder.path("mine")), ["notes.txt"]);
    fs::create_dir(folder.path("empty")).expect("a folder");
    assert_eq!(folder.run(&["report", "--site", "empty"]).code, Some(0));
}

#[test]
fn hostile_texts_reach_neither_the_site_nor_the_terminal() {
    let named = |name: &str| Planted::new("messages", aes_first).with_fact("cpu", "A CPU").with_fact(name, HOSTILE);
    let folder = folder([named("os"), named("machine"), Planted::new("messages", aes_first).with_fact("cpu", HOSTILE)]);
    refuses(&folder.run(&["report", "--site", "site", "3"]), &["doesn't say on which CPU"]);
    let said = folder.run(&["report", "--site", "site", "1", "2"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    is_safe(&said.out, &["report"]);
    is_safe(&said.err, &["report"]);
    for page in names(&folder.path("site")).into_iter().filter(|name| name.ends_with(".html")) {
        let text = fs::read_to_string(folder.path("site").join(&page)).expect("a page");
        assert!(!text.contains(MARKUP) && !text.contains("FORGED"), "{page}");
    }
}

#[test]
fn exports_that_cannot_be_are_refused() {
    let folder = folder([Planted::new("messages", aes_first)]);
    folder.write("bomb.json.gz", pack(&vec![b'['; 64 << 20]).expect("memory"));
    folder.write("cut.json.gz", &pack(b"{\"schema\":2}").expect("memory")[..20]);
    folder.write("empty.json", "");
    for file in ["bomb.json.gz", "cut.json.gz", "empty.json"] {
        for command in [&["import", file][..], &["report", "--site", "site", file], &["advise", "--machine", file]] {
            let said = folder.run(command);
            refuses(&said, &[file]);
        }
    }
    assert!(!folder.path("site").exists());
}

#[test]
fn answer_for_a_machine_of_the_table_says_first_that_it_is_of_another() {
    let folder = TestFolder::new();
    let machine = MACHINE.to_owned();
    let said = folder.run(&["advise", "--machine", &machine]);
    assert!(matches!(said.code, Some(0 | 5)), "{said:?}");
    assert!(said.out.starts_with(&format!("Not of this machine: measured on {machine} (")), "{}", said.out);
    assert!(!folder.path("runs.db").exists(), "nothing is measured");
    let json = folder.run(&["advise", "--machine", &machine, "--json"]);
    folder.fits_the_schema_of("advise", &json.json());
    let first = json.json()["rests_on"]["elsewhere"].as_str().expect("a sentence").to_owned();
    assert!(first.starts_with("Not of this machine: measured on "), "{first}");
}

#[test]
fn machine_that_is_not_in_the_table_is_named_with_those_that_are() {
    let folder = TestFolder::new();
    let known = MACHINE;
    // No argument has a zero in it, and one with a slash is a path.
    let hostile = HOSTILE.replace(['\0', '/'], "");
    for path in ["../nowhere", "/nowhere/run.json", "AMD EPYC.json.gz"] {
        refuses(&folder.run(&["advise", "--machine", path]), &["cannot read", path]);
    }
    refuses(&folder.run(&["advise", "--machine", "."]), &["source.toml is missing"]);
    for name in ["tea", &hostile] {
        let said = folder.run(&["advise", "--machine", name]);
        refuses(&said, &["no measured machine", known, "--share"]);
        is_safe(&said.err, &["advise"]);
    }
}

#[test]
fn export_answers_for_its_machine() {
    let folder = folder([Planted::new("messages", chacha20_first).with_fact("cpu", "Arm Cortex-A72")]);
    assert_eq!(folder.run(&["export", "--share", "--yes", "-o", "pi.json.gz"]).code, Some(0));
    // Planted samples have no probe.
    refuses(
        &folder.run(&["advise", "--machine", "pi.json.gz"]),
        &["pi.json.gz does not answer for its machine", "probe"],
    );
    let run = files(&table().join(MACHINE)).into_iter().find(|(name, _)| name == "messages.json.gz").expect("a run");
    folder.write("other.json.gz", run.1);
    let said = folder.run(&["advise", "--machine", "other.json.gz"]);
    assert!(said.out.starts_with("Measured on "), "{said:?}");
    refuses(
        &folder.run(&["advise", "transfer", "--machine", "other.json.gz"]),
        &["has no run that answers this", "messages"],
    );
}

#[test]
fn cpu_that_was_not_measured_gets_the_nearest_one_and_its_figures() {
    let folder = TestFolder::new();
    let said = folder.run(&["advise", "--machine", "AMD EPYC 9999Z"]);
    let first = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(first.starts_with("Not of \"AMD EPYC 9999Z\": the nearest that was measured is "), "{said:?}");
    assert!(first.contains("by its name alone") && first.contains("Figures are that machine's."), "{said:?}");
    for other in ["VIA Nano", "AMD Phenom II X6 1090T"] {
        refuses(&folder.run(&["advise", "--machine", other]), &["no measured machine", other]);
    }
    let here = folder.run(&["advise", "--machine", "nearest"]);
    assert!(here.out.starts_with("Not of ") || here.err.contains("no measured machine is like"), "{here:?}");
}
