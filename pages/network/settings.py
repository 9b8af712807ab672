"""Settings of the networks: their ranges, the batches, steps and noise, and the guarantee."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from dpcore.accountants import basis
from dpcore.cache import cached
from dpcore.privacy import Adjacency, ApproximateRelease, Event, Guarantee, public_count
from dpcore.schedules import SHAPES
from dpcore.training import dp_ftrl
from dpcore.training.networks import Architecture
from dpcore.training.sgd_recipe import Recipe
from lab.data import classification as data
from lab.experiment.accounting_tasks import NoiseFor
from lab.experiment.data_settings import OWN, RowsSettings
from lab.uploads import handles
from pages.network.training import FRAMES, Training

DATA = ("moons", "circles", "spirals", "blobs", "digits", OWN)
# How gradients are clipped, and what is clipped.
CLIPPING = {"flat": "Whole gradient", "layers": "Layer"}
# The training loops whose cost the page shows, which are keys of ``sgd_recipe.VARIANTS``.
LOOPS = {
    "correct": "Correct",
    "realised": "Actual batch size",
    "shuffled": "Shuffled batches",
}
# The accountant of sampled batches, on a grid that is quick enough while a slider moves, and that
# of batches in a fixed order, an exact formula.
SAMPLED_ACCOUNTANT = "pld-coarse"
FIXED_ORDER_ACCOUNTANT = "gdp"
ARMS = ("plain", "private")
# Learning rate of the first step of non-private networks, which are not clipped.
PLAIN_RATE = 1.0

# The largest batches of a file may have this share of its rows, if it is more than ``LIMITS`` has.
_LARGEST_BATCH = 20
# A product of a rate and a number of rows may be rounded to slightly below a whole number.
_ROUNDING = 1e-9

# Data set -> fields that it starts with, because the page's own values do worse on other seeds and
# splits (`python -m scripts.starts network digits`).
STARTS: Mapping[str, Mapping[str, float]] = {"digits": {"clip_norm": 0.25, "learning_rate": 5.0}}
_STARTED = ("clip_norm", "learning_rate")


@dataclass(frozen=True, kw_only=True)
class NetworkSettings(RowsSettings):
    """Settings of networks trained by DP-SGD [abadi2016].

    Raises RefusedError, with the name of the field, if a value is not allowed.

    dataset: one of ``DATA``, where "own" stands for an uploaded file.
    own: the handle of the uploaded file.
    variant: the training loop, one of ``LOOPS``. The accountants count the one called "correct".
    mechanism: how batches and noise are made, a key of ``dp_ftrl.MECHANISMS``. Loops other than
        "correct" sample their batches.
    epsilon, delta: the guarantee of the whole training.
    rows: number n of private rows. None stands for all rows, or 400 if their number is free.
    layers, width: number of hidden layers, and of units in each.
    lot_size: expected size L = q n of a batch (lot).
    clip_norm: L2 bound C on a gradient.
    clipping: a key of ``CLIPPING``. With "layers", each of m layers is clipped to C / sqrt(m),
        which has the same sensitivity.
    epochs: number of steps times L / n.
    learning_rate: of the first step of private networks.
    decay: ratio of the last learning rate to the first.
    shape: how learning rate and noise change, a key of ``SHAPES``.
    noise_ramp: ratio of the last noise multiplier to the first. It is constant if batches have a
        fixed order.
    repeats: number R of private networks. There are at most 8 non-private ones.
    shown: the frame of the training that is shown.
    """

    EXPERIMENT: ClassVar = "pages.network.experiment.NetworkExperiment"
    CHOICES: ClassVar = {
        "dataset": DATA,
        "variant": LOOPS,
        "mechanism": dp_ftrl.MECHANISMS,
        "clipping": CLIPPING,
        "shape": SHAPES,
    }
    LIMITS: ClassVar = {
        "epsilon": (0.1, 50.0),
        "rows": (200, 5000),
        "layers": (0, 3),
        "width": (2, 64),
        "lot_size": (20, 1000),
        "clip_norm": (0.01, 100.0),
        "epochs": (1, 60),
        "learning_rate": (0.01, 100.0),
        "decay": (0.01, 1.0),
        "noise_ramp": (0.2, 5.0),
        "delta": (1e-9, 1e-2),
        "repeats": (2, 48),
        "seed": (0, 9999),
        "shown": (0, FRAMES),
    }
    TUNED: ClassVar = {
        "clip_norm": (0.05, 5.0),
        "lot_size": (20, 400),
        "learning_rate": (0.5, 30.0),
        "epochs": (3, 60),
    }
    PEOPLE: ClassVar = "rows"
    LOOP: ClassVar = "variant"
    SIZED: ClassVar = False

    dataset: str = "moons"
    own: str = handles.NONE
    variant: str = "correct"
    mechanism: str = "sampled"
    epsilon: float = 0.5
    rows: int = None  # type: ignore[assignment]  # a number once validated
    layers: int = 2
    width: int = 16
    lot_size: int = 100
    clip_norm: float = 0.5
    clipping: str = "flat"
    epochs: int = 15
    learning_rate: float = 8.0
    decay: float = 0.2
    shape: str = "geometric"
    noise_ramp: float = 1.0
    delta: float = 1e-5
    repeats: int = 16
    seed: int = 1
    shown: int = FRAMES

    # Ranges

    @property
    def limits(self) -> Mapping[str, tuple[float, float]]:
        """Return the range of each field. That of batches depends on the number of people."""
        limits = dict(super().limits)
        low, high = self.LIMITS["lot_size"]
        # Limits are also asked for before the fields are validated.
        if isinstance(self.rows, int):
            if self.uses_file:
                high = max(high, self.people // _LARGEST_BATCH)
            high = min(high, max(self.people, low))
        limits["lot_size"] = (low, high)
        return limits

    def initial_values(self, dataset: str, own: str) -> dict[str, Any]:
        """Return the fields that a change of the data set resets.

        Clipping norm and learning rate are among them, unless they have been changed.
        """
        changes = super().initial_values(dataset, own)
        for name in _STARTED:
            if getattr(self, name) == self._start_value(name, self.dataset):
                changes[name] = self._start_value(name, dataset)
        return changes

    @classmethod
    def _start_value(cls, name: str, dataset: str) -> float:
        """Return the value of a field that a data set starts with."""
        starts = STARTS.get(dataset, {})
        return starts.get(name, getattr(cls, name))

    def of_rows(self, rows: int) -> Self:
        """Return the settings for another number of rows, with batches that are the same part.

        They have as many steps, with the same noise in a larger sum.
        """
        smallest, _ = self.LIMITS["lot_size"]
        lot_size = int(self.sampling_rate * rows + _ROUNDING)
        return self.change(rows=rows, lot_size=max(smallest, lot_size))

    # Batches and steps

    @property
    def is_sampled(self) -> bool:
        """Return whether batches are sampled. Otherwise each row has a place in a fixed order."""
        return self.mechanism == "sampled" or self.variant != "correct"

    @property
    def batch_size(self) -> float:
        """Return the expected size L of a batch or, in a fixed order, the mean size over a pass.

        A pass in a fixed order has a whole number of batches.
        """
        if self.is_sampled:
            return self.lot_size
        batches = max(1, round(self.people / self.lot_size))
        return self.people / batches

    @property
    def sampling_rate(self) -> float:
        """Return the sampling rate q or, in a fixed order, 1 over the number of batches a pass."""
        return self.batch_size / self.people

    @cached_property
    def steps(self) -> int:
        """Return the number of training steps."""
        return max(1, round(self.epochs / self.sampling_rate))

    # Noise

    @property
    def accountant(self) -> str:
        """Return the accountant by which the noise is calibrated and the steps are counted."""
        if self.is_sampled:
            return SAMPLED_ACCOUNTANT
        return FIXED_ORDER_ACCOUNTANT

    @property
    def accounted_sampling_rate(self) -> float:
        """Return the sampling rate that the accountant counts with, 1 without sampling."""
        if self.is_sampled:
            return self.sampling_rate
        return 1.0

    def sensitivity(self, steps: int) -> float:
        """Return the L2 sensitivity of what the accountant counts as one release, over C.

        It is one step if batches are sampled, and all of the first ``steps`` in a fixed order.
        """
        if self.is_sampled:
            return 1.0
        batches_per_pass = dp_ftrl.count_batches_per_pass(self.sampling_rate)
        return dp_ftrl.sensitivity(self.mechanism, steps, batches_per_pass=batches_per_pass)

    @property
    def applied_noise_ramp(self) -> float:
        """Return the ratio of the last noise multiplier to the first, 1 in a fixed order."""
        if self.is_sampled:
            return self.noise_ramp
        return 1.0

    @cached_property
    def noise_multiplier(self) -> float:
        """Return the noise multiplier of the first step: standard deviation of the noise over C."""
        releases = 1
        if self.is_sampled:
            releases = self.steps
        task = NoiseFor(
            accountant=self.accountant,
            sampling_rate=self.accounted_sampling_rate,
            steps=releases,
            epsilon=self.remaining_epsilon,
            delta=self.delta,
            ramp_end=self.applied_noise_ramp,
            ramp_shape=self.shape,
        )
        return _noise_multiplier(task) * self.sensitivity(self.steps)

    @property
    def noise_sd(self) -> float:
        """Return the standard deviation of a coordinate of the first step's noise, sigma C / L."""
        return self.noise_multiplier * self.clip_norm / self.batch_size

    # Training

    @cached_property
    def trainings(self) -> Mapping[str, Training]:
        """Return the training of the networks of each arm."""
        recipe = self._private_recipe
        # Each of m bounds makes a release. Together they have the multiplier over sqrt(m).
        noise_multiplier = self.noise_multiplier * math.sqrt(len(recipe.bounds))
        return {
            "plain": self._training(self._plain_recipe, noise_multiplier=0.0),
            "private": self._training(recipe, noise_multiplier=noise_multiplier),
        }

    @property
    def step_of_frame(self) -> np.ndarray:
        """Return the number of steps taken by each frame, (FRAMES + 1,)."""
        return self.trainings["private"].step_of_frame

    def _training(self, recipe: Recipe, *, noise_multiplier: float) -> Training:
        """Return the training by a recipe on the rows of these settings."""
        return Training(
            dataset=self.dataset_key,
            private_rows=self.rows,
            seed=self.seed,
            recipe=recipe,
            noise_multiplier=noise_multiplier,
        )

    @property
    def _architecture(self) -> Architecture:
        """Return the layers of each network."""
        source = data.source(self.dataset_key)
        hidden = [self.width] * self.layers
        sizes = (len(source.features), *hidden, len(source.classes))
        return Architecture(sizes=sizes)

    @property
    def _private_recipe(self) -> Recipe:
        """Return how private networks are trained."""
        mechanism = self.mechanism
        if self.is_sampled:
            mechanism = "sampled"
        clip_norm: float | tuple[float, ...] = self.clip_norm
        if self.clipping == "layers":
            layers = self.layers + 1
            clip_norm = (self.clip_norm / math.sqrt(layers),) * layers
        return self.subset(
            Recipe,
            architecture=self._architecture,
            clip_norm=clip_norm,
            noise_ramp=self.applied_noise_ramp,
            mechanism=mechanism,
        )

    @property
    def _plain_recipe(self) -> Recipe:
        """Return how non-private networks are trained, with the same batches and steps."""
        mechanism = "ordered"
        if self.is_sampled:
            mechanism = "sampled"
        return Recipe(
            architecture=self._architecture,
            sampling_rate=self.sampling_rate,
            steps=self.steps,
            learning_rate=PLAIN_RATE,
            clip_norm=None,
            decay=self.decay,
            shape=self.shape,
            mechanism=mechanism,
        )

    # Guarantee

    @property
    def guarantee(self) -> Guarantee | None:
        """Return the guarantee of a whole training, or None if there is none."""
        if self.variant != "correct" or self.void:
            return None
        return self.guarantee_after(self.steps, epsilon=self.remaining_epsilon)

    def guarantee_after(self, steps: int, *, epsilon: float) -> Guarantee:
        """Return the guarantee of ``steps`` steps, together with the payments for bounds.

        It is only a claim for loops other than "correct".

        epsilon: of the steps alone.
        """
        event: Event
        if steps == 0:
            event = ApproximateRelease(epsilon=0, delta=0)
        else:
            training = self.trainings["private"]
            event = training.recipe.event(training.noise_multiplier, until=steps)
        adjacency = Adjacency.ADD_REMOVE
        assumes = public_count(adjacency, unit=self.unit)
        if not self.is_sampled:
            assumes += (dp_ftrl.ASSUMES,)
        guarantee = Guarantee(
            epsilon=epsilon,
            delta=self.delta,
            adjacency=adjacency,
            unit=self.unit,
            basis=basis(event, delta=self.delta, adjacency=adjacency, accountant=self.accountant),
            event=event,
            assumes=assumes,
        )
        return self.after_payments(guarantee)


@cached
def _noise_multiplier(task: NoiseFor) -> float:
    """Return the noise multiplier that a search finds, which many settings share."""
    return float(task.run())
