"""Make the names of a file's columns unique and visible."""

import re

_MOST_LETTERS = 80
_RENAMED = "Columns without a name, or with that of an earlier one, were named by number."
# Control characters, direction marks and byte order marks.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
)


def unique_names(names: list[str]) -> tuple[list[str], list[str]]:
    """Return (unique names, a note if some were missing or repeated)."""
    unique: list[str] = []
    notes = []
    for position, written in enumerate(names, start=1):
        name = " ".join(_INVISIBLE.sub("", written).split())[:_MOST_LETTERS]
        if not name or name in unique:
            notes = [_RENAMED]
        if not name:
            name = f"column {position}"
        unique.append(_numbered(name, unique))
    return unique, notes


def _numbered(name: str, taken: list[str]) -> str:
    """Return a name that is not taken, with a number behind it if need be."""
    if name not in taken:
        return name
    number = 2
    while f"{name} ({number})" in taken:
        number += 1
    return f"{name} ({number})"
