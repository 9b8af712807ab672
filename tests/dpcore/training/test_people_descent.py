"""Descent on people with several rows. Its audits are in the audit table."""

import numpy as np
import pytest
from dp_accounting import dp_event
from dp_accounting.pld import PLDAccountant
from sklearn.base import clone

from dpcore import check
from dpcore.estimators import base
from dpcore.estimators.logistic import DPLogisticRegression
from dpcore.privacy import Adjacency
from dpcore.training import descent, losses
from tests.dpcore.training.test_clipping import CLIP, by_plain_loops, rows_of_people

# Double precision: engine and plain loop sum the same numbers in another order.
ROUNDING = 1e-12
# The library rounds losses up to its grid.
GRID_ERROR = 2e-3


def trained(X, y, people, *, classes=2, **changes) -> np.ndarray:
    """Return the weights (R, k, p) of a short descent."""
    options = {
        "steps": 9,
        "learning_rate": 2.0,
        "clip_norm": CLIP,
        "noise_sd": 0.01,
        "seed": 3,
        "draws": [0, 1, 0],
    }
    start = np.zeros((losses.outputs(classes), X.shape[1]))
    path = descent.noisy_gradient_descent(
        X, y, people=people, n_classes=classes, start=start, **(options | changes)
    )
    return path.weights


@pytest.mark.parametrize("clipping", ["per-example", "average", "none"])
@pytest.mark.parametrize("classes", [2, 3])
def test_people_of_one_row_each_are_rows_to_the_last_bit(classes, clipping):
    X, y, people = rows_of_people([1] * 40, classes=classes)

    by_person = trained(X, y, people, classes=classes, clipping=clipping)

    by_row = trained(X, y, None, classes=classes, clipping=clipping)
    np.testing.assert_array_equal(by_person, by_row)


def test_a_descent_takes_steps_of_the_mean_over_people():
    X, y, people = rows_of_people()
    weights = np.zeros((1, 1, 4))
    for _ in range(9):
        weights = weights - 2.0 * by_plain_loops(weights, X, y, people)

    found = trained(X, y, people, noise_sd=0.0, dtype=np.float64)

    np.testing.assert_allclose(found[0], weights[0], atol=ROUNDING)


THREE_ROWS = np.ones((3, 2))
THREE_LABELS = np.array([0, 1, 1])


@pytest.mark.parametrize(
    "people",
    [
        pytest.param([0, 0, 2], id="a gap"),
        pytest.param([1, 1, 2], id="from 1 on"),
        pytest.param([0, 1], id="too few"),
        pytest.param([0, -1, 1], id="a negative number"),
        pytest.param([0.0, 0.5, 1.0], id="fractions"),
        pytest.param([0, 1, 3], id="beyond the rows"),
    ],
)
def test_people_have_to_be_numbered_without_a_gap(people):
    with pytest.raises(check.RefusedError, match="people"):
        trained(THREE_ROWS, THREE_LABELS, np.array(people))


@pytest.mark.parametrize("groups", [[1, 2], "me", [[1] * 3]], ids=str)
def test_each_row_of_a_fit_has_to_have_a_person(groups):
    with pytest.raises(ValueError, match="groups"):
        DPLogisticRegression().fit(THREE_ROWS, THREE_LABELS, groups=groups)


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 5.0])
def test_the_guarantee_of_a_person_is_that_of_another_library(epsilon, adjacency):
    X, y, people = rows_of_people([3] * 30)
    model = DPLogisticRegression(
        epsilon=epsilon, steps=20, adjacency=str(adjacency), random_state=0
    )

    guarantee = model.fit(X, y, groups=people).guarantee_

    library = PLDAccountant(value_discretization_interval=1e-4)
    library.compose(dp_event.GaussianDpEvent(guarantee.event.event.noise_multiplier), 20)
    assert guarantee.unit == "person"
    assert guarantee.adjacency == adjacency
    assert guarantee.epsilon <= epsilon
    assert guarantee.epsilon == pytest.approx(library.get_epsilon(guarantee.delta), abs=GRID_ERROR)


def test_a_fit_is_the_descent_by_people():
    X, y, people = rows_of_people(p=3)
    X /= np.linalg.norm(X, axis=1).max()
    model = DPLogisticRegression(
        epsilon=3.0, steps=5, learning_rate=2.0, random_state=3, average=False
    )

    model.fit(X, y, groups=[f"P{person}" for person in people])

    multiplier = descent.noise_multiplier(epsilon=3.0, delta=1e-5, steps=5)
    noise_sd = descent.mean_noise_sd(
        multiplier, clip_norm=0.3, rows=8, adjacency=Adjacency.REPLACE_ONE
    )
    expected = trained(
        losses.with_constant(X),
        y,
        people,
        steps=5,
        noise_sd=noise_sd,
        seed=base.noise_seed(3),
        dtype=np.float64,
        draws=[0],
    )
    weights = np.column_stack([model.coef_, model.intercept_])
    np.testing.assert_allclose(weights, expected[0], atol=ROUNDING)


def fit_without_answers(rows_each: int) -> DPLogisticRegression:
    """Fit rows of 30 people whose class is not declared, so that noise alone moves the weights."""
    X = np.zeros((30 * rows_each, 3))
    y = np.full(30 * rows_each, 9)
    groups = np.tile(np.arange(30), rows_each)
    return clone(DPLogisticRegression(random_state=1, classes=[0, 1])).fit(X, y, groups=groups)


def test_more_rows_of_the_same_people_leave_noise_and_rate():
    """Only the number of people decides them, because the number of rows is private."""
    few = fit_without_answers(1)

    many = fit_without_answers(4)

    np.testing.assert_array_equal(few.coef_, many.coef_)
    assert np.abs(few.coef_).min() > 0
