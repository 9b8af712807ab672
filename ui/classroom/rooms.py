"""Rooms for classes: everybody's guess of one question, shown when the teacher closes it.

A guess is a number without a name. The rooms are the only state of the lab that visitors share.
They are in a small SQLite file, so that several processes on one machine hold the same rooms: the
file that the environment variable LAB_ROOMS names, or else one that ends with this process.
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
# Seconds between two notes that a room has visitors: each reading of it would be a write.
NOTED = 60
# Rooms in all, and that one browser may teach.
MOST_ROOMS = 500
MOST_OWN = 5
# Guesses in a room.
MOST_GUESSES = 5_000
LARGEST_GUESS = 1e12
# Characters of a question.
LONGEST = 2_000
# No vowels, so that no code is a word, and nothing that is read as something else.
LETTERS = "BCDFGHJKLMNPQRSTVWXZ"
LETTERS_A_CODE = 5
FILE = "LAB_ROOMS"
# Seconds that a write waits for others.
_PATIENCE = 10
# Bits of a visitor's number, so that it fits SQLite's integers with its sign.
_VISITOR_BITS = 62

_log = logging.getLogger(__name__)

# Readers do not wait for a writer, and what is deleted is overwritten. The log stays as small as
# what it is for.
_PRAGMAS = """
PRAGMA journal_mode = WAL;
PRAGMA wal_autocheckpoint = 40;
PRAGMA synchronous = OFF;
PRAGMA secure_delete = ON;
"""
# A file with tables of another version begins anew, as it holds nothing that is older than an hour.
# The key signs cookies.
_VERSION = 3
_TABLES = {
    "rooms": (
        """CREATE TABLE rooms (
        code TEXT PRIMARY KEY, teacher INTEGER NOT NULL, question TEXT NOT NULL,
        round INTEGER NOT NULL, closed BOOLEAN NOT NULL, visited FLOAT NOT NULL
    )"""
    ),
    "guesses": (
        """CREATE TABLE guesses (
        code TEXT NOT NULL, visitor INTEGER NOT NULL, value FLOAT NOT NULL,
        PRIMARY KEY (code, visitor)
    ) WITHOUT ROWID"""
    ),
    "cookie_keys": "CREATE TABLE cookie_keys (key BLOB NOT NULL)",
}


@dataclass(frozen=True, kw_only=True)
class Room:
    """What everybody may know of a room.

    Attributes:
        code: Its code.
        question: The name of the question that is asked.
        round: The number of this question in the room, from 1.
        closed: Whether no more guesses are taken.
        guesses: The number of guesses.
    """

    code: str
    question: str
    round: int
    closed: bool
    guesses: int


def anonymous_id() -> int:
    """Return a random number below 0, for a visitor whose browser sends no cookie."""
    return -1 - secrets.randbits(_VISITOR_BITS)


def browser_id(cookie: str) -> int:
    """Return the number, 0 or more, of the browser that sends this cookie."""
    digest = hashlib.sha256(cookie.encode()).digest()
    return int.from_bytes(digest[:8]) >> (64 - _VISITOR_BITS)


class Classroom:
    """The rooms in a file. Visitors are numbers of ``browser_id`` or ``anonymous_id``.

    A method raises RefusedError where a limit, the teacher's right or the file forbids what it
    does.
    """

    def __init__(self, file: Path, *, now: Callable[[], float] = time.time):
        """Open the file.

        Args:
            file: The file.
            now: Returns the time, in seconds.
        """
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
        self.cookie_key: bytes = self._first_value("SELECT key FROM cookie_keys")

    def _make_tables(self) -> None:
        if self._first_value("PRAGMA user_version") == _VERSION:
            return
        for name, statement in _TABLES.items():
            self._db.execute(f"DROP TABLE IF EXISTS {name}")
            self._db.execute(statement)
        self._db.execute("INSERT INTO cookie_keys VALUES (?)", (secrets.token_bytes(32),))
        self._db.execute(f"PRAGMA user_version = {_VERSION}")

    def open(self, question: str, teacher: int) -> str:
        """Open a room that asks a question, and return its code."""
        _check_question(question)
        code = "".join(secrets.choice(LETTERS) for _ in range(LETTERS_A_CODE))
        with self._writing():
            self._check_rooms_of(teacher)
            if self._first_value("SELECT count(*) FROM rooms") >= MOST_ROOMS:
                allowed = f"one of the {MOST_ROOMS} that can be open: try again later"
                raise RefusedError("rooms", "a new one", allowed)
            self._db.execute(
                "INSERT INTO rooms VALUES (?, ?, ?, 1, FALSE, ?)",
                (code, teacher, question, self._now()),
            )
        return code

    def _check_rooms_of(self, teacher: int) -> None:
        rows = self._db.execute("SELECT code FROM rooms WHERE teacher = ?", (teacher,))
        codes = [code for (code,) in rows]
        if len(codes) >= MOST_OWN:
            raise RefusedError("own", ", ".join(codes), f"at most {MOST_OWN} rooms of one browser")

    def read_room(self, code: str) -> Room | None:
        """Return a room as it is; None if there is none, or no more."""
        row = self._first_row(
            "SELECT question, round, closed, visited FROM rooms WHERE code = ? AND visited > ?",
            code,
            self._expiry,
        )
        if row is None:
            return None
        question, round_number, closed, visited = row
        if visited < self._now() - NOTED:
            with self._writing():
                self._db.execute("UPDATE rooms SET visited = ? WHERE code = ?", (self._now(), code))
        guesses = self._first_value("SELECT count(*) FROM guesses WHERE code = ?", code)
        return Room(
            code=code,
            question=question,
            round=round_number,
            closed=bool(closed),
            guesses=guesses,
        )

    def is_teacher(self, code: str, visitor: int) -> bool:
        """Return whether a visitor may close a room and ask in it."""
        row = self._first_row(
            "SELECT 1 FROM rooms WHERE code = ? AND teacher = ? AND visited > ?",
            code,
            visitor,
            self._expiry,
        )
        return row is not None

    def ask(self, code: str, visitor: int, question: str) -> None:
        """Ask another question, or the same again; earlier guesses are deleted."""
        _check_question(question)
        with self._writing():
            self._check_teacher(code, visitor)
            self._db.execute(
                "UPDATE rooms SET question = ?, round = round + 1, closed = FALSE WHERE code = ?",
                (question, code),
            )
            self._db.execute("DELETE FROM guesses WHERE code = ?", (code,))

    def close(self, code: str, visitor: int) -> None:
        """Take no more guesses, and show them."""
        with self._writing():
            self._check_teacher(code, visitor)
            self._db.execute("UPDATE rooms SET closed = TRUE WHERE code = ?", (code,))

    def _check_teacher(self, code: str, visitor: int) -> None:
        if not self.is_teacher(code, visitor):
            raise RefusedError("room", code, "a room that you teach")

    def guess(self, code: str, question: str, visitor: int, value: float) -> None:
        """Take a visitor's guess, in place of their last one."""
        check.between(-LARGEST_GUESS, LARGEST_GUESS, guess=value)
        with self._writing():
            state = self._first_row("SELECT question, closed FROM rooms WHERE code = ?", code)
            if state != (question, False):
                raise RefusedError("room", code, "a room that is open and asks this")
            of_others = "SELECT count(*) FROM guesses WHERE code = ? AND visitor != ?"
            if self._first_value(of_others, code, visitor) >= MOST_GUESSES:
                raise RefusedError("guesses", code, f"a room of at most {MOST_GUESSES:,} guesses")
            self._db.execute(
                "INSERT OR REPLACE INTO guesses VALUES (?, ?, ?)", (code, visitor, value)
            )

    def guesses(self, code: str) -> np.ndarray:
        """Return all guesses from low to high, (n,); none before the room is closed."""
        query = (
            "SELECT value FROM guesses JOIN rooms USING (code)"
            " WHERE code = ? AND closed AND visited > ?"
        )
        with self._using_file():
            rows = self._db.execute(query, (code, self._expiry)).fetchall()
        return np.sort([value for (value,) in rows])

    @property
    def _expiry(self) -> float:
        """Return the time of the last visit up to which a room is gone."""
        return self._now() - LASTS

    def _first_row(self, query: str, *values: Any) -> tuple[Any, ...] | None:
        with self._using_file():
            return self._db.execute(query, values).fetchone()

    def _first_value(self, query: str, *values: Any) -> Any:
        """Return the first value of the first row, or None."""
        row = self._first_row(query, *values)
        if row is None:
            return None
        return row[0]

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Write all or nothing, alone, after rooms are deleted that are gone."""
        with self._using_file(), self._db:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.execute("DELETE FROM rooms WHERE visited <= ?", (self._expiry,))
            self._db.execute("DELETE FROM guesses WHERE code NOT IN (SELECT code FROM rooms)")
            yield

    @contextmanager
    def _using_file(self) -> Iterator[None]:
        """Use the file alone among the threads.

        Raises:
            RefusedError: The file cannot be read or written.
        """
        with self._lock:
            try:
                yield
            except sqlite3.Error as fault:
                _log.exception("The file of the rooms cannot be used")
                allowed = f"a file that can be read and written ({fault})"
                raise RefusedError("file", FILE, allowed) from fault


def _check_question(question: str) -> None:
    if len(question) > LONGEST:
        raise RefusedError("question", f"{question[:20]}…", f"at most {LONGEST} characters")


@cache
def classroom() -> Classroom:
    """Return the rooms of this server."""
    file = os.environ.get(FILE, "").strip()
    if file:
        return Classroom(Path(file))
    return Classroom(Path(_folder().name) / "rooms.sqlite")


def check_rooms_file(environment: Mapping[str, str] = os.environ) -> None:
    """Check the file that ``LAB_ROOMS`` names.

    Raises:
        ValueError: It cannot hold rooms.
    """
    file = environment.get(FILE, "").strip()
    if not file:
        return
    try:
        Classroom(Path(file))
    except (sqlite3.Error, RefusedError) as fault:
        allowed = "the path of an SQLite file that the lab can create, read and write"
        raise ValueError(f"{FILE} is {file!r}, but must be {allowed}") from fault


@cache
def _folder() -> tempfile.TemporaryDirectory:
    """Make a folder that nobody else can read, and that is deleted when this process ends."""
    return tempfile.TemporaryDirectory(prefix="epsilon-lab-")
