"""A transfer survives a loss of power.

It runs once on a disk that forgets, and is resumed from each image that a cut before each step would leave. Both ends
lose their power at the same moment. What is promised:

- a file under its final name is complete, with its permissions and time, in every image;
- what the journal on the disk says is here is here: with `placing`, `recv --resume` alone gives the remaining names;
  with pieces, both ends resume, and only the rest is sent;
- before that the transfer is resumed, too, or one end says that there is nothing to resume; a receiver that says so
  leaves nothing behind;
- once `send` has ended well, every file has its final name.
"""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Iterator

import pytest

from conftest import LIMIT, Ours
from disk import Loss
from forgetful import Forgetful, mounted, restore
from power import Power

SHORT = {"source/a": 100, "source/empty": 0, "source/inner/b": 300_000, "source/inner/most/c": 5000}
SEVERAL = {"one": 100, "two/inner/a": 300_000}  # they go into a new folder
# More than are synced one by one where `syncfs` can be relied on.
MANY = {f"source/{number}": 1000 for number in range(10)}
LONG = {"source/a": 1 << 20, "source/b": 1 << 20}
THROTTLED = ["--limit", "400kB"]


@pytest.fixture
def power(ours: Ours, request: pytest.FixtureRequest) -> Iterator[Power]:
    """With the files, and whether the file system has renames that don't overwrite."""
    files, exclusive_renames = request.param
    power = Power(ours, Forgetful(exclusive_renames), files)
    with mounted(power.mount, power.forgetful):
        yield power
        power.forgetful.before = lambda step: None
        for process in ours.started:
            process.kill()
            process.communicate()


def on(**transfers):
    return pytest.mark.parametrize("power", transfers.values(), ids=transfers, indirect=True)


@on(renames=(SHORT, True), links=(SHORT, False), several=(SEVERAL, True), many=(MANY, True))
def test_short_transfer_is_resumed_or_was_nothing(power):
    power.run(losses=[Loss.ALL, Loss.BYTES])
    power.check_cuts()
    assert all(power.has_names(image) for _, image in power.cuts[-1].images), "`send` said that all is on disk"


@on(pieces=(LONG, True))
def test_what_a_journal_records_is_there(power):
    power.run(*THROTTLED, losses=[Loss.ALL])
    recorded = [cut for cut in power.cuts if cut.pieces]
    assert recorded
    power.cuts = recorded[:: max(1, len(recorded) // 8)]
    power.check_cuts()


@on(pieces=(LONG, True))
def test_sender_can_resume_once_it_says_so(power):
    into, folder = power.ours.folder("into"), power.ours.folder("image")
    # Its disk takes longer than its patience.
    power.forgetful.before = lambda step: step.startswith("sync") and time.sleep(0.5)
    recv, send = power.begin(*THROTTLED, "--patience", "1s", into=into)
    until = time.monotonic() + LIMIT
    while not list(into.glob("*/0.part")):
        assert time.monotonic() < until, "nothing comes"
        time.sleep(0.01)
    recv.kill()
    _, error = send.communicate(timeout=LIMIT)
    left = power.disk.image(Loss.ALL)
    assert send.returncode and b"`ciphermeter send --resume=" in error
    restore(left, folder)
    shutil.copytree(into, folder / "into", dirs_exist_ok=True)
    assert power.resumed(folder)[0] == "resumed"


@on(short=(SHORT, True))
def test_last_receipt_waits_for_the_disk(power):
    recv, send = power.begin()
    early = []

    def slowly(step):
        if step.startswith("sync") and all(power.disk.find(f"into/{name}") for name in power.files):
            time.sleep(0.2)
            early.append(send.poll() is not None)

    power.forgetful.before = slowly
    assert send.wait(LIMIT) == 0
    assert recv.wait(LIMIT) == 0
    assert early and not any(early)


@on(short=(SHORT, True))
def test_bytes_do_not_wait_for_the_disk_of_the_sender(power):
    into, syncs = power.ours.folder("into"), threading.Event()
    power.forgetful.before = lambda step: step.startswith("sync") and syncs.wait(LIMIT)
    recv, send = power.begin(into=into)
    until = time.monotonic() + LIMIT
    while not all((into / name).exists() for name in power.files):
        assert time.monotonic() < until, "nothing comes"
        time.sleep(0.01)
    syncs.set()
    assert (send.wait(LIMIT), recv.wait(LIMIT)) == (0, 0)


@pytest.mark.deep
@on(renames=(SHORT, True), links=(SHORT, False), several=(SEVERAL, True), pieces=(LONG, True))
def test_every_cut_has_every_image(power):
    power.run(*THROTTLED, losses=[*Loss], mixtures=range(60))
    power.check_cuts()


# Blocks of 512 bytes, or of 1024: either way less than the second file.
LIMITED = ("sh", "-c", "trap '' XFSZ; ulimit -f 512 && exec \"$@\"", "sh")


@on(larger=({"source/a": 100_000, "source/b": 1 << 20}, True))
def test_sender_is_told_what_failed_before_the_disk_has_the_rest(power):
    has_ended, start = threading.Event(), power.ours.start
    power.forgetful.before = lambda step: step.startswith("sync") and ".part" in step and has_ended.wait(LIMIT)
    power.ours.start = lambda end, *more: start(end, *more, prefix=LIMITED if end == "recv" else ())
    recv, send = power.begin()
    _, error = send.communicate(timeout=LIMIT)
    has_ended.set()
    assert send.returncode == 5 and b"File too large" in error, error
    assert recv.wait(LIMIT) == 5
