"""A room for a class: everybody's guess of one question, numbers without names, shown when the
teacher closes it.

The only state of the lab that visitors share. It is a small SQLite file, so that several processes
on one machine hold
the same rooms: the one that the environment variable LAB_ROOMS names; else one that ends with this
process.
"""

import hashlib
import logging
import os
import secrets
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import RLock
from typing import Any
from weakref import finalize

import numpy as np

from dpcore import check
from dpcore.check import RefusedError

# Seconds without a visitor after which nobody can read a room; the next use of any room deletes it.
LASTS = 60 * 60
# Seconds between two notes that a room has visitors: each look of each of them would be a write.
NOTED = 60
# Rooms in all, and that one browser may teach; guesses in a room, and those of them by browsers
# without cookies.
MOST_ROOMS, MOST_OWN = 500, 5
MOST_GUESSES, MOST_NAMELESS, LONGEST = 5_000, 500, 2_000
# No vowels, so that no code is a word, and nothing that is read as something else.
LETTERS, LETTERS_A_CODE = "BCDFGHJKLMNPQRSTVWXZ", 5
FILE = "LAB_ROOMS"
# Seconds that a write waits for others.
_PATIENCE = 10

_log = logging.getLogger(__name__)

# Readers do not wait for a writer, and what is deleted is overwritten. The log stays as small as
# what it is for.
_PRAGMAS = """
PRAGMA journal_mode = WAL;
PRAGMA wal_autocheckpoint = 40;
PRAGMA synchronous = OFF;
PRAGMA secure_delete = ON;
"""
# A file with tables of another version begins anew: what it holds is an hour old at most. A room is
# "opened" when it was last visited, and "joined" once somebody who does not teach has come. The key
# of cookies signs them.
_VERSION = 2
_TABLES = {
    "rooms": (
        """CREATE TABLE rooms (
        code TEXT PRIMARY KEY, question TEXT NOT NULL, round INTEGER NOT NULL,
        closed BOOLEAN NOT NULL, opened FLOAT NOT NULL, joined BOOLEAN NOT NULL
    )"""
    ),
    "teachers": (
        """CREATE TABLE teachers (
        code TEXT NOT NULL, who INTEGER NOT NULL, PRIMARY KEY (code, who)
    ) WITHOUT ROWID"""
    ),
    "guesses": (
        """CREATE TABLE guesses (
        code TEXT NOT NULL, who INTEGER NOT NULL, value FLOAT NOT NULL, PRIMARY KEY (code, who)
    ) WITHOUT ROWID"""
    ),
    "cookie_keys": "CREATE TABLE cookie_keys (key BLOB NOT NULL)",
}


@dataclass(frozen=True, kw_only=True)
class Room:
    """What everybody may know of a room: what is asked, the ``round``-th in it, and how many
    ``guesses`` there are.
    """

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
        self._lock = RLock()  # of the one connection that all threads share
        self._db = sqlite3.connect(
            file, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
        )
        finalize(self, self._db.close)
        self._db.executescript(_PRAGMAS)
        with self._db:
            self._db.execute("BEGIN IMMEDIATE")
            self._make_tables()
        self.cookie_key: bytes = self._first("SELECT key FROM cookie_keys")

    def _make_tables(self) -> None:
        if self._first("PRAGMA user_version") == _VERSION:
            return
        for name, statement in _TABLES.items():
            self._db.execute(f"DROP TABLE IF EXISTS {name}")
            self._db.execute(statement)
        self._db.execute("INSERT INTO cookie_keys VALUES (?)", (secrets.token_bytes(32),))
        self._db.execute(f"PRAGMA user_version = {_VERSION}")

    def open(self, question: str, who: int) -> str:
        """Open a room in which ``who`` asks this. Return its code. Raise RefusedError.

        Where no more rooms can be open, a room that nobody but its teacher has visited gives way.
        """
        code = "".join(secrets.choice(LETTERS) for _ in range(LETTERS_A_CODE))
        row = (code, _asked(question), self._now())
        with self._writing() as write:
            own = [
                one for (one,) in write.execute("SELECT code FROM teachers WHERE who = ?", (who,))
            ]
            if len(own) >= MOST_OWN:
                raise RefusedError(
                    "own", ", ".join(own), f"at most {MOST_OWN} rooms of one browser"
                )
            if self._first("SELECT count(*) FROM rooms") >= MOST_ROOMS:
                unused = self._first(
                    "SELECT code FROM rooms WHERE NOT joined ORDER BY opened LIMIT 1"
                )
                if unused is None:
                    raise RefusedError(
                        "rooms",
                        "a new one",
                        f"one of the {MOST_ROOMS} that can be open: try again later",
                    )
                self._delete(unused)
            write.execute("INSERT INTO rooms VALUES (?, ?, 1, FALSE, ?, FALSE)", row)
            write.execute("INSERT INTO teachers VALUES (?, ?)", (code, who))
        return code

    def enter(self, code: str, who: int) -> Room | None:
        """Return the room as ``who`` finds it on coming in, or None where there is none, or no
        more.
        """
        room = self.look(code)
        if room is None or self._first("SELECT joined FROM rooms WHERE code = ?", code):
            return room
        if not self.teaches(code, who):
            with self._writing() as write:
                write.execute("UPDATE rooms SET joined = TRUE WHERE code = ?", (code,))
        return room

    def look(self, code: str) -> Room | None:
        """Return the room as it is, or None where there is none, or no more."""
        asked = "SELECT question, round, closed, opened FROM rooms WHERE code = ? AND opened > ?"
        found = self._row(asked, code, self._gone)
        if found is None:
            return None
        question, turn, closed, visited = found
        if visited < self._now() - NOTED:
            with self._writing() as write:
                write.execute("UPDATE rooms SET opened = ? WHERE code = ?", (self._now(), code))
        guesses = self._first("SELECT count(*) FROM guesses WHERE code = ?", code)
        return Room(code=code, question=question, round=turn, closed=bool(closed), guesses=guesses)

    def teaches(self, code: str, who: int) -> bool:
        """Return whether they may close the room and ask in it."""
        asked = (
            "SELECT 1 FROM teachers JOIN rooms USING (code) WHERE code = ? AND who = ? AND"
            " opened > ?"
        )
        return self._row(asked, code, who, self._gone) is not None

    def ask(self, code: str, who: int, question: str) -> None:
        """Ask another question, or the same again; what was guessed before is deleted.

        Raises RefusedError.
        """
        anew = "UPDATE rooms SET question = ?, round = round + 1, closed = FALSE WHERE code = ?"
        with self._writing() as write:
            self._refuse_unless_taught(code, who)
            write.execute(anew, (_asked(question), code))
            write.execute("DELETE FROM guesses WHERE code = ?", (code,))

    def close(self, code: str, who: int) -> None:
        """Take no more guesses, and show them. Raises RefusedError."""
        with self._writing() as write:
            self._refuse_unless_taught(code, who)
            write.execute("UPDATE rooms SET closed = TRUE WHERE code = ?", (code,))

    def guess(self, code: str, question: str, who: int, value: float) -> None:
        """Take somebody's guess, in place of their last.

        Raises RefusedError where the room takes none.
        """
        row = (code, who, check.between(-1e12, 1e12, guess=value))
        others = "SELECT count(*) FROM guesses WHERE code = ? AND who != ?"
        with self._writing() as write:
            if self._row("SELECT question, closed FROM rooms WHERE code = ?", code) != (
                question,
                False,
            ):
                raise RefusedError("room", code, "a room that is open and asks this")
            if self._first(others, code, who) >= MOST_GUESSES:
                raise RefusedError("guesses", code, f"a room of at most {MOST_GUESSES:,} guesses")
            if who < 0 and self._first(f"{others} AND who < 0", code, who) >= MOST_NAMELESS:
                raise RefusedError(
                    "nameless", code, f"a room of at most {MOST_NAMELESS} guesses without a cookie"
                )
            write.execute("INSERT OR REPLACE INTO guesses VALUES (?, ?, ?)", row)

    def guesses(self, code: str) -> np.ndarray:
        """Return all guesses from low to high, (n,); none before the room is closed."""
        asked = (
            "SELECT value FROM guesses JOIN rooms USING (code) WHERE code = ? AND closed AND"
            " opened > ?"
        )
        with self._reaching():
            return np.sort([value for (value,) in self._db.execute(asked, (code, self._gone))])

    @property
    def _gone(self) -> float:
        """Return when a room that nobody can read any more was last visited, at the latest."""
        return self._now() - LASTS

    def _refuse_unless_taught(self, code: str, who: int) -> None:
        if not self.teaches(code, who):
            raise RefusedError("room", code, "a room that you teach")

    def _row(self, query: str, *values: Any) -> tuple[Any, ...] | None:
        with self._reaching():
            return self._db.execute(query, values).fetchone()

    def _first(self, query: str, *values: Any) -> Any:
        """Return the first value of the first row, or None."""
        return (self._row(query, *values) or (None,))[0]

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Write all or nothing, alone, and without what has been here for too long."""
        with self._reaching(), self._db:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.execute("DELETE FROM rooms WHERE opened <= ?", (self._gone,))
            self._delete_orphans()
            yield self._db

    def _delete(self, code: str) -> None:
        """Delete a room, within a write."""
        self._db.execute("DELETE FROM rooms WHERE code = ?", (code,))
        self._delete_orphans()

    def _delete_orphans(self) -> None:
        for table in ("guesses", "teachers"):
            self._db.execute(f"DELETE FROM {table} WHERE code NOT IN (SELECT code FROM rooms)")

    @contextmanager
    def _reaching(self) -> Iterator[None]:
        """Use the file alone among the threads.

        Raise RefusedError where it cannot be read or written.
        """
        with self._lock:
            try:
                yield
            except sqlite3.Error as fault:
                _log.exception("The file of the rooms cannot be used")
                raise RefusedError(
                    "file", FILE, f"a file that can be read and written ({fault})"
                ) from fault


def _asked(question: str) -> str:
    if len(question) > LONGEST:
        raise RefusedError("question", f"{question[:20]}…", f"at most {LONGEST} characters")
    return question


@cache
def classroom() -> Classroom:
    """Return the rooms of this server."""
    named = os.environ.get(FILE, "").strip()
    if named:
        return Classroom(Path(named))
    return Classroom(Path(_folder().name) / "rooms.sqlite")


def check_rooms_file(environment: Mapping[str, str] = os.environ) -> None:
    """Raise ValueError where `LAB_ROOMS` names a file that cannot hold rooms."""
    named = environment.get(FILE, "").strip()
    if not named:
        return
    try:
        Classroom(Path(named))
    except (sqlite3.Error, RefusedError) as fault:
        allowed = "the path of an SQLite file that the lab can create, read and write"
        raise ValueError(f"{FILE} is {named!r}, but must be {allowed}") from fault


@cache
def _folder() -> tempfile.TemporaryDirectory:
    """Make a folder that nobody else can read, and that is deleted when this process ends."""
    return tempfile.TemporaryDirectory(prefix="epsilon-lab-")
