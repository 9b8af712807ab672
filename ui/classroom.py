"""A room for a class: everybody's guess of one question, numbers without names, shown when the teacher closes it.

The only state of the lab that visitors share. It is a small SQLite file, so that several processes on one machine hold
the same rooms: the one that the environment variable LAB_ROOMS names; else one that ends with this process.
"""

import hashlib
import os
import secrets
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import sqlalchemy as sql
from sqlalchemy.dialects.sqlite import insert

from dpcore import check
from dpcore.check import RefusedError

# Seconds without a visitor after which nobody can read a room; the next use of any room deletes it.
LASTS = 60 * 60
# Seconds between two notes that a room has visitors: each look of each of them would be a write.
NOTED = 60
# Rooms in all, and that one browser may teach; guesses in a room, and those of them by browsers without cookies.
MOST_ROOMS, MOST_OWN = 500, 5
MOST_GUESSES, MOST_NAMELESS, LONGEST = 5_000, 500, 2_000
# No vowels, so that no code is a word, and nothing that is read as something else.
LETTERS, LETTERS_A_CODE = "BCDFGHJKLMNPQRSTVWXZ", 5
FILE = "LAB_ROOMS"
# Seconds that a write waits for others.
_PATIENCE = 10

_META = sql.MetaData()
_ROOMS = sql.Table(
    "rooms",
    _META,
    sql.Column("code", sql.String, primary_key=True),
    sql.Column("key", sql.String, nullable=False),
    sql.Column("question", sql.String, nullable=False),
    sql.Column("round", sql.Integer, nullable=False),
    sql.Column("closed", sql.Boolean, nullable=False),
    sql.Column("opened", sql.Float, key="visited", nullable=False),  # the name that files of before have
)
_TEACHERS = sql.Table(
    "teachers",
    _META,
    sql.Column("code", sql.String, primary_key=True),
    sql.Column("who", sql.Integer, primary_key=True),
    sqlite_with_rowid=False,
)
_GUESSES = sql.Table(
    "guesses",
    _META,
    sql.Column("code", sql.String, primary_key=True),
    sql.Column("who", sql.Integer, primary_key=True),
    sql.Column("value", sql.Float, nullable=False),
    sqlite_with_rowid=False,
)


@dataclass(frozen=True, kw_only=True)
class Room:
    """What everybody may know of a room: what is asked, the ``round``-th in it, and how many ``guesses`` there are."""

    code: str
    question: str
    round: int
    closed: bool
    guesses: int


def someone() -> int:
    """Return a random number below 0, for a visitor whose browser sends no cookie."""
    return -1 - secrets.randbits(62)


def owner(cookie: str) -> int:
    """Return the number, 0 or more, of the browser that sends this cookie."""
    return int.from_bytes(hashlib.sha256(cookie.encode()).digest()[:8]) >> 2


class Classroom:
    """The rooms in a file. ``now``: the time in seconds."""

    def __init__(self, file: Path, *, now: Callable[[], float] = time.time):
        self._now = now
        self._engine = sql.create_engine(f"sqlite:///{file}", connect_args={"timeout": _PATIENCE})
        sql.event.listen(self._engine, "connect", _prepare)
        _META.create_all(self._engine)

    def open(self, question: str, who: int) -> str:
        """Open a room in which ``who`` asks this. Return its code. Raise RefusedError."""
        code = "".join(secrets.choice(LETTERS) for _ in range(LETTERS_A_CODE))
        row = {"code": code, "key": _key(), "question": _asked(question), "round": 1, "closed": False}
        with self._writing() as write:
            own = write.scalars(sql.select(_TEACHERS.c.code).where(_TEACHERS.c.who == who)).all()
            if len(own) >= MOST_OWN:
                raise RefusedError("own", ", ".join(own), f"at most {MOST_OWN} rooms of one browser")
            if write.scalar(sql.select(sql.func.count()).select_from(_ROOMS)) >= MOST_ROOMS:
                raise RefusedError("rooms", "a new one", f"one of the {MOST_ROOMS} that can be open: try again later")
            write.execute(sql.insert(_ROOMS).values(row | {"visited": self._now()}))
            write.execute(sql.insert(_TEACHERS).values(code=code, who=who))
        return code

    def look(self, code: str) -> Room | None:
        """Visit the room: return it as it is, or None where there is none, or no more."""
        with self._engine.connect() as read:
            found = read.execute(sql.select(_ROOMS).where(_ROOMS.c.code == code, self._lasts)).one_or_none()
            if found is None:
                return None
            count = read.scalar(sql.select(sql.func.count()).where(_GUESSES.c.code == code))
        if found.visited < self._now() - NOTED:
            with self._writing() as write:
                write.execute(sql.update(_ROOMS).where(_ROOMS.c.code == code).values(visited=self._now()))
        return Room(code=code, question=found.question, round=found.round, closed=found.closed, guesses=count)

    def teaches(self, code: str, who: int) -> bool:
        """Return whether they may close the room and ask in it."""
        with self._engine.connect() as read:
            return self._teaches(read, code, who)

    def key(self, code: str, who: int) -> str:
        """Return the key that lets another browser of theirs teach, once. Raise RefusedError."""
        with self._engine.connect() as read:
            if not self._teaches(read, code, who):
                raise RefusedError("room", code, "a room that you teach")
            return read.scalar(sql.select(_ROOMS.c.key).where(_ROOMS.c.code == code))

    def claim(self, code: str, key: str, who: int) -> bool:
        """Let who has the room's key teach, and make another key; return whether it was the key."""
        with self._writing() as write:
            known = write.scalar(sql.select(_ROOMS.c.key).where(_ROOMS.c.code == code))
            if known is None or not secrets.compare_digest(known.encode(), key.encode()):
                return False
            write.execute(sql.update(_ROOMS).where(_ROOMS.c.code == code).values(key=_key()))
            write.execute(insert(_TEACHERS).values(code=code, who=who).on_conflict_do_nothing())
        return True

    def ask(self, code: str, who: int, question: str) -> None:
        """Ask another question, or the same again; what was guessed before is deleted. Raises RefusedError."""
        change = {"question": _asked(question), "round": _ROOMS.c.round + 1, "closed": False}
        self._teach(code, who, change, anew=True)

    def close(self, code: str, who: int) -> None:
        """Take no more guesses, and show them. Raises RefusedError."""
        self._teach(code, who, {"closed": True})

    def guess(self, code: str, question: str, who: int, value: float) -> None:
        """Somebody's guess, in place of their last. Raises RefusedError where the room takes none."""
        row = {"code": code, "who": who, "value": check.between(-1e12, 1e12, guess=value)}
        with self._writing() as write:
            room = write.execute(sql.select(_ROOMS).where(_ROOMS.c.code == code)).one_or_none()
            if room is None or room.closed or room.question != question:
                raise RefusedError("room", code, "a room that is open and asks this")
            others = sql.select(sql.func.count()).where(_GUESSES.c.code == code, _GUESSES.c.who != who)
            if write.scalar(others) >= MOST_GUESSES:
                raise RefusedError("guesses", code, f"a room of at most {MOST_GUESSES:,} guesses")
            if who < 0 and write.scalar(others.where(_GUESSES.c.who < 0)) >= MOST_NAMELESS:
                raise RefusedError("nameless", code, f"a room of at most {MOST_NAMELESS} guesses without a cookie")
            write.execute(insert(_GUESSES).values(row).on_conflict_do_update(set_={"value": row["value"]}))

    def guesses(self, code: str) -> np.ndarray:
        """All guesses from low to high, (n,); none before the room is closed."""
        with self._engine.connect() as read:
            asked = sql.select(_GUESSES.c.value).join(_ROOMS, _ROOMS.c.code == _GUESSES.c.code)
            shown = asked.where(_GUESSES.c.code == code, _ROOMS.c.closed, self._lasts)
            return np.sort(np.array(read.scalars(shown).all(), dtype=float))

    @property
    def _lasts(self) -> sql.ColumnElement[bool]:
        return _ROOMS.c.visited > self._now() - LASTS

    def _teaches(self, read: sql.Connection, code: str, who: int) -> bool:
        found = sql.select(_TEACHERS).join(_ROOMS, _ROOMS.c.code == _TEACHERS.c.code)
        return (
            read.execute(found.where(_TEACHERS.c.code == code, _TEACHERS.c.who == who, self._lasts)).first() is not None
        )

    def _teach(self, code: str, who: int, change: dict[str, Any], *, anew: bool = False) -> None:
        with self._writing() as write:
            if not self._teaches(write, code, who):
                raise RefusedError("room", code, "a room that you teach")
            write.execute(sql.update(_ROOMS).where(_ROOMS.c.code == code).values(change))
            if anew:
                write.execute(sql.delete(_GUESSES).where(_GUESSES.c.code == code))

    @contextmanager
    def _writing(self) -> Iterator[sql.Connection]:
        """All or nothing, alone, and without what has been here for too long."""
        with self._engine.begin() as write:
            write.execute(sql.delete(_ROOMS).where(~self._lasts))
            left = sql.select(_ROOMS.c.code)
            for table in (_GUESSES, _TEACHERS):
                write.execute(sql.delete(table).where(table.c.code.not_in(left)))
            yield write


def _prepare(connection: Any, _: Any) -> None:
    """Readers do not wait for a writer, a writer takes its turn at once, and what is deleted is overwritten."""
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA wal_autocheckpoint=40")  # pages: the log stays as small as what it is for
    connection.execute("PRAGMA synchronous=OFF")
    connection.execute("PRAGMA secure_delete=ON")


def _key() -> str:
    return secrets.token_urlsafe(9)


def _asked(question: str) -> str:
    if len(question) > LONGEST:
        raise RefusedError("question", f"{question[:20]}…", f"at most {LONGEST} characters")
    return question


@cache
def classroom() -> Classroom:
    """The rooms of this server."""
    return Classroom(Path(os.environ[FILE]) if os.environ.get(FILE) else Path(_folder().name) / "rooms.sqlite")


@cache
def _folder() -> tempfile.TemporaryDirectory:
    """Readable for nobody else, and deleted when this process ends."""
    return tempfile.TemporaryDirectory(prefix="epsilon-lab-")
