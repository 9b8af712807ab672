"""Random results of all parts of the attack page, and results of random models."""

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from lab.models.classifier_versions import VERSIONS
from pages.attack.membership.result import ARMS, MembershipResult
from pages.attack.membership.tasks import ShadowModels
from pages.attack.settings import REPLACED_BY, WHO, AttackSettings
from pages.attack.tasks import attack_at_epsilon

# Random results per part, three times as many in a soak.
COUNTS = {"person": 180, "fairness": 80, "membership": 100, "inversion": 4}
MULTIPLE = 1
if "SOAK" in os.environ:
    MULTIPLE = 3


def settings_of(part, **changes):
    """Return the default settings of a part of the page, with ``changes``."""
    return AttackSettings().change(part=part).change(**changes)


def first_result(settings):
    """The result of the essential tasks, which is cheap."""
    outcomes = {task: task.run() for task in settings.experiment.tasks() if task.essential}
    return settings.experiment.gather(outcomes)


def result_without_curve(settings):
    """The result of all tasks but the attacks over epsilon."""
    outcomes = {}
    for task in settings.experiment.tasks():
        if task.work is not attack_at_epsilon:
            outcomes[task] = task.run()
    return settings.experiment.gather(outcomes)


def log_uniform(rng: np.random.Generator, low: float, high: float) -> float:
    """Return a random number from ``low`` to ``high`` whose logarithm is uniform."""
    return float(np.exp(rng.uniform(*np.log([low, high]))))


def random_result(part: str, index: int) -> Any:
    """The first result of random settings with few steps, or of random membership models."""
    rng = np.random.default_rng([len(part), index])
    if part == "membership":
        return random_membership(rng)
    common = {
        "epsilon": log_uniform(rng, 0.01, 150),
        "delta": log_uniform(rng, 1e-9, 1e-2),
        "clip_norm": log_uniform(rng, 0.02, 5.0),
        "learning_rate": log_uniform(rng, 0.05, 20),
        "steps": int(rng.integers(1, 5)),
        "seed": int(rng.integers(3)),
    }
    if part == "person":
        return result_without_curve(random_target(rng, index, common))
    if part == "fairness":
        common["minority"] = float(rng.uniform(0.02, 0.5))
    return first_result(settings_of(part, **common))


def random_target(rng: np.random.Generator, index: int, common: dict) -> AttackSettings:
    """Settings of the attack on one person, with each version in turn."""
    version = list(VERSIONS)[index % len(VERSIONS)]
    repeats = 100
    target = {
        "who": str(rng.choice(WHO)),
        "replaced_by": list(REPLACED_BY)[index // len(VERSIONS) % len(REPLACED_BY)],
        "person": int(rng.integers(400)),
        "person_x": float(rng.uniform(-1, 1)),
    }
    if version == "published" and index % 4 == 0:  # so few trainings may refute the claim here
        repeats = 500
        common = common | {
            "steps": 30,
            "learning_rate": 4.0,
            "clip_norm": 0.05,
            "epsilon": float(rng.uniform(0.5, 2.0)),
        }
        target["who"] = "outlier"
    return AttackSettings(repeats=repeats, version=version, **common).change(**target)


class Shadow(NamedTuple):
    """How far the margins of members stand out, and the accuracy on members and on others."""

    distance: float
    on_members: float
    on_others: float


def random_membership(rng: np.random.Generator) -> MembershipResult:
    """Return a result of random models at a random epsilon, from e^-4 to e^4."""
    settings = settings_of("membership", epsilon=float(np.exp(rng.uniform(-4, 4))))
    shadows = {}
    for arm in ARMS:
        distance = rng.uniform(0, 5)
        shadows[arm] = Shadow(distance, *rng.uniform(0.5, 1, size=2).round(2))
    return membership_result(int(rng.choice([16, 64, 128])), shadows, rng, settings)


def membership_result(
    models: int, shadows: Mapping[str, Shadow], rng=None, settings=None
) -> MembershipResult:
    """A result of random models on twenty people."""
    rng = rng or np.random.default_rng(5)
    settings = settings or settings_of("membership")
    trained = {}
    for arm, shadow in shadows.items():
        members = np.stack([rng.permutation(20) < 10 for _ in range(models)])
        margins = rng.normal(size=members.shape) + shadow.distance * members
        accuracies = np.tile([shadow.on_members, shadow.on_others], (models, 1))
        trained[arm] = ShadowModels(members, margins, accuracies)
    return MembershipResult(settings=settings, **trained)
