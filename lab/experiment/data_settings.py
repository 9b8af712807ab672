"""Settings of experiments whose rows come from a data set of the lab, or from an uploaded file."""

import math
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
# Rows of an uploaded file that interactive training uses, a random part of a larger file.
MOST_LIVE = 20_000
# A file may have fewer rows than a page otherwise requires, down to this number.
_LEAST_ROWS = 50
# Maximum number of private values held at once; larger files are trained on in part.
_MOST_VALUES = 15_000_000
# Training keeps at least this share of the epsilon that was paid for bounds.
_LEAST_SHARE_OF_TRAINING = 0.1


class SourceSettings(Settings):
    """Base of settings whose rows come from a data set of the lab or from an uploaded file.

    This class alone says what a file allows, and how a new data set changes the other fields.

    Attributes:
        dataset: A key of ``CHOICES["dataset"]``, or "own" for an uploaded file.
        own: The handle of an uploaded file. A plain string is only its name, and nothing can be
            computed.
        epsilon: Of the whole release, with what bounds have cost.
        rows: Number of private rows, or of people in a file.
        CURVE: The epsilons of the page's curve.
        OF_NUMBERS: Whether the label is a number.
    """

    dataset: str
    own: str
    epsilon: float
    rows: int

    CURVE: ClassVar[tuple[float, ...]] = ()
    OF_NUMBERS: ClassVar[bool] = False

    def __post_init__(self) -> None:
        handles.named(self.own)
        super().__post_init__()

    @classmethod
    def fits(cls, own: OwnRows) -> bool:
        """Return whether the page can learn from this file."""
        if cls.OF_NUMBERS:
            return of_numbers(own)
        return of_classes(own)

    def change(self, **changes: Any) -> Self:
        """Return these settings with ``changes``, and dependent fields brought into their range."""
        dataset = changes.get("dataset", self.dataset)
        check.choice(self.CHOICES["dataset"], dataset=dataset)
        own = handles.named(changes.get("own", self.own))
        if dataset != OWN:
            own = handles.NONE
        is_other_handle = own != self.own or type(own) is not type(self.own)
        starts = {}
        if dataset != self.dataset or is_other_handle:
            starts = self.initial_values(dataset, own)
        return replace(self, **in_range(self, changes | {"own": own}, starts=starts))

    def initial_values(self, dataset: str, own: str) -> dict[str, Any]:
        """Return the fields that another data set sets, beyond those that leave their range."""
        return {}

    def is_missing_file(self, dataset: str) -> bool:
        """Return whether a link has named a file that this session does not have.

        The file then keeps the numbers of the link where it can.
        """
        is_own = dataset == self.dataset == OWN
        return is_own and self.own != handles.NONE and self.roles is None

    @property
    def uses_file(self) -> bool:
        """Return whether the data set is an uploaded file."""
        return self.dataset == OWN

    @property
    def dataset_key(self) -> Any:
        """Return the key by which tasks know the data set.

        Raises:
            RefusedError: For a file that is known only by its name.
        """
        if self.uses_file:
            return self.file.key
        return self.dataset

    @property
    def roles(self) -> Roles | None:
        """Return the declared roles of a file's columns; None without a file."""
        if isinstance(self.own, OwnRows):
            return self.own.roles
        return None

    @property
    def file(self) -> OwnRows:
        """Return the uploaded file.

        Raises:
            RefusedError: If there is none, or only its name.
        """
        if not isinstance(self.own, OwnRows):
            raise check.RefusedError("own", str(self.own), "a file that this session has brought")
        return self.own

    @property
    def by_person(self) -> bool:
        """Return whether a file identifies the person of each row."""
        return self.roles is not None and bool(self.roles.person)

    @property
    def unit(self) -> str:
        """Return the unit of privacy."""
        if self.by_person:
            return "person"
        return "record"

    @property
    def made_up(self) -> Self | None:
        """Return these settings on made-up rows of the declared shape (``lab.uploads.made_up``).

        It is None without a file, or if its bounds are not public.
        """
        if self.roles is None or self.roles.void or self.file.expired:
            return None
        twin = made_up.twin(self.file)
        kept = {name: getattr(self, name) for name in self.initial_values(OWN, twin)}
        if "rows" in kept:
            kept["rows"] = min(kept["rows"], twin.private)
        return self.change(own=twin, **kept)

    @property
    def void(self) -> str:
        """Return why nothing is guaranteed, or "". Bounds read off private rows guarantee none."""
        if self.roles is not None and self.roles.void:
            return "bounds were read off private rows"
        return ""

    @property
    def payments(self) -> tuple[Payment, ...]:
        """Return the payments for bounds before training.

        If the unit is the person, ``Roles.faults`` refuses payments of rows.
        """
        if self.roles is None:
            return ()
        return self.roles.payments

    @property
    def spent_epsilon(self) -> float:
        """Return the epsilon spent on all payments."""
        if self.roles is None:
            return 0.0
        return self.roles.spent

    @property
    def remaining_epsilon(self) -> float:
        """Return the epsilon left for training."""
        return self.epsilon - self.spent_epsilon

    def after_payments(self, training: Guarantee) -> Guarantee:
        """Return the guarantee of payments and training together.

        Args:
            training: The guarantee of training alone, with ``remaining_epsilon``.
        """
        return after(training, tuple(payment.event for payment in self.payments))

    @cached_property
    def epsilons(self) -> tuple[float, ...]:
        """Return the epsilons of the curve that leave something for training."""
        least, _ = self.limits["epsilon"]
        return tuple(epsilon for epsilon in self.CURVE if epsilon >= least)

    @property
    def limits(self) -> Mapping[str, tuple[float, float]]:
        """Return the (lowest, highest) value of each field."""
        low, high = self.LIMITS["epsilon"]
        spent = self.spent_epsilon
        if spent > 0:
            least = max((1 + _LEAST_SHARE_OF_TRAINING) * spent, spent + low)
            low = float(f"{least:.3g}")
        return {**self.LIMITS, "epsilon": (low, high)}

    @property
    def load_snippet(self) -> str:
        """Return the script lines that load an uploaded file; "" for a data set of the lab."""
        if not self.uses_file:
            return ""
        if self.OF_NUMBERS:
            return handles.load_snippet("regression_rows")
        return handles.load_snippet("rows")


def of_classes(own: OwnRows) -> bool:
    """Return whether rows, or people, of a file have classes and can be learned from one by one."""
    return own.roles.target is None and own.answered >= own_rows.LEAST_ROWS


def of_numbers(own: OwnRows) -> bool:
    """Return whether the label of a file is a number."""
    return own.roles.target is not None


class RowsSettings(SourceSettings):
    """Base of settings about a data set with classes (``classification.Source``).

    Attributes:
        rows: Public; None uses all, of a file at most ``MOST_LIVE``.
        seed: Of the rows and their split.
        rows_each: Rows of a person, for data sets of the lab and the correct mechanism
            (``split_of``), if the page has such a field.
        LOOP: Name of the field that selects the mechanism. A file allows only its first choice,
            the correct one.
        SIZED: Whether a part of a data set of fixed size can be used.
    """

    seed: int
    rows_each: int = 1

    LOOP: ClassVar[str]
    SIZED: ClassVar[bool] = True

    def __post_init__(self) -> None:
        handles.named(self.own)
        if self.rows is None:
            check.choice(self.CHOICES["dataset"], dataset=self.dataset)
            rows = self.LIMITS["rows"][0]
            if self.source is not None:
                rows = self.live_rows
            object.__setattr__(self, "rows", rows)
        super().__post_init__()

    @property
    def source(self) -> classification.Source | None:
        """Return the data set, or None for a file known only by its name."""
        return source_of(self.dataset, self.own)

    def initial_values(self, dataset: str, own: str) -> dict[str, Any]:
        """Return the number of rows with which another data set starts.

        It is that of the data set, unless the number is free in both, or a link has given one for a
        file that was missing.
        """
        source = source_of(dataset, own)
        if source is None:
            return {"rows": self.LIMITS["rows"][0]}
        if self.is_missing_file(dataset):
            return {"rows": min(self.rows, _most_rows(dataset, source))}
        was_sizable = self.source is not None and self.source.sizable
        if source.sizable and was_sizable:
            return {"rows": self.rows}
        return {"rows": _interactive_rows(dataset, source)}

    @property
    def live_rows(self) -> int:
        """Return the number of rows for interactive training."""
        return _interactive_rows(self.dataset, self.source)

    @property
    def most_rows(self) -> int:
        """Return the maximum number of rows that can be trained on."""
        return _most_rows(self.dataset, self.source)

    @property
    def exceeds_live_rows(self) -> bool:
        """Return whether a file is used with so many rows that each task must be small."""
        return self.uses_file and self.rows > MOST_LIVE

    def of_rows(self, rows: int) -> Self:
        """Return the same settings with another number of private rows."""
        return self.change(rows=rows)

    @property
    def choices(self) -> Mapping[str, Any]:
        """Return the allowed values of each field. A file allows no incorrect mechanism."""
        if not self.uses_file:
            return self.CHOICES
        correct, *_ = self.CHOICES[self.LOOP]
        return {**self.CHOICES, self.LOOP: (correct,)}

    @property
    def limits(self) -> Mapping[str, tuple[float, float]]:
        """Return the (lowest, highest) value of each field.

        The rows of a file end at ``live_rows``, or at ``most_rows`` once they exceed these.
        """
        limits = dict(super().limits)
        limits["rows"] = self._limits_of_rows()
        correct, *_ = self.CHOICES[self.LOOP]
        is_incorrect = getattr(self, self.LOOP) != correct
        if "rows_each" in limits and (self.uses_file or is_incorrect):
            limits["rows_each"] = 1, 1
        return limits

    def _limits_of_rows(self) -> tuple[float, float]:
        """Return the (lowest, highest) number of private rows, which depends on the data set."""
        low, high = self.LIMITS["rows"]
        if self.uses_file:
            # A file may be small. All of a large one is used only if a visitor asks for more rows
            # than interactive training has. ``rows`` may be any value until it is checked.
            high = self.live_rows
            if isinstance(self.rows, int) and self.rows > self.live_rows:
                high = self.most_rows
            return min(_LEAST_ROWS, low), high
        if self.source is None or self.source.sizable:
            # As many rows are drawn as are asked for.
            return low, high
        fixed_size = self.source.private_rows
        if self.SIZED:
            return low, fixed_size
        return fixed_size, fixed_size

    @property
    def by_person(self) -> bool:
        """Return whether the unit of privacy is a person, who may have several rows."""
        return super().by_person or self.rows_each > 1

    @property
    def people(self) -> int:
        """Return the number of units of privacy: people, or rows that are protected alone."""
        return math.ceil(self.rows / self.rows_each)

    @property
    def common_variance(self) -> float:
        """Return the number of held-out rows over that of private ones, or 0.

        It is 0 for a ``sizable`` data set, which is drawn anew for each split.
        """
        if self.source is None or self.source.sizable:
            return 0.0
        test_rows = len(classification.load(self.dataset_key, seed=self.seed).y_test)
        return test_rows / self.rows


def source_of(dataset: str, own: str) -> classification.Source | None:
    """Return the data set, or None for a file known only by its name."""
    if dataset != OWN:
        return classification.source(dataset)
    if isinstance(own, OwnRows):
        return own.source
    return None


@cached
def split_of(
    dataset: classification.Dataset, *, seed: int, private_rows: int, rows_each: int
) -> classification.Split:
    """Return the split of a data set whose private rows are distributed at random among persons.

    Each has ``rows_each`` rows, and the last person what is left.
    """
    split = classification.load(dataset, seed=seed, private_rows=private_rows)
    if rows_each == 1:
        return split
    people = stream(seed, "split", part=1).permutation(len(split.y_private)) // rows_each
    people.flags.writeable = False
    return replace(split, grouped_rows=(split.X_private, split.y_private, people))


def _interactive_rows(dataset: str, source: classification.Source | None) -> int:
    """Return the number of rows for interactive training, of a file at most ``MOST_LIVE``."""
    most = _most_rows(dataset, source)
    if dataset == OWN:
        most = min(most, MOST_LIVE)
    return most


def _most_rows(dataset: str, source: classification.Source | None) -> int:
    """Return the maximum number of rows that can be trained on.

    Of a file that this session does not have, it is what any file may have.
    """
    if source is None:
        return limits.MOST_ROWS
    if dataset != OWN:
        return source.private_rows
    most_in_memory = _MOST_VALUES // len(source.features)
    return min(source.private_rows, max(MOST_LIVE, most_in_memory))
