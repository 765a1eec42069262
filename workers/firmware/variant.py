"""Images that only tests have: of a target that differs from its table, built when a test runs them."""

from collections.abc import Callable

import build
from compilers import Target
from libraries import library
from test_client import Image


class Variant(Image):
    """One provider on such a target, with a folder of its own."""

    def __init__(self, target: Target, provider: str, ends: bool) -> None:
        super().__init__(target.name, provider)
        self.made_for, self.told, self.defines = target, target.told, target.defines(provider)
        self.runner, self.ends = target.folder / provider, ends


def variants(target: Target, ends: bool = True) -> list:
    """One for each provider that can be built here."""
    if target.missing():
        return []
    return [Variant(target, name, ends) for name in target.told["providers"] if not library(name, target).missing()]


def run(test: Callable[[Image], None], image: Variant) -> None:
    """Builds the image, and tests it."""
    image.made_for.write_header()
    build.build(image.made_for, image.provider, planted=False)
    test(image)
