"""The vocabulary of sliders: what a field of a Settings is called on every page, and how its slider
looks.
"""

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

_MOST_SOURCES = 8


def _sliders() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (field, table) of ``sliders.toml``; [weight] stands for a field of each source."""
    for name, slider in tomllib.loads(
        Path(__file__).with_name("sliders.toml").read_text("utf-8")
    ).items():
        if name != "weight":
            yield name, slider
            continue
        for place in range(1, _MOST_SOURCES + 1):
            yield f"weight_{place}", slider | {"label": slider["label"].format(place=place)}


# Field of a Settings -> how its slider looks. Ranges come from the settings themselves.
SLIDERS: Mapping[str, dict[str, Any]] = dict(_sliders())


def in_sentence(name: str) -> str:
    """Return the label of a setting as it stands within a sentence, with its abbreviations as they
    are.

    >>> in_sentence("clip_norm"), in_sentence("regularisation"), in_sentence("queries")
    ('clipping norm', 'L2 regularisation', 'PATE queries')
    """
    first, _, rest = SLIDERS[name]["label"].partition(" ")
    return f"{first.lower() if first[1:].islower() or len(first) == 1 else first} {rest}".strip()
