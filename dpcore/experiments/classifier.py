"""Private classification with public pre-training: sound, as published, and without privacy.

Follows the slides of [hoseinpour2023]; what they leave open or miscount is in ``classifier_claims``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from dpcore import check, data
from dpcore.accountants import gdp
from dpcore.experiments import run
from dpcore.experiments.classifier_claims import EPSILONS, PUBLISHED, VERSIONS, Guarantees, guarantees
from dpcore.experiments.classifier_training import (
    Curve,
    Focus,
    FocusOutcome,
    Reference,
    ReferenceOutcome,
)
from dpcore.privacy import Adjacency
from dpcore.regions import Plane, boundaries, feature_plane, principal_plane, votes

PLANES = ("principal", "features")
ARMS = ("scratch", "public")

# Field -> (lowest, highest) value that the settings accept.
LIMITS = MappingProxyType(
    {
        "epsilon": (0.01, 150.0),
        "delta": (1e-9, 1e-2),
        "clip_norm": (0.01, 100.0),
        "steps": (1, 400),
        "learning_rate": (0.01, 100.0),
        "public_rows": (0, 500),
        "shift": (0.0, 3.0),
        "public_steps": (1, 400),
        "repeats": (2, 100),
        "seed": (0, 9999),
    }
)

# One slice of work holds about this many (model, class, example, step) cells: some 50 ms.
_CELLS_AT_ONCE = 4e7


@dataclass(frozen=True, kw_only=True)
class ClassifierSettings:
    """All that decides what the page shows. Raises RefusedError where a value has no meaning.

    epsilon, delta, adjacency: the claim. clip_norm: L2 bound C on a gradient, rows in [-1, 1]^d with a constant beside.
    public_rows, public_steps: rows and steps of the public start (0 rows: none). shift: how far public rows are moved,
    in their own standard deviations. repeats: models trained a setting. plane: where decision regions are drawn, by
    "principal" public directions or by the "features" number feature_x and feature_y.
    """

    dataset: str = "gaussians"
    version: str = "sound"
    epsilon: float = 0.5
    delta: float = 1e-5
    clip_norm: float = 1.0
    steps: int = 50
    learning_rate: float = 1.0
    public_rows: int = 30
    shift: float = 0.25
    public_steps: int = 200
    repeats: int = 24
    seed: int = 4
    adjacency: str = "replace-one"
    plane: str = "principal"
    feature_x: int = 0
    feature_y: int = 1

    def __post_init__(self) -> None:
        check.choice(data.STRAIGHT, dataset=self.dataset)
        check.choice(VERSIONS, version=self.version)
        check.choice(list(Adjacency), adjacency=self.adjacency)
        check.choice(PLANES, plane=self.plane)
        for name, (low, high) in self.limits.items():
            validate = check.whole if isinstance(low, int) else check.between
            validate(low, high, **{name: getattr(self, name)})
        if self.feature_x == self.feature_y:
            raise check.RefusedError("feature_y", self.feature_y, "another feature than feature_x")

    def change(self, **changes: Any) -> "ClassifierSettings":
        """These settings with ``changes``; what depends on the data set is brought into the new one's range."""
        if "dataset" in changes:
            source = data.DATASETS[check.choice(data.STRAIGHT, dataset=changes["dataset"])]
            x, y = (
                (self.feature_x, self.feature_y)
                if max(self.feature_x, self.feature_y) < len(source.features)
                else (0, 1)
            )
            fitting = {
                "public_rows": min(self.public_rows, source.public_rows),
                "feature_x": x,
                "feature_y": y,
            }
            changes = fitting | changes
        return replace(self, **changes)

    @property
    def limits(self) -> dict[str, tuple[float, float]]:
        """Field -> (lowest, highest) value, with what the data set leaves of them."""
        source = data.DATASETS[self.dataset]
        last = len(source.features) - 1
        of_data = {"public_rows": (0, source.public_rows), "feature_x": (0, last), "feature_y": (0, last)}
        return dict(LIMITS) | of_data

    @property
    def arms(self) -> tuple[str, ...]:
        return ARMS if self.public_rows else ARMS[:1]

    @property
    def rows(self) -> int:
        """How many private rows there are; public knowledge."""
        return data.DATASETS[self.dataset].private_rows

    def tasks(self) -> tuple[Any, ...]:
        """Today's epsilon and the references first, then the curve over epsilon in slices."""
        model = replace(self, **_NOT_THE_MODEL)
        cells = len(self.arms) * self.repeats * self.rows * self.steps * len(data.DATASETS[self.dataset].classes)
        width = max(1, int(_CELLS_AT_ONCE / cells))
        slices = tuple(
            Curve(model=model, epsilons=EPSILONS[first : first + width]) for first in range(0, len(EPSILONS), width)
        )
        return (Focus(model=model, epsilon=self.epsilon), Reference(model=_reference_of(model)), *slices)

    def result(self, outcomes: Mapping[Any, Any]) -> "ClassifierResult":
        """Assemble what has been done; needs the essential tasks only."""
        focus, reference, *slices = self.tasks()
        accuracy = np.full((len(self.arms), len(EPSILONS), self.repeats), np.nan)
        for task in slices:
            if task in outcomes:
                accuracy[:, [EPSILONS.index(epsilon) for epsilon in task.epsilons]] = outcomes[task]
        split = data.load(self.dataset, seed=self.seed)
        return ClassifierResult(
            settings=self,
            split=split,
            plane=_plane(self, split),
            focus=outcomes[focus],
            reference=outcomes[reference],
            accuracy=accuracy,
            guarantees=guarantees(self),
        )

    def run(self) -> "ClassifierResult":
        """All of it."""
        return run(self)


# Fields that change what is drawn, or are given to a task apart, but not the models of the curve.
_NOT_THE_MODEL = {
    name: field.default
    for name, field in ClassifierSettings.__dataclass_fields__.items()
    if name in ("epsilon", "plane", "feature_x", "feature_y")
}
# Fields that the non-private reference depends on.
_REFERENCE_FIELDS = ("dataset", "steps", "learning_rate", "seed")


def _reference_of(settings: ClassifierSettings) -> ClassifierSettings:
    return ClassifierSettings(public_rows=0, **{name: getattr(settings, name) for name in _REFERENCE_FIELDS})


def _plane(settings: ClassifierSettings, split: data.Split) -> Plane:
    source = split.source
    if len(source.features) == 2:
        return feature_plane(split.X_public, 0, 1, names=source.features, bounds=source.bounds)
    if settings.plane == "features":
        x, y = settings.feature_x, settings.feature_y
        return feature_plane(split.X_public, x, y, names=source.features, bounds=source.bounds)
    return principal_plane(split.X_public)


class Spread(NamedTuple):
    """The 5 %, 50 % and 95 % quantiles of the repeats."""

    low: float
    median: float
    high: float


@dataclass(frozen=True, kw_only=True, eq=False)
class ClassifierResult:
    """What a page shows.

    accuracy (A, E, R): held-out accuracy by arm, epsilon of ``EPSILONS`` and repeat; NaN where still to be trained.
    """

    settings: ClassifierSettings
    split: data.Split
    plane: Plane
    focus: FocusOutcome
    reference: ReferenceOutcome
    accuracy: np.ndarray
    guarantees: Guarantees

    @property
    def gaussian_attacker(self) -> float:
        """Best share of right answers of a 50:50 attacker against the sound version's Gaussian noise, exactly."""
        return gdp.attacker_accuracy(gdp.mu_of_event(self.guarantees.formula.event))

    def summary(self) -> dict[str, "Spread"]:
        """Held-out accuracy at today's epsilon, by arm."""
        quantiles = np.quantile(self.focus.accuracy, [0.05, 0.5, 0.95], axis=1).T
        return {arm: Spread(*map(float, row)) for arm, row in zip(self.settings.arms, quantiles, strict=True)}

    def loss_curves(self) -> pd.DataFrame:
        """Loss on the private rows by arm and step: the 5 %, 50 % and 95 % quantiles of the repeats, in nats."""
        quantiles = np.quantile(self.focus.loss, [0.05, 0.5, 0.95], axis=1)
        index = pd.MultiIndex.from_product([self.settings.arms, self.focus.steps], names=["arm", "step"])
        columns = dict(zip(Spread._fields, quantiles.reshape(3, -1), strict=True))
        return pd.DataFrame(columns, index=index).reset_index()

    def regions(self, arm: int) -> tuple[np.ndarray, np.ndarray]:
        """(winning class, share of the ensemble) over the plane, (64, 64) each."""
        return votes(self.focus.weights[arm], self.plane)

    def reference_regions(self) -> tuple[np.ndarray, np.ndarray]:
        return votes(self.reference.weights[None], self.plane)

    def boundaries(self, arm: int) -> np.ndarray:
        """Boundary segments (m, 2, 2) of all repeats."""
        return boundaries(self.focus.weights[arm], self.plane)

    def reference_boundaries(self) -> np.ndarray:
        return boundaries(self.reference.weights[None], self.plane)

    @property
    def curve(self) -> pd.DataFrame:
        """A row a trained model: arm, epsilon, repeat, accuracy."""
        index = pd.MultiIndex.from_product(
            [self.settings.arms, EPSILONS, range(self.settings.repeats)], names=["arm", "epsilon", "repeat"]
        )
        return pd.DataFrame({"accuracy": self.accuracy.ravel()}, index=index).dropna().reset_index()

    def quantiles(self, arm: int) -> tuple[np.ndarray, np.ndarray]:
        """Of what is trained: epsilons (m,), and the 5 %, 50 % and 95 % quantiles of accuracy (3, m)."""
        done = ~np.isnan(self.accuracy[arm, :, 0])
        return np.array(EPSILONS)[done], np.quantile(self.accuracy[arm, done], [0.05, 0.5, 0.95], axis=1)

    def table(self) -> pd.DataFrame:
        """Median accuracy in % at the nine epsilons, with and without pre-training, and the published figures."""
        table = pd.DataFrame(index=pd.Index(EPSILONS, name="epsilon"))
        median = 100 * np.median(self.accuracy, axis=-1)
        table["without"] = median[0]
        table["with"] = median[1] if len(median) > 1 else np.nan
        table["gain"] = table["with"] - table["without"]
        published = np.array(list(PUBLISHED.values()))
        table["published without"], table["published with"], table["published gain"] = published.T
        table["published gain computed"] = published[:, 1] - published[:, 0]
        return table.reset_index()
