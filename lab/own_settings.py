"""Settings of experiments that use one of the lab's data sets or an uploaded file."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, Self

from dpcore import check
from dpcore.data import toy
from dpcore.data.paid_bounds import Payment
from dpcore.privacy import Guarantee, after
from lab.files import file_handles, own_rows, own_table
from lab.settings import Settings

OWN = "own"
# Rows of an uploaded file that interactive training uses, a random part of a larger file. A file may have fewer rows
# than a page otherwise requires.
MOST_LIVE, _LEAST_ROWS = 20_000, 50
# Maximum number of private values held at once; larger files are trained on in part.
_MOST_VALUES = 15_000_000


def void_reason(settings: Settings) -> str:
    """Return why settings with an uploaded file guarantee nothing at any epsilon, or "" where the guarantee holds.

    Settings that charge epsilon for bounds have the payments as ``paid``.
    """
    roles = settings.own.roles if isinstance(settings.own, own_rows.OwnRows) else None
    if roles and roles.payments and not hasattr(settings, "paid"):
        return "bounds were paid for, which is not counted here"
    return "bounds were read off private rows" if roles and roles.void else ""


class PaidBounds:
    """Mixin for settings of pages that charge epsilon for bounds of a file: training gets the rest.

    If the unit of privacy is the person, all payments are for persons, because ``Roles.lacks`` refuses others. A page
    that does not account for them has no ``paid``, and ``void_reason`` says that it guarantees nothing. CURVE: the
    epsilons of the page's curve.
    """

    CURVE: ClassVar[tuple[float, ...]] = ()

    @property
    def paid(self) -> tuple[Payment, ...]:
        """Return the payments for bounds before training."""
        return self.own.roles.payments if isinstance(self.own, own_rows.OwnRows) else ()

    @property
    def spent(self) -> float:
        """Return the epsilon spent on all payments."""
        return spent_of(self.own)

    @property
    def left(self) -> float:
        """Return the epsilon left for training."""
        return self.epsilon - self.spent

    def whole(self, training: Guarantee) -> Guarantee:
        """Return the guarantee of a ``training`` run with epsilon ``left``, together with the payments before it."""
        return after(training, tuple(one.event for one in self.paid))

    @cached_property
    def epsilons(self) -> tuple[float, ...]:
        """Return the epsilons of the curve that leave something for training."""
        least, _ = self.limits["epsilon"]
        return tuple(epsilon for epsilon in self.CURVE if epsilon >= least)

    def _limit(self, own: str) -> tuple[float, float]:
        """Return the (lowest, highest) epsilon, where the lowest leaves at least a tenth of what ``own`` cost."""
        (low, high), spent = self.LIMITS["epsilon"], spent_of(own)
        return (float(f"{max(1.1 * spent, spent + low):.3g}") if spent else low), high


class RowsSettings(Settings):
    """Base of settings with the fields ``dataset``, which may be "own", ``own``, ``rows`` and ``seed``.

    own: an ``OwnRows``; a plain string is only the name of one, and nothing can be computed. rows: number of private
    rows, public; None uses all, of a file at most ``MOST_LIVE``. LOOP: name of the field that selects the mechanism; a
    file allows only its first choice, the correct one. SIZED: whether part of a data set of fixed size can be used.
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
        """Return these settings with ``changes``; a new data set also adjusts the fields that depend on it."""
        dataset = check.choice(self.CHOICES["dataset"], dataset=changes.get("dataset", self.dataset))
        own = file_handles.named(changes.get("own", self.own)) if dataset == OWN else file_handles.NONE
        if dataset != self.dataset or (own, type(own)) != (self.own, type(self.own)):
            changes = self.fitting(dataset, own) | changes | {"own": own}
        return replace(self, **changes)

    def fitting(self, dataset: str, own: str) -> dict[str, Any]:
        """Return the changes that another data set requires.

        A file that a link only named keeps the link's number of rows, as far as it has as many.
        """
        (sound, *_), loop = self.CHOICES[self.LOOP], getattr(self, self.LOOP)
        loop = {self.LOOP: sound if dataset == OWN else loop}
        source = source_of(dataset, own)
        if source is None:
            return loop | {"rows": self.LIMITS["rows"][0]}
        if dataset == self.dataset == OWN and self.own != file_handles.NONE and self.source is None:
            return loop | {"rows": min(self.rows, _most_rows(source))}
        stays = source.sizable and self.source is not None and self.source.sizable
        return loop | {"rows": self.rows if stays else _interactive_rows(dataset, source)}

    @property
    def source(self) -> toy.Source | None:
        """Return the data set, or None for a file known only by its name."""
        return source_of(self.dataset, self.own)

    @property
    def rows_of(self) -> toy.Dataset:
        """Return the key by which tasks know the data set; raise RefusedError for a file known only by its name."""
        return file_handles.key(self.own) if self.dataset == OWN else self.dataset

    @property
    def live(self) -> int:
        """Return the number of rows for interactive training."""
        return _interactive_rows(self.dataset, self.source)

    @property
    def most(self) -> int:
        """Return the maximum number of rows that can be trained on."""
        return _most_rows(self.source) if self.dataset == OWN else self.source.private_rows

    @property
    def by_person(self) -> bool:
        """Return whether a file identifies the person of each row."""
        return isinstance(self.own, own_rows.OwnRows) and bool(self.own.roles.person)

    @property
    def beyond(self) -> bool:
        """Return whether there are too many rows for interactive training, so that tasks must be small."""
        return self.dataset == OWN and self.rows > MOST_LIVE

    def of_rows(self, rows: int) -> Self:
        """Return the same settings with another number of private rows."""
        return self.change(rows=rows)

    @property
    def void(self) -> str:
        return void_reason(self)

    @property
    def choices(self) -> Mapping[str, Any]:
        """Return the allowed values of each field; incorrect mechanisms are available for the lab's data only."""
        sound, *_ = self.CHOICES[self.LOOP]
        return self.CHOICES | ({self.LOOP: (sound,)} if self.dataset == OWN else {})

    @property
    def limits(self) -> Mapping[str, tuple[float, float]]:
        """Return the (lowest, highest) value of each field; ``rows`` of a file end at ``live``, or ``most`` beyond."""
        source, low = self.source, self.LIMITS["rows"][0]
        if self.dataset == OWN:
            most = self.most if source else own_table.MOST_ROWS
            live = self.live if source else MOST_LIVE
            beyond = isinstance(self.rows, int) and self.rows > live
            return self.LIMITS | {"rows": (min(_LEAST_ROWS, low), most if beyond else live)}
        if source.sizable:
            return self.LIMITS
        return self.LIMITS | {"rows": (low if self.SIZED else source.private_rows, source.private_rows)}

    @property
    def overlap(self) -> float:
        return 0.0 if self.source.sizable else len(toy.load(self.rows_of, seed=self.seed).y_test) / self.rows

    @property
    def preparation(self) -> str:
        """Return the script lines that load an uploaded file first, if any."""
        return own_rows.preparation() if self.dataset == OWN else ""


def spent_of(own: str) -> float:
    """Return the epsilon spent on bounds of a file, 0 if only its name is known."""
    return own.roles.spent if isinstance(own, own_rows.OwnRows) else 0.0


def source_of(dataset: str, own: str) -> toy.Source | None:
    """Return the data set, or None for a file known only by its name."""
    if dataset != OWN:
        return toy.source(dataset)
    return own.source if isinstance(own, own_rows.OwnRows) else None


def _interactive_rows(dataset: str, source: toy.Source) -> int:
    return min(source.private_rows, MOST_LIVE) if dataset == OWN else source.private_rows


def _most_rows(source: toy.Source) -> int:
    return min(source.private_rows, max(MOST_LIVE, _MOST_VALUES // len(source.features)))
