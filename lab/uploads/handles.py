"""Names of uploaded files in links and scripts, and the release of their rows."""

import re
import weakref
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from dpcore import check
from dpcore.cache import CACHE
from lab.uploads.rows import OwnRows
from lab.uploads.table import Table

NONE = "none"
_NAME = re.compile(r"[\w-]{22}")


def named(own: str) -> str:
    """Return ``own`` if it is a handle, could be the name of one, or is "none".

    Raises:
        RefusedError: If it is anything else.
    """
    if own == NONE:
        return own
    if not isinstance(own, str) or not _NAME.fullmatch(own):
        raise check.RefusedError(
            "own", own, "the name that this page has given to a choice of columns"
        )
    return own


def load_snippet(kind: str) -> str:
    """Return script lines that load a file, with blanks for its name and columns, which a script
    must not reveal.

    Args:
        kind: "rows" or "regression_rows" (rows with a numeric label).
    """
    return Path(__file__).with_name(f"{kind}.txt").read_text("utf-8")


def release(table: Table) -> None:
    """Release the rows of ``table`` now, and drop every cached value that depends on them."""
    table.clear()
    CACHE.forget(_refers_to_released_file)


def _refers_to_released_file(key: Any) -> bool:
    """Return whether a cache key (a task or the arguments of a function) refers to a file that was
    released.
    """
    if isinstance(key, weakref.ref):
        own = key()
        return own is None or own.expired
    if isinstance(key, OwnRows):
        return key.expired
    if is_dataclass(key):
        return any(_refers_to_released_file(getattr(key, part.name)) for part in fields(key))
    if isinstance(key, tuple):
        return any(_refers_to_released_file(part) for part in key)
    return False
