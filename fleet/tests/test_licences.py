"""What is installed with the package asks for no more than its notice, as deny.toml has it for crates."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

REQUIREMENTS = Path(__file__).resolve().parents[1] / "requirements.txt"
ALLOWED = re.compile(r"apache|bsd|mit\b|isc\b|psf|python software foundation|zlib", re.IGNORECASE)
REFUSED = re.compile(r"gpl|general public|mozilla|mpl", re.IGNORECASE)


def licence(name: str) -> str:
    """As the package says itself: an expression, or classifiers, or words."""
    facts = metadata(name)
    named = [text for text in facts.get_all("Classifier") or [] if text.startswith("License ::")]
    words = (facts.get("License") or "").splitlines()[:1]
    return facts.get("License-Expression") or "; ".join(named) or "".join(words)


def test_every_package_has_a_permissive_licence():
    names = re.findall(r"^([\w.-]+)==", REQUIREMENTS.read_text(), re.MULTILINE)
    found = {}
    for name in names:
        try:
            found[name] = licence(name)
        except PackageNotFoundError:
            continue  # of another version of Python
    assert len(found) > 15
    wrong = {name: text for name, text in found.items() if not ALLOWED.search(text) or REFUSED.search(text)}
    assert not wrong
