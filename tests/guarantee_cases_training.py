"""Cases of training methods whose guarantee lines ``test_guarantee_docstrings`` compares."""

import itertools
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from dpcore.privacy import Adjacency
from dpcore.training import clipping, descent, frank_wolfe, sgd
from dpcore.training.network_gradients import ClippedGradientSum, Examples
from dpcore.training.networks import Architecture
from dpcore.training.person_gradients import PeopleGradient
from dpcore.training.polytopes import L1Ball
from dpcore.training.residual_gradients import ResidualGradient
from dpcore.training.sgd_recipe import Recipe
from tests.guarantee_cases import Case

CLIP_NORM = 0.3
ROWS = 7


def gradient_changes(
    mean_gradient: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray],
    *,
    n_classes: int,
    adjacency: Adjacency,
) -> np.ndarray:
    """Return differences of mean gradients whose last row differs, (pairs, k p).

    Args:
        mean_gradient: Maps (X (n, p), y (n,), weights (k, p)) to the mean gradient (k, p).
        n_classes: Number of classes.
        adjacency: An absent row is a row of zeros.
    """
    rng = np.random.default_rng(0)
    outputs = _outputs(n_classes)
    X = rng.normal(size=(ROWS, 3))
    y = rng.integers(0, n_classes, ROWS)
    changes = []
    # With weights of zero, a long row and its opposite have gradients that point apart.
    for weights in (np.zeros((outputs, 3)), 3 * rng.normal(size=(outputs, 3))):
        long_row = 50 * rng.normal(size=3)
        gradients = []
        for row, label in itertools.product([long_row, -long_row], range(n_classes)):
            X[-1] = row
            y[-1] = label
            gradients.append(mean_gradient(X, y, weights).ravel())
        others = gradients
        if adjacency is Adjacency.ADD_REMOVE:
            X[-1] = 0
            others = [mean_gradient(X, y, weights).ravel()]
        changes += [one - other for one, other in itertools.product(gradients, others)]
    return np.array(changes)


def descent_case(adjacency: Adjacency) -> Case:
    """Return the case of noisy gradient descent."""
    steps = 5
    rows_of_zeros = {"X": np.zeros((ROWS, 4)), "y": np.zeros(ROWS, int)}
    multiplier = descent.noise_multiplier(epsilon=2.0, delta=1e-6, steps=steps)
    noise_sd = descent.mean_noise_sd(
        multiplier, clip_norm=CLIP_NORM, rows=ROWS, adjacency=adjacency
    )

    @cache
    def draw_noise() -> np.ndarray:
        """Return draws of the noise: rows of zeros have no gradient."""
        models = 5_000
        path = descent.noisy_gradient_descent(
            **rows_of_zeros,
            n_classes=2,
            steps=steps,
            learning_rate=1.0,
            clip_norm=CLIP_NORM,
            noise_sd=noise_sd,
            start=np.zeros((1, 4)),
            seed=0,
            draws=range(models),
            record=range(steps + 1),
            dtype=np.float64,
        )
        moves = np.diff(path.history, axis=0)
        return np.moveaxis(moves, 1, 0).reshape(models, -1)

    def one_step(X: np.ndarray, y: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Return the mean gradient, by which one step without noise moves the weights."""
        path = descent.noisy_gradient_descent(
            X,
            y,
            n_classes=2,
            steps=1,
            learning_rate=1.0,
            clip_norm=CLIP_NORM,
            noise_sd=0.0,
            start=weights,
            seed=0,
            draws=[0],
            dtype=np.float64,
        )
        return weights - path.weights[0]

    return Case(
        documented=descent.noisy_gradient_descent,
        names={
            "adjacency": adjacency,
            "clip_norm": CLIP_NORM,
            "rows": ROWS,
            "noise_sd": noise_sd,
            "steps": steps,
        },
        adjacency=adjacency,
        event=descent.event(multiplier, steps=steps),
        draw_noise=draw_noise,
        changes=lambda: gradient_changes(one_step, n_classes=2, adjacency=adjacency),
        epsilon=2.0,
        delta=1e-6,
    )


def _outputs(n_classes: int) -> int:
    """Return the number of scores of a model; one tells two classes apart."""
    if n_classes == 2:
        return 1
    return n_classes


def gradient_case(kind: type, n_classes: int, adjacency: Adjacency) -> Case:
    """Return the case of ``kind``, a class that computes mean clipped gradients."""
    bound = np.array([CLIP_NORM])

    def mean_gradient(X: np.ndarray, y: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Return the mean clipped gradient of one model, (k, 1, p)."""
        options = {}
        if n_classes > 2:
            options["outputs"] = n_classes
        gradient = kind(X, y, models=1, clip_norm=bound, **options)
        return gradient(weights[:, None]).copy()

    return Case(
        documented=kind,
        names={"adjacency": adjacency, "clip_norm": CLIP_NORM, "rows": ROWS},
        adjacency=adjacency,
        changes=lambda: gradient_changes(mean_gradient, n_classes=n_classes, adjacency=adjacency),
    )


def people_case(n_classes: int, adjacency: Adjacency) -> Case:
    """Return the case of the mean of persons' clipped gradients."""
    bound = np.array([CLIP_NORM])
    outputs = _outputs(n_classes)
    people = [*range(ROWS), ROWS - 1]

    def mean_gradient(X: np.ndarray, y: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Return the mean gradient. The last person has two equal rows."""
        X = np.vstack([X, X[-1]])
        y = np.append(y, y[-1])
        gradient = PeopleGradient(X, y, people, models=1, clip_norm=bound, outputs=outputs)
        return gradient(weights[:, None])

    return Case(
        documented=PeopleGradient,
        names={"adjacency": adjacency, "clip_norm": CLIP_NORM, "persons": ROWS},
        adjacency=adjacency,
        changes=lambda: gradient_changes(mean_gradient, n_classes=n_classes, adjacency=adjacency),
    )


NETWORK = Architecture(sizes=(2, 3, 2))


def network_changes(
    gradient_sum: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray],
) -> np.ndarray:
    """Return differences of sums of gradients with and without the last row, (pairs, P).

    Args:
        gradient_sum: Maps (X (n, d), y (n,), weights (P,)) to the sum (P,).
    """
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, 2))
    y = rng.integers(0, 2, ROWS)
    changes = []
    for weights in (np.zeros(NETWORK.parameters), 3 * rng.normal(size=NETWORK.parameters)):
        # A row without a class has no gradient, like an absent row.
        y[-1] = -1
        absent = gradient_sum(X, y, weights)
        long_row = 50 * rng.normal(size=2)
        for row, label in itertools.product([long_row, -long_row], range(2)):
            X[-1] = row
            y[-1] = label
            changes.append(gradient_sum(X, y, weights) - absent)
    return np.array(changes)


def clipped_sum_case() -> Case:
    """Return the case of the sum of clipped gradients of a network."""
    clip_factor = 0.7

    def gradient_sum(X: np.ndarray, y: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Return the sum of the clipped gradients of all rows, (P,)."""
        examples = Examples(X, y, None, classes=2, dtype=np.float64)
        total = ClippedGradientSum(NETWORK, CLIP_NORM, weights[None], examples)
        all_rows = np.arange(ROWS)[None]
        return total(all_rows, clip_factor)[0].copy()

    return Case(
        documented=ClippedGradientSum,
        names={"clip_norm": CLIP_NORM, "clip_factor": clip_factor},
        adjacency=Adjacency.ADD_REMOVE,
        changes=lambda: network_changes(gradient_sum),
    )


def sgd_case(documented: Any) -> Case:
    """Return the case of DP-SGD, documented by its training or by its recipe."""
    sampling_rate = 0.2
    # At this learning rate the weights move by the noisy sum.
    recipe = Recipe(
        architecture=NETWORK,
        sampling_rate=sampling_rate,
        steps=4,
        learning_rate=sampling_rate * ROWS,
        clip_norm=CLIP_NORM,
    )
    multiplier = recipe.noise_multiplier(epsilon=2.0, delta=1e-6)

    @cache
    def draw_noise() -> np.ndarray:
        """Return draws of the noise: rows without a class have no gradient."""
        models = 5_000
        result = sgd.train(
            recipe,
            np.zeros((ROWS, 2)),
            np.full(ROWS, -1),
            start=np.zeros(NETWORK.parameters),
            noise_multiplier=multiplier,
            seed=0,
            draws=range(models),
            record=range(recipe.steps + 1),
            dtype=np.float64,
        )
        moves = np.diff(result.history, axis=0)
        return np.moveaxis(moves, 1, 0).reshape(models, -1)

    def one_step(X: np.ndarray, y: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Return the sum of the gradients, by which a step without noise moves the weights."""
        full_batch = replace(recipe, sampling_rate=1.0, steps=1, learning_rate=float(ROWS))
        how = {"start": weights, "noise_multiplier": 0.0, "seed": 0, "draws": [0]}
        result = sgd.train(full_batch, X, y, dtype=np.float64, **how)
        return weights - result.weights[0]

    return Case(
        documented=documented,
        names={"recipe": recipe, "noise_multiplier": multiplier, **vars(recipe)},
        adjacency=Adjacency.ADD_REMOVE,
        event=recipe.event(multiplier),
        draw_noise=draw_noise,
        changes=lambda: network_changes(one_step),
        epsilon=2.0,
        delta=1e-6,
        accountant="renyi",
    )


class RecordingBall:
    """An L1 ball that keeps the arrays of scores it returns, to which the noise is then added."""

    def __init__(self):
        self._ball = L1Ball(dimension=2, radius=1.5)
        self.dimension = self._ball.dimension
        self.vertices = self._ball.vertices
        self.norm = self._ball.norm
        self.recorded = []

    def scores(self, gradient: np.ndarray) -> np.ndarray:
        """Return the scores of a gradient, and keep their array."""
        scores = self._ball.scores(gradient)
        self.recorded.append(scores)
        return scores


def regression_changes(
    output: Callable[[np.ndarray, np.ndarray], np.ndarray], adjacency: Adjacency
) -> np.ndarray:
    """Return differences of outputs whose last row differs, (pairs, parts).

    Args:
        output: Maps (X (n, 2) within [-1, 1], y (n,)) to numbers.
        adjacency: An absent row is a row of zeros.
    """
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(ROWS, 2))
    y = rng.normal(size=ROWS)
    outputs = []
    for label in (-50.0, 50.0):
        X[-1] = 1
        y[-1] = label
        outputs.append(output(X, y))
    if adjacency is Adjacency.REPLACE_ONE:
        return np.array([outputs[0] - outputs[1]])
    X[-1] = 0
    absent = output(X, y)
    return np.array([present - absent for present in outputs])


RESIDUAL_BOUND = 0.8


def frank_wolfe_case(adjacency: Adjacency) -> Case:
    """Return the case of noisy Frank-Wolfe."""
    steps = 3
    scale = 0.2
    ball = L1Ball(dimension=2, radius=1.5)

    def noisy_scores(X: np.ndarray, y: np.ndarray, **options: Any) -> np.ndarray:
        """Return the scores of each step, (steps, models, vertices)."""
        polytope = RecordingBall()
        how = {"residual_bound": RESIDUAL_BOUND, "seed": 0, "dtype": np.float64}
        frank_wolfe.noisy_frank_wolfe(X, y, polytope=polytope, **how, **options)
        return np.array(polytope.recorded)

    @cache
    def draw_noise() -> np.ndarray:
        """Return draws of the noise, which is subtracted: rows of zeros have no gradient."""
        models = 10_000
        scores = noisy_scores(
            np.zeros((ROWS, 2)), np.zeros(ROWS), steps=steps, scale=scale, draws=range(models)
        )
        return -np.moveaxis(scores, 1, 0).reshape(models, -1)

    def first_scores(X: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return the scores of the first step without noise, (vertices,)."""
        return noisy_scores(X, y, steps=1, scale=0.0, draws=[0]).ravel()

    sensitivity = frank_wolfe.score_sensitivity(
        ball.norm, residual_bound=RESIDUAL_BOUND, rows=ROWS, adjacency=adjacency
    )
    epsilon = 2 * sensitivity / scale
    assert frank_wolfe.noise_scale(epsilon, sensitivity=sensitivity) == pytest.approx(scale)
    return Case(
        documented=frank_wolfe.noisy_frank_wolfe,
        names={
            "adjacency": adjacency,
            "polytope": ball,
            "residual_bound": RESIDUAL_BOUND,
            "rows": ROWS,
            "scale": scale,
            "steps": steps,
        },
        adjacency=adjacency,
        event=frank_wolfe.event(epsilon, steps=steps, noise="gumbel"),
        draw_noise=draw_noise,
        changes=lambda: regression_changes(first_scores, adjacency),
    )


def residual_gradient_case(adjacency: Adjacency) -> Case:
    """Return the case of the mean gradient with clipped residuals."""

    def gradient(X: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return the gradient at weights of 0, (2,)."""
        plain = {"centre": None, "ridge": 0.0, "pooled": None, "dtype": np.float64}
        gradient = ResidualGradient(X, y, residual_bound=RESIDUAL_BOUND, **plain)
        return gradient(np.zeros((1, 2)))[0]

    return Case(
        documented=ResidualGradient,
        names={"adjacency": adjacency, "residual_bound": RESIDUAL_BOUND, "rows": ROWS},
        adjacency=adjacency,
        changes=lambda: regression_changes(gradient, adjacency),
    )


CASES = {
    "ClippedGradientSum": clipped_sum_case(),
    "sgd.train": sgd_case(sgd.train),
    "Recipe": sgd_case(Recipe),
}
for relation in Adjacency:
    CASES[f"noisy_gradient_descent, {relation}"] = descent_case(relation)
    CASES[f"LogisticGradient, {relation}"] = gradient_case(clipping.LogisticGradient, 2, relation)
    CASES[f"SoftmaxGradient, {relation}"] = gradient_case(clipping.SoftmaxGradient, 4, relation)
    CASES[f"PeopleGradient, {relation}"] = people_case(2, relation)
    CASES[f"PeopleGradient, three classes, {relation}"] = people_case(3, relation)
    CASES[f"noisy_frank_wolfe, {relation}"] = frank_wolfe_case(relation)
    CASES[f"ResidualGradient, {relation}"] = residual_gradient_case(relation)
