"""Builds the worker: a virtual environment under build/ with the libraries pinned by hash in requirements.txt.

It does nothing if that exists already, and leaves no `built` file if it failed.
"""

import subprocess
import sys
from pathlib import Path

import toolchain

HERE = Path(__file__).resolve().parent

PIP = ["-m", "pip", "--disable-pip-version-check", "--quiet", "install", "--require-hashes", "--no-deps"]


def make(folder: Path, requirements: "list[str]", proof: str) -> None:
    """Rebuilds the environment `folder` if it does not match the files of requirements, and runs `proof` in it."""
    built = folder / "built"
    texts = [(HERE / name).read_text(encoding="utf-8") for name in requirements]
    wanted = "\n".join([sys.version, str(folder), *texts])  # an environment depends on its path
    if built.exists() and built.read_text(encoding="utf-8") == wanted:
        return
    import venv  # only now: an existing environment is recognised quickly

    built.unlink(missing_ok=True)
    venv.EnvBuilder(clear=True, with_pip=True, symlinks=sys.platform != "win32").create(folder)
    python = str(folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python"))
    files = [word for name in requirements for word in ("-r", str(HERE / name))]
    # Only wheels: one built here would have another OpenSSL or libsodium than the one that was verified.
    subprocess.run([python, *PIP, "--only-binary", ":all:", *files], check=True)
    subprocess.run([python, "-c", proof], check=True, cwd=HERE)
    built.write_text(wanted, encoding="utf-8")


def main() -> int:
    try:
        make(HERE / "build" / "venv", ["requirements.txt"], "import cryptography, Crypto, nacl")
    except (subprocess.CalledProcessError, OSError) as error:
        print(f"the Python worker was not built: {error}; see above, then run build.py again", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    toolchain.check()
    sys.exit(main())
