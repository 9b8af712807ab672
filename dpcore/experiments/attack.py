"""What a guarantee is worth against an attacker: two worlds, membership, audits of many trainings and of one, who pays,
and inversion."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, ClassVar

from dpcore import check, data
from dpcore.experiments import (
    attack_attempts,
    attack_groups,
    attack_inversion,
    attack_members,
    attack_once,
    attack_result,
    attack_worlds,
    run,
)
from dpcore.experiments.classifier_claims import VERSIONS
from dpcore.privacy import Adjacency

# Part -> the question it answers.
PARTS = MappingProxyType(
    {
        "worlds": "can you tell whether this person was in?",
        "membership": "can you tell who was in, person by person?",
        "audit": "does each mechanism of the lab keep its promise?",
        "once": "what does one single training show?",
        "pays": "whose accuracy is lost?",
        "inversion": "what do the weights show of the pictures?",
    }
)
_PIECES = MappingProxyType(
    {
        "worlds": attack_result,
        "membership": attack_members,
        "audit": attack_attempts,
        "once": attack_once,
        "pays": attack_groups,
        "inversion": attack_inversion,
    }
)
WHO = ("outlier", "row")
AGAINST = ("label", "public")
SEES = ("weights", "steps")
# A model of three weights has nowhere to keep a person: membership needs more features.
WITH_MEMBERS = ("digits", "breast_cancer", "wine", "iris")
FITTING = MappingProxyType({"membership": WITH_MEMBERS, "once": ("gaussians",), "inversion": ("digits",)})
# What a part begins with where the others' recipe would show nothing.
PRESETS = MappingProxyType(
    {
        "worlds": {"clip_norm": 0.25, "learning_rate": 4.0, "steps": 30},
        "membership": {"clip_norm": 0.5, "learning_rate": 1.0, "steps": 30},
        "audit": {},
        "once": {"clip_norm": 0.25, "learning_rate": 1.0, "steps": 10},
        "pays": {"clip_norm": 2.0, "learning_rate": 4.0, "steps": 30, "minority": 0.05},
        "inversion": {"clip_norm": 0.5, "learning_rate": 0.5, "steps": 30},
    }
)

# Trainings in each world to begin with, where one costs ten times as much as elsewhere.
SLOW_REPEATS = 500

# Field -> (lowest, highest) value that the settings accept.
LIMITS = MappingProxyType(
    {
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
)


@dataclass(frozen=True, kw_only=True)
class AttackSettings:
    """All that decides what the page shows. Raises RefusedError where a value has no meaning.

    part: a key of ``PARTS``. epsilon, delta: the claim, one record replaced. version: what is attacked in two worlds.
    repeats: trainings in each of the two worlds. who, person, person_x, person_y, label: the person is the private row
    of this number, or an outlier in its place, at a place of the map (-1 and 1 are its edges) and of a class. against:
    who stands there in the other world, the same row with the next class, or the first public row. sees: the final
    "weights", or all "steps". members: rows that a model of the membership part is trained on. minority: the share of
    the smaller group. canaries: planted in one training; guessed: the share whose coins are guessed.
    """

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
        check.choice(PARTS, part=self.part)
        check.choice(self.datasets, dataset=self.dataset)
        check.choice(VERSIONS, version=self.version)
        check.choice(WHO, who=self.who)
        check.choice(AGAINST, against=self.against)
        check.choice(SEES, sees=self.sees)
        for name, (low, high) in self.limits.items():
            validate = check.whole if isinstance(low, int) else check.between
            validate(low, high, **{name: getattr(self, name)})

    def change(self, **changes: Any) -> "AttackSettings":
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
            changes = dict(PRESETS.get(part, {})) | changes
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
        return replace(self, **changes)

    @property
    def datasets(self) -> tuple[str, ...]:
        """Those that fit the part."""
        return FITTING.get(self.part, data.STRAIGHT)

    @property
    def limits(self) -> dict[str, tuple[float, float]]:
        """Field -> (lowest, highest) value, with what the data set leaves of them."""
        source = data.DATASETS[self.dataset]
        return dict(LIMITS) | {
            "person": (0, source.private_rows - 1),
            "label": (0, len(source.classes) - 1),
            "members": (10, _most_members(source)),
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
    def neighbours(self) -> attack_worlds.Neighbours:
        names = attack_worlds.Neighbours.__dataclass_fields__
        return attack_worlds.Neighbours(**{name: getattr(self, name) for name in names})

    def only(self, *names: str) -> "AttackSettings":
        """With the defaults in all other fields: what a piece of work does not depend on is no part of its key."""
        source, kept = data.DATASETS[self.dataset], {name: getattr(self, name) for name in names}
        fitting = {"person": 0, "label": 0, "members": min(AttackSettings.members, _most_members(source))}
        return AttackSettings(**(fitting | kept))

    def tasks(self) -> tuple[Any, ...]:
        """The pieces of work of the part at hand."""
        return tuple(_PIECES[self.part].tasks(self))

    def result(self, outcomes: Mapping[Any, Any]) -> Any:
        """Assemble what has been done; needs the essential tasks only."""
        return _PIECES[self.part].result(self, outcomes)

    def run(self) -> Any:
        """All of it."""
        return run(self)


def _most_members(source: data.Source) -> int:
    return min(200, source.private_rows // 2)


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
