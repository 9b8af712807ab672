"""Private classification with public pre-training: sound, as published, and without privacy.

Follows the slides of [hoseinpour2023]; what they leave open or miscount is in ``classifier_claims``.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from dpcore import check
from dpcore.cache import cached
from dpcore.data import toy as data
from dpcore.estimators.recipes import EPSILONS, VERSIONS, Guarantees, guarantees
from dpcore.privacy import Adjacency, Guarantee
from lab import chunking
from lab.boundaries import Plane, feature_plane, usual_plane
from lab.ensemble import Grid, Runs, slices
from lab.files import file_handles
from lab.settings import Measure, Task
from lab.sources import OWN, RowsSettings, source_of
from pages.classifier.result import ClassifierResult
from pages.classifier.work import (
    Ends,
    FocusOutcome,
    Model,
    PublicStart,
    Reference,
    RowByRow,
    accuracies,
    apart,
    ends,
    focus,
)

PLANES = ("principal", "features")
DATA = (*data.STRAIGHT, OWN)

# Field -> (lowest, highest) value that the settings accept.
LIMITS = {
    "epsilon": (0.01, 150.0),
    "delta": (1e-9, 1e-2),
    "clip_norm": (0.01, 100.0),
    "steps": (1, 400),
    "learning_rate": (0.01, 100.0),
    "rows": (50, 5000),
    "public_rows": (0, 500),
    "shift": (0.0, 3.0),
    "public_steps": (1, 400),
    "repeats": (2, 100),
    "seed": (0, 9999),
}

# What makes the noise of the same descent smaller.
_LESS_NOISE = ("epsilon", "delta", "rows")
# One slice of work holds about this many (model, class, example, step) cells: some 50 ms.
_CELLS_AT_ONCE = 4e7
# Repeats of the first picture where there are more rows than knobs can move with.
_FEWEST = 2


@dataclass(frozen=True, kw_only=True)
class ClassifierSettings(RowsSettings):
    """All that decides what the page shows. Raises RefusedError where a value has no meaning.

    dataset: a key of ``DATASETS`` that straight boundaries can learn something about, or "own".
    own: with dataset "own", a file of the visitor's own.
    version: "sound", as "published", or "none" for no privacy.
    epsilon: of the claim.
    delta: of the claim.
    clip_norm: L2 bound C on a gradient, of rows in [-1, 1]^d with a constant beside.
    steps: T, how many steps the descent takes.
    learning_rate: eta, how far a step goes.
    rows: private rows n, public knowledge; None takes as many as the data set has.
    public_rows: how many public rows the public start has; 0: no such start.
    shift: how far public rows are moved, in their own standard deviations.
    public_steps: steps of the public start.
    repeats: models trained in each arm at each epsilon.
    seed: of the rows and of the noise.
    adjacency: "replace-one" or "add/remove": what neighbouring data sets are.
    plane: where decisions are drawn: along two "principal" public directions, or along two "features".
    feature_x: number of the feature across.
    feature_y: number of the feature up.
    """

    CHOICES: ClassVar = {"dataset": DATA, "version": VERSIONS, "adjacency": list(Adjacency), "plane": PLANES}
    LIMITS: ClassVar = LIMITS
    MEASURES: ClassVar = {
        "scratch": Measure.accuracy("accuracy from scratch", lambda now: now.accuracy[0], rises=_LESS_NOISE),
        "accuracy": Measure.accuracy(
            "accuracy with pre-training, if there is any", lambda now: now.accuracy[-1], rises=_LESS_NOISE
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
    own: str = file_handles.NONE
    version: str = "sound"
    epsilon: float = 0.5
    delta: float = 1e-5
    clip_norm: float = 1.0
    steps: int = 50
    learning_rate: float = 1.0
    rows: int | None = None
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
            raise check.RefusedError("public_rows", self.public_rows, "0, as no row of a file is public")
        super().__post_init__()
        if self.feature_x == self.feature_y:
            raise check.RefusedError("feature_y", self.feature_y, "another feature than feature_x")

    def starts(self, dataset: str, own: str) -> dict[str, Any]:
        """Return also the first two features, where the data set has not as many."""
        source = source_of(dataset, own)
        fits = source is not None and max(self.feature_x, self.feature_y) < len(source.features)
        return super().starts(dataset, own) | ({} if fits else {"feature_x": 0, "feature_y": 1})

    @property
    def limits(self) -> Mapping[str, tuple[float, float]]:
        """Field -> (lowest, highest) value, with what the data set leaves of them."""
        public, last = (self.source.public_rows, max(1, len(self.source.features) - 1)) if self.source else (0, 1)
        of_data = {"public_rows": (0, public), "feature_x": (0, last), "feature_y": (0, last)}
        return super().limits | of_data

    @cached_property
    def model(self) -> Model:
        """Return what the private models of all epsilons depend on."""
        shared = {"dataset": self.rows_of, "private_rows": self.rows}
        shared |= {"learning_rate": self.learning_rate, "seed": self.seed}
        start = PublicStart(rows=self.public_rows, shift=self.shift, steps=self.public_steps, **shared)
        return Model(
            version=self.version,
            delta=self.delta,
            clip_norm=self.clip_norm,
            steps=self.steps,
            adjacency=self.adjacency,
            public=start if self.public_rows else None,
            spent=self.spent,
            **shared,
        )

    @property
    def arms(self) -> tuple[str, ...]:
        return self.model.arms

    def schedule(self) -> Iterable[Task]:
        """Today's epsilon and the references first, then all repeats of today's, and the curve over epsilon."""
        now, *later = self.samples()
        return (now, self._reference, *later, *self._curve(), *self._apart())

    @cached_property
    def guarantees(self) -> Guarantees:
        """Return what is claimed, and what is given, for a person where a column says who one is."""
        before = tuple(one.event for one in self.paid)
        return guarantees(self, source=self.source, unit=self.unit, before=before)

    @property
    def promise(self) -> Guarantee | None:
        return self.guarantees.formula if self.version == "sound" and not self.void else None

    def probe(self) -> Runs[Model, FocusOutcome]:
        """Return today's ensemble, as many repeats of it as the first picture has."""
        return self.samples()[0]

    def samples(self) -> tuple[Runs[Model, FocusOutcome], ...]:
        now, *later = slices(focus, self.model, (self.epsilon,), self._parts)
        return (replace(now, essential=True), *later)

    def draws_as(self, other: Self) -> bool:
        """Descents without privacy draw no noise."""
        return "none" not in (self.version, other.version)

    def sample(self, count: int) -> tuple[Runs[Model, Ends], ...]:
        parts = chunking.sample(self._parts, count, each=self.model.cells)
        what = {"work": ends, "model": self.model, "at": (self.epsilon,)}
        return tuple(Runs(**what, first=part.start, count=len(part), given=given) for part, given in parts)

    @property
    def _parts(self) -> tuple[range, ...]:
        """The repeats: as many as the first picture may wait for, and the others."""
        each = self.model.cells
        now = min(_FEWEST, self.repeats) if self.beyond else chunking.first(self.repeats, each=each)
        return (range(now), *chunking.cut(now, self.repeats, each=each))

    def _apart(self) -> tuple[Runs[RowByRow, np.ndarray], ...]:
        """Return today's ensemble with each row clipped by itself, for as many rows a person as are declared."""
        most = self.roles.most_rows if self.by_person else None
        return slices(apart, RowByRow(model=self.model, most_rows=most), (self.epsilon,), self._parts) if most else ()

    @property
    def _reference(self) -> Reference:
        return self.part(Reference, dataset=self.rows_of, private_rows=self.rows)

    def _curve(self) -> tuple[Runs[Model, np.ndarray], ...]:
        """Return the work over epsilon in slices, some repeats at every epsilon before more at any."""
        each, classes = self.model.cells, len(self.source.classes)
        cells = len(self.arms) * self.repeats * self.rows * self.steps * classes
        width = max(1, min(int(_CELLS_AT_ONCE / cells), int(chunking.SLICE / (each * self.repeats))))
        return slices(accuracies, self.model, self.epsilons, chunking.cut(0, self.repeats, each=each), width=width)

    def result(self, outcomes: Mapping[Any, Any]) -> "ClassifierResult":
        """Assemble what has been done; needs the essential tasks only."""
        split = data.load(self.rows_of, seed=self.seed, private_rows=self.rows)
        features = (self.feature_x, self.feature_y) if self.plane == "features" else None
        return ClassifierResult(
            settings=self,
            split=split,
            plane=_plane(split, features) if len(split.X_public) else None,
            focus=FocusOutcome.of([outcomes[task] for task in self.samples() if task in outcomes]),
            reference=outcomes[self._reference],
            accuracy=Grid.of(EPSILONS, self._curve(), outcomes, repeats=self.repeats, arms=(len(self.arms),)),
            guarantees=self.guarantees,
            apart=_whole([outcomes.get(task) for task in self._apart()]),
        )


def _whole(parts: list[np.ndarray | None]) -> np.ndarray | None:
    """The repeats of all parts (R,); None while one is still to be trained."""
    done = [part for part in parts if part is not None]
    return np.concatenate(done) if done and len(done) == len(parts) else None


@cached
def _plane(split: data.Split, features: tuple[int, int] | None) -> Plane:
    """Return one plane for all models drawn in it, so that what does not move in it is drawn once."""
    source = split.source
    if len(source.features) > 2 and features:
        return feature_plane(split.X_public, *features, names=source.features, bounds=source.bounds)
    return usual_plane(split.X_public, names=source.features, bounds=source.bounds)
