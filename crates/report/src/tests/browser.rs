//! The page in a real browser, headless: its figures are drawn, its script works by mouse and by keyboard, it fits a narrow screen, and it
//! asks no network. Without Chromium these tests are skipped.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use ciphermeter_core::{Record, Run};
use serde_json::Value;

use super::paged::{page, page_of_ten_thousand};
use crate::html::policy::source;
use ciphermeter_answer::fixtures;

/// What a reader can see and do, written into the page's own text, which the browser prints.
const PROBE: &str = r##"<script>
addEventListener("load", () => {
  const found = { ms: 0, width: innerWidth };
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  try {
    document.body.getBoundingClientRect();
    found.ms = performance.now();
    found.waiting = all(".figure noscript").length;
    all(".figure").forEach(read);
    const panels = all("svg.panel").filter((svg) => svg.getClientRects().length > 0);
    const isDrawn = (mark) => mark.getBoundingClientRect().width > 3;
    found.panels = panels.length;
    found.drawn = panels.filter((svg) => all("polyline, polygon, path, rect, circle", svg).some(isDrawn)).length;
    found.overflow = document.documentElement.scrollWidth - innerWidth;
    const figure = document.querySelector(".figure");
    const button = figure.querySelector("button[data-s]");
    const line = figure.querySelector(`g[data-s="${button.dataset.s}"]`);
    button.click();
    found.hidden = line.getClientRects().length === 0 && button.getAttribute("aria-pressed") === "false";
    button.click();
    found.back = line.getClientRects().length > 0;
    const [usual, other] = [figure.querySelector(".usual"), figure.querySelector(".other")];
    figure.querySelector("button.scale").click();
    found.respaced = usual.hidden && !other.hidden && isDrawn(other.querySelector("svg"));
    figure.querySelector("button.scale").click();
    const svg = figure.querySelector(".usual svg.panel");
    svg.focus();
    found.focused = document.activeElement === svg;
    const press = (key) => svg.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    press("ArrowRight");
    found.first = document.getElementById("said").textContent;
    press("ArrowRight");
    found.second = document.getElementById("said").textContent;
    press("ArrowDown");
    found.below = document.getElementById("said").textContent;
    press("End");
    found.last = document.getElementById("said").textContent;
    const box = svg.querySelector(".p").getBoundingClientRect();
    const at = { clientX: box.x + box.width / 2, clientY: box.y + box.height / 2, bubbles: true, pointerType: "touch" };
    svg.dispatchEvent(new PointerEvent("click", at));
    svg.dispatchEvent(new PointerEvent("pointerleave", at));
    found.tapped = document.getElementById("said").textContent;
    press("Escape");
    found.silent = document.getElementById("said").textContent;
    const filter = document.querySelector(".filter");
    found.atOnce = all("tbody tr", filter.parentElement).length;
    filter.closest("details").open = true;
    filter.querySelector("input").value = "RING open 1 KiB";
    filter.querySelector("input").dispatchEvent(new Event("input"));
    found.cells = all("tbody tr", filter.parentElement).length;
    const rows = all("tbody tr", filter.parentElement).filter((row) => !row.hidden);
    found.filtered = rows.length > 0 && rows.every((row) => /ring/.test(row.textContent) && /open/.test(row.textContent) && /1 KiB/.test(row.textContent));
    found.named = all("svg.panel, button, a, input").every((each) =>
      (each.getAttribute("aria-label") || each.textContent || each.closest("label")?.textContent || "").trim() !== "");
    found.targets = all("nav a").every((link) => document.querySelector(link.getAttribute("href")) !== null);
  } catch (why) {
    found.error = String(why);
  }
  fetch("http://elsewhere.invalid/stopped").catch(() => {});
  const text = document.createElement("pre");
  text.textContent = "FOUND" + JSON.stringify(found) + "END";
  document.body.append(text);
});
</script>"##;

/// The browser, if there is one.
fn browser() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let found =
        std::env::split_paths(&path).flat_map(|folder| names.map(|name| folder.join(name))).find(|file| file.exists());
    if found.is_none() {
        println!("skipped: there is no Chromium; install chromium");
    }
    found
}

/// Opens a page with further options; comes back with what the browser printed.
fn open(browser: &Path, folder: &Path, page: &Path, options: &[&str]) -> String {
    let mut command = Command::new(browser);
    let quiet =
        ["--disable-background-networking", "--disable-component-update", "--disable-default-apps", "--disable-sync"];
    command.args(["--headless", "--disable-gpu", "--no-first-run", "--hide-scrollbars"]).args(quiet);
    command
        .arg("--host-resolver-rules=MAP * ~NOTFOUND")
        .arg(format!("--user-data-dir={}", folder.join("profile").display()));
    if is_root() {
        // It does not run as root else.
        command.arg("--no-sandbox");
    }
    let done = command.args(options).arg(format!("file://{}", page.display())).output().unwrap();
    String::from_utf8_lossy(&done.stdout).into_owned()
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0)
}

/// What the probe found in a page.
fn probed(browser: &Path, page: &str, options: &[&str]) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.html");
    let script = PROBE.trim_start_matches("<script>").trim_end_matches("</script>");
    let allowing = page.replacen("script-src ", &format!("script-src {} ", source(script)), 1);
    fs::write(&file, allowing.replace("</body>", &format!("{PROBE}</body>"))).unwrap();
    let text = open(browser, folder.path(), &file, &[&["--dump-dom"], options].concat()).replace("&amp;", "&");
    let found = text.rsplit_once("FOUND{").and_then(|(_, rest)| rest.split_once("END<"));
    let (found, _) =
        found.unwrap_or_else(|| panic!("the page found nothing: {}", text.chars().take(500).collect::<String>()));
    let found: Value = serde_json::from_str(&format!("{{{found}")).unwrap();
    assert_eq!(found.get("error"), None, "{found}");
    found
}

fn run() -> (Run, Vec<Record>) {
    fixtures::run()
}

#[test]
fn only_the_page_s_own_script_runs() {
    let Some(browser) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    let (run, records) = run();
    let smuggled = "<script>document.title = 'smuggled'</script></body>";
    let file = folder.path().join("page.html");
    fs::write(&file, page(&run, &records).replace("</body>", smuggled)).unwrap();
    let dom = open(&browser, folder.path(), &file, &["--dump-dom"]);
    assert!(dom.contains("<html lang=\"en\" class=\"js\">"), "its own script ran");
    assert!(!dom.contains("<title>smuggled"), "another did not");
}

#[test]
fn figures_are_drawn_and_answer_to_mouse_and_keyboard() {
    let Some(browser) = browser() else { return };
    let (run, records) = run();
    let found = probed(&browser, &page(&run, &records), &["--window-size=1280,900"]);
    assert_eq!((&found["atOnce"], &found["cells"]), (&records.len().into(), &records.len().into()), "{found}");
    assert_eq!(found["waiting"], 0, "a small page has all at once: {found}");
    assert!(found["panels"].as_u64() > Some(8) && found["panels"] == found["drawn"], "{found}");
    for rule in ["hidden", "back", "respaced", "focused", "filtered", "named", "targets"] {
        assert_eq!(found[rule], true, "{rule}: {found}");
    }
    let said = |key: &str| found[key].as_str().unwrap().to_owned();
    assert!(said("first").starts_with("aws-lc, AES-256-GCM, 64 B: ") && said("first").contains(" GB/s ("), "{found}");
    assert!(said("below").starts_with("aws-lc, ChaCha20-Poly1305, 1 KiB: "), "{found}");
    assert!(
        said("last").starts_with("aws-lc, ChaCha20-Poly1305, 16 KiB: ") && said("tapped") == said("first"),
        "{found}"
    );
    assert!(said("second").starts_with("aws-lc, AES-256-GCM, 1 KiB: ") && said("silent").is_empty(), "{found}");
}

#[test]
fn page_fits_a_narrow_screen() {
    let Some(browser) = browser() else { return };
    let (run, records) = run();
    let found = probed(&browser, &page(&run, &records), &["--window-size=400,800"]);
    assert!(found["width"].as_u64() <= Some(500) && found["overflow"].as_i64() <= Some(0), "{found}");
}

#[test]
fn screenshot_is_kept_and_the_page_prints() {
    let Some(browser) = browser() else { return };
    let (run, records) = run();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.html");
    fs::write(&file, page(&run, &records)).unwrap();
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/screenshots");
    fs::create_dir_all(&kept).unwrap();
    for (name, option) in [("report.png", ""), ("report-dark.png", "--blink-settings=preferredColorScheme=0")] {
        let picture = kept.join(name);
        let shot = format!("--screenshot={}", picture.display());
        let options: Vec<&str> = [shot.as_str(), "--window-size=1280,2400", option]
            .into_iter()
            .filter(|option| !option.is_empty())
            .collect();
        open(&browser, folder.path(), &file, &options);
        let bytes = fs::read(&picture).unwrap();
        assert!(bytes.starts_with(b"\x89PNG") && bytes.len() > 50_000, "{name}: {}", bytes.len());
    }
    let paper = folder.path().join("page.pdf");
    open(&browser, folder.path(), &file, &[&format!("--print-to-pdf={}", paper.display())]);
    assert!(fs::read(&paper).unwrap().starts_with(b"%PDF"));
}

/// The addresses that a page asked for, by the browser's log of its network; the initiator of a page from a file is `null`.
fn asked(browser: &Path, page: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let (file, log) = (folder.path().join("page.html"), folder.path().join("net.json"));
    fs::write(&file, page).unwrap();
    open(browser, folder.path(), &file, &["--dump-dom", &format!("--log-net-log={}", log.display())]);
    let text = fs::read_to_string(&log).unwrap();
    // One event a line; the browser's end may cut the last.
    let events = text.lines().filter_map(|line| serde_json::from_str::<Value>(line.trim_end_matches(',')).ok());
    let own = events.filter(|event| event["params"]["initiator"] == "null");
    own.filter_map(|event| Some(event["params"]["url"].as_str()?.to_owned()))
        .filter(|url| url.starts_with("http"))
        .collect()
}

#[test]
fn page_asks_no_network_even_where_a_script_tries() {
    let Some(browser) = browser() else { return };
    // The log shows what is asked, or it proves nothing.
    let control = asked(&browser, "<!doctype html><body><img src=\"http://elsewhere.invalid/control\"></body>");
    assert_eq!(control, ["http://elsewhere.invalid/control"]);
    let (run, records) = run();
    let page = page(&run, &records).replace("</body>", &format!("{PROBE}</body>"));
    assert_eq!(asked(&browser, &page), [""; 0]);
}

/// A large page some time after it has opened.
#[test]
#[ignore = "deep: a run of ten thousand cells"]
fn figures_that_waited_are_drawn_without_being_asked_for() {
    let Some(browser) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.html");
    let page = page_of_ten_thousand(2);
    fs::write(&file, &page).unwrap();
    let later = open(&browser, folder.path(), &file, &["--dump-dom", "--virtual-time-budget=30000"]);
    let [before, after] = [&page, &later].map(|page| page.matches("<noscript>").count());
    assert!(before > 10 && after == 1, "all but the table of all cells: {before}, {after}");
}

/// How long it takes is printed, not judged: `cargo test --release -p ciphermeter-report page_of_ten -- --ignored --nocapture`.
#[test]
#[ignore = "deep: a run of ten thousand cells"]
fn page_of_ten_thousand_cells_opens_and_works() {
    let Some(browser) = browser() else { return };
    for libraries in [2, 25, 125] {
        let found = probed(&browser, &page_of_ten_thousand(libraries), &["--window-size=1280,900"]);
        println!("{libraries} libraries: opened and laid out in {} ms", found["ms"]);
        assert_eq!(found["panels"], found["drawn"], "{found}");
        assert!(found["waiting"].as_u64() > Some(0), "figures wait until the page is open: {found}");
        assert_eq!(
            (&found["atOnce"], &found["cells"]),
            (&0.into(), &10_000.into()),
            "rows are read when they are wanted"
        );
    }
}
