"""AEGIS from Zig's standard library: aegis.zig, which this builds and calls."""

import ctypes
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path


@cache
def library():
    with tempfile.TemporaryDirectory() as folder:
        built = Path(folder, "aegis.so")
        source = Path(__file__).with_suffix(".zig")
        command = [sys.executable, "-m", "ziglang", "build-lib", "-dynamic", "-OReleaseSafe", f"-femit-bin={built}"]
        subprocess.run([*command, source], check=True)
        return ctypes.CDLL(built)


def zig_seal(algorithm, key, nonce, aad, message):
    """Ciphertext and tag."""
    bytes_of_tag = 32 if algorithm.endswith("-32") else 16
    output, tag = ctypes.create_string_buffer(len(message)), ctypes.create_string_buffer(bytes_of_tag)
    sizes = [ctypes.c_size_t(len(text)) for text in (message, aad)]
    library()[algorithm](output, tag, message, sizes[0], aad, sizes[1], nonce, key)
    return output.raw + tag.raw
