"""Gradients of some private rows at one frame: their norms, what clipping does, and the noise.

Shapes: R networks with P weights each, n rows, or n people with several rows.
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from dpcore.training import dp_ftrl, network_gradients, sgd
from pages.network.training import Training

# Rows, or people, and networks that gradients are computed for.
ROWS = 300
NETWORKS = 4
# Edges of the histogram's bars. They are fixed, so that bars of different frames can be compared.
EDGES = np.geomspace(1e-4, 1e2, 49)


@dataclass(frozen=True, kw_only=True, eq=False)
class Gradients:
    """Gradients of the first ``ROWS`` private rows under the first private networks at a frame.

    weights: of the networks (R, P), with R at most ``NETWORKS``.
    noise_sd: standard deviation of the noise of the first step on a coordinate of the mean
        gradient.
    """

    training: Training
    frame: int
    weights: np.ndarray
    noise_sd: float

    @property
    def bounds(self) -> tuple[float, ...]:
        """Return the clipping norms: one, or one per layer."""
        return self.training.recipe.bounds

    @property
    def is_clipped_by_layer(self) -> bool:
        """Return whether each layer has a clipping norm."""
        return len(self.bounds) > 1

    @cached_property
    def _layer_norms(self) -> np.ndarray:
        """Return the norm in each layer (layers, R, n) of gradients of rows, or means of people."""
        architecture = self.training.recipe.architecture
        rows = self.training.rows(ROWS)
        return network_gradients.gradient_norms(architecture, self.weights, *rows)

    @property
    def norms(self) -> np.ndarray:
        """Return the norms of the whole gradients, (R, n)."""
        return np.sqrt(np.square(self._layer_norms).sum(axis=0))

    @cached_property
    def clipped(self) -> float:
        """Return the share of gradients that are clipped, in any layer."""
        if not self.is_clipped_by_layer:
            return float((self.norms > self.bounds[0]).mean())
        is_clipped = self._layer_norms > np.array(self.bounds)[:, None, None]
        return float(is_clipped.any(axis=0).mean())

    @property
    def histogram(self) -> np.ndarray:
        """Return the share of norms between neighbouring ``EDGES``.

        Norms beyond the edges are in the outermost bars.
        """
        inside = np.clip(self.norms.ravel(), EDGES[0], EDGES[-1])
        counts, _ = np.histogram(inside, EDGES)
        return counts / inside.size

    @cached_property
    def signal(self) -> float:
        """Return the L2 norm of the mean clipped gradient, the median over the networks.

        It is how far one step without noise and with learning rate 1 moves the weights.
        """
        one_step = replace(
            self.training.recipe,
            sampling_rate=1.0,
            steps=1,
            learning_rate=1.0,
            variant="correct",
        )
        X, y, people = self.training.rows(ROWS)
        trained = sgd.train(
            one_step,
            X,
            y,
            people=people,
            start=self.weights,
            noise_multiplier=0.0,
            seed=0,
            draws=range(len(self.weights)),
        )
        distances = np.linalg.norm(trained.weights - self.weights, axis=1)
        return float(np.median(distances))

    @property
    def noise(self) -> float:
        """Return the expected L2 norm of the noise on the mean gradient of the last step so far."""
        recipe = self.training.recipe
        step = self.training.last_step(self.frame)
        noise_sd = self.noise_sd * float(recipe.relative_noise[step])
        if recipe.mechanism == "toeplitz":
            # The noise of a step is a combination of those of this and earlier steps of the pass.
            batches_per_pass = dp_ftrl.count_batches_per_pass(recipe.sampling_rate)
            steps_of_pass = step % batches_per_pass + 1
            weights_of_steps = dp_ftrl.coefficients("toeplitz", steps_of_pass, power=-1)
            noise_sd *= float(np.linalg.norm(weights_of_steps))
        return noise_sd * math.sqrt(recipe.architecture.parameters)
