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
    """Return ``own`` if it is a handle, could be the name of one, or is "none"; raise RefusedError
    otherwise.
    """
    if own != NONE and not (isinstance(own, str) and _NAME.fullmatch(own)):
        raise check.RefusedError(
            "own", own, "the name that this page has given to a choice of columns"
        )
    return own


def preparation(kind: str) -> str:
    """Return script lines that load a file, with blanks for its name and columns, which a script
    must not reveal.

    kind: "rows" or "regression_rows" (rows with a numeric label).
    """
    return Path(__file__).with_name(f"{kind}.txt").read_text("utf-8")


def forget(table: Table) -> None:
    """Release the rows of ``table`` now, and drop every cached value that depends on them."""
    table.clear()
    CACHE.forget(_of_no_file)


def _of_no_file(question: Any) -> bool:
    """Return whether a cache key (a task or the arguments of a function) refers to a file that is
    gone.
    """
    if isinstance(question, weakref.ref):
        own = question()
        return own is None or own.gone
    if isinstance(question, OwnRows):
        return question.gone
    if is_dataclass(question):
        return any(_of_no_file(getattr(question, part.name)) for part in fields(question))
    return isinstance(question, tuple) and any(map(_of_no_file, question))
