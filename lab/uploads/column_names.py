"""Make the names of a file's columns unique and visible."""

import re

_LONGEST = 80
_SHOWN = 5
# Control characters, direction marks and byte order marks.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
)


def unique_names(names: list[str]) -> tuple[list[str], list[str]]:
    """Return (unique names, notes on the positions of missing and repeated ones)."""
    unique: dict[str, None] = {}
    missing = []
    repeated = []
    for place, written in enumerate(names, 1):
        name = " ".join(_INVISIBLE.sub("", written).split())[:_LONGEST]
        if not name:
            missing.append(str(place))
            name = f"column {place}"
        elif name in unique:
            repeated.append(str(place))
        unique[_free(name, unique)] = None
    notes = []
    if missing:
        notes.append(
            f"Named by number, because the file has no name for it: column {_places(missing)}."
        )
    if repeated:
        notes.append(
            f"Numbered, because an earlier column has the same name: column {_places(repeated)}."
        )
    return list(unique), notes


def _free(name: str, taken: dict[str, None]) -> str:
    if name not in taken:
        return name
    copy = 2
    while f"{name} ({copy})" in taken:
        copy += 1
    return f"{name} ({copy})"


def _places(places: list[str]) -> str:
    shown = ", ".join(places[:_SHOWN])
    more = len(places) - _SHOWN
    return f"{shown} and {more} more" if more > 0 else shown
