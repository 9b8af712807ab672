"""What a guarantee is worth against an attacker: two worlds, membership, audits of many trainings and of one, who pays,
and inversion."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from dpcore import check
from dpcore.data import toy as data
from dpcore.experiment import Measure, Settings, Task
from dpcore.privacy import Adjacency
from dpcore.training.recipes import VERSIONS
from pages.attack import canaries, inversion, membership, two_worlds, two_worlds_result, who_pays
from pages.attack.audits import runs

# Part -> the question it answers.
PARTS = {
    "worlds": "can you tell whether this person was in?",
    "membership": "can you tell who was in, person by person?",
    "audit": "does each mechanism of the lab keep its promise?",
    "once": "what does one single training show?",
    "pays": "whose accuracy is lost?",
    "inversion": "what do the weights show of the pictures?",
}
_PIECES = dict(zip(PARTS, (two_worlds_result, membership, runs, canaries, who_pays, inversion), strict=True))
WHO = ("outlier", "row")
AGAINST = ("label", "public")
SEES = ("weights", "steps")
# A model of three weights has nowhere to keep a person: membership needs more features.
WITH_MEMBERS = ("digits", "breast_cancer", "wine", "iris")
FITTING = {"membership": WITH_MEMBERS, "once": ("gaussians",), "inversion": ("digits",)}
# What a part begins with where the others' recipe would show nothing.
PRESETS = {
    "worlds": {"clip_norm": 0.25, "learning_rate": 4.0, "steps": 30},
    "membership": {"clip_norm": 0.5, "learning_rate": 1.0, "steps": 30},
    "audit": {},
    "once": {"clip_norm": 0.25, "learning_rate": 1.0, "steps": 10},
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
    "canaries": (20, 1000),
    "guessed": (0.02, 1.0),
    "seed": (0, 9999),
}


@dataclass(frozen=True, kw_only=True)
class AttackSettings(Settings):
    """All that decides what the page shows. Raises RefusedError where a value has no meaning.

    part: a key of ``PARTS``. epsilon, delta: the claim, one record replaced. version: what is attacked in two worlds.
    repeats: trainings in each of the two worlds. who, person, person_x, person_y, label: the person is the private row
    of this number, or an outlier in its place, at a place of the map (-1 and 1 are its edges) and of a class. against:
    who stands there in the other world, the same row with the next class, or the first public row. sees: the final
    "weights", or all "steps". members: rows that a model of the membership part is trained on. minority: the share of
    the smaller group. canaries: planted in one training; guessed: the share whose coins are guessed.
    """

    CHOICES: ClassVar = {"part": PARTS, "version": VERSIONS, "who": WHO, "against": AGAINST, "sees": SEES}
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
    version: str = "sound"
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
    canaries: int = 500
    guessed: float = 0.2
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
            raise check.RefusedError("repeats", self.repeats, f"at most {most} where one training takes so long: {way}")

    def change(self, **changes: Any) -> Self:
        """These settings with ``changes``. Choosing a row, or a place, chooses who is meant, and a moved row keeps its
        class; a part or a data set brings the rest into its range, and a part brings its recipe. ``spot``, "x,y",
        is a place of the map in one."""
        if "spot" in changes:
            changes |= _place(changes.pop("spot"))
        if "who" not in changes and "person" in changes:
            changes["who"] = "row"
        if "who" not in changes and ("person_x" in changes or "person_y" in changes):
            changes["who"] = "outlier"
            if self.who == "row":
                changes.setdefault("label", self._own_label)
        part = changes.get("part", self.part)
        fitting = FITTING.get(part, data.STRAIGHT)
        if part != self.part:
            changes = PRESETS.get(part, {}) | changes
            if self.dataset not in fitting:
                changes.setdefault("dataset", fitting[0])
        name = changes.get("dataset", self.dataset)
        if name in fitting and name != self.dataset:
            source = data.DATASETS[name]
            changes.setdefault("person", min(self.person, source.private_rows - 1))
            changes.setdefault("label", min(self.label, len(source.classes) - 1))
            changes.setdefault("members", min(self.members, _most_members(source)))
            if _slow(name) != _slow(self.dataset):
                changes.setdefault("repeats", SLOW_REPEATS if _slow(name) else AttackSettings.repeats)
        if {"dataset", "steps", "sees"} & set(changes):
            work = (changes.get(field, getattr(self, field)) for field in ("dataset", "steps", "sees"))
            changes.setdefault("repeats", min(self.repeats, _most_repeats(*work)))
        return replace(self, **changes)

    @property
    def choices(self) -> Mapping[str, Collection[str]]:
        """Field -> the values it may have; the data sets that fit the part."""
        return self.CHOICES | {"dataset": self.datasets}

    @property
    def datasets(self) -> tuple[str, ...]:
        """Those that fit the part."""
        return FITTING.get(self.part, data.STRAIGHT)

    @property
    def limits(self) -> Mapping[str, tuple[float, float]]:
        """Field -> (lowest, highest) value, with what the data set leaves of them."""
        source = data.DATASETS[self.dataset]
        return self.LIMITS | {
            "person": (0, source.private_rows - 1),
            "label": (0, len(source.classes) - 1),
            "members": (10, _most_members(source)),
            "repeats": (LIMITS["repeats"][0], _most_repeats(self.dataset, self.steps, self.sees)),
        }

    @property
    def adjacency(self) -> str:
        """One record is replaced, in every part."""
        return str(Adjacency.REPLACE_ONE)

    @property
    def rows(self) -> int:
        """How many private rows there are; public knowledge."""
        return data.DATASETS[self.dataset].private_rows

    @property
    def classes(self) -> int:
        return len(data.DATASETS[self.dataset].classes)

    @property
    def _own_label(self) -> int:
        """The class of the row that is meant."""
        return int(data.load(self.dataset, seed=self.seed).y_private[self.person])

    @property
    def neighbours(self) -> two_worlds.Neighbours:
        return two_worlds.Neighbours.of(self)

    def probe(self) -> two_worlds_result.Attacked:
        """The attack in two worlds, by this recipe, whichever part is looked at."""
        return two_worlds_result.probe(self)

    def schedule(self) -> Iterable[Task]:
        """The pieces of work of the part at hand."""
        return _PIECES[self.part].tasks(self)

    def result(self, outcomes: Mapping[Any, Any]) -> Any:
        """Assemble what has been done; needs the essential tasks only."""
        return _PIECES[self.part].result(self, outcomes)


def _most_members(source: data.Source) -> int:
    return min(200, source.private_rows // 2)


def _most_repeats(dataset: str, steps: int, sees: str) -> int:
    """Trainings in each world; what is no number of steps is refused by its own name."""
    low, high = LIMITS["steps"]
    if dataset not in data.DATASETS or not isinstance(steps, int) or not low <= steps <= high:
        return LIMITS["repeats"][1]
    return min(LIMITS["repeats"][1], two_worlds.most_repeats(dataset, steps, sees))


def _slow(dataset: str) -> bool:
    source = data.DATASETS[dataset]
    return source.private_rows * len(source.classes) > 5000


def _place(spot: object) -> dict[str, float]:
    """ "x,y" as the two fields; what is no such pair is refused by name."""
    try:
        x, y = (round(float(part), 3) for part in str(spot).split(","))
    except ValueError:
        raise check.RefusedError("person_x", str(spot), "two numbers from -1 to 1") from None
    return {"person_x": x, "person_y": y}
