"""Private linear regression: noise on the quadratic, on its statistics, on the answer, or on each step.

The first way follows the report [jiang2018, Section 4] exactly; the others are what is known to be sound and sharp. All
of them look at sufficient statistics alone, so that 300,000 rows cost no more than 300.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from dpcore import check, regression_data
from dpcore.experiments import run
from dpcore.experiments.regression_result import RegressionResult
from dpcore.experiments.regression_work import Curve, Focus, Problem, Split
from dpcore.learners.functional import best_share, published_best_share
from dpcore.learners.least_squares import REPAIRS
from dpcore.learners.linear import MECHANISMS, mechanism
from dpcore.privacy import Guarantee

SPLITS = ("best", "own")
# The mechanisms that split epsilon, with the split of least noise for each.
SPLITTERS = MappingProxyType({"published": published_best_share, "functional": best_share})
LIMITS = MappingProxyType(
    {
        "epsilon": (0.01, 100.0),
        "delta": (1e-9, 1e-3),
        "share": (0.02, 0.98),
        "repeats": (2, 100),
        "seed": (0, 9999),
    }
)
_FEWEST_ROWS = 50


@dataclass(frozen=True, kw_only=True)
class RegressionSettings:
    """All that decides what the page shows. Raises RefusedError where a value has no meaning.

    mechanism: the one that is looked at closely. split: "best" gives each mechanism the split of epsilon with the least
    noise, "own" gives both ``share`` for the quadratic. rows, features: the first so many. label_top: upper bound to
    which labels are clipped, in their unit. repair: of the "functional" and "gaussian" ways. feature: whose line is
    drawn; across, up: the features whose coefficients span the surface; draw: whose noisy surface is drawn, from 1.
    """

    dataset: str = "us"
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
        check.choice(regression_data.SOURCES, dataset=self.dataset)
        check.choice(MECHANISMS, mechanism=self.mechanism)
        check.choice(SPLITS, split=self.split)
        check.choice(REPAIRS, repair=self.repair)
        for name, (low, high) in self.limits.items():
            validate = check.whole if isinstance(low, int) else check.between
            validate(low, high, **{name: getattr(self, name)})
        if self.across == self.up:
            raise check.RefusedError("up", self.up, "another feature than the one across")

    def change(self, **changes: Any) -> "RegressionSettings":
        """These settings with ``changes``; what depends on them is brought into its new range."""
        fitting: dict[str, Any] = {}
        if "dataset" in changes:
            source = regression_data.SOURCES[check.choice(regression_data.SOURCES, dataset=changes["dataset"])]
            fitting = {"rows": source.train_rows, "label_top": source.label_top}
            fitting["features"] = min(self.features, len(source.features))
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

    @property
    def source(self) -> regression_data.Source:
        return regression_data.SOURCES[self.dataset]

    @property
    def limits(self) -> dict[str, tuple[float, float]]:
        """Field -> (lowest, highest) value, with what the data set leaves of them."""
        last = self.features - 1 if isinstance(self.features, int) else 1
        return dict(LIMITS) | {
            "rows": (_FEWEST_ROWS, self.source.train_rows),
            "features": (2, len(self.source.features)),
            "label_top": self.source.label_tops,
            "feature": (0, last),
            "across": (0, last),
            "up": (0, last),
            "draw": (1, self.repeats if isinstance(self.repeats, int) else 1),
        }

    @property
    def problem(self) -> Problem:
        return Problem(
            dataset=self.dataset, rows=self.rows, features=self.features, label_top=self.label_top, seed=self.seed
        )

    def share_of(self, name: str) -> float:
        """The share of epsilon that the mechanism ``name`` spends on the quadratic; NaN where there is no split."""
        if name not in SPLITTERS:
            return float("nan")
        return self.share if self.split == "own" else SPLITTERS[name](self.features + 1)

    def way(self, name: str) -> Any:
        """The mechanism ``name`` with these settings."""
        return mechanism(name, share=self.share_of(name), delta=self.delta, repair=self.repair)

    def guarantee(self, name: str) -> Guarantee:
        """What the mechanism ``name`` promises at this epsilon."""
        return self.way(name).guarantee(self.epsilon, inputs=self.features + 1, rows=self.rows)

    def focus(self, name: str) -> Focus:
        return Focus(
            problem=self.problem,
            way=self.way(name),
            epsilon=self.epsilon,
            repeats=self.repeats,
            essential=name == self.mechanism,
        )

    def curve(self, name: str) -> Curve:
        return Curve(problem=self.problem, way=self.way(name), repeats=self.repeats)

    def split_of(self, name: str) -> Split:
        # The share is what this piece of work varies: it is the same one at every share.
        way = replace(self.way(name), share=0.5)
        return Split(problem=self.problem, way=way, epsilon=self.epsilon, repeats=self.repeats)

    def tasks(self) -> tuple[Any, ...]:
        """The chosen mechanism at today's epsilon first, then the curves, the split, and the others at this epsilon."""
        others = [name for name in MECHANISMS if name != self.mechanism]
        return (
            self.focus(self.mechanism),
            *(self.curve(name) for name in (self.mechanism, *others)),
            *(self.split_of(name) for name in SPLITTERS),
            *(self.focus(name) for name in others),
        )

    def result(self, outcomes: Mapping[Any, Any]) -> RegressionResult:
        """Assemble what has been done; needs the essential tasks only."""
        return RegressionResult(
            settings=self,
            problem=self.problem,
            at_now={name: outcomes[self.focus(name)] for name in MECHANISMS if self.focus(name) in outcomes},
            curves={name: outcomes[self.curve(name)] for name in MECHANISMS if self.curve(name) in outcomes},
            splits={name: outcomes[self.split_of(name)] for name in SPLITTERS if self.split_of(name) in outcomes},
        )

    def run(self) -> RegressionResult:
        """All of it."""
        return run(self)
