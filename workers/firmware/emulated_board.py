"""The port of a board, tried in QEMU: ports/stm32f4 in netduinoplus2, an STM32F405, through its serial line.

QEMU has no cycle counter there, so a timer stands in (see ports/stm32f4/port.c). An instruction takes 16 of its
ticks, which the port takes for 1 µs. A serial line has no end, so the emulator must be stopped.
"""

import golden
from compilers import Target
from paths import HERE
from test_client import Image, Skip, Worker, equal
from variant import variants

NS_OF_AN_INSTRUCTION = 1000


def target() -> Target:
    """stm32f4's, with that timer."""
    made = Target("stm32f4")
    made.folder = HERE / "build/stm32f4-emulated"
    made.objects = made.folder / "obj"
    defines = {"BOARD": "QEMU netduinoplus2 (STM32F405)", "EMULATED": 1, "CYCLES_FROM_TIM5": 1}
    made.told = {
        **made.told,
        "emulator": "qemu-system-arm -M netduinoplus2 -display none -monitor none -serial null -serial stdio "
                    "-icount shift=4 -kernel {image}",
        "packages": [*made.told["packages"], "qemu-system-arm"],
        "defines": {**made.told["defines"], **defines},
    }  # fmt: skip
    return made


def images() -> list:
    return variants(target(), ends=False)


def test_counts_are_the_emulated_cores(image: Image) -> None:
    """A call takes as many instructions here as golden/cortex-m4.txt has, and as much memory."""
    core = Image("cortex-m4", image.provider)
    if why := golden.is_of_other_compilers(core):
        raise Skip(why)
    got = {}
    with Worker(image) as worker:
        for offer in worker.offers():
            for operation in offer["operations"].split(","):
                got[offer["algorithm"], operation] = calls(worker, offer, operation)
    expected = {}
    for line in golden.read(core):
        _, _, algorithm, operation, _, size, one, eight, *memory = line.split()
        if size in ("0", "1024"):
            expected[algorithm, operation] = (int(eight) - int(one), *map(int, memory))
    equal(got, expected, "instructions of 7 calls, bytes of stack, state and code")


def calls(worker: Worker, offer: dict, operation: str) -> tuple:
    form, size = offer["forms"].split(",")[-1], 0 if operation == "key-setup" else 1024
    cell = worker.cell(algorithm=offer["algorithm"], operation=operation, form=form, message=size)
    one, eight = (worker.need("sample", "sample", cell=cell, warmup_ns=0, iterations=count) for count in (1, 8))
    instructions, rest = divmod(eight["ns"] - one["ns"], NS_OF_AN_INSTRUCTION)
    equal(rest, 0, "what is no whole instruction")
    return instructions, *(eight[key] for key in ("stack_bytes", "state_bytes", "code_bytes"))
