"""The parameters of the network page, and what follows from them: batches, steps, noise and the
guarantee.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from dpcore.accountants import basis
from dpcore.cache import cached
from dpcore.privacy import Adjacency, ApproximateRelease, Guarantee, public_count
from dpcore.schedules import SHAPES
from dpcore.training import dp_ftrl
from dpcore.training.networks import ACTIVATIONS, Architecture
from dpcore.training.sgd_recipe import Recipe
from lab.data import classification as data
from lab.experiment.accounting_tasks import NoiseFor
from lab.experiment.data_settings import OWN, RowsSettings
from lab.experiment.settings import Measure
from lab.uploads import handles
from pages.network.tasks import FRAMES, MOST_EACH, Training

DATA = ("moons", "circles", "spirals", "blobs", "digits", OWN)
CLIPPING = {"flat": "whole gradient", "layers": "layer"}
# The training loops of which the page shows what they cost, keys of ``sgd_recipe.VARIANTS``.
LOOPS = ("correct", "realised", "shuffled")
# The accountant at rest, and the form that is quick enough for searches and while a slider moves.
ACCOUNTANT, QUICK_ACCOUNTANT = "pld", "pld-coarse"
ARMS = ("plain", "private")

# Rows of a file over rows in a lot: so large may lots be at least, beside the highest number of
# all.
_LEAST_LOTS = 20

# Data set -> what of the recipe it starts with, where the page's own does worse on other seeds and
# splits (`python -m scripts.starts network digits`).
STARTS: Mapping[str, Mapping[str, float]] = {"digits": {"clip_norm": 0.25, "learning_rate": 5.0}}
RECIPE = ("clip_norm", "learning_rate")


@dataclass(frozen=True, kw_only=True)
class NetworkParameters(RowsSettings):
    """All that decides what the page shows. Raises RefusedError where a value has no meaning.

    variant: the training loop: the correct one, or one that departs from what accountants count.
    rows: private rows n; None takes as many as the data set has, or 400 where it leaves them free;
        of a file at most 20,000.
    rows_each: rows of a person, whose gradients are averaged, then clipped; lots are of people.
    layers, width: hidden layers, and units in each.
    lot_size: L = q n, the expected size of a lot.
    clip_norm: C, the L2 bound on a row's gradient.
    mechanism: how lots and noise are made, a key of ``dp_ftrl.MECHANISMS``; loops that are not
        correct draw by chance.
    clipping: "flat" bounds the whole gradient by C, "layers" each of m layers by C / sqrt(m), which
        has the same sensitivity.
    epochs: steps times L over n.
    learning_rate, plain_rate: at the start, of the private networks, and of those whose gradients
    are not clipped.
    decay: the rate at the end over the one at the start.
    shape: how rate, noise and clip norm get from the start to the end, a key of ``SHAPES``.
    noise_ramp, clip_ramp: noise multiplier, and clip norm, of the last step over those of the
        first; both stay where lots have a fixed order.
    repeats: networks of the private ensemble; the one without privacy has 8 at most.
    shown: frame of the training that is drawn.
    """

    CHOICES: ClassVar = {
        "dataset": DATA,
        "variant": LOOPS,
        "mechanism": dp_ftrl.MECHANISMS,
        "activation": ACTIVATIONS,
        "clipping": CLIPPING,
        "shape": SHAPES,
    }
    LIMITS: ClassVar = {
        "epsilon": (0.1, 50.0),
        "rows": (200, 5000),
        "rows_each": (1, MOST_EACH),
        "layers": (0, 3),
        "width": (2, 64),
        "lot_size": (20, 1000),
        "clip_norm": (0.01, 100.0),
        "epochs": (1, 60),
        "learning_rate": (0.01, 100.0),
        "plain_rate": (0.01, 10.0),
        "decay": (0.01, 1.0),
        "noise_ramp": (0.2, 5.0),
        "clip_ramp": (0.2, 5.0),
        "delta": (1e-9, 1e-2),
        "repeats": (2, 48),
        "seed": (0, 9999),
        "shown": (0, FRAMES),
    }
    MEASURES: ClassVar = {
        "accuracy": Measure.accuracy(
            "accuracy at the moment shown", np.asarray, rises=("epsilon", "delta", "rows")
        )
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
    # Starts and noise have the network's shape, and lots that of the rows and of the rate
    COMMON: ClassVar = (
        "dataset",
        "own",
        "variant",
        "mechanism",
        "rows",
        "rows_each",
        "layers",
        "width",
        "lot_size",
        "repeats",
        "seed",
    )

    dataset: str = "moons"
    own: str = handles.NONE
    variant: str = "correct"
    mechanism: str = "sampled"
    epsilon: float = 0.5
    rows: int = None  # type: ignore[assignment]  # all, once validated
    rows_each: int = 1
    layers: int = 2
    width: int = 16
    activation: str = "tanh"
    lot_size: int = 100
    clip_norm: float = 0.5
    clipping: str = "flat"
    epochs: int = 15
    learning_rate: float = 8.0
    plain_rate: float = 1.0
    decay: float = 0.2
    shape: str = "geometric"
    noise_ramp: float = 1.0
    clip_ramp: float = 1.0
    delta: float = 1e-5
    repeats: int = 16
    seed: int = 1
    shown: int = FRAMES

    def starts(self, dataset: str, own: str) -> dict[str, Any]:
        """Return also the recipe of a data set, of which what was changed stays."""

        def start(name: str, of: str) -> float:
            return STARTS.get(of, {}).get(name, getattr(type(self), name))

        same = (name for name in RECIPE if getattr(self, name) == start(name, self.dataset))
        return super().starts(dataset, own) | {name: start(name, dataset) for name in same}

    def of_rows(self, rows: int) -> Self:
        """Return the settings with lots that are the same part of all rows: as many steps, with the
        same noise in a larger sum.
        """
        return self.change(
            rows=rows, lot_size=max(self.LIMITS["lot_size"][0], int(self.rate * rows + 1e-9))
        )

    @property
    def limits(self) -> Mapping[str, tuple[float, float]]:
        low, high = self.LIMITS["lot_size"]
        if (
            isinstance(self.rows, int) and isinstance(self.rows_each, int) and self.rows_each > 0
        ):  # else refused
            people = self.people
            high = min(max(high, people // _LEAST_LOTS) if self.private else high, max(people, low))
        return {**super().limits, "lot_size": (low, high)}

    @property
    def measures(self) -> Mapping[str, Measure]:
        """Return the measures with what they rise along.

        In a fixed order, more rows make more batches in a pass, each with its own noise, and may
        lower accuracy.
        """
        if self.by_chance:
            return self.MEASURES
        return {
            name: measure._replace(rises=("epsilon", "delta"))
            for name, measure in self.MEASURES.items()
        }

    @property
    def by_chance(self) -> bool:
        """Return whether lots are drawn by chance; else each row has its place in a fixed order."""
        return self.mechanism == "sampled" or self.variant != "correct"

    @property
    def lot(self) -> float:
        """Return the size L of a lot: expected, or in the mean of a pass, which has a whole number
        of lots.
        """
        if self.by_chance:
            return self.lot_size
        return self.people / max(1, round(self.people / self.lot_size))

    @property
    def rate(self) -> float:
        """Return the chance q of a row, or a person, to be in a lot; in a fixed order, 1 over how
        many lots there are.
        """
        return self.lot / self.people

    def sensitivity(self, steps: int) -> float:
        """Return what a row moves by so many steps in a fixed order, as one release, in clipping
        norms; else 1.
        """
        if self.by_chance:
            return 1.0
        return dp_ftrl.sensitivity(
            self.mechanism, steps, batches_per_pass=dp_ftrl.count_batches_per_pass(self.rate)
        )

    @property
    def counted_by(self) -> str:
        """Return the accountant, in the form that is quick enough."""
        return QUICK_ACCOUNTANT if self.by_chance else "gdp"

    @property
    def accounted_rate(self) -> float:
        """Return the sampling rate that the accountant counts with; 1 for a fixed order, which is
        not sampled.
        """
        return self.rate if self.by_chance else 1.0

    @cached_property
    def steps(self) -> int:
        """Return the number of training steps."""
        return max(1, round(self.epochs / self.rate))

    @cached_property
    def sigma(self) -> float:
        """Return the noise multiplier of the whole release of the first step: noise sd over C."""
        task = NoiseFor(
            accountant=self.counted_by,
            sampling_rate=self.accounted_rate,
            steps=self.steps if self.by_chance else 1,
            epsilon=self.left,
            delta=self.delta,
            ramp_end=self.ramp,
            ramp_shape=self.shape,
        )
        return _noise_multiplier(task) * self.sensitivity(self.steps)

    @property
    def noise_sd(self) -> float:
        """Return the noise's sd on a weight's mean gradient in the first step: sigma C / L."""
        return self.sigma * self.clip_norm / self.lot

    @property
    def ramp(self) -> float:
        """Return the noise multiplier of the last step over that of the first."""
        return self.noise_ramp if self.by_chance else 1.0

    def _recipe(self, *, private: bool) -> Recipe:
        source, layers = data.source(self.rows_of), self.layers + 1
        sizes = len(source.features), *(self.width,) * self.layers, len(source.classes)
        in_order = self.mechanism if private else "ordered"
        bounds = (
            (self.clip_norm / math.sqrt(layers),) * layers
            if self.clipping == "layers"
            else self.clip_norm
        )
        return Recipe(
            architecture=Architecture(sizes=sizes, activation=self.activation),
            sampling_rate=self.rate,
            steps=self.steps,
            learning_rate=self.learning_rate if private else self.plain_rate,
            clip_norm=bounds if private else None,
            decay=self.decay,
            variant=self.variant if private else "correct",
            shape=self.shape,
            noise_ramp=self.ramp if private else 1.0,
            clip_ramp=self.clip_ramp if private and self.by_chance else 1.0,
            mechanism="sampled" if self.by_chance else in_order,
        )

    @cached_property
    def models(self) -> Mapping[str, Training]:
        rows = {"dataset": self.rows_of, "private_rows": self.rows}
        recipes = {arm: self._recipe(private=arm == "private") for arm in ARMS}
        # Each of m bounds makes a release, which together have this multiplier over sqrt(m); no
        # bound, no noise
        noise = {arm: self.sigma * math.sqrt(len(recipe.bounds)) for arm, recipe in recipes.items()}
        return {
            arm: self.subset(Training, **rows, recipe=recipes[arm], noise_multiplier=noise[arm])
            for arm in ARMS
        }

    @property
    def marks(self) -> np.ndarray:
        return self.models["private"].marks

    def noise_left(self, steps: int) -> float:
        """Return the sd that noise alone gives each weight by ``steps`` steps.

        Noise of sd sigma_s C_s / L in each step adds up to sqrt(sum (eta_s sigma_s C_s / L)^2); of
        correlated noise, only what later steps have not taken out again counts.
        """
        recipe = self.models["private"].recipe
        rates = (recipe.rates * recipe.noise_shares * recipe.clip_shares)[:steps]
        if recipe.mechanism == "toeplitz":
            rates = dp_ftrl.noise_factors(
                rates, batches_per_pass=dp_ftrl.count_batches_per_pass(recipe.sampling_rate)
            )
        return self.noise_sd * float(np.linalg.norm(rates))

    def counted(self, epsilon: float, *, steps: int, by: str = "") -> Guarantee:
        """Return what the accountant ``by``, or the one that made the noise, says of so many steps,
        which cost
        ``epsilon`` beside what bounds have: a promise of the correct loop, of others a claim.
        """
        model, nothing = self.models["private"], ApproximateRelease(epsilon=0, delta=0)
        event = model.recipe.event(model.noise_multiplier, until=steps) if steps else nothing
        adjacency = Adjacency.ADD_REMOVE
        training = Guarantee(
            epsilon=epsilon,
            delta=self.delta,
            adjacency=adjacency,
            unit=self.unit,
            basis=basis(
                event, delta=self.delta, adjacency=adjacency, accountant=by or self.counted_by
            ),
            event=event,
            assumes=public_count(adjacency, unit=self.unit)
            + (() if self.by_chance else (dp_ftrl.ASSUMES,)),
        )
        return self.whole(training)

    @property
    def guarantee(self) -> Guarantee | None:
        correct = self.variant == "correct" and not self.void
        return self.counted(self.left, steps=self.steps) if correct else None


@cached
def _noise_multiplier(task: NoiseFor) -> float:
    """Return the noise multiplier of a search that many settings repeat."""
    return float(task.run())
