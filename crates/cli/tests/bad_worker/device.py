"""The worker beside this file, on a device: `device.py MODE [KIND]`.

KIND `counting` (default) counts instructions, as an emulated core does; `board` counts time; `metered` does, too, and has a meter that
reads 80 mA at 3.3 V at work, and 42 mA while it waits. MODE is the worker's own, or one of these:
`resets4` ends at its fourth sample, each time that it is started anew; `planted` found a known answer wrong itself; `newer` speaks
another version; `cut9` ends at its ninth check; `uncounted` is emulated and counts time; `clockless` does not answer `clock`; `sketch` is no worker, `mute` says nothing at all.
"""

import json
import os
import subprocess
import sys
import time

MODE = sys.argv[1] if len(sys.argv) > 1 else "honest"
KIND = sys.argv[2] if len(sys.argv) > 2 else "counting"
COUNTS = KIND == "counting"
WINDOW_NS = 30_000_000
CUT_AT = int(MODE[3:]) if MODE.startswith("cut") else 0
RESETS_AT = int(MODE[6:]) if MODE.startswith("resets") else 0
OWN = (f"resets{RESETS_AT}", f"cut{CUT_AT}", "planted", "newer", "sketch", "mute", "uncounted", "clockless")
LIMIT = 256
samples = checks = 0


def changed(asked, reply):
    """The worker's answer as a device gives it."""
    global samples, checks
    kind = reply["is"]
    if kind == "worker":
        reply |= {"protocol": 2 if MODE == "newer" else 1, "board": "a board of tests", "max_line": 1024, "max_message": LIMIT}
        reply |= {"counts": "instructions", "emulated": 1} if COUNTS else {"clock_hz": 16_000_000, "code_in": "flash"}
        reply |= {"current_meter": "INA226", "current_window_ns": WINDOW_NS} if KIND == "metered" else {}
    if MODE == "uncounted" and kind == "worker":
        reply |= {"emulated": 1}
    if MODE == "clockless" and kind == "clock":
        reply = {"is": "error", "why": "there is no timer"}
    if asked.get("do") == "check":
        checks += 1
        if checks == CUT_AT:
            os._exit(0)
    if kind == "memory" and KIND == "metered":
        reply |= {"stack": 2048, "heap_free": 180_000, "heap_least_free": 160_000}
    if kind == "end" and MODE == "planted":
        wrong = {"is": "absent", "provider": "bad", "why": "known answer 3 of xor failed", "wrong": 1}
        print(json.dumps(wrong), flush=True)
    if kind == "clock" and COUNTS:
        reply = {"is": "clock", "step": 1, "call": 4, "loop": 9}
    if kind == "sample":
        samples += 1
        if samples == RESETS_AT:
            os._exit(0)
        if COUNTS:
            del reply["ns"], reply["cpu_ns"]
            reply["instructions"] = 4000 * asked["iterations"] + 4
        if KIND == "metered" and reply["ns"] >= WINDOW_NS:
            reply |= {"charge_nc": reply["ns"] * 80 // 1000, "voltage_uv": 3_300_000, "current_samples": 64}
        reply |= {"stack_bytes": 312, "state_bytes": 420, "code_bytes": 6120}
    return reply


def ask(worker, line):
    worker.stdin.write(line)
    worker.stdin.flush()
    asked = json.loads(line)
    if asked.get("do") == "current" and KIND == "metered":
        worker.stdout.readline()
        time.sleep(WINDOW_NS / 1e9)
        print(json.dumps({"is": "current", "charge_nc": 42 * WINDOW_NS // 1000, "ns": WINDOW_NS}), flush=True)
        return
    while True:
        reply = json.loads(worker.stdout.readline())
        if asked.get("do") == "prepare" and asked["message"] > LIMIT:
            reply = {"is": "unsupported", "why": f"messages have up to {LIMIT} bytes here"}
            ask_quietly(worker, {"do": "release", "cell": asked["cell"]})
        print(json.dumps(changed(asked, reply)), flush=True)
        if asked.get("do") != "describe" or reply["is"] == "end":
            return


def ask_quietly(worker, request):
    worker.stdin.write(json.dumps(request) + "\n")
    worker.stdin.flush()
    worker.stdout.readline()


def main():
    if not COUNTS:
        print("ets Jul 29 2019 12:21:46\r\nrst:0x1 (POWERON)\r", flush=True)
    if MODE == "mute":
        return sys.stdin.read()
    if MODE == "sketch":
        for _ in sys.stdin:
            print("Temp: 21.5 C", flush=True)
        return None
    mode = "honest" if MODE in OWN else MODE
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "worker.py")
    with subprocess.Popen([sys.executable, "-S", script, mode], stdin=-1, stdout=-1, text=True) as worker:
        for line in filter(str.strip, sys.stdin):
            assert len(line) <= 1024, "the line does not fit"
            ask(worker, line)


main()
