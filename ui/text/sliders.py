"""Labels and looks of sliders, which are the same on every page."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_FILE = Path(__file__).with_name("sliders.toml")
# Field of a Settings -> how its slider looks. Ranges come from the settings themselves.
SLIDERS: Mapping[str, dict[str, Any]] = tomllib.loads(_FILE.read_text("utf-8"))


def in_sentence(name: str) -> str:
    """Return the label of a setting in lower case, with its abbreviations as they are.

    >>> in_sentence("clip_norm"), in_sentence("regularisation"), in_sentence("queries")
    ('clipping norm', 'L2 regularisation', 'PATE queries')
    """
    first_word, _, remaining = SLIDERS[name]["label"].partition(" ")
    if first_word[1:].islower() or len(first_word) == 1:
        first_word = first_word.lower()
    return f"{first_word} {remaining}".strip()
