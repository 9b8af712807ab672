"""The tables to try, and what ``samples.toml`` says that anybody could know of them."""

import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.uploads.column_roles import Column

FOLDER = Path(__file__).parents[2] / "sample_data"
TEMPLATE = FOLDER / "template.csv"


@dataclass(frozen=True, kw_only=True)
class Sample:
    """A generated table. columns: with their public bounds; aside: what is left out; answer: what
    is to be predicted;
    classes: its values, or where it is a number, ``target``: its bounds.
    """

    file: str
    icon: str
    title: str
    about: str
    answer: str
    columns: tuple[Column, ...]
    aside: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    target: Column | None = None

    @property
    def data(self) -> bytes:
        return (FOLDER / self.file).read_bytes()


def _column(name: str, known: Sequence[Any]) -> Column:
    """Return a column with its bounds, or with its values."""
    if isinstance(known[0], str):
        return Column(name=name, kind="category", values=tuple(known))
    low, high = known
    return Column(name=name, low=low, high=high)


def _samples() -> Iterable[Sample]:
    for read in tomllib.loads(Path(__file__).with_name("samples.toml").read_text("utf-8"))[
        "sample"
    ]:
        bounds, columns = read.pop("bounds", None), read.pop("columns")
        said: dict[str, Any] = {
            name: tuple(one) if isinstance(one, list) else one for name, one in read.items()
        }
        yield Sample(
            **said,
            columns=tuple(_column(*one) for one in columns.items()),
            target=_column(read["answer"], bounds) if bounds else None,
        )


SAMPLES = tuple(_samples())


def of(columns: Iterable[str]) -> Sample | None:
    """Return the sample that has these columns."""
    names = {*columns}
    return next(
        (
            one
            for one in SAMPLES
            if names == {*(c.name for c in one.columns), *one.aside, one.answer}
        ),
        None,
    )
