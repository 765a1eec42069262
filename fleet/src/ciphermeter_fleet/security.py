"""TLS between all parts of a cluster: certificates made for one run, or files."""

from __future__ import annotations

import os
from pathlib import Path
from ssl import TLSVersion
from typing import TYPE_CHECKING

from .problem import Problem, clean

if TYPE_CHECKING:
    from distributed.security import Security

FILES = ("ca.pem", "cert.pem", "key.pem")


def for_this_run() -> Security:
    """A key and a certificate that exist in memory alone, for all parts: only who has them can take part."""
    from distributed.security import Security

    return Security.temporary(tls_min_version=TLSVersion.TLSv1_3)


def of_texts(ca: str, cert: str, key: str) -> Security:
    """From PEM, or from files of PEM."""
    from distributed.security import Security

    roles = {
        f"tls_{role}_{part}": text
        for role in ("client", "scheduler", "worker")
        for part, text in (("cert", cert), ("key", key))
    }
    return Security(require_encryption=True, tls_ca_file=ca, tls_min_version=TLSVersion.TLSv1_3, **roles)


def of_files(ca: str | None, cert: str | None, key: str | None) -> Security:
    """From files that a user names; what is not named is looked for in Dask's own configuration."""
    from distributed.security import Security

    named = {"--tls-ca-file": ca, "--tls-cert": cert, "--tls-key": key}
    if not any(named.values()):
        configured = Security(require_encryption=True)
        if configured.tls_ca_file and configured.tls_client_cert:
            return configured
        raise Problem("tls:// needs a certificate: name its files with --tls-ca-file, --tls-cert and --tls-key")
    for option, file in named.items():
        if not file:
            raise Problem(f"{option} is missing: name all three files, --tls-ca-file, --tls-cert and --tls-key")
        if not os.access(file, os.R_OK):
            raise Problem(f"cannot read {clean(file)}; name the file that {option} means")
    return of_texts(str(ca), str(cert), str(key))


def texts(security: Security) -> dict[str, str]:
    """The parts in PEM, to be sent to a worker."""
    return {"ca": security.tls_ca_file, "cert": security.tls_worker_cert, "key": security.tls_worker_key}


def write(folder: Path) -> list[Path]:
    """Writes a certificate for a cluster into a folder, which nobody else may read."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    parts = texts(for_this_run())
    written = []
    for name, part in zip(FILES, ("ca", "cert", "key"), strict=True):
        file = folder / name
        try:
            opened = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError as error:
            raise Problem(f"{file} is there already: name another folder") from error
        with os.fdopen(opened, "w", encoding="ascii") as out:
            out.write(parts[part])
        written.append(file)
    return written
