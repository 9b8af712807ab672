"""Private linear regression: noise on the quadratic, on its statistics, on the answer, or on each step.

The first mechanism follows the report [jiang2018, Section 4] exactly; the others are what is known to be sound and
sharp. All of them look at sufficient statistics alone, so that 300,000 rows cost no more than 300.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd

from dpcore import check
from dpcore.data import regression as regression_data
from dpcore.estimators.linear import REGRESSIONS, mechanism
from dpcore.privacy import Guarantee
from dpcore.regression.functional import best_share, published_best_share, published_epsilon
from dpcore.regression.least_squares import REPAIRS
from lab import chunking
from lab.claims import Case, compare, onwards
from lab.files import file_handles, own_rows, own_table
from lab.own_settings import PaidBounds, void_reason
from lab.settings import Measure, Settings, Spread, Task, quantiles_of
from pages.regression.surface import REACH, Surface, surface
from pages.regression.work import (
    EPSILONS,
    SHARE_REPEATS,
    SHARES,
    CurveOutcome,
    ErrorCurve,
    Focus,
    FocusOutcome,
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
OWN = "own"
DATA = (*regression_data.SOURCES, OWN)
# What the label bound of a file is called: those that were declared with it stay there, out of links and scripts.
_DECLARED = 200.0


@dataclass(frozen=True, kw_only=True)
class RegressionSettings(PaidBounds, Settings):
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
        file_handles.named(self.own)
        super().__post_init__()
        if self.across == self.up:
            raise check.RefusedError("up", self.up, "another feature than the one across")

    def change(self, **changes: Any) -> Self:
        """These settings with ``changes``; what depends on them is brought into its new range."""
        dataset = check.choice(DATA, dataset=changes.get("dataset", self.dataset))
        own = file_handles.named(changes.get("own", self.own)) if dataset == OWN else file_handles.NONE
        fitting: dict[str, Any] = {}
        if "dataset" in changes or (own, type(own)) != (self.own, type(self.own)):
            fitting, changes = self._fitting(dataset, own), changes | {"own": own}
        features = changes.get("features", fitting.get("features", self.features))
        if isinstance(features, int) and features >= 2:
            last = features - 1
            places = {name: min(getattr(self, name), last) for name in ("feature", "across", "up")}
            if places["across"] == places["up"]:
                places["across"] = places["up"] - 1 if places["up"] else 1
            fitting |= places
        if isinstance(changes.get("repeats"), int):
            fitting["draw"] = max(1, min(self.draw, changes["repeats"]))
        return replace(self, **(fitting | changes))

    def _fitting(self, dataset: str, own: str) -> dict[str, Any]:
        """Return what must be different with another data set. A file that a link has only named keeps the link's
        numbers, as far as it has rows and inputs for them."""
        source = _source(dataset, own)
        if source is None:
            return {"rows": own_table.MOST_ROWS, "features": own_rows.MOST_COLUMNS, "label_top": _DECLARED}
        awaited = dataset == self.dataset == OWN and self.own != file_handles.NONE and self.source is None
        rows = min(self.rows, source.train_rows) if awaited else source.train_rows
        all_of_own = dataset == OWN and not awaited
        features = len(source.features) if all_of_own else min(self.features, len(source.features))
        found = {"rows": rows, "features": features, "epsilon": max(self.epsilon, self._limit(own)[0])}
        return found | {"label_top": _DECLARED if dataset == OWN else source.label_top}

    @property
    def source(self) -> regression_data.Source | None:
        """The data set; None for a file that is only named."""
        return _source(self.dataset, self.own)

    @property
    def void(self) -> str:
        return void_reason(self)

    @property
    def preparation(self) -> str:
        """Lines that a script needs first: a file of one's own must be there."""
        return own_rows.preparation(number=True) if self.dataset == OWN else ""

    @property
    def top(self) -> float:
        """The upper bound to which labels are clipped."""
        return self.source.label_top if self.dataset == OWN else self.label_top

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
        return self.LIMITS | {
            "epsilon": self._limit(self.own),
            "rows": (_FEWEST_ROWS, most[0]),
            "features": (2, most[1]),
            "label_top": (_DECLARED, _DECLARED) if self.dataset == OWN else source.label_tops,
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
        dataset = file_handles.key(self.own) if self.dataset == OWN else self.dataset
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
        by_person = self.dataset == OWN and self.own.roles.person
        return self.whole(replace(found, unit="person") if by_person else found)

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
    return own.regression_source if isinstance(own, own_rows.OwnRows) else None


@dataclass(frozen=True, kw_only=True, eq=False)
class RegressionResult:
    """What a page shows: outcomes by mechanism, as far as they are done. Errors are in the label's unit."""

    settings: RegressionSettings
    problem: Problem
    at_now: Mapping[str, FocusOutcome]
    curves: Mapping[str, CurveOutcome]
    splits: Mapping[str, np.ndarray]

    @property
    def focus(self) -> FocusOutcome:
        return self.at_now[self.settings.mechanism]

    @property
    def failed(self) -> int:
        """Return how many runs released a quadratic without a minimum; 0 where none is released."""
        least = self.focus.least
        return 0 if least is None else int((least <= 0).sum())

    @cached_property
    def least_squares(self) -> float:
        """Held-out error of least squares without privacy: the lower rail."""
        return float(self.problem.errors(self.problem.least_squares()))

    @cached_property
    def least_error(self) -> float:
        """Mean squared error of least squares on the private rows, on the scale of the learners; analyst only."""
        return max(float(self.problem.train().errors(self.problem.least_squares())), 1e-9)

    @cached_property
    def weakest(self) -> float:
        """Least eigenvalue of X^T X without noise; analyst only."""
        return float(np.linalg.eigvalsh(self.problem.train().gram)[0])

    @cached_property
    def noise_sd(self) -> float:
        """Standard deviation of the noise on an off-diagonal entry of X^T X, from the draws; NaN without such noise."""
        if self.focus.gram is None:
            return float("nan")
        places = np.triu_indices(self.problem.inputs, k=1)
        return float((self.focus.gram - self.problem.train().gram)[:, *places].std())

    @cached_property
    def cut(self) -> float:
        """Share of the private labels above the label bound; analyst only."""
        problem = self.problem
        return regression_data.share_above(
            problem.dataset, seed=problem.seed, rows=problem.rows, label_top=problem.label_top
        )

    @cached_property
    def mean_error(self) -> float:
        """Held-out error of always saying the mean: the upper rail."""
        return float(self.problem.errors(self.problem.mean_weights()))

    @cached_property
    def guarantee(self) -> Guarantee:
        return self.settings.guarantee(self.settings.mechanism)

    @property
    def noise_gives(self) -> float:
        """The epsilon that the noise of the published mechanism gives, counted exactly."""
        settings = self.settings
        share = settings.share_of("published")
        return settings.spent + published_epsilon(settings.left, share=share)

    def summary(self, name: str | None = None) -> Spread:
        """Held-out error at today's epsilon of a mechanism, or of the chosen one."""
        return Spread.of(self.at_now[name or self.settings.mechanism].errors)

    @cached_property
    def costs(self) -> Case:
        """Return what may be said of today's private runs beside least squares without privacy."""
        return compare(self.focus.errors, self.least_squares, better="lower", constant=self.mean_error)

    def quantiles(self, name: str) -> np.ndarray:
        """5 %, 50 % and 95 % quantiles (3, E) of the error over the ``epsilons``."""
        return quantiles_of(self.curves[name].errors, axis=1)

    @property
    def rival(self) -> str | None:
        """Return which other mechanism errs least where curves are trained next to today's epsilon; None before all
        are."""
        if len(self.curves) < len(REGRESSIONS):
            return None
        nearest = int(np.abs(np.log(np.array(self.settings.epsilons) / self.settings.epsilon)).argmin())
        others = (name for name in self.curves if name != self.settings.mechanism)
        return min(others, key=lambda name: np.median(self.curves[name].errors[nearest]))

    @property
    def useful_from(self) -> float | None:
        """Return from which trained epsilon on the chosen mechanism is shown to err less than always the mean; None
        where it is not yet known, or not shown at the highest."""
        if self.settings.mechanism not in self.curves:
            return None
        found = self.curves[self.settings.mechanism].errors
        first = onwards([compare(errors, self.mean_error, better="lower") for errors in found])
        return self.settings.epsilons[first] if first < len(self.settings.epsilons) else None

    @property
    def rising(self) -> int:
        """Return how many runs' lines rise."""
        _, found, _ = self.lines()
        return int((found[:, 1] > found[:, 0]).sum())

    def table(self) -> pd.DataFrame:
        """A row a mechanism at today's epsilon: median and quantiles of the error, and how often it fails."""
        rows = []
        for name, outcome in self.at_now.items():
            held = self.settings.guarantee(name)
            worse = float((outcome.errors > self.mean_error).mean())
            rows.append(
                {"mechanism": name, "delta": held.delta, **Spread.of(outcome.errors)._asdict()}
                | {"over least squares": self.summary(name).median / self.least_squares}
                | {"worse than the mean": worse, "no minimum": outcome.no_minimum}
            )
        order = {name: place for place, name in enumerate(REGRESSIONS)}
        return pd.DataFrame(rows).sort_values("mechanism", key=lambda names: names.map(order), ignore_index=True)

    @property
    def runs(self) -> pd.DataFrame:
        """A row a run of the curves: mechanism, epsilon, repeat, error."""
        parts = []
        for name, curve in self.curves.items():
            index = pd.MultiIndex.from_product([[name], self.settings.epsilons, range(self.settings.repeats)])
            index.names = ["mechanism", "epsilon", "repeat"]
            parts.append(pd.DataFrame({"error": curve.errors.ravel()}, index=index).reset_index())
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()

    @property
    def over_epsilon(self) -> pd.DataFrame:
        """A row a mechanism and epsilon: quantiles of the error, share of draws without a minimum."""
        rows = [
            {"mechanism": name, "epsilon": epsilon, **Spread.of(curve.errors[place])._asdict()}
            | {"no minimum": float("nan") if curve.no_minimum is None else float(curve.no_minimum[place])}
            for name, curve in self.curves.items()
            for place, epsilon in enumerate(self.settings.epsilons)
        ]
        return pd.DataFrame(rows)

    @property
    def over_split(self) -> pd.DataFrame:
        """Median error over the share of epsilon for the quadratic."""
        return pd.DataFrame({"share": SHARES} | dict(self.splits))

    def coefficients(self) -> pd.DataFrame:
        """A row a coefficient: what the label gains from the lowest to the highest value of the feature, in its unit.

        least squares, and the quantiles of the chosen mechanism's runs; ``sign``: share of runs with the right sign.
        """
        exact, found = self.problem.least_squares(), self.focus.weights
        factor = 2 * self.problem.half
        low, median, high = factor * quantiles_of(found[:, 1:], axis=0)
        return pd.DataFrame(
            {
                "feature": self.settings.source.features[: self.settings.features],
                "least squares": factor * exact[1:],
                "low": low,
                "median": median,
                "high": high,
                "sign": (np.sign(found[:, 1:]) == np.sign(exact[1:])).mean(axis=0),
            }
        )

    def line_ends(self) -> list[tuple[float, float, Spread]]:
        """(value of the feature, what least squares says there, what the runs say) at both ends of the lines."""
        bounds, runs, exact = self.lines()
        return [(float(bounds[end]), float(exact[end]), Spread.of(runs[:, end])) for end in (0, 1)]

    def lines(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(the chosen feature's bounds (2,) in its unit, predictions (R, 2) there, those of least squares (2,)).

        All other features are held at their held-out mean; analyst only.
        """
        settings, test = self.settings, self.problem.test()
        bounds = np.array(list(settings.source.bounds.values())[settings.feature], dtype=float)
        at = np.tile(test.gram[0] / test.rows, (2, 1))
        at[:, settings.feature + 1] = (-1, 1)
        middle, half = self.problem.middle, self.problem.half
        return bounds, middle + half * self.focus.weights @ at.T, middle + half * at @ self.problem.least_squares()

    def points(self, many: int = 160) -> tuple[np.ndarray, np.ndarray]:
        """(values of the chosen feature in its unit, labels) of some held-out rows; analyst only."""
        settings = self.settings
        table = regression_data.load(self.problem.dataset, seed=settings.seed)
        low, high = list(settings.source.bounds.values())[settings.feature]
        values = table.X_test[:many, settings.feature + 1]
        return low + (values + 1) / 2 * (high - low), table.y_test[:many]

    @property
    def pair(self) -> tuple[int, int]:
        """The inputs whose coefficients span the surfaces."""
        return self.settings.across + 1, self.settings.up + 1

    @cached_property
    def true_surface(self) -> Surface:
        train = self.problem.train()
        return surface(train.gram, train.moment, rows=train.rows, pair=self.pair)

    @property
    def in_view(self) -> int:
        """Return how many runs end inside the picture of the true surface: within ``REACH`` of least squares."""
        ends = self.focus.weights[:, list(self.pair)]
        return int((np.abs(ends - self.true_surface.centre) <= REACH).all(axis=1).sum())

    @cached_property
    def noisy_surface(self) -> Surface | None:
        """Return the surface of the chosen draw; None where no quadratic is released."""
        if self.focus.gram is None:
            return None
        place = self.settings.draw - 1
        return surface(self.focus.gram[place], self.focus.moment[place], rows=self.problem.places, pair=self.pair)
