"""Builds the worker: a virtual environment under build/ with the library that requirements.txt pins by hash.

It does nothing where that stands already, and leaves no `built` file where it failed.
"""

import subprocess
import sys
from pathlib import Path

import toolchain

HERE = Path(__file__).resolve().parent

PIP = ["-m", "pip", "--disable-pip-version-check", "--quiet", "install", "--require-hashes", "--no-deps"]


def make(folder: Path, requirements: "list[str]", proof: str) -> None:
    """Makes the environment `folder` anew if it isn't what the files of requirements say, and runs `proof` in it."""
    built = folder / "built"
    texts = [(HERE / name).read_text(encoding="utf-8") for name in requirements]
    wanted = "\n".join([sys.version, str(folder), *texts])  # an environment knows its own place
    if built.exists() and built.read_text(encoding="utf-8") == wanted:
        return
    import venv  # only now: what stands already is to be found quickly

    built.unlink(missing_ok=True)
    venv.EnvBuilder(clear=True, with_pip=True, symlinks=True).create(folder)
    python = str(folder / "bin" / "python")
    files = [word for name in requirements for word in ("-r", str(HERE / name))]
    # Only wheels: one built here would be of another OpenSSL than the one that was verified.
    subprocess.run([python, *PIP, "--only-binary", ":all:", *files], check=True)
    subprocess.run([python, "-c", proof], check=True, cwd=HERE)
    built.write_text(wanted, encoding="utf-8")


def main() -> int:
    try:
        make(HERE / "build" / "venv", ["requirements.txt"], "from cryptography.hazmat.primitives.ciphers import aead")
    except (subprocess.CalledProcessError, OSError) as error:
        print(f"the study worker was not built: {error}; see above, then run build.py again", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    toolchain.check()
    sys.exit(main())
