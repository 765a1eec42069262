"""The README's example of an own implementation, as it stands there: built for Cortex-M4 as the provider `mine`."""

import re
import tomllib
from pathlib import Path

from compilers import Target
from paths import HERE, PROVIDERS, write_changed
from sources import folders
from variant import variants


def images() -> list:
    """One, or none where it cannot be built."""
    target = Target("cortex-m4")
    target.folder = HERE / "build/cortex-m4-mine"
    target.objects = target.folder / "obj"
    target.told = {**target.told, "providers": ["mine"]}
    if target.missing():
        return []
    text = (HERE / "README.md").read_text().split("## Your own implementation on a device")[1]
    component, table = (re.search(rf"```{language}\n(.*?)```", text, re.DOTALL)[1] for language in ("c", "toml"))
    PROVIDERS["mine"] = tomllib.loads(table)["mine"]
    write_changed(target.folder / PROVIDERS["mine"]["component"], component)
    # Its two places, which are the reader's.
    PROVIDERS["mine"]["component"] = target.folder / PROVIDERS["mine"]["component"]
    PROVIDERS["mine"]["folder"] = Path(folders()["monocypher-sys"]) / "Monocypher"
    return variants(target)
