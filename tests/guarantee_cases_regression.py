"""Cases of linear regressions whose guarantee lines ``test_guarantee_docstrings`` checks."""

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from dpcore.accountants import gdp
from dpcore.privacy import Adjacency
from dpcore.regression import descent, functional, gaussian_statistics
from dpcore.regression.descent import Descent, Rows
from dpcore.regression.functional import Functional, Published
from dpcore.regression.gaussian_statistics import AdaSSP, GaussianStatistics
from dpcore.regression.least_squares import Statistics, Unit
from dpcore.regression.perturbation import OutputPerturbation
from tests.guarantee_cases import DRAWS, Case, properties_of

# Inputs of a row, with the constant.
P = 3
EPSILON = 0.7
DELTA = 1e-5
DIAGONAL = np.diag_indices(P)
UPPER = np.triu_indices(P, k=1)
TRIANGLE = np.triu_indices(P)


def neighbours(unit: Unit, rows: int = 4) -> Iterator[tuple[Statistics, Statistics]]:
    """Yield the statistics of pairs of data sets in which all rows of one person differ."""
    rng = np.random.default_rng(0)
    others = np.column_stack([np.ones(rows), rng.uniform(-1, 1, (rows, P - 1))])
    other_labels = rng.uniform(-1, 1, rows)
    values = np.linspace(-1, 1, 9)

    def statistics(row: np.ndarray, label: float) -> Statistics:
        """Return the statistics of the other rows and of a person whose rows are all this one."""
        X = np.vstack([others, np.tile(row, (unit.rows_each, 1))])
        y = np.append(other_labels, [label] * unit.rows_each)
        return Statistics.of(X, y)

    for features in itertools.product([-1.0, 1.0], repeat=P - 1):
        for value, label, new_label in itertools.product(values, [-1.0, 1.0], [-1.0, 1.0]):
            old = np.array([1.0, *features])
            # One new row has equal features, which is the worst for some sensitivities.
            equal = np.array([1.0, *[value] * (P - 1)])
            opposite = np.array([1.0, -features[0], *features[1:]])
            yield statistics(old, label), statistics(equal, new_label)
            yield statistics(old, label), statistics(opposite, new_label)
            if unit.gaps:
                yield statistics(old, label), statistics(np.zeros(P), 0.0)


def no_rows(rows: int = 10) -> Statistics:
    """Return the statistics of rows of zeros, so that a fit releases the noise alone."""
    return Statistics(gram=np.zeros((P, P)), moment=np.zeros(P), square=0.0, rows=rows)


def draws_of(mechanism: Any, count: int = DRAWS) -> np.ndarray:
    """Return ``count`` standard draws for a mechanism, (count, width)."""
    rng = np.random.default_rng(1)
    return np.array([mechanism.draws(P, rng) for _ in range(count)])


def differences(
    mechanism: Any, entries: Callable[[np.ndarray, np.ndarray], np.ndarray]
) -> np.ndarray:
    """Return the differences of released entries between neighbours, (pairs, entries).

    Args:
        mechanism: Its ``rows_each`` rows of one person differ.
        entries: Maps a gram (1, p, p) and a moment (1, p) to what the noise is added to, (1, k).
    """
    found = []
    for one, other in neighbours(mechanism):
        change = entries((one.gram - other.gram)[None], (one.moment - other.moment)[None])
        found.append(change[0])
    return np.array(found)


def statistics_case(
    mechanism: Any,
    entries: Callable[[np.ndarray, np.ndarray], np.ndarray],
    *,
    names: dict[str, Any],
    reached: float = 0.98,
    noisy_entries: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None,
    delta: float = DELTA,
) -> Case:
    """Return the case of a mechanism that releases statistics.

    Args:
        mechanism: As in ``Case``.
        entries: Maps grams (n, p, p) and moments (n, p) to what the noise is added to, (n, k).
        names: As in ``Case``, beside the properties of the mechanism.
        reached: As in ``Case``.
        noisy_entries: The same for those entries whose noise is to be seen; None for all.
        delta: Of the guarantee.
    """

    @cache
    def draw_noise() -> np.ndarray:
        """Return the noise on entries that are 0 without it, (draws, k)."""
        fit = mechanism.fit(no_rows(), draws_of(mechanism), np.array([EPSILON]))
        return (noisy_entries or entries)(fit.gram[0], fit.moment[0])

    return Case(
        documented=type(mechanism),
        names={**properties_of(mechanism), "inputs": P, "epsilon": EPSILON, **names},
        adjacency=Adjacency.REPLACE_ONE,
        event=mechanism.event(EPSILON),
        draw_noise=draw_noise,
        changes=lambda: differences(mechanism, entries),
        reached=reached,
        epsilon=EPSILON,
        delta=delta,
    )


def published_case(part: str) -> Case:
    """Return the case of a part of the published mechanism, "matrix" or "linear"."""
    mechanism = Published(share=0.6, rows_each=2)
    matrix_unit = 2 * P**2
    linear_unit = functional.linear_sensitivity(P)
    if part == "linear":
        return statistics_case(
            mechanism,
            lambda gram, moment: -2 * moment / linear_unit,
            names={"part_epsilon": 0.4 * EPSILON},
        )
    return statistics_case(
        mechanism,
        lambda gram, moment: gram.reshape(-1, P * P) / matrix_unit,
        names={"part_epsilon": 0.6 * EPSILON},
        # The published sensitivity is twice the exact one.
        reached=0.49,
        # Entries off the diagonal are means of two with noise.
        noisy_entries=lambda gram, moment: gram[:, *DIAGONAL] / matrix_unit,
    )


def functional_case(*, gaps: bool) -> Case:
    """Return the case of the functional mechanism; with ``gaps``, rows may be missing."""
    mechanism = Functional(rows_each=2, gaps=gaps)
    weight = functional.moment_weight(mechanism.share, P)
    # The corner is public unless rows may be missing.
    first = 1
    if gaps:
        first = 0

    def entries(gram: np.ndarray, moment: np.ndarray) -> np.ndarray:
        """Return the triangles, without a public corner, and the weighted moments, (n, k)."""
        return np.hstack([gram[:, *TRIANGLE][:, first:], weight * moment])

    return statistics_case(mechanism, entries, names={"l1_sensitivity": mechanism.l1_sensitivity})


def gaussian_statistics_case() -> Case:
    """Return the case of Gaussian noise on the statistics."""
    mechanism = GaussianStatistics(delta=DELTA, rows_each=2)
    weight = gaussian_statistics.best_weight(P)

    def entries(gram: np.ndarray, moment: np.ndarray) -> np.ndarray:
        """Return the weighted triangles, without the corner, and moments, (n, k)."""
        diagonal = gram[:, *DIAGONAL][:, 1:]
        return np.hstack([diagonal, math.sqrt(2) * gram[:, *UPPER], math.sqrt(2) * weight * moment])

    return statistics_case(
        mechanism,
        entries,
        names={
            "mu": gdp.mu_of(EPSILON, delta=DELTA),
            "joint_sensitivity": gaussian_statistics.joint_sensitivity,
            "best_weight": gaussian_statistics.best_weight,
        },
        # The bound needs rows at a certain angle.
        reached=0.9,
    )


ADASSP_NAMES = {"mu": gdp.mu_of(EPSILON, delta=DELTA)}


def adassp_case(part: str) -> Case:
    """Return the case of AdaSSP's noise on one of its parts, "gram" or "moment"."""
    mechanism = AdaSSP(delta=DELTA, rows_each=2)
    if part == "moment":
        unit = gaussian_statistics.moment_sensitivity(P)
        return statistics_case(mechanism, lambda gram, moment: moment / unit, names=ADASSP_NAMES)
    unit = gaussian_statistics.gram_sensitivity(P)

    def entries(gram: np.ndarray, moment: np.ndarray) -> np.ndarray:
        """Return the weighted triangles of the grams in units of their sensitivity, (n, k)."""
        return np.hstack([gram[:, *DIAGONAL], math.sqrt(2) * gram[:, *UPPER]]) / unit

    # Three inputs cannot be orthogonal with entries of -1 and 1.
    return statistics_case(mechanism, entries, names=ADASSP_NAMES, reached=0.93)


def adassp_eigenvalue_case() -> Case:
    """Return the case of AdaSSP's noise on the least eigenvalue."""
    mechanism = AdaSSP(delta=DELTA, rows_each=2)
    unit = gaussian_statistics.eigenvalue_sensitivity(P)

    @cache
    def draw_noise() -> np.ndarray:
        """Return the noise on an eigenvalue so large that its bound is above 0."""
        statistics = Statistics(gram=1e4 * np.eye(P), moment=np.zeros(P), square=0.0, rows=10)
        multiplier = gaussian_statistics.noise_multipliers(
            np.array([EPSILON]), delta=DELTA, releases=3
        )
        sd = unit * mechanism.rows_each * multiplier[:, None]
        draws = np.append(0.0, draws_of(mechanism)[:, -1])
        bounds = mechanism._least_eigenvalue(statistics, draws, sd)[0]
        return (bounds[1:, None] - bounds[0]) / unit

    @cache
    def changes() -> np.ndarray:
        """Return changes of the least eigenvalue beside directions with large ones."""
        found = []
        for one, other in neighbours(mechanism):
            # Other rows that span all directions but that of the first row of ones.
            ones = np.ones((P, P)) / P
            elsewhere = 1e6 * (np.eye(P) - ones)
            values = [np.linalg.eigvalsh(sums.gram + elsewhere)[0] for sums in (one, other)]
            found.append([(values[0] - values[1]) / unit])
        return np.array(found)

    return Case(
        documented=AdaSSP,
        names={**properties_of(mechanism), **ADASSP_NAMES},
        adjacency=Adjacency.REPLACE_ONE,
        event=mechanism.event(EPSILON),
        draw_noise=draw_noise,
        changes=changes,
        # A row of ones leaves, but the constant of the new row stays.
        reached=0.8,
        epsilon=EPSILON,
        delta=DELTA,
    )


def output_case() -> Case:
    """Return the case of output perturbation."""
    mechanism = OutputPerturbation(penalty=40.0, radius=1e6, rows_each=2)
    rows = 4 + mechanism.rows_each
    exact = {"noise": np.zeros((1, P)), "epsilons": np.array([EPSILON])}

    @cache
    def draw_noise() -> np.ndarray:
        """Return the noise on weights that are 0 without it, (draws, p)."""
        fit = mechanism.fit(no_rows(rows), draws_of(mechanism), np.array([EPSILON]))
        return fit.weights[0]

    @cache
    def changes() -> np.ndarray:
        """Return differences of the weights without noise between neighbours, (pairs, p)."""
        found = []
        for one, other in neighbours(mechanism):
            found.append(
                mechanism.fit(one, **exact).weights[0, 0]
                - mechanism.fit(other, **exact).weights[0, 0]
            )
        return np.array(found)

    return Case(
        documented=OutputPerturbation,
        names={
            **properties_of(mechanism),
            "l2_sensitivity": mechanism.l2_sensitivity,
            "inputs": P,
            "rows": rows,
            "epsilon": EPSILON,
        },
        adjacency=Adjacency.REPLACE_ONE,
        event=mechanism.guarantee(EPSILON, inputs=P, rows=rows).event,
        draw_noise=draw_noise,
        changes=changes,
        # The bound adds up the worst residual and the worst row.
        reached=0.8,
        epsilon=EPSILON,
        delta=DELTA,
    )


def descent_case(batches: int) -> Case:
    """Return the case of steps on each of the batches that move the weights by the noisy gradient.

    Each batch is used in two steps.
    """
    mechanism = Descent(
        delta=DELTA,
        steps=2 * batches,
        batches=batches,
        radius=1e6,
        rate=1.0,
        momentum=0.0,
        clip_norm=0.5,
        rows_each=2,
    )
    persons = 3 * batches
    rows = persons * mechanism.rows_each
    ends = np.arange(1, persons + 1) * mechanism.rows_each
    names = properties_of(mechanism)
    # Of the ball; in the line it is the normal distribution.
    del names["norm"]

    def rows_of(X: np.ndarray, y: np.ndarray) -> Rows:
        """Return the rows, of which each ``rows_each`` in turn are one person's."""
        return replace(Rows.of(X, y), ends=ends, rows_each=mechanism.rows_each)

    @cache
    def draw_noise() -> np.ndarray:
        """Return the noise of each step where the other steps have none.

        The rows have no gradient, and each step starts at 0. The result is the mean over the second
        half of the steps, so the noise of a step there counts in it and in all later ones.
        """
        no_gradient = rows_of(np.zeros((rows, P)), np.zeros(rows))
        draws = draws_of(mechanism)
        averaged_steps = mechanism.steps // 2
        noise = []
        for step in range(mechanism.steps):
            alone = np.zeros_like(draws)
            alone[:, step * P : (step + 1) * P] = draws[:, step * P : (step + 1) * P]
            fit = mechanism.fit(no_gradient, alone, np.array([EPSILON]))
            counted = min(averaged_steps, mechanism.steps - step)
            noise.append(fit.weights[0] * averaged_steps / counted)
        return np.hstack(noise)

    @cache
    def changes() -> np.ndarray:
        """Return changes of the mean gradient of the last batch at weights of 0."""
        weights = np.zeros((1, 1, P))
        clip_norms = np.full((1, 1, 1), mechanism.clip_norm)
        found = []
        for row, label, new_label in itertools.product(
            itertools.product([-1.0, 1.0], repeat=P - 1), [-1.0, 1.0], [-1.0, 1.0]
        ):
            X = np.ones((rows, P))
            X[-2:, 1:] = row
            gradients = []
            for last_label in (label, new_label):
                y = np.append(np.zeros(rows - 2), [last_label] * 2)
                data = rows_of(X, y)
                batch, places = data.batch(batches - 1, batches)
                total = descent._clipped_gradient_sum(weights, data, batch, clip_norms)
                gradients.append(total / places)
            found.append((gradients[0] - gradients[1]).ravel())
        return np.array(found)

    return Case(
        documented=Descent,
        names={**names, "mu": gdp.mu_of(EPSILON, delta=DELTA), "rows": rows},
        adjacency=Adjacency.REPLACE_ONE,
        event=mechanism.event(EPSILON),
        draw_noise=draw_noise,
        changes=changes,
        epsilon=EPSILON,
        delta=DELTA,
    )


CASES = {
    "Published, matrix": published_case("matrix"),
    "Published, linear": published_case("linear"),
    "Functional": functional_case(gaps=False),
    "Functional, gaps": functional_case(gaps=True),
    "GaussianStatistics": gaussian_statistics_case(),
    "AdaSSP, gram": adassp_case("gram"),
    "AdaSSP, moment": adassp_case("moment"),
    "AdaSSP, eigenvalue": adassp_eigenvalue_case(),
    "OutputPerturbation": output_case(),
    "Descent": descent_case(1),
    "Descent, batches": descent_case(3),
}
