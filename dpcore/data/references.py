"""Data sets that settings and tasks know by a weak reference, such as the file of a session."""

import weakref
from typing import Any

from dpcore import check


def held(reference: weakref.ref) -> Any:
    """Return the data set behind a reference; raise RefusedError if its session has ended."""
    found = reference()
    if found is None:
        raise check.RefusedError("own", "a file that is gone", "a file that somebody holds")
    return found
