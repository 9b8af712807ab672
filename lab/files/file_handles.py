"""Opaque per-session handles for uploaded files, for use in settings, tasks and caches."""

import re
import secrets
import weakref
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, Self

from dpcore import check
from dpcore.cache import CACHE
from lab.files.own_table import Table

NONE = "none"
_NAME = re.compile(r"[\w-]{22}")


class Own(str):
    """A file with its column roles, whose string value is a random 128-bit name.

    A link contains only the name, which reads as a plain ``str`` and gives no access. The table is held weakly, because
    settings get into results, and results into caches.
    """

    _table: "weakref.ref[Table]"

    def __new__(cls, table: Table) -> Self:
        own = super().__new__(cls, secrets.token_urlsafe(16))
        own._table = weakref.ref(table)
        return own

    @property
    def table(self) -> Table:
        """Return the table, which only the session holds; raise RefusedError once it is gone."""
        table = self._table()
        if table is None or self.gone:
            raise check.RefusedError("own", "a file that is gone", "a file that somebody holds")
        return table

    @property
    def gone(self) -> bool:
        table = self._table()
        return table is None or not table.columns

    def __deepcopy__(self, memo: dict) -> Self:
        return self  # copies of settings share the handle

    def __repr__(self) -> str:
        return "own"  # the variable name in scripts, see ``preparation``


def named(own: str) -> str:
    """Return ``own`` if it is a handle, could be the name of one, or is "none"; raise RefusedError otherwise."""
    if own != NONE and not (isinstance(own, str) and _NAME.fullmatch(own)):
        raise check.RefusedError("own", own, "the name that this page has given to a choice of columns")
    return own


def key(own: str) -> "weakref.ref[Any]":
    """Return the key by which tasks know a handle; raise RefusedError for a mere name, which gives no access."""
    if not isinstance(own, Own):
        raise check.RefusedError("own", str(own), "a file that this session has brought")
    found = weakref.ref(own)
    hash(found)  # the reference caches it, and could not compute it after the session has ended
    return found


def preparation(kind: str) -> str:
    """Return script lines that load a file, with blanks for its name and columns, which a script must not reveal.

    kind: "own_rows" or "own_numbers" (rows with a numeric label).
    """
    return Path(__file__).with_name(f"{kind}.txt").read_text("utf-8")


def forget(table: Table) -> None:
    """Release the rows of ``table`` now, and drop every cached value that depends on them."""
    table.clear()
    CACHE.forget(_of_no_file)


def _of_no_file(question: Any) -> bool:
    """Return whether a cache key (a task or the arguments of a function) refers to a file that is gone."""
    if isinstance(question, weakref.ref):
        own = question()
        return own is None or own.gone
    if isinstance(question, Own):
        return question.gone
    if is_dataclass(question):
        return any(_of_no_file(getattr(question, part.name)) for part in fields(question))
    return isinstance(question, tuple) and any(map(_of_no_file, question))
