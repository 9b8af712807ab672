"""Settings of the home page: a clinic publishes a model, and a spy asks about one patient."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from dpcore.accountants import basis
from dpcore.accountants.attacker import best_attacker
from dpcore.privacy import Adjacency, Guarantee, public_count
from dpcore.training import descent
from lab.experiment.settings import Settings

# What the clinic trains. All of it is public, and fixed: with few patients and a small clipping
# norm, the last weights show as much of one person as this guarantee allows at most.
PATIENTS = 60
STEPS = 30
LEARNING_RATE = 6.0
CLIP_NORM = 0.25
DELTA = 1e-5
# The number of the patient whom the first picture is about.
ANA = 0


@dataclass(frozen=True, kw_only=True)
class PersonSettings(Settings):
    """Settings of the home page.

    Raises RefusedError, with the name of the field, if a value is not allowed.

    epsilon: of the guarantee, with ``DELTA``.
    person: the number of the patient whom the spy asks about.
    seed: of the patients and of the noise.
    """

    EXPERIMENT: ClassVar = "pages.home.experiment.PersonExperiment"
    LIMITS: ClassVar = {
        "epsilon": (0.01, 40.0),
        "person": (0, PATIENTS - 1),
        "seed": (0, 9999),
    }
    # What a click on the map may change.
    CLICKS: ClassVar[tuple[str, ...]] = ("person",)

    epsilon: float = 10.0
    person: int = ANA
    seed: int = 4

    @property
    def noise_multiplier(self) -> float:
        """Return the noise multiplier of each step."""
        return descent.noise_multiplier(epsilon=self.epsilon, delta=DELTA, steps=STEPS)

    @cached_property
    def guarantee(self) -> Guarantee:
        """Return the guarantee of a published model.

        Guarantee: ``STEPS`` Gaussian releases of the sum of clipped gradients over ``PATIENTS``,
            with the sensitivity ``CLIP_NORM`` / ``PATIENTS`` if a patient is added or removed.
        """
        event = descent.event(self.noise_multiplier, steps=STEPS)
        return Guarantee(
            epsilon=self.epsilon,
            delta=DELTA,
            adjacency=Adjacency.ADD_REMOVE,
            unit="person",
            basis=basis(event, delta=DELTA, adjacency=Adjacency.ADD_REMOVE),
            event=event,
            assumes=public_count(Adjacency.ADD_REMOVE, unit="person"),
        )

    @cached_property
    def spy_limit(self) -> float:
        """Return the largest share of right guesses of any spy who sees one published model."""
        return best_attacker(self.guarantee).right
