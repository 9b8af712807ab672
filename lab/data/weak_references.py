"""Data sets known by a weak reference, such as the uploaded file of a session."""

import weakref
from typing import Any

from dpcore import check


def dereference(reference: weakref.ref) -> Any:
    """Return the data set behind a weak reference.

    Raises:
        RefusedError: If the session that held the data set has ended.
    """
    data_set = reference()
    if data_set is None:
        raise check.RefusedError("own", "a file that is gone", "a file that somebody holds")
    return data_set
