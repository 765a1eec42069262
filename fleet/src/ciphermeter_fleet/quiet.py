"""Dask's settings for parts that we start: what a measurement would notice is off, and nothing listens without TLS."""

from __future__ import annotations

import logging
import warnings
from typing import Any

SETTINGS: dict[str, Any] = {
    # A worker's own looks at itself take its host's CPU.
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "30s",
    "distributed.admin.system-monitor.disk": False,
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.diagnostics.nvml": False,
    "distributed.scheduler.active-memory-manager.start": False,
    "distributed.scheduler.work-stealing": False,
    # Its pages would be served without TLS.
    "distributed.worker.http.routes": [],
    "distributed.scheduler.http.routes": [],
    # A task whose worker dies has failed: it is never given to another one.
    "distributed.scheduler.allowed-failures": 0,
}
NOWHERE = "127.0.0.1:0"
"""Where Dask's web server listens, which it cannot do without."""


def configure(verbose: bool) -> None:
    """To be called before a part of Dask is made."""
    import dask

    dask.config.set(SETTINGS)
    if not verbose:
        # Each of our messages is one line; Dask's are traces for its developers.
        logging.disable(logging.CRITICAL)
        warnings.simplefilter("ignore")
