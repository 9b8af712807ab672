"""Sample tables, and the public notes on them in ``samples.toml``."""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.uploads.column_roles import Column

FOLDER = Path(__file__).parents[2] / "sample_data"
TEMPLATE = FOLDER / "template.csv"


@dataclass(frozen=True, kw_only=True)
class Sample:
    """A generated table.

    Attributes:
        file: Name of the file.
        icon: Its icon.
        title: Its title.
        about: What it is about.
        answer: The column to predict.
        columns: Columns with their public bounds.
        aside: Columns that are left out.
        classes: Values of ``answer``, if it is a class.
        target: ``answer`` with its bounds, if it is a number.
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


def _read_column(name: str, notes: Sequence[Any]) -> Column:
    """Return a column with its two bounds, or with its categories."""
    if isinstance(notes[0], str):
        return Column(name=name, kind="category", values=tuple(notes))
    low, high = notes
    return Column(name=name, low=low, high=high)


def _read_sample(table: Mapping[str, Any]) -> Sample:
    """Return the sample of a table of ``samples.toml``."""
    target = None
    if "bounds" in table:
        target = _read_column(table["answer"], table["bounds"])
    columns = [_read_column(name, notes) for name, notes in table["columns"].items()]
    return Sample(
        file=table["file"],
        icon=table["icon"],
        title=table["title"],
        about=table["about"],
        answer=table["answer"],
        columns=tuple(columns),
        aside=tuple(table.get("aside", ())),
        classes=tuple(table.get("classes", ())),
        target=target,
    )


def _read_samples() -> tuple[Sample, ...]:
    text = Path(__file__).with_name("samples.toml").read_text("utf-8")
    return tuple(_read_sample(table) for table in tomllib.loads(text)["sample"])


SAMPLES = _read_samples()


def of(columns: Iterable[str]) -> Sample | None:
    """Return the sample with exactly these columns; None if there is none."""
    names = set(columns)
    for sample in SAMPLES:
        sample_names = {column.name for column in sample.columns}
        if names == sample_names | {*sample.aside, sample.answer}:
            return sample
    return None
