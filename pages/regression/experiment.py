"""Private linear regression: noise on the quadratic, on its statistics, on the answer, or on each step.

The first mechanism follows the report [jiang2018, Section 4] exactly; the others are what is known to be sound and
sharp. All of them look at sufficient statistics alone, so that 300,000 rows cost no more than 300.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from dpcore import check
from dpcore.data import regression as regression_data
from dpcore.estimators.linear import REGRESSIONS, mechanism
from dpcore.privacy import Guarantee
from dpcore.regression.functional import best_share, published_best_share
from dpcore.regression.least_squares import REPAIRS
from lab import chunking
from lab.files import file_handles, own_rows, own_table
from lab.files.own_rows import OwnRows
from lab.settings import Measure, Task
from lab.sources import OWN, SourceSettings
from pages.regression.result import RegressionResult
from pages.regression.work import (
    EPSILONS,
    SHARE_REPEATS,
    SHARES,
    ErrorCurve,
    Focus,
    Problem,
    ShareCurve,
    Tried,
)

SPLITS = ("best", "own")
# The mechanisms that split epsilon, with the split of least noise for each.
SPLITTERS = {"published": published_best_share, "functional": best_share}
# The mechanisms that release a quadratic whose noise may leave it without a minimum, and no bound on the weights.
UNBOUNDED = ("published", "functional", "gaussian")
LIMITS = {
    "epsilon": (0.01, 100.0),
    "delta": (1e-9, 1e-3),
    "share": (0.02, 0.98),
    "repeats": (2, 100),
    "seed": (0, 9999),
}
_FEWEST_ROWS = 50
DATA = (*regression_data.SOURCES, OWN)
# What the label bound of a file is called: those that were declared with it stay there, out of links and scripts.
_DECLARED = 200.0


@dataclass(frozen=True, kw_only=True)
class RegressionSettings(SourceSettings):
    """All that decides what the page shows. Raises RefusedError where a value has no meaning.

    dataset: a key of ``SOURCES``, or "own".
    own: with dataset "own", an ``OwnRows``; of a plain string, the mere name of one, nothing can be computed.
    mechanism: the one of ``REGRESSIONS`` that is looked at closely.
    epsilon: of the guarantee.
    share: of epsilon for the quadratic, where it is set by hand.
    split: "best" gives each mechanism the split of epsilon with the least noise, "own" gives all ``share``.
    delta: of the guarantee of Gaussian mechanisms.
    rows: how many private rows, or persons of a file, are trained on, from the first.
    features: how many of them there are, from the first.
    label_top: upper bound to which labels are clipped, in their unit; a file has declared its own.
    repair: of the "functional" and "gaussian" mechanisms, a key of ``REPAIRS``.
    repeats: how often each mechanism is run.
    seed: of the noise, and of who is held out where the data set is not a fixed one.
    feature: number of the feature whose line is drawn.
    across: number of the feature whose coefficient the surface has across.
    up: number of the feature whose coefficient the surface has upwards.
    draw: whose noisy surface is drawn, from 1.
    """

    CHOICES: ClassVar = {
        "dataset": DATA,
        "mechanism": REGRESSIONS,
        "split": SPLITS,
        "repair": REPAIRS,
    }
    LIMITS: ClassVar = LIMITS
    MEASURES: ClassVar = {
        "error": Measure("error on held-out rows", "lower", lambda now: now.errors, rises=("epsilon", "delta", "rows"))
    }
    TUNED: ClassVar = {"share": (0.05, 0.95)}
    PEOPLE: ClassVar = "rows"
    CURVE: ClassVar = EPSILONS
    OF_NUMBERS: ClassVar = True
    FOLLOWS: ClassVar = {"features": ("feature", "across", "up"), "repeats": ("draw",)}
    COMMON: ClassVar = ("dataset", "own", "mechanism", "rows", "features", "label_top", "repeats", "seed")

    dataset: str = "us"
    own: str = file_handles.NONE
    mechanism: str = "published"
    epsilon: float = 0.2
    share: float = 0.9
    split: str = "best"
    delta: float = 1e-6
    rows: int = 296_000
    features: int = 13
    label_top: float = 200.0
    repair: str = "both"
    repeats: int = 50
    seed: int = 4
    feature: int = 2
    across: int = 8
    up: int = 9
    draw: int = 37

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.across == self.up:
            raise check.RefusedError("up", self.up, "another feature than the one across")

    def starts(self, dataset: str, own: str) -> dict[str, Any]:
        """Return all rows of a data set and its usual label bound, and all inputs of a file, unless a link has said how
        many."""
        source = _source(dataset, own)
        if source is None:
            return {"rows": own_table.MOST_ROWS, "features": own_rows.MOST_COLUMNS}
        if dataset != OWN:
            return {"rows": source.train_rows, "label_top": source.label_top}
        return {} if self.awaits(dataset) else {"rows": source.train_rows, "features": len(source.features)}

    def _in_range(self, changes: Mapping[str, Any], names: set[str]) -> dict[str, Any]:
        """Return two different features of the surface, where fewer features leave both the last one."""
        moved = super()._in_range(changes, names)
        across, up = (moved.get(name, getattr(self, name)) for name in ("across", "up"))
        if {"across", "up"} <= names and across == up:
            moved["across"] = up - 1 if up else 1
        return moved

    @property
    def source(self) -> regression_data.Source | None:
        """The data set; None for a file that is only named."""
        return _source(self.dataset, self.own)

    @property
    def top(self) -> float:
        """The upper bound to which labels are clipped."""
        return self.source.label_top if self.private else self.label_top

    @property
    def overlap(self) -> float:
        return 0.0 if self.source.fixed else 1 / self.source.train_share - 1

    @property
    def limits(self) -> Mapping[str, tuple[float, float]]:
        """Field -> (lowest, highest) value, with what the data set leaves of them."""
        last = self.features - 1 if isinstance(self.features, int) else 1
        source, most = self.source, (own_table.MOST_ROWS, own_rows.MOST_COLUMNS)
        if source is not None:
            most = source.train_rows, len(source.features)
        return super().limits | {
            "rows": (_FEWEST_ROWS, most[0]),
            "features": (2, most[1]),
            "label_top": (_DECLARED, _DECLARED) if self.private else source.label_tops,
            "feature": (0, last),
            "across": (0, last),
            "up": (0, last),
            "draw": (1, self.repeats if isinstance(self.repeats, int) else 1),
        }

    @property
    def measures(self) -> Mapping[str, Measure]:
        """The minimum of a noisy quadratic may lie anywhere: the mean over its draws is that of a few far ones."""
        if self.mechanism not in UNBOUNDED:
            return self.MEASURES
        return {name: measure._replace(rises=()) for name, measure in self.MEASURES.items()}

    @property
    def tuned(self) -> Mapping[str, tuple[float, float]]:
        """The share is free where a mechanism has one and it is set by hand."""
        return super().tuned if self.split == "own" and self.mechanism in SPLITTERS else {}

    @property
    def problem(self) -> Problem:
        dataset = file_handles.key(self.own) if self.private else self.dataset
        return Problem(dataset=dataset, rows=self.rows, features=self.features, label_top=self.top, seed=self.seed)

    def share_of(self, name: str) -> float:
        """The share of epsilon that the mechanism ``name`` spends on the quadratic; NaN where there is no split."""
        if name not in SPLITTERS:
            return float("nan")
        return self.share if self.split == "own" else SPLITTERS[name](self.features + 1)

    def mechanism_of(self, name: str, **options: Any) -> Any:
        """The mechanism ``name`` with these settings, but for ``options``."""
        known = {"share": self.share_of(name), "delta": self.delta, "repair": self.repair}
        known |= {"rows_each": self.source.rows_each, "gaps": self.source.gaps}
        return mechanism(name, **(known | options))

    @property
    def promise(self) -> Guarantee | None:
        return None if self.void else self.guarantee(self.mechanism)

    def guarantee(self, name: str) -> Guarantee:
        """Return what the mechanism ``name`` promises at this epsilon, with what bounds have cost of it."""
        rows = self.rows * self.source.rows_each
        found = self.mechanism_of(name).guarantee(self.left, inputs=self.features + 1, rows=rows)
        return self.whole(replace(found, unit="person") if self.by_person else found)

    def focus(self, name: str) -> Focus:
        return Focus(
            problem=self.problem,
            mechanism=self.mechanism_of(name),
            epsilon=self.left,
            repeats=self.repeats,
            essential=name == self.mechanism,
        )

    def curve(self, name: str) -> ErrorCurve:
        return ErrorCurve(
            problem=self.problem,
            mechanism=self.mechanism_of(name),
            epsilons=tuple(epsilon - self.spent for epsilon in self.epsilons),
            repeats=self.repeats,
        )

    def over_share(self, name: str) -> ShareCurve:
        return ShareCurve(
            problem=self.problem,
            mechanisms=tuple(self.mechanism_of(name, share=share) for share in SHARES),
            epsilon=self.left,
            repeats=min(self.repeats, SHARE_REPEATS),
        )

    def probe(self) -> Focus:
        """The chosen mechanism at today's epsilon."""
        return self.focus(self.mechanism)

    def sample(self, count: int) -> tuple[Tried, ...]:
        what = {"problem": self.problem, "mechanism": self.mechanism_of(self.mechanism), "epsilon": self.left}
        return tuple(
            Tried(**what, first=part.start, count=len(part), given=given)
            for part, given in chunking.sample([range(self.repeats)], count, each=1.0)
        )

    def schedule(self) -> Iterable[Task]:
        """The chosen mechanism at today's epsilon first, then the curves, the others at this epsilon, and the split."""
        others = [name for name in REGRESSIONS if name != self.mechanism]
        return (
            self.focus(self.mechanism),
            *(self.curve(name) for name in (self.mechanism, *others)),
            *(self.focus(name) for name in others),
            *(self.over_share(name) for name in SPLITTERS),
        )

    def result(self, outcomes: Mapping[Any, Any]) -> "RegressionResult":
        """Assemble what has been done; needs the essential tasks only."""
        return RegressionResult(
            settings=self,
            problem=self.problem,
            at_now={name: outcomes[self.focus(name)] for name in REGRESSIONS if self.focus(name) in outcomes},
            curves={name: outcomes[self.curve(name)] for name in REGRESSIONS if self.curve(name) in outcomes},
            splits={name: outcomes[self.over_share(name)] for name in SPLITTERS if self.over_share(name) in outcomes},
        )


def _source(dataset: str, own: str) -> regression_data.Source | None:
    """The data set; None for a file that is only named."""
    if dataset != OWN:
        return regression_data.SOURCES[dataset]
    return own.regression_source if isinstance(own, OwnRows) else None
