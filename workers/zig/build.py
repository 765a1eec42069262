"""Builds the worker for this CPU, and once more without each set of instructions that `--cpu` disables.

build.py         builds into build/, or does nothing if that is built already
build.py check   prints the compiler that will build, or what is missing, and then exits with 1
build.py test    runs the tests; build.py format checks the form

The compiler is the `zig` in PATH if it has the version of requirements.txt; otherwise that version from PyPI, pinned by
hash, comes into build/venv.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUILD = HERE / "build"
REQUIREMENTS = HERE / "requirements.txt"
VERSION = re.search(r"^ziglang==(\S+)", REQUIREMENTS.read_text(encoding="utf-8"), re.MULTILINE).group(1)

PIP = ["-m", "pip", "--disable-pip-version-check", "--quiet", "install", "--require-hashes", "--no-deps"]

# What a CPU lacks that has no such instructions: features of x86-64 and of Arm, by Zig's names.
MASKS = {
    "aes": r"aes|pclmul|vaes|vpclmulqdq|crypto|sve_aes|sve2_aes",
    "vaes": r"vaes|vpclmulqdq",
    "avx512": r"avx512.*",
    "avx2": r"avx.+|vaes|vpclmulqdq",
}


def installed():
    """The `zig` in PATH, if it is of the version that is wanted."""
    zig = shutil.which("zig")
    if zig is None:
        return None
    said = subprocess.run([zig, "version"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return zig if said.stdout.decode(errors="replace").strip() == VERSION else None


def compiler():
    """The command of the compiler, which is installed into build/venv if there is no other."""
    if installed() is not None:
        return [installed()]
    venv, python = BUILD / "venv", BUILD / "venv" / "bin" / "python"
    done = venv / "installed"
    wanted = "\n".join([sys.version, str(venv), REQUIREMENTS.read_text(encoding="utf-8")])
    if not done.exists() or done.read_text(encoding="utf-8") != wanted:
        import venv as environments  # only now: an existing environment is recognised quickly

        environments.EnvBuilder(clear=True, with_pip=True).create(venv)
        subprocess.run([str(python), *PIP, "--only-binary", ":all:", "-r", str(REQUIREMENTS)], check=True)
        done.write_text(wanted, encoding="utf-8")
    return [str(python), "-m", "ziglang"]


def zig(command, *words):
    caches = ["--cache-dir", str(BUILD / "cache"), "--global-cache-dir", str(BUILD / "global-cache")]
    subprocess.run([*command, *words, *caches], cwd=HERE, check=True)


def program(command, name, cpu, optimize, *modules):
    binary = BUILD / name
    options = ["-O", optimize, "-mcpu=" + cpu, "-fsingle-threaded", "-fstrip", "-femit-bin=" + str(binary)]
    zig(command, "build-exe", *options, *modules)


def build():
    command = compiler()
    # What `native` is here, as a source; the launcher reads it, too.
    said = subprocess.run([*command, "build-exe", "--show-builtin", "-mcpu=native"], check=True, stdout=subprocess.PIPE)
    native = said.stdout.decode()
    features = re.findall(r"^ +\.@?\"?(\w+)\"?,$", native, re.MULTILINE)
    without = {mask: [name for name in features if re.fullmatch(pattern, name)] for mask, pattern in MASKS.items()}
    without = {mask: names for mask, names in without.items() if names}
    built_for = native + "pub const masks = [_][]const u8{" + ", ".join(f'"{mask}"' for mask in without) + "};\n"

    sources = [HERE / "build.py", *sorted((HERE / "src").iterdir())]
    hashes = [hashlib.sha256(source.read_bytes()).hexdigest() for source in sources]
    built, wanted = BUILD / "built", "\n".join([str(command), *hashes, built_for])
    if built.exists() and built.read_text(encoding="utf-8") == wanted:
        return
    BUILD.mkdir(exist_ok=True)
    if built.exists():
        built.unlink()
    (BUILD / "built_for.zig").write_text(built_for, encoding="utf-8")
    main = "-Mroot=src/main.zig"
    launcher = ["--dep", "built_for", "-Mroot=src/launch.zig", "-Mbuilt_for=build/built_for.zig"]
    programs = [("worker-native", "native", "ReleaseFast", main), ("worker", "baseline", "ReleaseSmall", *launcher)]
    for mask, names in without.items():
        programs.append(("worker-no-" + mask, "-".join(["native", *names]), "ReleaseFast", main))
    with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
        for ended in [threads.submit(program, command, *one) for one in programs]:
            ended.result()
    built.write_text(wanted, encoding="utf-8")


def check():
    if installed() is not None:
        print("zig " + VERSION)
        return
    if sys.version_info < (3, 7):
        sys.exit(f"this is Python {sys.version.split()[0]}; install Python 3.7 or later, or Zig {VERSION}")
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError:
        sys.exit(f"there is no Zig {VERSION}, and this Python has no venv to install it into")
    print("zig " + VERSION + ", from PyPI")


def main():
    actions = {
        "": build,
        "check": check,
        "test": lambda: zig(compiler(), "test", "-O", "ReleaseFast", "-mcpu=native", "src/main.zig"),
        "format": lambda: subprocess.run([*compiler(), "fmt", "--check", "src"], cwd=HERE, check=True),
    }
    action = actions.get(" ".join(sys.argv[1:]))
    if action is None:
        print("usage: build.py [check | test | format]", file=sys.stderr)
        return 2
    try:
        action()
    except (subprocess.CalledProcessError, OSError) as error:
        print(f"the Zig worker: {error}; see above, then run build.py again", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
