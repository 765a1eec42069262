"""By what a machine is known: a hash of its machine id, which itself should not leave the machine (machine-id(5))."""

from __future__ import annotations

import hashlib
import hmac
from pathlib import Path

from .problem import Problem

_FILES = ("/etc/machine-id", "/var/lib/dbus/machine-id")


def identity() -> str:
    """32 digits, the same until the system is installed anew."""
    for file in _FILES:
        try:
            found = Path(file).read_text(encoding="ascii").strip()
        except (OSError, UnicodeDecodeError):
            continue
        if len(found) == 32:
            return hmac.new(found.encode(), b"ciphermeter fleet", hashlib.sha256).hexdigest()[:32]
    raise Problem(f"there is no machine id in {_FILES[0]}; make one with `systemd-machine-id-setup`")
