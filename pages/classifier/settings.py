"""The settings of the classifier: what they may be, which models they describe, and what those
guarantee.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from dpcore import check
from dpcore.accountants import gdp
from dpcore.privacy import Adjacency, Guarantee
from lab.data import classification as data
from lab.experiment.data_settings import OWN, RowsSettings, source_of
from lab.experiment.settings import Measure
from lab.models.classifier_versions import EPSILONS, VERSIONS, Guarantees, guarantees
from lab.uploads import handles
from pages.classifier.tasks import Model, PublicStart

# Each of so few classes at most has its recall among the measures.
_FEW_CLASSES = 4
# What makes the noise of the same descent smaller.
_LESS_NOISE = ("epsilon", "delta", "rows")


@dataclass(frozen=True, kw_only=True)
class ClassifierParameters(RowsSettings):
    """All that decides what the page shows. Raises RefusedError where a value has no meaning.

    dataset: a key of ``DATASETS`` that straight boundaries can learn something about, or "own".
    version: "sound", as "published", or "none" for no privacy.
    epsilon, delta: of the claim.
    clip_norm: L2 bound C on a gradient, of rows in [-1, 1]^d with a constant beside.
    steps, learning_rate: T and eta, of the descent on private rows.
    rows: private rows n, public knowledge; None takes as many as the data set has.
    rows_each: rows of a person, of the lab's own data and the sound version; their gradients are
        averaged, then clipped.
    public_rows: how many public rows the public start has; 0: no such start.
    shift: how far public rows are moved, in their own standard deviations.
    repeats: models trained in each arm at each epsilon.
    plane: where decisions are drawn: along two "principal" public directions, or along two
        "features".
    feature_x, feature_y: numbers of the features across and up.
    """

    CHOICES: ClassVar = {
        "dataset": (*data.LINEAR_DATASETS, OWN),
        "version": VERSIONS,
        "adjacency": list(Adjacency),
        "plane": ("principal", "features"),
    }
    LIMITS: ClassVar = {
        "epsilon": (0.01, 150.0),
        "delta": (1e-9, 1e-2),
        "clip_norm": (0.01, 100.0),
        "steps": (1, 400),
        "learning_rate": (0.01, 100.0),
        "rows": (50, 5000),
        "rows_each": (1, 20),
        "public_rows": (0, 500),
        "shift": (0.0, 3.0),
        "public_steps": (1, 400),
        "repeats": (2, 100),
        "seed": (0, 9999),
    }
    MEASURES: ClassVar = {
        "scratch": Measure.accuracy(
            "accuracy from scratch", lambda now: now.accuracy[0], rises=_LESS_NOISE
        ),
        "accuracy": Measure.accuracy(
            "accuracy with pre-training, if there is any",
            lambda now: now.accuracy[-1],
            rises=_LESS_NOISE,
        ),
        "balanced": Measure(
            "balanced accuracy from scratch",
            "higher",
            lambda now: np.nanmean(now.recall[0], axis=-1),
            unit="%",
            limits=(0.0, 1.0),
        ),
        "loss": Measure(
            "loss from scratch (nats)",
            "lower",
            lambda now: now.loss[0, :, -1],
            rises=("epsilon", "delta"),
            unit="nats",
        ),
    }
    TUNED: ClassVar = {"clip_norm": (0.05, 5.0), "steps": (5, 200), "learning_rate": (0.1, 10.0)}
    PEOPLE: ClassVar = "rows"
    LOOP: ClassVar = "version"
    CURVE: ClassVar = EPSILONS
    COMMON: ClassVar = ("dataset", "own", "rows", "repeats", "seed")

    dataset: str = "gaussians"
    own: str = handles.NONE
    version: str = "sound"
    epsilon: float = 0.5
    delta: float = 1e-5
    clip_norm: float = 1.0
    steps: int = 50
    learning_rate: float = 1.0
    rows: int = None  # type: ignore[assignment]  # all, once validated
    rows_each: int = 1
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
        if self.dataset == OWN and self.public_rows:
            raise check.RefusedError(
                "public_rows", self.public_rows, "0, as no row of a file is public"
            )
        super().__post_init__()
        if self.feature_x == self.feature_y:
            raise check.RefusedError("feature_y", self.feature_y, "another feature than feature_x")

    def starts(self, dataset: str, own: str) -> dict[str, Any]:
        """Return also the first two features, where the data set has not as many."""
        source = source_of(dataset, own)
        fits = source is not None and max(self.feature_x, self.feature_y) < len(source.features)
        return super().starts(dataset, own) | ({} if fits else {"feature_x": 0, "feature_y": 1})

    @property
    def measures(self) -> Mapping[str, Measure]:
        """Return also the recall of each class, of a few; it may rise and fall with any setting."""
        classes = self.source.classes if self.source else ()
        few = enumerate(classes if len(classes) <= _FEW_CLASSES else ())
        return {**self.MEASURES, **{f"recall_{place}": _recall(place, name) for place, name in few}}

    @property
    def limits(self) -> Mapping[str, tuple[float, float]]:
        public, last = (
            (self.source.public_rows, max(1, len(self.source.features) - 1))
            if self.source
            else (0, 1)
        )
        return {
            **super().limits,
            "public_rows": (0, public),
            "feature_x": (0, last),
            "feature_y": (0, last),
        }

    @cached_property
    def model(self) -> Model:
        """Return what the private models of all epsilons depend on."""
        rows = {"dataset": self.rows_of, "private_rows": self.rows}
        start = self.part(
            PublicStart, rows=self.public_rows, steps=self.public_steps, rows_each=1, **rows
        )
        return self.part(Model, public=start if self.public_rows else None, **rows)

    @property
    def arms(self) -> tuple[str, ...]:
        return self.model.arms

    @cached_property
    def guarantees(self) -> Guarantees:
        """Return what is claimed, and what is given, for a person where some have several rows."""
        before = tuple(one.event for one in self.paid)
        return guarantees(self, source=self.source, unit=self.unit, before=before)

    def with_noise_of(self, people: int) -> Self | None:
        """The noise of a mean falls as 1/n, and as 1/mu."""
        source = self.source
        if (
            self.version != "sound"
            or source is None
            or source.sizable
            or people <= source.private_rows
        ):
            return None
        if self.rows_each > 1:  # of rows it is asked then, not of people
            return None
        mu = gdp.mu_of(self.left, delta=self.delta) * people / self.rows
        epsilon = self.spent + gdp.epsilon_of(self.delta, mu=mu)
        return self.change(epsilon=epsilon) if epsilon <= self.limits["epsilon"][1] else None

    @property
    def promise(self) -> Guarantee | None:
        return self.guarantees.formula if self.version == "sound" and not self.void else None


def _recall(place: int, name: str) -> Measure:
    """Return the recall of a class, 0 where it has no held-out rows."""
    label = f"recall of {name} from scratch"
    return Measure(
        label,
        "higher",
        lambda now: np.nan_to_num(now.recall[0, :, place]),
        unit="%",
        limits=(0.0, 1.0),
    )
