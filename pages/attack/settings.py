"""All that decides an attack: its part, its recipe and the person attacked, with the ranges that
these allow.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from dpcore import check
from dpcore.privacy import Adjacency, Guarantee
from lab.data import classification as data
from lab.experiment.settings import Measure, Settings, in_range
from lab.models.classifier_versions import VERSIONS, Guarantees, guarantees
from pages.attack.inputs import rows_of
from pages.attack.tasks import Neighbours, most_repeats

PARTS = {
    "worlds": "One person",
    "membership": "Membership",
    "pays": "Fairness",
    "inversion": "Inversion",
}
WHO = ("outlier", "row")
AGAINST = ("label", "public")
SEES = ("weights", "steps")
# A model of three weights has nowhere to keep a person: membership needs more features.
WITH_MEMBERS = ("digits", "breast_cancer", "wine", "iris")
FITTING = {"membership": WITH_MEMBERS, "inversion": ("digits",)}
# What a part begins with where the others' recipe would show nothing.
PRESETS = {
    "worlds": {"clip_norm": 0.25, "learning_rate": 4.0, "steps": 30},
    "membership": {"clip_norm": 0.5, "learning_rate": 1.0, "steps": 30},
    "pays": {"clip_norm": 2.0, "learning_rate": 4.0, "steps": 30, "minority": 0.05},
    "inversion": {"clip_norm": 0.5, "learning_rate": 0.5, "steps": 30},
}

# Trainings in each world to begin with, where one costs ten times as much as elsewhere.
SLOW_REPEATS = 500

# Field -> (lowest, highest) value that the settings accept.
LIMITS = {
    "epsilon": (0.01, 150.0),
    "delta": (1e-9, 1e-2),
    "clip_norm": (0.01, 100.0),
    "steps": (1, 200),
    "learning_rate": (0.01, 100.0),
    "repeats": (100, 4000),
    "person_x": (-1.0, 1.0),
    "person_y": (-1.0, 1.0),
    "minority": (0.02, 0.5),
    "seed": (0, 9999),
}


@dataclass(frozen=True, kw_only=True)
class AttackParameters(Settings):
    """All that decides what the page shows. Raises RefusedError where a value has no meaning.

    part: a key of ``PARTS``. dataset: one of the lab's. epsilon, delta: the claim, one record
        replaced.
    version: what is attacked in two worlds. repeats: trainings in each of the two worlds.
    who, person, person_x, person_y, label: the person is the private row of this number, or an
    outlier in its place, at a place of the map (-1 and 1 are its edges) and of a class.
    against: who stands there in the other world, the same row with the next class, or the first
        public row.
    sees: the final "weights", or all "steps". members: rows that a model of the membership part is
        trained on.
    minority: the share of the smaller group.
    """

    CHOICES: ClassVar = {
        "part": PARTS,
        "version": VERSIONS,
        "who": WHO,
        "against": AGAINST,
        "sees": SEES,
    }
    LIMITS: ClassVar = LIMITS
    MEASURES: ClassVar = {
        "attacker": Measure(
            "accuracy of the attacker in two worlds",
            "lower",
            np.asarray,
            falls=("epsilon", "delta"),
            unit="%",
            limits=(0.0, 1.0),
        )
    }

    part: str = "worlds"
    dataset: str = "gaussians"
    version: str = "correct"
    epsilon: float = 4.0
    delta: float = 1e-5
    clip_norm: float = 0.25
    steps: int = 30
    learning_rate: float = 4.0
    repeats: int = 2000
    person: int = 0
    person_x: float = -0.9
    person_y: float = 0.8
    label: int = 1
    who: str = "outlier"
    against: str = "label"
    sees: str = "weights"
    members: int = 60
    minority: float = 0.05
    seed: int = 4

    # What a click on the map may change.
    CLICKS: ClassVar[tuple[str, ...]] = ("person", "spot")

    def __post_init__(self) -> None:
        check.choice(self.datasets, dataset=self.dataset)
        self._refuse_long()
        super().__post_init__()

    def _refuse_long(self) -> None:
        most = self.limits["repeats"][1]
        if isinstance(self.repeats, int) and most < self.repeats <= LIMITS["repeats"][1]:
            way = "fewer steps, or an attacker who sees the final weights only, allow more"
            raise check.RefusedError(
                "repeats", self.repeats, f"at most {most} where one training takes so long: {way}"
            )

    def change(self, **changes: Any) -> Self:
        """Return these settings with ``changes``.

        Choosing a row, or a place, chooses who is meant, and a moved row keeps its class; a part or
        a data set brings the rest into its range, and a part brings its recipe. ``spot``, "x,y", is
        a place of the map in one.
        """
        if "spot" in changes:
            changes |= _place(changes.pop("spot"))
        changes = self._meant(changes)
        part = changes.get("part", self.part)
        if part != self.part:
            changes = PRESETS.get(part, {}) | changes
            if self.dataset not in fitting(part):
                changes.setdefault("dataset", fitting(part)[0])
        dataset = changes.get("dataset", self.dataset)
        if _is_slow(dataset) != _is_slow(self.dataset):
            usual = SLOW_REPEATS if _is_slow(dataset) else AttackParameters.repeats
            changes = {"repeats": usual, **changes}
        return replace(self, **in_range(self, changes))

    def _meant(self, changes: dict[str, Any]) -> dict[str, Any]:
        """Return ``changes`` with who is meant by a row, or a place, that they choose."""
        if "who" not in changes and "person" in changes:
            return changes | {"who": "row"}
        if "who" not in changes and ("person_x" in changes or "person_y" in changes):
            if self.who == "row":
                classes = data.load(self.dataset, seed=self.seed).y_private
                changes = {"label": int(classes[self.person])} | changes
            return {"who": "outlier"} | changes
        return changes

    @property
    def choices(self) -> Mapping[str, Collection[str]]:
        return self.CHOICES | {"dataset": self.datasets}

    @property
    def datasets(self) -> tuple[str, ...]:
        return fitting(self.part)

    @cached_property
    def guarantees(self) -> Guarantees:
        return guarantees(self, source=data.source(self.dataset), unit="record")

    @property
    def limits(self) -> Mapping[str, tuple[float, float]]:
        """Return the (lowest, highest) value of each field, with what the data set leaves
        of them.
        """
        rows = rows_of(self.dataset)
        return {
            **LIMITS,
            "person": (0, rows - 1),
            "label": (0, self.classes - 1),
            "members": (10, min(200, rows // 2)),
            "repeats": (LIMITS["repeats"][0], self._most_repeats),
        }

    @property
    def _most_repeats(self) -> float:
        """Return the most trainings in each world; what is no number of steps is refused by its own
        name.
        """
        low, high = LIMITS["steps"]
        if not isinstance(self.steps, int) or not low <= self.steps <= high:
            return LIMITS["repeats"][1]
        return min(LIMITS["repeats"][1], most_repeats(self.dataset, self.steps, self.sees))

    @property
    def adjacency(self) -> str:
        return str(Adjacency.REPLACE_ONE)

    @property
    def rows(self) -> int:
        """Return how many private rows, or people, are trained on; public knowledge."""
        return rows_of(self.dataset)

    @property
    def classes(self) -> int:
        return len(data.source(self.dataset).classes)

    @property
    def claim(self) -> Guarantee:
        """Return the claim that the slider sets, whatever the version really gives."""
        return Guarantee(
            epsilon=self.epsilon,
            delta=self.delta,
            adjacency=Adjacency.REPLACE_ONE,
            unit="record",
            basis="claimed",
            event=self.guarantees.formula.event,
        )

    @property
    def neighbours(self) -> Neighbours:
        """Return the two data sets."""
        return Neighbours.of(self)


def fitting(part: str) -> tuple[str, ...]:
    """Return the data sets of a part."""
    return FITTING.get(part, data.LINEAR_DATASETS)


def _is_slow(dataset: str) -> bool:
    """Return whether a training takes long, by the sizes of the data set."""
    if dataset not in data.DATASETS:
        return False
    return rows_of(dataset) * len(data.source(dataset).classes) > 5000


def _place(spot: object) -> dict[str, float]:
    """Return the two fields of "x,y"; refuse what is no such pair by name."""
    try:
        x, y = (round(float(part), 3) for part in str(spot).split(","))
    except ValueError:
        raise check.RefusedError("person_x", str(spot), "two numbers from -1 to 1") from None
    return {"person_x": x, "person_y": y}
