"""Settings of experiments whose rows come from a data set of the lab, or from an uploaded file."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, Self

from dpcore import check
from dpcore.cache import cached
from dpcore.mechanisms.private_bounds import Payment
from dpcore.privacy import Guarantee, after
from dpcore.streams import stream
from lab.data import classification
from lab.experiment.settings import Settings, in_range
from lab.uploads import handles, limits, made_up
from lab.uploads import rows as own_rows
from lab.uploads.column_roles import Roles
from lab.uploads.rows import OwnRows

OWN = "own"
# Rows of an uploaded file that interactive training uses, a random part of a larger file. A file
# may have fewer rows than a page otherwise requires.
MOST_LIVE, _LEAST_ROWS = 20_000, 50
# Maximum number of private values held at once; larger files are trained on in part.
_MOST_VALUES = 15_000_000


class SourceSettings(Settings):
    """Base of settings with the fields ``dataset``, which may be "own", and ``own``.

    own: the handle of an uploaded file; a plain string is only its name, and nothing can be
    computed. This class alone says what a file allows, and how a new data set changes the other
    fields. CURVE: the epsilons of the page's curve.
    OF_NUMBERS: whether the label is a number.
    """

    dataset: str
    own: str
    epsilon: float

    CURVE: ClassVar[tuple[float, ...]] = ()
    OF_NUMBERS: ClassVar[bool] = False

    def __post_init__(self) -> None:
        handles.named(self.own)
        super().__post_init__()

    @classmethod
    def fits(cls, own: OwnRows) -> bool:
        """Return whether the page can learn from this file."""
        return of_numbers(own) if cls.OF_NUMBERS else of_classes(own)

    def change(self, **changes: Any) -> Self:
        """Return these settings with ``changes``; fields that depend on them are brought into their
        new range.
        """
        dataset = check.choice(
            self.CHOICES["dataset"], dataset=changes.get("dataset", self.dataset)
        )
        own = handles.named(changes.get("own", self.own))
        if dataset != OWN:
            own = handles.NONE
        starts = {}
        if (dataset, own, type(own)) != (self.dataset, self.own, type(self.own)):
            starts = self.starts(dataset, own)
        return replace(self, **in_range(self, changes | {"own": own}, starts=starts))

    def starts(self, dataset: str, own: str) -> dict[str, Any]:
        """Return the values with which another data set starts, beyond those that leave their
        range.
        """
        return {}

    def awaits(self, dataset: str) -> bool:
        """Return whether a link has named a file that is not here yet, whose numbers the file keeps
        where it can.
        """
        return dataset == self.dataset == OWN and self.own != handles.NONE and self.roles is None

    @property
    def private(self) -> bool:
        return self.dataset == OWN

    @property
    def rows_of(self) -> Any:
        """Return the key by which tasks know the data set; raise RefusedError for a file known only
        by its name.
        """
        if self.private:
            return self.file.key
        return self.dataset

    @property
    def roles(self) -> Roles | None:
        """Return the declared roles of a file's columns, None without a file."""
        return self.own.roles if isinstance(self.own, OwnRows) else None

    @property
    def file(self) -> OwnRows:
        """Return the uploaded file; raise RefusedError where there is none, or only its name."""
        if not isinstance(self.own, OwnRows):
            raise check.RefusedError("own", str(self.own), "a file that this session has brought")
        return self.own

    @property
    def by_person(self) -> bool:
        """Return whether a file identifies the person of each row."""
        return bool(self.roles and self.roles.person)

    @property
    def unit(self) -> str:
        """Return the unit of privacy."""
        return "person" if self.by_person else "record"

    @property
    def made_up(self) -> Self | None:
        """Return these settings on made-up rows of the declared shape of a file
        (``lab.uploads.made_up``); None without a file, or where its bounds are not public.
        """
        if self.roles is None or self.roles.void or self.file.gone:
            return None
        twin = made_up.twin(self.file)
        kept = {name: getattr(self, name) for name in self.starts(OWN, twin)}
        if "rows" in kept:
            kept["rows"] = min(kept["rows"], twin.private)
        return self.change(own=twin, **kept)

    @property
    def void(self) -> str:
        return "bounds were read off private rows" if self.roles and self.roles.void else ""

    @property
    def paid(self) -> tuple[Payment, ...]:
        """Return the payments for bounds before training; if the unit is the person,
        ``Roles.faults`` refuses others.
        """
        return self.roles.payments if self.roles else ()

    @property
    def spent(self) -> float:
        """Return the epsilon spent on all payments."""
        return self.roles.spent if self.roles else 0.0

    @property
    def left(self) -> float:
        """Return the epsilon left for training."""
        return self.epsilon - self.spent

    def whole(self, training: Guarantee) -> Guarantee:
        """Return the guarantee of a ``training`` run with epsilon ``left``, together with the
        payments before it.
        """
        return after(training, tuple(one.event for one in self.paid))

    @cached_property
    def epsilons(self) -> tuple[float, ...]:
        """Return the epsilons of the curve that leave something for training."""
        least, _ = self.limits["epsilon"]
        return tuple(epsilon for epsilon in self.CURVE if epsilon >= least)

    @property
    def limits(self) -> Mapping[str, tuple[float, float]]:
        """Return the (lowest, highest) value of each field; training keeps a tenth of what bounds
        cost, at least.
        """
        (low, high), spent = self.LIMITS["epsilon"], self.spent
        return {
            **self.LIMITS,
            "epsilon": (float(f"{max(1.1 * spent, spent + low):.3g}") if spent else low, high),
        }

    @property
    def preparation(self) -> str:
        """Return the script lines that load an uploaded file first, if any."""
        return (
            handles.preparation("regression_rows" if self.OF_NUMBERS else "rows")
            if self.private
            else ""
        )


def of_classes(own: OwnRows) -> bool:
    """Return whether rows, or people, of a file have classes and can be learned from one by one."""
    return own.roles.target is None and own.answered >= own_rows.LEAST_ROWS


def of_numbers(own: OwnRows) -> bool:
    """Return whether the label of a file is a number."""
    return own.roles.target is not None


class RowsSettings(SourceSettings):
    """Base of settings about a data set with classes (``toy.Source``), with the fields ``rows`` and
    ``seed``.

    rows: number of private rows, public; None uses all, of a file at most ``MOST_LIVE``. LOOP: name
    of the field that selects the mechanism; a file allows only its first choice, the correct one.
    SIZED: whether part of a data set of
    fixed size can be used. rows_each: rows of a person, of the lab's data and the correct mechanism
    (``split_of``), where there is such a field.
    """

    rows: int
    seed: int
    rows_each: int = 1

    LOOP: ClassVar[str]
    SIZED: ClassVar[bool] = True

    def __post_init__(self) -> None:
        handles.named(self.own)
        if self.rows is None:
            check.choice(self.CHOICES["dataset"], dataset=self.dataset)
            object.__setattr__(self, "rows", self.live if self.source else self.LIMITS["rows"][0])
        super().__post_init__()

    @property
    def source(self) -> classification.Source | None:
        """Return the data set, or None for a file known only by its name."""
        return source_of(self.dataset, self.own)

    def starts(self, dataset: str, own: str) -> dict[str, Any]:
        """Return as many rows as the data set has, unless the number is free in both or a link has
        said it.
        """
        source = source_of(dataset, own)
        if source is None:
            return {"rows": self.LIMITS["rows"][0]}
        if self.awaits(dataset):
            return {"rows": min(self.rows, _most_rows(dataset, source))}
        stays = source.sizable and self.source is not None and self.source.sizable
        return {"rows": self.rows if stays else _interactive_rows(dataset, source)}

    @property
    def live(self) -> int:
        """Return the number of rows for interactive training."""
        return _interactive_rows(self.dataset, self.source)

    @property
    def most(self) -> int:
        """Return the maximum number of rows that can be trained on."""
        return _most_rows(self.dataset, self.source)

    @property
    def beyond(self) -> bool:
        """Return whether there are too many rows for interactive training, so that tasks must be
        small.
        """
        return self.private and self.rows > MOST_LIVE

    def of_rows(self, rows: int) -> Self:
        """Return the same settings with another number of private rows."""
        return self.change(rows=rows)

    @property
    def choices(self) -> Mapping[str, Any]:
        """Return the allowed values of each field; incorrect mechanisms are available for the lab's
        data only.
        """
        correct, *_ = self.CHOICES[self.LOOP]
        return {**self.CHOICES, self.LOOP: (correct,)} if self.private else self.CHOICES

    @property
    def limits(self) -> Mapping[str, tuple[float, float]]:
        """Return the (lowest, highest) value of each field; ``rows`` of a file end at ``live``, or
        ``most`` beyond.
        """
        source, low, found = self.source, self.LIMITS["rows"][0], dict(super().limits)
        if self.private:
            beyond = isinstance(self.rows, int) and self.rows > self.live
            found["rows"] = min(_LEAST_ROWS, low), self.most if beyond else self.live
        elif source is not None and not source.sizable:
            found["rows"] = low if self.SIZED else source.private_rows, source.private_rows
        correct, *_ = self.CHOICES[self.LOOP]
        if "rows_each" in found and (self.private or getattr(self, self.LOOP) != correct):
            found["rows_each"] = 1, 1
        return found

    @property
    def by_person(self) -> bool:
        return super().by_person or self.rows_each > 1

    @property
    def people(self) -> int:
        """Return the number of units of privacy: people, or rows that are protected alone."""
        return -(-self.rows // self.rows_each)

    @property
    def overlap(self) -> float:
        if self.source is None or self.source.sizable:
            return 0.0
        return len(classification.load(self.rows_of, seed=self.seed).y_test) / self.rows


def source_of(dataset: str, own: str) -> classification.Source | None:
    """Return the data set, or None for a file known only by its name."""
    if dataset != OWN:
        return classification.source(dataset)
    return own.source if isinstance(own, OwnRows) else None


def split_of(
    dataset: classification.Dataset, *, seed: int, private_rows: int, rows_each: int
) -> classification.Split:
    """Return the split of a data set, whose private rows a shuffle gives to persons with
    ``rows_each`` rows each; the last person has what is left.
    """
    split = classification.load(dataset, seed=seed, private_rows=private_rows)
    return split if rows_each == 1 else _of_persons(split, seed, rows_each)


@cached
def _of_persons(split: classification.Split, seed: int, rows_each: int) -> classification.Split:
    people = stream(seed, "split", part=1).permutation(len(split.y_private)) // rows_each
    people.flags.writeable = False
    return replace(split, several=(split.X_private, split.y_private, people))


def _interactive_rows(dataset: str, source: classification.Source | None) -> int:
    most = _most_rows(dataset, source)
    return min(most, MOST_LIVE) if dataset == OWN else most


def _most_rows(dataset: str, source: classification.Source | None) -> int:
    """Return the maximum number of rows that can be trained on; of a file that is not here, what
    any may have.
    """
    if source is None:
        return limits.MOST_ROWS
    values = (
        max(MOST_LIVE, _MOST_VALUES // len(source.features))
        if dataset == OWN
        else source.private_rows
    )
    return min(source.private_rows, values)
