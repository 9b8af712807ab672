"""Public settings of DP-SGD, and the event and the noise that follow from them."""

from dataclasses import dataclass

import numpy as np

from dpcore import accountants, check, schedules
from dpcore.privacy import Adjacency, Event
from dpcore.schedules import SHAPES, Schedule
from dpcore.training import dp_ftrl, faulty_sgd
from dpcore.training.networks import Architecture

# Name -> training loop. All but the first deviate from what the accountants assume.
VARIANTS = {
    "correct": "Poisson batches, noise once a batch, division by the constant L",
    **faulty_sgd.FAULTS,
}


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """Public training settings of a network, chosen without looking at the data.

    Guarantee: L2 sensitivity `clip_norm`; noise `norm(scale=noise_multiplier * clip_norm)` per
    coordinate and step; event `Composed(event=PoissonSampled(rate=sampling_rate,
    event=GaussianRelease(noise_multiplier=noise_multiplier)), count=steps)`; adjacency add/remove.

    It holds for the weights after every step, for the variant "correct" and the mechanism
    "sampled", with one clipping norm and without ramps. ``event`` also covers one norm per layer,
    ramps of the noise, and batches in a fixed order.

    Attributes:
        architecture: Of the network.
        sampling_rate: q. With batches in a fixed order, 1 over their number.
        steps: Number of steps.
        learning_rate: Of the first step.
        clip_norm: L2 bound C on the whole gradient, a tuple of bounds, one per layer, or None for
            no clipping (and no noise).
        decay: Ratio of the last to the first learning rate, at most 1.
        variant: A key of ``VARIANTS``.
        shape: Of the learning rate and the ramps over the steps, a key of ``schedules.SHAPES``.
        noise_ramp: Ratio of the last to the first noise multiplier.
        clip_ramp: Ratio of the last to the first clipping norm.
        mechanism: A key of ``dp_ftrl.MECHANISMS``. With batches in a fixed order, the variant is
            "correct", and noise and clipping norm are constant.

    Raises:
        RefusedError: For a setting out of range, which it names.
    """

    architecture: Architecture
    sampling_rate: float
    steps: int
    learning_rate: float
    clip_norm: float | tuple[float, ...] | None = 1.0
    decay: float = 1.0
    variant: str = "correct"
    shape: str = "geometric"
    noise_ramp: float = 1.0
    clip_ramp: float = 1.0
    mechanism: str = "sampled"

    def __post_init__(self) -> None:
        sampling_rate = check.positive(sampling_rate=self.sampling_rate)
        check.between(0, 1, sampling_rate=sampling_rate)
        check.whole(1, steps=self.steps)
        check.squarable(learning_rate=self.learning_rate)
        decay = check.positive(decay=self.decay)
        check.between(0, 1, decay=decay)
        check.positive(noise_ramp=self.noise_ramp)
        check.positive(clip_ramp=self.clip_ramp)
        check.choice(VARIANTS, variant=self.variant)
        check.choice(SHAPES, shape=self.shape)
        check.choice(dp_ftrl.MECHANISMS, mechanism=self.mechanism)
        if self.mechanism != "sampled":
            self._check_fixed_order()
        for bound in self.bounds:
            check.squarable(clip_norm=bound)
        layers = len(self.architecture.shapes)
        if isinstance(self.clip_norm, tuple) and len(self.clip_norm) != layers:
            raise check.RefusedError("clip_norm", self.clip_norm, f"{layers} bounds, one a layer")

    def _check_fixed_order(self) -> None:
        """Raise RefusedError for a setting that batches in a fixed order do not allow."""
        dp_ftrl.count_batches_per_pass(self.sampling_rate)
        required = {"variant": "correct", "noise_ramp": 1, "clip_ramp": 1}
        for name, value in required.items():
            if getattr(self, name) != value:
                raise check.RefusedError(
                    name, getattr(self, name), f"{value} where batches have a fixed order"
                )

    @property
    def bounds(self) -> tuple[float, ...]:
        """Return all clipping norms: none, one, or one per layer."""
        if self.clip_norm is None:
            return ()
        if isinstance(self.clip_norm, tuple):
            return self.clip_norm
        return (self.clip_norm,)

    @property
    def rates(self) -> np.ndarray:
        """Return the learning rate of each step (T,)."""
        return self.learning_rate * self._schedule(self.decay).factors

    @property
    def relative_noise(self) -> np.ndarray:
        """Return the noise multiplier of each step over that of the first (T,)."""
        return self._schedule(self.noise_ramp).factors

    @property
    def relative_clipping(self) -> np.ndarray:
        """Return the clipping norms of each step over those of the first (T,)."""
        return self._schedule(self.clip_ramp).factors

    def _schedule(self, end: float) -> Schedule:
        """Return the schedule that ends at ``end`` times its first value, in the recipe's shape."""
        return Schedule(end, self.steps, self.shape)

    def event(self, noise_multiplier: float, *, until: int | None = None) -> Event:
        """Return the event of training.

        Each layer with its own bound is another Gaussian release from the same batch. Together they
        are one release with the multiplier sigma / sqrt(layers).

        Args:
            noise_multiplier: Of the first step.
            until: Count only that many steps.
        """
        layers = max(len(self.bounds), 1)
        if self.mechanism != "sampled":
            steps = self.steps
            if until is not None:
                steps = until
            batches_per_pass = dp_ftrl.count_batches_per_pass(self.sampling_rate)
            return dp_ftrl.event(
                self.mechanism,
                noise_multiplier,
                steps,
                batches_per_pass=batches_per_pass,
                layers=layers,
            )
        return schedules.event(
            self._schedule(self.noise_ramp),
            noise_multiplier,
            rate=self.sampling_rate,
            until=until,
            layers=layers,
        )

    def noise_multiplier(self, *, epsilon: float, delta: float, accountant: str = "renyi") -> float:
        """Return the smallest first noise multiplier at which training is (epsilon, delta)-DP.

        The adjacency is add/remove. Without sampling the accounting is exact for any
        ``accountant``.
        """
        if self.mechanism != "sampled":
            accountant = "gdp"
        return accountants.calibrate(
            self.event,
            epsilon=epsilon,
            delta=delta,
            adjacency=Adjacency.ADD_REMOVE,
            accountant=accountant,
            bracket=(0.2, 1e7),
            tolerance=1e-4,
        )
