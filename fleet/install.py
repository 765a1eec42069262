"""Installs ciphermeter-fleet into build/venv, pinned by hash, and a link to it in a folder: install.py FOLDER."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "workers" / "python"))

import toolchain  # noqa: E402

from build import make  # noqa: E402

OLDEST = (3, 10)


def main(folder: Path) -> None:
    """Leaves what is there if it is as it should be."""
    venv = HERE / "build" / "venv"
    make(venv, [str(HERE / "requirements.txt")], "import cryptography, distributed, flit_core")
    pip = [venv / "bin" / "python", "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
    own = ["--force-reinstall", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*pip, *own, HERE], check=True)
    link = folder / "ciphermeter-fleet"
    link.unlink(missing_ok=True)
    link.symlink_to(venv / "bin" / "ciphermeter-fleet")


if __name__ == "__main__":
    if sys.version_info < OLDEST:
        sys.exit("ciphermeter-fleet needs CPython 3.10 or later, as Dask does")
    toolchain.check()
    try:
        main(Path(sys.argv[1]).resolve())
    except (subprocess.CalledProcessError, OSError) as error:
        sys.exit(f"ciphermeter-fleet was not installed: {error}; see above, then run `make fleet` again")
