"""Make the names of a file's columns unique and visible."""

import re

_MOST_LETTERS = 80
_MOST_POSITIONS_SHOWN = 5
# Control characters, direction marks and byte order marks.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
)


def unique_names(names: list[str]) -> tuple[list[str], list[str]]:
    """Return (unique names, notes on the positions of missing and repeated ones)."""
    unique: list[str] = []
    missing = []
    repeated = []
    for position, written in enumerate(names, start=1):
        name = " ".join(_INVISIBLE.sub("", written).split())[:_MOST_LETTERS]
        if not name:
            missing.append(str(position))
            name = f"column {position}"
        elif name in unique:
            repeated.append(str(position))
        unique.append(_numbered(name, unique))
    notes = []
    if missing:
        notes.append(
            f"Named by number, because the file has no name for it: column {_list(missing)}."
        )
    if repeated:
        notes.append(
            f"Numbered, because an earlier column has the same name: column {_list(repeated)}."
        )
    return unique, notes


def _numbered(name: str, taken: list[str]) -> str:
    """Return a name that is not taken, with a number behind it if need be."""
    if name not in taken:
        return name
    number = 2
    while f"{name} ({number})" in taken:
        number += 1
    return f"{name} ({number})"


def _list(positions: list[str]) -> str:
    """Return the first positions in words, with the number of the others."""
    shown = ", ".join(positions[:_MOST_POSITIONS_SHOWN])
    more = len(positions) - _MOST_POSITIONS_SHOWN
    if more > 0:
        return f"{shown} and {more} more"
    return shown
