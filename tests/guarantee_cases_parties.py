"""Cases of ``dpcore.parties`` whose guarantee lines ``test_guarantee_docstrings`` checks."""

import itertools
import math
from functools import cache
from typing import Any

import numpy as np
from scipy.special import expit

from dpcore.accountants import gdp
from dpcore.mechanisms.randomised_response import RandomisedResponse
from dpcore.parties import federated_averaging, source_detection
from dpcore.parties import source_releases as sources
from dpcore.parties.federated_averaging import FederatedAveraging, LocalTraining
from dpcore.parties.objective_perturbation import ObjectivePerturbation
from dpcore.parties.source_releases import Budget, Fitted
from dpcore.parties.source_rows import RADIUS, Part, Source
from dpcore.privacy import Adjacency
from tests.guarantee_cases import DRAWS, Case, properties_of

DIMENSION = 3
EPSILON = 0.7
DELTA = 1e-5


# --- Randomised response --------------------------------------------------------------------------


def randomised_response_case(options: int) -> Case:
    """Return the case of randomised response with so many possible answers."""
    mechanism = RandomisedResponse(epsilon=EPSILON, options=options)

    @cache
    def outcomes() -> np.ndarray:
        """Return the share of each answer (columns) for each truth (rows), by a million draws."""
        people = 1_000_000
        rng = np.random.default_rng(0)
        counts = []
        for truth in range(options):
            answers = mechanism.answers(np.full(people, truth), rng)
            counts.append(np.bincount(answers, minlength=options))
        return np.array(counts) / people

    return Case(
        documented=RandomisedResponse,
        names=properties_of(mechanism),
        adjacency=Adjacency.REPLACE_ONE,
        event=mechanism.event,
        outcomes=outcomes,
        epsilon=EPSILON,
        delta=1e-6,
    )


# --- Hypothesis transfer --------------------------------------------------------------------------

ROWS = 6
REGULARISATION = 0.5


@cache
def noise_of_release(budget: Budget, sensitivity: float) -> np.ndarray:
    """Return the noise on a hypothesis of this sensitivity, (draws, d)."""
    nothing = np.zeros((1, DRAWS, DIMENSION))
    fitted = Fitted(
        hypotheses=nothing,
        tilts=nothing,
        hypothesis_sensitivity=sensitivity,
        tilt_sensitivity=1.0,
    )
    rng = np.random.default_rng(1)
    draws = [sources.draws(budget.noise, DIMENSION, rng) for _ in range(2 * DRAWS)]
    noise = np.array(draws).reshape(1, DRAWS, 2, DIMENSION)
    return sources.release(fitted, budget, noise)[0].hypothesis


def budget_case(noise: str) -> Case:
    """Return the case of a budget, with noise "exponential" or "gaussian"."""
    budget = Budget(epsilon=EPSILON, noise=noise, delta=DELTA)
    sensitivity = 0.4
    return Case(
        documented=Budget,
        names={
            "sensitivity": sensitivity,
            "noise": noise,
            "dimension": DIMENSION,
            "scale": budget.scale,
            "epsilon": EPSILON,
            "mu": gdp.mu_of(EPSILON, delta=DELTA),
        },
        event=budget.event,
        draw_noise=lambda: noise_of_release(budget, sensitivity),
        epsilon=EPSILON,
        delta=DELTA,
    )


def release_case(noise: str) -> Case:
    """Return the case of released hypotheses, with noise "exponential" or "gaussian"."""
    budget = Budget(epsilon=EPSILON, noise=noise, delta=DELTA)
    sensitivity = sources.hypothesis_sensitivity(ROWS, REGULARISATION)

    @cache
    def changes() -> np.ndarray:
        """Return differences of hypotheses whose last row differs."""
        rng = np.random.default_rng(0)
        X = np.zeros((ROWS, DIMENSION))
        y = rng.integers(0, 2, ROWS)
        hypotheses = []
        for unit, label in itertools.product(np.eye(DIMENSION), (0, 1)):
            X[-1] = unit
            y[-1] = label
            hypotheses.append(sources.hypotheses(X, y, regularisation=REGULARISATION))
        return np.array([one - other for one, other in itertools.product(hypotheses, hypotheses)])

    return Case(
        documented=sources.release,
        names={
            "budget": budget,
            "dimension": DIMENSION,
            "hypothesis_sensitivity": sensitivity,
        },
        adjacency=Adjacency.REPLACE_ONE,
        event=budget.event,
        draw_noise=lambda: noise_of_release(budget, sensitivity),
        changes=changes,
        # The bound has the slope of the loss far from 0, and the minimisers are near 0.
        reached=0.4,
        epsilon=EPSILON,
        delta=DELTA,
    )


def fit_perturbed_case() -> Case:
    """Return the case of hypotheses by objective perturbation."""
    repeats = 6_000
    budget = Budget(epsilon=EPSILON, noise="objective")
    objective = ObjectivePerturbation(
        rows=ROWS, regularisation=REGULARISATION, epsilon=budget.epsilon
    )

    def part(rng: np.random.Generator, first_row: int) -> Part:
        """Return the same rows in all repeats."""
        X = rng.normal(size=(ROWS, DIMENSION)) / 4
        X = X / np.maximum(1, np.linalg.norm(X, axis=1, keepdims=True))
        return Part(
            X=np.broadcast_to(X, (repeats, ROWS, DIMENSION)),
            y=np.broadcast_to(rng.integers(0, 2, ROWS), (repeats, ROWS)),
            rows=np.broadcast_to(first_row + np.arange(ROWS), (repeats, ROWS)),
        )

    @cache
    def draw_noise() -> np.ndarray:
        """Return b, which makes the gradient of the noisy objective 0 at the hypotheses."""
        rng = np.random.default_rng(2)
        source = Source(labelled=part(rng, 0), unlabelled=part(rng, ROWS))
        how = {"lambda_lr": REGULARISATION, "lambda_iw": REGULARISATION}
        public = rng.normal(size=(5, DIMENSION)) / 4
        draws = [sources.draws("objective", DIMENSION, rng) for _ in range(2 * repeats)]
        hypotheses, _ = sources.fit_perturbed(
            [source],
            public,
            budget,
            np.array(draws).reshape(1, repeats, 2, DIMENSION),
            near=sources.fit([source], public, **how),
            **how,
        )
        X = source.labelled.X
        residuals = expit((X @ hypotheses[0][..., None])[..., 0]) - source.labelled.y
        gradients = (residuals[..., None] * X).sum(axis=1)
        return -gradients - ROWS * objective.strength * hypotheses[0]

    @cache
    def changes() -> np.ndarray:
        """Return differences of a row's gradient where the loss is steep."""
        weights = np.array([200.0, 0.0, 0.0])
        gradients = []
        for angle, label in itertools.product(np.linspace(0, 2 * np.pi, 73), (0, 1)):
            row = RADIUS * np.array([math.cos(angle), math.sin(angle), 0.0])
            gradients.append((expit(weights @ row) - label) * row)
        return np.array([one - other for one, other in itertools.product(gradients, gradients)])

    return Case(
        documented=sources.fit_perturbed,
        names={
            "SLOPE": sources.SLOPE,
            "RADIUS": RADIUS,
            "dimension": DIMENSION,
            "noise_epsilon": objective.noise_epsilon,
            "epsilon": EPSILON,
        },
        adjacency=Adjacency.REPLACE_ONE,
        event=budget.event,
        draw_noise=draw_noise,
        changes=changes,
        epsilon=EPSILON,
        delta=1e-6,
    )


# --- Federated averaging --------------------------------------------------------------------------


def federated_case(sampling_rate: float) -> Case:
    """Return the case of federated averaging whose rounds sample parties at this rate."""
    parties = 4
    rounds = 3
    local = LocalTraining(classes=3, local_steps=5, clip_norm=0.2)
    mechanism = FederatedAveraging(
        local=local,
        parties=parties,
        rounds=rounds,
        noise_multiplier=1.5,
        sampling_rate=sampling_rate,
    )

    @cache
    def draw_noise() -> np.ndarray:
        """Return what is added in each round to parties whose rows are 0, and so their updates."""
        rngs = [np.random.default_rng(index) for index in range(DRAWS // 4)]
        X = np.zeros((parties, 2, DIMENSION))
        history = mechanism.train(X, np.zeros((parties, 2), int), rngs)
        noise = np.diff(history, axis=0, prepend=0)
        # (T, R, k, d) -> (R, T k d)
        return np.moveaxis(noise, 1, 0).reshape(len(rngs), -1)

    @cache
    def changes() -> np.ndarray:
        """Return differences of a round's mean if all rows of the first party are replaced."""
        rng = np.random.default_rng(0)
        X = rng.normal(size=(parties, 2, DIMENSION)) / 4
        y = rng.integers(0, 3, (parties, 2))
        everyone = np.arange(parties)[None]
        cohort = federated_averaging.Cohort(everyone, np.ones(everyone.shape))
        means = []
        for unit, sign, label in itertools.product(np.eye(DIMENSION), (-1, 1), range(3)):
            X[0] = sign * unit
            y[0] = label
            history = federated_averaging.average_rounds(
                local,
                X,
                y,
                [cohort],
                np.zeros((1, 1, 3, DIMENSION)),
                cohort_size=mechanism.cohort_size,
            )
            means.append(history.ravel())
        return np.array([one - other for one, other in itertools.product(means, means)])

    return Case(
        documented=FederatedAveraging,
        names=properties_of(mechanism),
        adjacency=Adjacency.REPLACE_ONE,
        event=mechanism.event,
        draw_noise=draw_noise,
        changes=changes,
    )


# --- Detection of sources -------------------------------------------------------------------------


def detect_case(adjacency: Adjacency) -> Case:
    """Return the case of the detection of good sources."""
    rho = 0.3
    rows = 5
    bound = source_detection.RESIDUAL_BOUND
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (rows, DIMENSION))
    y = rng.normal(size=rows)
    source_weights = rng.normal(size=(3, DIMENSION))
    candidates = np.vstack([np.zeros((1, DIMENSION)), source_weights])

    @cache
    def draw_noise() -> np.ndarray:
        """Return the noise on the losses, (draws, candidates)."""
        detection = source_detection.detect(
            X, y, source_weights, rho=rho, seed=1, draws=range(8_000), part=0
        )
        return detection.noisy - detection.losses

    def losses(last_row: tuple[np.ndarray, float] | None) -> np.ndarray:
        """Return the candidates' losses (candidates,) with this last row; None leaves it out."""
        if last_row is None:
            present = source_detection.clipped_losses(
                X[:-1], y[:-1], candidates, residual_bound=bound
            )
            # The denominator stays.
            return present * (rows - 1) / rows
        return source_detection.clipped_losses(
            np.vstack([X[:-1], last_row[0]]),
            np.append(y[:-1], last_row[1]),
            candidates,
            residual_bound=bound,
        )

    @cache
    def changes() -> np.ndarray:
        """Return differences of losses whose last row differs or is absent, (pairs, candidates)."""
        last_rows: list[Any] = [(np.zeros(DIMENSION), label) for label in (0.0, 0.5, 100.0)]
        others = last_rows
        if adjacency is Adjacency.ADD_REMOVE:
            others = [None]
        return np.array(
            [losses(one) - losses(other) for one, other in itertools.product(last_rows, others)]
        )

    return Case(
        documented=source_detection.detect,
        names={
            "loss_sensitivity": source_detection.loss_sensitivity,
            "RESIDUAL_BOUND": bound,
            "candidates": len(candidates),
            "rows": rows,
            "rho": rho,
        },
        adjacency=adjacency,
        event=source_detection.event(rho),
        draw_noise=draw_noise,
        changes=changes,
    )


CASES = {
    "RandomisedResponse, 2 options": randomised_response_case(2),
    "RandomisedResponse, 4 options": randomised_response_case(4),
    "Budget, exponential": budget_case("exponential"),
    "Budget, gaussian": budget_case("gaussian"),
    "release, exponential": release_case("exponential"),
    "release, gaussian": release_case("gaussian"),
    "fit_perturbed": fit_perturbed_case(),
    "FederatedAveraging": federated_case(1.0),
    "FederatedAveraging, sampled": federated_case(0.5),
    **{f"detect, {adjacency}": detect_case(adjacency) for adjacency in Adjacency},
}
