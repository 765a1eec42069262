"""The flash page in a real browser, headless, from this machine's loopback: its button is there, everything that it
loads comes from here, and no request leaves the machine."""

import functools
import http.server
import json
import os
import shutil
import subprocess
import tempfile
import threading
from pathlib import Path
from urllib.parse import urlsplit

from shared import BOARDS, BUILD, Skip, equal, run

SITE = BUILD / "flash"
# Loads the page in a frame, waits for its button, loads the dialog and the chip's part that a click would, and the
# manifest with what it names. It writes what it found into its own text, which the browser prints.
PROBE = """<!doctype html><iframe src="/index.html"></iframe><pre id="found"></pre><script type="module">
const found = {};
const loaded = async (path) => await (await fetch(path)).arrayBuffer();
try {
  const frame = document.querySelector("iframe");
  await new Promise((done) => (frame.contentDocument.readyState === "complete" ? done() : (frame.onload = done)));
  const registry = frame.contentWindow.customElements;
  await registry.whenDefined("esp-web-install-button");
  found.defined = registry.get("esp-web-install-button") !== undefined;
  const buttons = [...frame.contentDocument.querySelectorAll("esp-web-install-button")];
  found.upgraded = buttons.every((button) => button instanceof registry.get("esp-web-install-button"));
  found.supported = buttons.map((button) => button.hasAttribute("install-supported"));
  found.serial = "serial" in navigator;
  for (const name of NAMES) await import("/esp-web-tools/" + name);
  found.dialog = customElements.get("ewt-install-dialog") !== undefined;
  // The first must be seen in the browser's log, or the log proves nothing; the page's own policy must stop the second.
  await fetch("CONTROL").catch(() => {});
  found.stopped = await frame.contentWindow.fetch("STOPPED").then(() => false, () => true);
  found.parts = {};
  for (const button of buttons) {
    const answer = await fetch("/" + button.getAttribute("manifest"));
    if (!answer.ok) continue;
    for (const build of (await answer.json()).builds)
      for (const part of build.parts)
        found.parts[part.path] = [build.chipFamily, part.offset, (await loaded("/" + part.path)).byteLength];
  }
} catch (why) {
  found.error = String(why);
}
document.getElementById("found").textContent = "FOUND" + JSON.stringify(found) + "END";
</script>"""
CONTROL, STOPPED = "http://elsewhere.invalid/control", "http://elsewhere.invalid/stopped"


@functools.cache
def site() -> Path:
    if not shutil.which("npm"):
        raise Skip("npm is missing, which fetches esp-web-tools; install Node.js")
    if not any((BUILD / f"esp32c3-{placement}/merged.bin").exists() for placement in ("flash", "ram")):
        raise Skip("no image; build one first: sh boards/esp32c3/image.sh")
    run(["sh", BOARDS / "flash/site.sh"])
    return SITE


class Handler(http.server.SimpleHTTPRequestHandler):
    asked: list = []  # noqa: RUF012 # one server at a time

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments, directory=str(SITE))

    def do_GET(self) -> None:  # the name is the library's
        if self.path == "/probe":
            names = [file.name for file in SITE.glob("esp-web-tools/*") if file.name.startswith("install-dialog")]
            body = PROBE.replace("NAMES", json.dumps(names)).replace("CONTROL", CONTROL)
            body = body.replace("STOPPED", STOPPED).encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(body)
        else:
            super().do_GET()

    def log_message(self, form: str, *values: object) -> None:
        self.asked.append(form % values)


def browse(folder: Path) -> tuple:
    """What the page found, the addresses that it asked for, and the server's own."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not browser:
        raise Skip("there is no Chromium; install chromium")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    origin = f"http://127.0.0.1:{server.server_port}"
    log = folder / "net.json"
    command = [browser, "--headless", "--disable-gpu", "--no-first-run", "--disable-background-networking",
               "--disable-component-update", "--disable-default-apps", "--disable-sync", "--disable-extensions",
               "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", f"--log-net-log={log}",
               f"--user-data-dir={folder}/profile", "--virtual-time-budget=20000", "--dump-dom"]  # fmt: skip
    if os.geteuid() == 0:
        command.append("--no-sandbox")  # it does not run as root
    try:
        done = subprocess.run([*command, f"{origin}/probe"], capture_output=True, text=True, timeout=120)
    finally:
        server.shutdown()
        server.server_close()
    text = done.stdout.replace("&amp;", "&")
    if "FOUND{" not in text:
        raise AssertionError(f"the page found nothing: {text[:300]} {done.stderr[-500:]}")
    found = json.loads(text.split("FOUND", 1)[1].split("END<", 1)[0])
    return found, addresses(log, origin), origin


def addresses(log: Path, origin: str) -> set:
    """The URLs that pages of the server asked for, by the browser's own log of its network. What the browser asks for
    itself, for updates or the time, has another initiator. The log of a browser that ended may lack its end."""
    text = log.read_text().rstrip().rstrip(",")
    for ending in ("", "]}", "}"):
        try:
            events = json.loads(text + ending)["events"]
            break
        except json.JSONDecodeError:
            continue
    else:
        raise AssertionError(f"cannot read the browser's log: {text[-200:]}")
    told = [event.get("params", {}) for event in events]
    return {one["url"] for one in told if "url" in one and str(one.get("initiator", "")).startswith(origin)}


@functools.cache
def seen() -> tuple:
    site()
    with tempfile.TemporaryDirectory() as folder:
        return browse(Path(folder))


def test_flash_page_has_its_buttons() -> None:
    found, _, _ = seen()
    assert "error" not in found, found
    equal([found[key] for key in ("defined", "upgraded", "dialog")], [True, True, True], "the elements")
    # Web Serial is there in a browser of a computer, and then the buttons say so.
    equal(found["supported"], [found["serial"]] * 2, "whether the buttons can be used")


def test_flash_page_offers_the_images_that_were_built() -> None:
    found, _, _ = seen()
    built = {f"esp32c3-{placement}.bin": BUILD / f"esp32c3-{placement}/merged.bin" for placement in ("flash", "ram")}
    sizes = {name: ["ESP32-C3", 0, file.stat().st_size] for name, file in built.items() if file.exists()}
    equal(found["parts"], sizes, "chip, place and size of each")


def test_no_request_leaves_the_machine() -> None:
    found, asked, origin = seen()
    ours = {url for url in asked if url.startswith(f"{origin}/")}
    assert f"{origin}/esp-web-tools/install-button.js" in ours and len(ours) > 5, asked
    others = {url for url in asked - ours if urlsplit(url).scheme not in ("data", "blob")}
    equal(others, {CONTROL}, "addresses elsewhere, of which the test asks for one")
    assert found["stopped"], "the page's policy lets requests to other hosts pass"
