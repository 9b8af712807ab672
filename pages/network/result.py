"""Result of the networks: the ensembles at one frame of their training, and the way to it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from dpcore.accountants import account
from dpcore.cache import cached
from dpcore.privacy import Adjacency, Composed, GaussianRelease, Guarantee
from dpcore.training import dp_ftrl, networks
from dpcore.training.sgd_recipe import Recipe
from lab.data import classification as data
from lab.experiment.settings import Spread
from lab.statistics.confusion import ByClass
from lab.statistics.decision_regions import Plane, agreement, runs_to_draw, traced, usual_plane
from pages.network.gradients import NETWORKS, Gradients
from pages.network.settings import ARMS, NetworkSettings
from pages.network.tasks import QUARTERS, Trained
from pages.network.training import Training, may_diverge, scale_inputs
from pages.network.trajectories import trajectory

# Points of a map in each direction.
GRID = 40


@dataclass(frozen=True, kw_only=True, eq=False)
class NetworkResult:
    """Result of the tasks done so far.

    groups: the groups of each arm's networks that have begun, the first one first.
    spent: epsilon spent by each frame (FRAMES + 1,), NaN where it is not counted yet.
    """

    settings: NetworkSettings
    groups: Mapping[str, Sequence[Trained]]
    spent: np.ndarray

    @property
    def training(self) -> Training:
        """Return the training of the private networks."""
        return self.settings.trainings["private"]

    @property
    def recipe(self) -> Recipe:
        """Return how each private network is trained."""
        return self.training.recipe

    @property
    def architecture(self) -> networks.Architecture:
        return self.recipe.architecture

    @cached_property
    def split(self) -> data.Split:
        return self.training.split

    @property
    def classes(self) -> tuple[str, ...]:
        return self.split.source.classes

    # The frame that is shown

    @property
    def reached(self) -> int:
        """Return the last frame that the first groups of both arms have reached."""
        frames = [len(groups[0].weights) for groups in self.groups.values()]
        return min(frames) - 1

    @property
    def frame(self) -> int:
        """Return the frame that is shown."""
        return min(self.settings.shown, self.reached)

    @property
    def step(self) -> int:
        """Return the number of steps taken by then."""
        return int(self.settings.step_of_frame[self.frame])

    @property
    def epochs(self) -> float:
        """Return the mean number of batches that a row has been in by then."""
        return self.step * self.recipe.sampling_rate

    # Networks at that frame

    def weights(self, arm: str, frame: int | None = None) -> np.ndarray:
        """Return the weights (R, P) of those networks of an arm that have reached the shown frame.

        frame: at which the weights are returned; by default the shown one.
        """
        if frame is None:
            frame = self.frame
        weights = []
        for group in self.groups[arm]:
            if len(group.weights) > self.frame:
                weights.append(group.weights[frame])
        return np.concatenate(weights)

    @cached_property
    def accuracy(self) -> dict[str, np.ndarray]:
        """Return the held-out accuracy (R,) of each arm's networks."""
        return {arm: self.training.accuracy(self.weights(arm)) for arm in ARMS}

    def summary(self, arm: str) -> Spread:
        """Return the quantiles of an arm's accuracy."""
        return Spread.of(self.accuracy[arm])

    @cached_property
    def held_out(self) -> dict[str, ByClass]:
        """Return the confusion matrices of each arm's networks on held-out rows."""
        X = scale_inputs(self.split.X_test)
        by_class = {}
        with may_diverge():
            for arm in ARMS:
                logits = self.architecture.logits(self.weights(arm), X)
                by_class[arm] = ByClass.of(logits, self.split.y_test)
        return by_class

    def distance_moved(self, arm: str) -> np.ndarray:
        """Return how far training has moved the first layer's weights of each input, (R, d)."""
        with may_diverge():
            change = self.weights(arm) - self.weights(arm, 0)
            first_layer = self.architecture.layers(change)[0]  # (R, units, d + 1)
            return np.linalg.norm(first_layer[..., :-1], axis=1)

    @property
    def distance_by_noise(self) -> float:
        """Return how far noise alone would have moved those of one input, as a root mean square."""
        units, _ = self.architecture.shapes[0]
        return self.accumulated_noise_sd(self.step) * math.sqrt(units)

    def accumulated_noise_sd(self, steps: int) -> float:
        """Return the standard deviation of a weight after ``steps`` steps of noise alone.

        Noise of standard deviation sigma_s C / L in each step adds up to
        sqrt(sum (eta_s sigma_s C / L)^2). Of correlated noise, only the part counts that later
        steps have not taken out again.
        """
        recipe = self.recipe
        factors = (recipe.rates * recipe.relative_noise)[:steps]
        if recipe.mechanism == "toeplitz":
            batches_per_pass = dp_ftrl.count_batches_per_pass(recipe.sampling_rate)
            factors = dp_ftrl.noise_factors(factors, batches_per_pass=batches_per_pass)
        return self.settings.noise_sd * float(np.linalg.norm(factors))

    @cached_property
    def gradients(self) -> Gradients:
        """Return the task that computes gradients of private rows, in the first networks."""
        return Gradients(
            training=self.training,
            frame=self.frame,
            weights=self.weights("private")[:NETWORKS],
            noise_sd=self.settings.noise_sd,
        )

    # The map of their decisions

    @property
    def plane(self) -> Plane:
        """Return the plane of the maps."""
        return _plane(self.split)

    def regions(self, arm: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return what an arm's networks decide on a grid over the plane.

        Returns three arrays: the majority class (GRID, GRID), the share of networks that vote for
        it (GRID, GRID), and the boundaries of some networks as segments (m, 2, 2). The logits of
        the grid are not kept, because they take megabytes.
        """
        points = scale_inputs(self.plane.inputs(self.plane.grid(GRID)))
        runs = runs_to_draw(self.accuracy[arm], len(self.classes))
        weights = self.weights(arm)[runs]
        with may_diverge():
            logits = self.architecture.logits(weights, points)
        winner, share = agreement(logits)
        networks_count, outputs, _ = logits.shape
        logits_on_grid = logits.reshape(networks_count, outputs, GRID, GRID)
        boundaries = traced(logits_on_grid, self.plane)
        return winner.reshape(GRID, GRID), share.reshape(GRID, GRID), boundaries

    # Privacy

    @property
    def is_covered(self) -> bool:
        """Return whether the accountants' theorems cover this training loop."""
        return self.settings.variant == "correct"

    @property
    def guarantee(self) -> Guarantee:
        """Return the guarantee of the steps so far, which is only a claim unless ``is_covered``.

        Its epsilon is infinite until it is counted.
        """
        epsilon = self.spent[self.frame] - self.settings.spent_epsilon
        if np.isnan(epsilon):
            epsilon = math.inf
        return self.settings.guarantee_after(self.step, epsilon=float(epsilon))

    @property
    def guarantee_by_epochs(self) -> Guarantee:
        """Return the guarantee of shuffled batches without amplification, under replace-one.

        Each row is in one release per epoch. Nobody knows in which, so noise that changes counts as
        the least of it.
        """
        epochs = max(1, math.ceil(self.epochs))
        least_noise = self.settings.noise_multiplier * min(1.0, self.settings.applied_noise_ramp)
        # Replacing a row moves a release twice as far as adding one.
        release = GaussianRelease(noise_multiplier=least_noise / 2)
        return account(
            Composed(event=release, count=epochs),
            delta=self.settings.delta,
            adjacency=Adjacency.REPLACE_ONE,
        )

    # The way to that frame

    @cached_property
    def trajectories(self) -> dict[str, pd.DataFrame]:
        """Return the trajectory of each arm, with a row per measured frame."""
        trajectories = {}
        for arm in ARMS:
            trajectories[arm] = trajectory(self.groups[arm], self.training, epsilon=self.spent)
        return trajectories

    # Tables

    def curves(self) -> pd.DataFrame:
        """Return the trajectories of both arms in one table, with the arm in the first column."""
        frame = pd.concat(self.trajectories, names=["arm"])
        return frame.reset_index(level="arm").reset_index(drop=True)

    def table(self) -> pd.DataFrame:
        """Return the epsilon and the accuracies, in %, at four frames of the training."""
        frames = list(QUARTERS)
        steps = self.settings.step_of_frame[frames]
        private = self.trajectories["private"].set_index("frame").reindex(frames)
        plain = self.trajectories["plain"].set_index("frame").reindex(frames)
        return pd.DataFrame(
            {
                "frame": frames,
                "step": steps,
                "epochs": steps * self.recipe.sampling_rate,
                "epsilon": self.spent[frames],
                "private": 100 * private["accuracy median"].to_numpy(),
                "low": 100 * private["accuracy low"].to_numpy(),
                "high": 100 * private["accuracy high"].to_numpy(),
                "plain": 100 * plain["accuracy median"].to_numpy(),
            }
        )


@cached
def _plane(split: data.Split) -> Plane:
    """Return the plane of a split.

    It is cached, because the points and the grid on it are cached by plane.
    """
    return usual_plane(split.X_public, names=split.source.features, bounds=split.source.bounds)
