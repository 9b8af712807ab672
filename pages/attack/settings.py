"""Settings of the attack page: the attack, the mechanism and the target person."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

from dpcore import check
from dpcore.privacy import Adjacency, Guarantee
from lab.data import classification as data
from lab.experiment.settings import Settings, in_range
from lab.models.classifier_versions import VERSIONS, Guarantees, guarantees
from pages.attack.neighbours import Neighbours
from pages.attack.tasks import PairTraining, most_repeats
from pages.attack.training import VersionTraining, from_settings, private_rows

PARTS = {
    "person": "One person",
    "membership": "Membership",
    "fairness": "Fairness",
    "inversion": "Inversion",
}
WHO = ("outlier", "row")
REPLACED_BY = {"class": "Another class", "nobody": "Nobody"}
# Data sets of parts that do not suit all. A model of three weights cannot remember a person, so
# membership needs more features.
PART_DATASETS = {
    "membership": ("digits", "breast_cancer", "wine", "iris"),
    "inversion": ("digits",),
}
# Settings with which a part begins, because those of the others would show no effect.
PRESETS: Mapping[str, Mapping[str, Any]] = {
    "person": {"clip_norm": 0.25, "learning_rate": 4.0, "steps": 30},
    "membership": {"clip_norm": 0.5, "learning_rate": 1.0, "steps": 30},
    "fairness": {"clip_norm": 2.0, "learning_rate": 4.0, "steps": 30, "minority": 0.05},
    "inversion": {"clip_norm": 0.5, "learning_rate": 0.5, "steps": 30},
}
# Trainings per data set to begin with where one takes ten times as long as elsewhere, and the
# product of rows and classes above which it does.
SLOW_REPEATS = 500
_SLOW_SIZE = 5000
_MOST_MEMBERS = 200


@dataclass(frozen=True, kw_only=True)
class AttackSettings(Settings):
    """Settings of the attack page.

    Raises RefusedError, with the name of the field, if a value is not allowed.

    part: a key of ``PARTS``.
    dataset: a data set of the lab.
    version: the mechanism that is attacked in the part on one person, a key of ``VERSIONS``.
    epsilon, delta: the claim.
    clip_norm, steps, learning_rate: C, T and eta of the descent.
    repeats: trainings on each of the two data sets.
    who: whether the target person is a private "row", or an "outlier" in its place.
    person: number of that row.
    person_x, person_y: the outlier's place on the map, whose edges are -1 and 1.
    label: the outlier's class, or that of the planted record of the part on inversion.
    replaced_by: what the other data set has in the target's place, a key of ``REPLACED_BY``.
    members: rows that each model of the membership part is trained on.
    minority: share of the smaller group.
    """

    EXPERIMENT: ClassVar = "pages.attack.experiment.experiment_of"
    CHOICES: ClassVar = {"part": PARTS, "version": VERSIONS, "who": WHO, "replaced_by": REPLACED_BY}
    LIMITS: ClassVar = {
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
    # What a click on the map may change.
    CLICKS: ClassVar[tuple[str, ...]] = ("person", "spot")

    part: str = "person"
    dataset: str = "gaussians"
    version: str = "correct"
    epsilon: float = 10.0
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
    replaced_by: str = "class"
    members: int = 60
    minority: float = 0.05
    seed: int = 4

    def __post_init__(self) -> None:
        check.choice(self.datasets, dataset=self.dataset)
        super().__post_init__()

    # Changes

    def change(self, **changes: Any) -> Self:
        """Return these settings with ``changes``, and dependent fields brought into range.

        A row or a place also chooses whether the target is a row or an outlier. A moved row keeps
        its class. Another part brings its presets, and a data set that suits it. Slow data sets
        start with fewer repeats.

        spot: "x,y", which sets ``person_x`` and ``person_y``.
        """
        if "spot" in changes:
            changes |= _parse_spot(changes.pop("spot"))
        changes = self._with_target(changes)
        part = changes.get("part", self.part)
        if part != self.part:
            changes = {**PRESETS.get(part, {}), **changes}
            if self.dataset not in datasets_of(part):
                changes.setdefault("dataset", datasets_of(part)[0])
        dataset = changes.get("dataset", self.dataset)
        if _is_slow(dataset) != _is_slow(self.dataset):
            repeats = type(self).repeats
            if _is_slow(dataset):
                repeats = SLOW_REPEATS
            changes.setdefault("repeats", repeats)
        return replace(self, **in_range(self, changes))

    def _with_target(self, changes: dict[str, Any]) -> dict[str, Any]:
        """Return ``changes`` with the kind of target person that they imply."""
        if "who" in changes:
            return changes
        if "person" in changes:
            return {**changes, "who": "row"}
        if "person_x" not in changes and "person_y" not in changes:
            return changes
        if self.who == "row":
            classes = data.load(self.dataset, seed=self.seed).y_private
            changes.setdefault("label", int(classes[self.person]))
        return {**changes, "who": "outlier"}

    # Ranges

    @property
    def choices(self) -> Mapping[str, Collection[str]]:
        """Return the allowed values of fields. Those of the data set depend on the part."""
        return {**self.CHOICES, "dataset": self.datasets}

    @property
    def datasets(self) -> tuple[str, ...]:
        """Return the data sets of this part."""
        return datasets_of(self.part)

    @property
    def limits(self) -> Mapping[str, tuple[float, float]]:
        """Return the range of each field, which for some depends on the data set."""
        limits = dict(self.LIMITS)
        limits["person"] = (0, self.rows - 1)
        limits["label"] = (0, self.classes - 1)
        limits["members"] = (10, min(_MOST_MEMBERS, self.rows // 2))
        limits["repeats"] = (self.LIMITS["repeats"][0], self._most_repeats)
        return limits

    @property
    def _most_repeats(self) -> float:
        """Return the most trainings per data set.

        An invalid number of steps has no effect on it, because it is refused by its own name.
        """
        most = self.LIMITS["repeats"][1]
        low, high = self.LIMITS["steps"]
        if not isinstance(self.steps, int) or not low <= self.steps <= high:
            return most
        return min(most, most_repeats(self.dataset, self.steps))

    # The data set, the trainings and their guarantee

    @property
    def adjacency(self) -> str:
        """Return the adjacency of the two data sets and of the guarantee, by its name."""
        if self.part == "person" and self.replaced_by == "nobody":
            return str(Adjacency.ADD_REMOVE)
        return str(Adjacency.REPLACE_ONE)

    @property
    def rows(self) -> int:
        """Return the number of private rows, or people. It is public."""
        return private_rows(self.dataset)

    @property
    def classes(self) -> int:
        """Return the number of classes."""
        return len(data.source(self.dataset).classes)

    @property
    def neighbours(self) -> Neighbours:
        """Return the two data sets of the part on one person."""
        return from_settings(Neighbours, self)

    @property
    def training(self) -> VersionTraining:
        """Return the training that is attacked, whatever the target person and the noise are."""
        return from_settings(VersionTraining, self)

    @property
    def pair_training(self) -> PairTraining:
        """Return the training on both data sets."""
        return from_settings(PairTraining, self)

    @cached_property
    def guarantees(self) -> Guarantees:
        """Return the claimed and the actual guarantee."""
        recipe = self
        if self.part != "person":
            # The other parts attack the correct mechanism only.
            recipe = replace(self, version="correct")
        return guarantees(recipe, source=data.source(self.dataset), unit="record")

    @property
    def claim(self) -> Guarantee:
        """Return the claimed guarantee, whatever the version really gives."""
        return Guarantee(
            epsilon=self.epsilon,
            delta=self.delta,
            adjacency=Adjacency(self.adjacency),
            unit="record",
            basis="claimed",
            event=self.guarantees.formula.event,
        )


def datasets_of(part: str) -> tuple[str, ...]:
    """Return the data sets of a part."""
    return PART_DATASETS.get(part, data.LINEAR_DATASETS)


def _is_slow(dataset: str) -> bool:
    """Return whether a training takes long. An unknown data set is refused elsewhere."""
    if dataset not in data.DATASETS:
        return False
    return private_rows(dataset) * len(data.source(dataset).classes) > _SLOW_SIZE


def _parse_spot(spot: object) -> dict[str, float]:
    """Return the two fields of "x,y". Raise RefusedError if it is no such pair."""
    try:
        x, y = (round(float(part), 3) for part in str(spot).split(","))
    except ValueError:
        raise check.RefusedError("person_x", str(spot), "two numbers from -1 to 1") from None
    return {"person_x": x, "person_y": y}
