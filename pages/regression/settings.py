"""The settings of the regression: what they may be, which problem and methods they describe, and
their guarantees.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

from dpcore.estimators.linear import REGRESSIONS, mechanism
from dpcore.privacy import Guarantee
from dpcore.regression.functional import best_share, published_best_share
from dpcore.regression.least_squares import REPAIRS
from lab.data import regression as regression_data
from lab.experiment.data_settings import OWN, SourceSettings
from lab.experiment.settings import Measure
from lab.uploads import column_roles, handles, limits
from lab.uploads.rows import OwnRows
from pages.regression.tasks import EPSILONS, Method, Problem

# The mechanisms that split epsilon, with the split of least noise for each.
SPLITTERS: Mapping[str, Callable[[int], float]] = {
    "published": published_best_share,
    "functional": best_share,
}
# The mechanisms that release a quadratic whose noise may leave it without a minimum, and no bound
# on the weights.
_UNBOUNDED = ("published", "functional", "gaussian")
_FEWEST_ROWS = 50
# What the label bound of a file is called: those that were declared with it stay there, out of
# links and scripts.
_DECLARED = 200.0


@dataclass(frozen=True, kw_only=True)
class RegressionParameters(SourceSettings):
    """All that decides what the page shows. Raises RefusedError where a value has no meaning.

    mechanism: the one of ``REGRESSIONS`` that is looked at closely.
    share: of epsilon for the quadratic, where it is set by hand.
    split: "best" gives each mechanism the split of epsilon with the least noise, "own" gives all
        ``share``.
    delta: of the guarantee of Gaussian mechanisms.
    rows, features: how many private rows, or persons of a file, are trained on, and features, from
    the first.
    label_top: upper bound to which labels are clipped, in their unit; a file has declared its own.
    repair: of the "functional" and "gaussian" mechanisms, a key of ``REPAIRS``.
    seed: of the noise, and of who is held out where the data set is not a fixed one.
    feature: number of the feature whose line is drawn.
    """

    CHOICES: ClassVar = {
        "dataset": (*regression_data.SOURCES, OWN),
        "mechanism": REGRESSIONS,
        "split": ("best", "own"),
        "repair": REPAIRS,
    }
    LIMITS: ClassVar = {
        "epsilon": (0.01, 100.0),
        "delta": (1e-9, 1e-3),
        "share": (0.02, 0.98),
        "repeats": (2, 100),
        "seed": (0, 9999),
    }
    MEASURES: ClassVar = {
        "error": Measure(
            "RMSE on held-out rows",
            "lower",
            lambda now: now.errors,
            rises=("epsilon", "delta", "rows"),
        )
    }
    TUNED: ClassVar = {"share": (0.05, 0.95)}
    PEOPLE: ClassVar = "rows"
    CURVE: ClassVar = EPSILONS
    OF_NUMBERS: ClassVar = True
    COMMON: ClassVar = (
        "dataset",
        "own",
        "mechanism",
        "rows",
        "features",
        "label_top",
        "repeats",
        "seed",
    )

    dataset: str = "us"
    own: str = handles.NONE
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

    def starts(self, dataset: str, own: str) -> dict[str, Any]:
        """Return all rows of a data set and its usual label bound, and all inputs of a file, unless
        a link has said how many.
        """
        source = _source(dataset, own)
        if source is None:
            return {"rows": limits.MOST_ROWS, "features": column_roles.MOST_COLUMNS}
        if dataset != OWN:
            return {"rows": source.train_rows, "label_top": source.label_top}
        return (
            {}
            if self.awaits(dataset)
            else {"rows": source.train_rows, "features": len(source.features)}
        )

    @property
    def source(self) -> regression_data.Source | None:
        return _source(self.dataset, self.own)

    @property
    def overlap(self) -> float:
        source = self.problem.source
        return 0.0 if source.fixed else 1 / source.train_share - 1

    @property
    def limits(self) -> Mapping[str, tuple[float, float]]:
        last = self.features - 1 if isinstance(self.features, int) else 1
        source = self.source
        rows, features = (limits.MOST_ROWS, column_roles.MOST_COLUMNS)
        if source is not None:
            rows, features = source.train_rows, len(source.features)
        return {
            **super().limits,
            "rows": (_FEWEST_ROWS, rows),
            "features": (2, features),
            "label_top": source.label_tops
            if source and not self.private
            else (_DECLARED, _DECLARED),
            "feature": (0, last),
        }

    @property
    def measures(self) -> Mapping[str, Measure]:
        """The minimum of a noisy quadratic may lie anywhere: the mean over its draws is that of a
        few far ones.
        """
        if self.mechanism not in _UNBOUNDED:
            return self.MEASURES
        return {name: measure._replace(rises=()) for name, measure in self.MEASURES.items()}

    @property
    def tuned(self) -> Mapping[str, tuple[float, float]]:
        """The share is free where a mechanism has one and it is set by hand."""
        return super().tuned if self.split == "own" and self.mechanism in SPLITTERS else {}

    @cached_property
    def problem(self) -> Problem:
        top = self.label_top
        if self.private:
            top = regression_data.source(self.rows_of).label_top
        return self.subset(Problem, dataset=self.rows_of, label_top=top)

    def share_of(self, name: str) -> float:
        """The share of epsilon that the mechanism ``name`` spends on the quadratic; NaN where there
        is no split.
        """
        if name not in SPLITTERS:
            return float("nan")
        return self.share if self.split == "own" else SPLITTERS[name](self.features + 1)

    def mechanism_of(self, name: str, **options: Any) -> Any:
        """The mechanism ``name`` with these settings, but for ``options``."""
        source, share = self.problem.source, self.share_of(name)
        known = {"share": share, "delta": self.delta, "repair": self.repair}
        return mechanism(
            name, **(known | {"rows_each": source.rows_each, "gaps": source.gaps} | options)
        )

    @property
    def guarantee(self) -> Guarantee | None:
        return None if self.void else self.guarantee_of(self.mechanism)

    def guarantee_of(self, name: str) -> Guarantee:
        """Return what the mechanism ``name`` promises at this epsilon, with what bounds have cost
        of it.
        """
        problem = self.problem
        found = self.mechanism_of(name).guarantee(
            self.left, inputs=problem.inputs, rows=problem.places
        )
        return self.whole(replace(found, unit="person") if self.by_person else found)

    def method(self, name: str, **options: Any) -> Method:
        return Method(problem=self.problem, mechanism=self.mechanism_of(name, **options))


def _source(dataset: str, own: str) -> regression_data.Source | None:
    """The data set; None for a file that is only named."""
    if dataset != OWN:
        return regression_data.SOURCES[dataset]
    return own.regression_source if isinstance(own, OwnRows) else None
