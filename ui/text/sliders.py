"""Labels and looks of sliders, which are the same on every page."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_MAX_SOURCES = 8


def _read_sliders() -> dict[str, dict[str, Any]]:
    """Read ``sliders.toml``; its table "weight" stands for a field of each source."""
    text = Path(__file__).with_name("sliders.toml").read_text("utf-8")
    sliders = {}
    for name, slider in tomllib.loads(text).items():
        if name != "weight":
            sliders[name] = slider
            continue
        for number in range(1, _MAX_SOURCES + 1):
            label = slider["label"].format(place=number)
            sliders[f"weight_{number}"] = slider | {"label": label}
    return sliders


# Field of a Settings -> how its slider looks. Ranges come from the settings themselves.
SLIDERS: Mapping[str, dict[str, Any]] = _read_sliders()


def in_sentence(name: str) -> str:
    """Return the label of a setting in lower case, with its abbreviations as they are.

    >>> in_sentence("clip_norm"), in_sentence("regularisation"), in_sentence("queries")
    ('clipping norm', 'L2 regularisation', 'PATE queries')
    """
    first_word, _, remaining = SLIDERS[name]["label"].partition(" ")
    if first_word[1:].islower() or len(first_word) == 1:
        first_word = first_word.lower()
    return f"{first_word} {remaining}".strip()
