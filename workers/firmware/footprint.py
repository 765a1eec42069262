"""What an algorithm takes in flash and RAM, from a linker's map.

For each algorithm, libraries.py links an image whose only root is the component's offer of it, and lets the linker drop
every section that is not reached from there. Since each function and each object is compiled into a section of its own,
what is left of the library is exactly what the algorithm needs. Its sections are added up; the component, the worker's
memory functions and the compiler's run-time library are left out. (In Rust, the component is compiled together with
the library, and counts.) Nothing is estimated, and the image that is measured is not touched: the sums are known before
it is linked.

The memory for a Rust cipher's object is left out, too: it is as large as the largest, and an offer names its own.
"""

import re

# A section that was kept: name, address, size, object. The line breaks after a long name.
SECTION = re.compile(r"^ ([\w.$-]+)\s+0x[0-9a-f]+\s+0x([0-9a-f]+) (\S+)$", re.MULTILINE)
# Flash holds code, constants, and what variables are initialized with.
CODE = ".text", ".literal", ".progmem", ".ARM.ex"
CONSTANTS = ".rodata", ".srodata"
VARIABLES = ".data", ".sdata"
CLEARED = ".bss", ".sbss", "COMMON"
OBJECT = ".bss.rustcrypto_object"


def of_library(text: str, prefix: str, target: dict) -> tuple:
    """Bytes of flash and of RAM of all sections from files whose names begin so."""
    in_flash = CODE + CONSTANTS + VARIABLES
    # Where constants cannot be read from flash like other memory, the linker puts a copy of them into RAM.
    in_ram = VARIABLES + CLEARED + (CONSTANTS if target.get("constants_in_ram") else ())
    flash = ram = 0
    for name, size, file in SECTION.findall(text.split("Linker script and memory map", 1)[1]):
        if file.startswith(prefix) and "compiler_builtins" not in file and name != OBJECT:
            flash += int(size, 16) * name.startswith(in_flash)
            ram += int(size, 16) * name.startswith(in_ram)
    return flash, ram
