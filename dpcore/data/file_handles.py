"""A file of a person's own in settings, tasks and memories: a random name that only its session can resolve."""

import re
import secrets
import weakref
from dataclasses import fields, is_dataclass
from typing import Any, Self

from dpcore import check
from dpcore.cache import CACHE
from dpcore.data.own_table import Table

NONE = "none"
_NAME = re.compile(r"[\w-]{22}")


class Own(str):
    """A file and what its columns are for, under a random name of 128 bits: as text it is the name, and no more.

    Who has only the name, as from a link, has a plain ``str``. It holds the table weakly: settings get into results,
    and results into memories.
    """

    _table: "weakref.ref[Table]"

    def __new__(cls, table: Table) -> Self:
        own = super().__new__(cls, secrets.token_urlsafe(16))
        own._table = weakref.ref(table)
        return own

    @property
    def table(self) -> Table:
        """The file, which only its session holds. Raises RefusedError once it is gone."""
        if self.gone:
            raise check.RefusedError("own", "a file that is gone", "a file that somebody holds")
        return self._table()

    @property
    def gone(self) -> bool:
        table = self._table()
        return table is None or not table.columns

    def __deepcopy__(self, memo: dict) -> Self:
        return self  # there is one of it, whatever copies the settings

    def __repr__(self) -> str:
        return "own"  # what a script calls it, see ``preparation`` of texts and of rows


def named(own: str) -> str:
    """``own`` if it is an ``Own``, could be the name of one, or is "none". Raises RefusedError for anything else."""
    if own != NONE and not (isinstance(own, str) and _NAME.fullmatch(own)):
        raise check.RefusedError("own", own, "the name that this page has given to a choice of columns")
    return own


def key(own: str) -> "weakref.ref[Own]":
    """What tasks know an ``Own`` by. Raises RefusedError for a mere name: only its holder can use a file."""
    if not isinstance(own, Own):
        raise check.RefusedError("own", str(own), "a file that this session has brought")
    found = weakref.ref(own)
    hash(found)  # which it keeps, and could not make once its session has ended
    return found


def held(key: "weakref.ref[Own]") -> Any:
    """The ``Own`` of a task. Raises RefusedError where its session has ended."""
    own = key()
    if own is None:
        raise check.RefusedError("own", "a file that is gone", "a file that somebody holds")
    return own


def forget(table: Table) -> None:
    """Let go of a file's rows now, and of all that is remembered of them, whoever holds the table or its tasks."""
    table.clear()
    CACHE.forget(_of_no_file)


def _of_no_file(question: Any) -> bool:
    """Whether a question, a task or a function's arguments, is about a file that is gone."""
    if isinstance(question, weakref.ref):
        own = question()
        return own is None or own.gone
    if isinstance(question, Own):
        return question.gone
    if is_dataclass(question):
        return any(_of_no_file(getattr(question, part.name)) for part in fields(question))
    return isinstance(question, tuple) and any(map(_of_no_file, question))
