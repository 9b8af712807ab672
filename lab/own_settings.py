"""Settings of an experiment whose rows are a data set's of the lab, or a file of the visitor's own."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, Self

from dpcore import check
from dpcore.data import file_handles, own_rows, own_table, toy
from dpcore.data.paid_bounds import Payment
from dpcore.privacy import Guarantee, after
from lab.settings import Settings

OWN = "own"
# So many rows of a file of one's own are learned from while knobs move: a random part of a larger one. A file with
# fewer than a page else begins with is no fault.
MOST_LIVE, _LEAST = 20_000, 50
# Numbers of private rows that may be held at once: beyond them, not all rows are learned from.
_MOST_NUMBERS = 15_000_000


class PaidBounds:
    """Settings of a page that counts what bounds of a file have cost: of epsilon, the training has what is left.

    Whoever protects persons has payments for persons only: ``Roles.lacks`` refuses others. A page that does not count
    them has no ``paid``, and ``own_rows.void`` says that it promises nothing. CURVE: the epsilons of the page's curve.
    """

    CURVE: ClassVar[tuple[float, ...]] = ()

    @property
    def paid(self) -> tuple[Payment, ...]:
        """What was spent on bounds before any training."""
        return self.own.roles.payments if isinstance(self.own, own_rows.OwnRows) else ()

    @property
    def spent(self) -> float:
        """Of epsilon, by all that was paid for."""
        return spent_of(self.own)

    @property
    def left(self) -> float:
        """Of epsilon, for the training."""
        return self.epsilon - self.spent

    def whole(self, training: Guarantee) -> Guarantee:
        """The guarantee of a training within what is ``left``, and of the bounds that were paid for before it."""
        return after(training, tuple(one.event for one in self.paid))

    @cached_property
    def epsilons(self) -> tuple[float, ...]:
        """Those of the curve that leave something to train with."""
        least, _ = self.limits["epsilon"]
        return tuple(epsilon for epsilon in self.CURVE if epsilon >= least)

    def _limit(self, own: str) -> tuple[float, float]:
        """(lowest, highest) epsilon with this file: at least a tenth more than was spent, and the usual lowest."""
        (low, high), spent = self.LIMITS["epsilon"], spent_of(own)
        return (float(f"{max(1.1 * spent, spent + low):.3g}") if spent else low), high


class RowsSettings(Settings):
    """The base of those with the fields ``dataset``, which may be "own", ``own``, ``rows`` and ``seed``.

    own: an ``OwnRows``; of a plain string, the mere name of one, nothing can be computed. rows: private rows, public
    knowledge; None takes as many as there are, of a file at most ``MOST_LIVE``. LOOP: the field that says which way of
    training; on a file only its first choice, the sound one, is there. SIZED: whether fewer rows than a data set of
    fixed size has can be asked for.
    """

    LOOP: ClassVar[str]
    SIZED: ClassVar[bool] = True

    def __post_init__(self) -> None:
        file_handles.named(self.own)
        if self.rows is None:
            check.choice(self.CHOICES["dataset"], dataset=self.dataset)
            object.__setattr__(self, "rows", self.live if self.source else self.LIMITS["rows"][0])
        super().__post_init__()

    def change(self, **changes: Any) -> Self:
        """These settings with ``changes``; what depends on the data set is brought into the new one's range."""
        dataset = check.choice(self.CHOICES["dataset"], dataset=changes.get("dataset", self.dataset))
        own = file_handles.named(changes.get("own", self.own)) if dataset == OWN else file_handles.NONE
        if dataset != self.dataset or (own, type(own)) != (self.own, type(self.own)):
            changes = self.fitting(dataset, own) | changes | {"own": own}
        return replace(self, **changes)

    def fitting(self, dataset: str, own: str) -> dict[str, Any]:
        """What must be different with another data set. A file that a link has only named keeps the link's numbers, as
        far as it has rows for them."""
        (sound, *_), loop = self.CHOICES[self.LOOP], getattr(self, self.LOOP)
        loop = {self.LOOP: sound if dataset == OWN else loop}
        source = source_of(dataset, own)
        if source is None:
            return loop | {"rows": self.LIMITS["rows"][0]}
        if dataset == self.dataset == OWN and self.own != file_handles.NONE and self.source is None:
            return loop | {"rows": min(self.rows, _most(source))}
        stays = source.sizable and self.source is not None and self.source.sizable
        return loop | {"rows": self.rows if stays else _live(dataset, source)}

    @property
    def source(self) -> toy.Source | None:
        """The data set; None for a file that is only named."""
        return source_of(self.dataset, self.own)

    @property
    def rows_of(self) -> toy.Dataset:
        """What tasks know the data set by. Raises RefusedError for a file that is only named."""
        return file_handles.key(self.own) if self.dataset == OWN else self.dataset

    @property
    def live(self) -> int:
        """As many rows as there are, or as knobs can move with."""
        return _live(self.dataset, self.source)

    @property
    def most(self) -> int:
        """As many rows as can be learned from."""
        return _most(self.source) if self.dataset == OWN else self.source.private_rows

    @property
    def by_person(self) -> bool:
        """Whether a file says whose each row is."""
        return isinstance(self.own, own_rows.OwnRows) and bool(self.own.roles.person)

    @property
    def beyond(self) -> bool:
        """Whether there are more rows than knobs can move with: work is then cut into the smallest pieces."""
        return self.dataset == OWN and self.rows > MOST_LIVE

    def of_rows(self, rows: int) -> Self:
        """The same training with another number of private rows."""
        return self.change(rows=rows)

    @property
    def void(self) -> str:
        return own_rows.void(self)

    @property
    def choices(self) -> Mapping[str, Any]:
        """Field -> the values it may have: what is not sound is shown on data of ours only."""
        sound, *_ = self.CHOICES[self.LOOP]
        return self.CHOICES | ({self.LOOP: (sound,)} if self.dataset == OWN else {})

    @property
    def limits(self) -> Mapping[str, tuple[float, float]]:
        """Field -> (lowest, highest) value. The rows of a file end at what is live; once there are more, at all."""
        source, low = self.source, self.LIMITS["rows"][0]
        if self.dataset == OWN:
            most = self.most if source else own_table.MOST_ROWS
            live = self.live if source else MOST_LIVE
            beyond = isinstance(self.rows, int) and self.rows > live
            return self.LIMITS | {"rows": (min(_LEAST, low), most if beyond else live)}
        if source.sizable:
            return self.LIMITS
        return self.LIMITS | {"rows": (low if self.SIZED else source.private_rows, source.private_rows)}

    @property
    def overlap(self) -> float:
        return 0.0 if self.source.sizable else len(toy.load(self.rows_of, seed=self.seed).y_test) / self.rows

    @property
    def preparation(self) -> str:
        """Lines that a script needs first: a file of one's own must be there."""
        return own_rows.preparation() if self.dataset == OWN else ""


def spent_of(own: str) -> float:
    """What bounds of a file have cost; 0 of one that is only named."""
    return own.roles.spent if isinstance(own, own_rows.OwnRows) else 0.0


def source_of(dataset: str, own: str) -> toy.Source | None:
    """The data set; None for a file that is only named."""
    if dataset != OWN:
        return toy.source(dataset)
    return own.source if isinstance(own, own_rows.OwnRows) else None


def _live(dataset: str, source: toy.Source) -> int:
    return min(source.private_rows, MOST_LIVE) if dataset == OWN else source.private_rows


def _most(source: toy.Source) -> int:
    return min(source.private_rows, max(MOST_LIVE, _MOST_NUMBERS // len(source.features)))
