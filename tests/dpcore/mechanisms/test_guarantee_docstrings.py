"""Each mechanism's docstring states its guarantee in one line, and the code does what it says.

A mechanism has a line

    Guarantee: <norm> sensitivity `<expression>`; noise `<law>` per <part>; event `<expression>`;
    adjacency <relations>.

A mechanism that chooses an outcome without adding noise has

    Guarantee: probability ratio `<expression>`; event `<expression>`; adjacency <relations>.

and a function that bounds a sensitivity without adding noise has

    Sensitivity: <norm> `<expression>`; adjacency <relations>.

Expressions are Python. They may use the mechanism's arguments and properties, ``sensitivity`` (the
value of the first expression), the events of ``dpcore.privacy`` and the laws of ``scipy.stats``.
The relations are "of the sensitivity", where the caller declares one, or a list of ``Adjacency``.
"""

import importlib
import inspect
import itertools
import math
import pkgutil
import re
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any
from unittest import mock

import numpy as np
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, clone

import dpcore
from dpcore import accountants, privacy
from dpcore.accountants import gdp
from dpcore.estimators import base
from dpcore.estimators.logistic import DPLogisticRegression
from dpcore.estimators.network import DPNetworkClassifier
from dpcore.estimators.sparse import DPFrankWolfeRegressor
from dpcore.mechanisms import Gaussian, private_bounds
from dpcore.privacy import Adjacency, Event, GaussianRelease, LaplaceRelease
from dpcore.training.polytopes import L1Ball
from tests import (
    guarantee_cases,
    guarantee_cases_parties,
    guarantee_cases_regression,
    guarantee_cases_training,
)
from tests.guarantee_cases import Case, properties_of
from tests.guarantee_cases_training import CLIP_NORM, ROWS

GUARANTEE = re.compile(
    r"Guarantee: (?P<norm>\w+) sensitivity `(?P<sensitivity>[^`]+)`; "
    r"noise `(?P<noise>[^`]+)` per (?P<part>[\w ]+); "
    r"event `(?P<event>[^`]+)`; adjacency (?P<adjacency>[\w/, -]+)\."
)
CHOICE = re.compile(
    r"Guarantee: probability ratio `(?P<ratio>[^`]+)`; "
    r"event `(?P<event>[^`]+)`; adjacency (?P<adjacency>[\w/, -]+)\."
)
SENSITIVITY = re.compile(
    r"Sensitivity: (?P<norm>\w+) `(?P<sensitivity>[^`]+)`; adjacency (?P<adjacency>[\w/, -]+)\."
)
NORM_ORDERS = {"L1": 1, "L2": 2, "Linf": math.inf}
# The norm in which each kind of noise measures a sensitivity.
NORM_OF_EVENT = {GaussianRelease: "L2", LaplaceRelease: "L1"}
DECLARED = "of the sensitivity"

# Names that any expression may use.
VOCABULARY = {
    **{name: getattr(math, name) for name in ("sqrt", "exp", "log", "inf")},
    **{
        name: getattr(stats, name)
        for name in ("norm", "laplace", "gamma", "gumbel_r", "gumbel_l", "chi")
    },
    **{name: value for name, value in vars(privacy).items() if is_dataclass(value)},
}


# --- The checks -----------------------------------------------------------------------------------


def stated_line(docstring: str, case: Case) -> dict[str, str]:
    """Return the parts of the only guarantee line of a docstring."""
    if case.outcomes is not None:
        pattern = CHOICE
    elif case.draw_noise is not None:
        pattern = GUARANTEE
    else:
        pattern = SENSITIVITY
    matches = list(pattern.finditer(" ".join(docstring.split())))
    assert len(matches) == 1, "a docstring needs exactly one guarantee line in the stated form"
    return matches[0].groupdict()


def evaluated(line: dict[str, str], case: Case) -> dict[str, Any]:
    """Return the values of the expressions of a line."""
    names = {**VOCABULARY, **case.names}
    values = {}
    # The other expressions may use the sensitivity.
    for part in ("sensitivity", "ratio", "noise", "event"):
        if part in line:
            try:
                values[part] = eval(line[part], names)
            except NameError as error:
                raise AssertionError(
                    f"the line uses a name that does not exist: {error}"
                ) from error
            if part == "sensitivity":
                names["sensitivity"] = values[part]
    return values


def check_docstring(docstring: str, case: Case) -> None:
    """Raise AssertionError unless the guarantee line of ``docstring`` agrees with the code."""
    line = stated_line(docstring, case)
    values = evaluated(line, case)
    check_adjacency(line["adjacency"], case)
    if case.changes is not None:
        changes = case.changes()
        check_sensitivity(
            changes, stated=values["sensitivity"], norm=line["norm"], reached=case.reached
        )
    if case.draw_noise is not None:
        draws = case.draw_noise()
        if line["part"] == "norm":
            check_directions(draws)
            draws = np.linalg.norm(draws, ord=NORM_ORDERS[line["norm"]], axis=1)[:, None]
        check_noise(draws, values["noise"])
        check_event(values["event"], case, norm=line["norm"])
    if case.outcomes is not None:
        check_ratio(case.outcomes(), stated=values["ratio"])
        check_event(values["event"], case)


def check_adjacency(relations: str, case: Case) -> None:
    if case.adjacency is None:
        assert relations == DECLARED, "the caller declares the sensitivity and its adjacency"
        return
    stated = set(relations.split(", "))
    tested = {
        str(other.adjacency)
        for other in CASES.values()
        if other.documented is case.documented and other.adjacency is not None
    }
    assert stated == tested


def check_sensitivity(changes: np.ndarray, *, stated: float, norm: str, reached: float) -> None:
    """Require that neighbours differ by no more than is stated, and by nearly as much."""
    assert norm in NORM_ORDERS
    largest = np.linalg.norm(changes, ord=NORM_ORDERS[norm], axis=1).max()
    assert largest <= stated * (1 + 1e-6), "a neighbour changes the output by more than is stated"
    assert largest >= reached * stated, "the stated sensitivity is not reached"


def check_ratio(probabilities: np.ndarray, *, stated: float) -> None:
    """Require that the largest ratio of an outcome's probabilities is the stated one."""
    largest = (probabilities.max(axis=0) / probabilities.min(axis=0)).max()
    assert largest == pytest.approx(stated, rel=0.02), "outcomes have another probability ratio"


def check_noise(draws: np.ndarray, law: Any) -> None:
    """Require that the noise has the stated law, and that its parts are independent."""
    noise = draws.ravel()
    standard_error = law.std() / math.sqrt(2 * noise.size)
    assert abs(noise.std() - law.std()) < 5 * standard_error, "the noise has another scale"
    assert stats.kstest(noise, law.cdf).pvalue > 1e-4, "the noise has another law"
    correlations = np.corrcoef(draws.T) - np.eye(draws.shape[1])
    assert np.abs(correlations).max() < 6 / math.sqrt(len(draws)), "parts share their noise"


def check_directions(draws: np.ndarray) -> None:
    """Require that the draws (draws, d) point in all directions alike."""
    directions = draws / np.linalg.norm(draws, axis=1, keepdims=True)
    count, dimension = directions.shape
    assert np.abs(directions.mean(axis=0)).max() < 6 / math.sqrt(dimension * count)
    moments = directions.T @ directions / count - np.eye(dimension) / dimension
    assert np.abs(moments).max() < 6 / (dimension * math.sqrt(count))


def check_event(stated: Event, case: Case, *, norm: str | None = None) -> None:
    """Require that the stated event is the returned one, and that it costs at most epsilon."""
    assert same_event(stated, case.event), f"the code returns {case.event}, not {stated}"
    for release in privacy.releases(stated):
        if type(release) in NORM_OF_EVENT:
            assert norm == NORM_OF_EVENT[type(release)]
    if case.epsilon is None:
        return
    accountant = case.accountant
    if accountant is None:
        # Exact for Gaussian releases and for a single pure one.
        accountant = "gdp" if gdp.is_gaussian(case.event) else "basic"
    guarantee = accountants.account(
        case.event,
        delta=case.delta,
        adjacency=case.adjacency or Adjacency.REPLACE_ONE,
        accountant=accountant,
    )
    assert guarantee.epsilon <= case.epsilon * (1 + 1e-9)


def same_event(one: Any, other: Any) -> bool:
    """Return whether two events are equal up to rounding of their numbers."""
    if type(one) is not type(other):
        return False
    if is_dataclass(one):
        names = [field.name for field in fields(one)]
        return all(same_event(getattr(one, name), getattr(other, name)) for name in names)
    if isinstance(one, float):
        return math.isclose(one, other, rel_tol=1e-12)
    return one == other


# --- The cases ------------------------------------------------------------------------------------


def gaussian_case() -> Case:
    mechanism = Gaussian(sensitivity=2.0, epsilon=0.5, delta=1e-5)

    def draw_noise() -> np.ndarray:
        value = np.zeros((20_000, 3))
        return mechanism.release(value, np.random.default_rng(1)) - value

    return Case(
        documented=Gaussian,
        names=properties_of(mechanism),
        event=mechanism.event,
        draw_noise=draw_noise,
        epsilon=mechanism.epsilon,
        delta=mechanism.delta,
    )


def bounds_case(documented: Any, adjacency: Adjacency) -> Case:
    epsilon = 2.0
    values = np.zeros(private_bounds.least_rows(epsilon))

    def draw_noise() -> np.ndarray:
        """Return what the release adds to the counts, (draws, bins)."""
        rng = np.random.default_rng(1)
        counts = private_bounds.histogram(values)
        with mock.patch.object(private_bounds, "outermost") as outermost:
            for _ in range(400):
                private_bounds.bounds(values, epsilon=epsilon, rng=rng)
        return np.array([call.args[0] for call in outermost.call_args_list]) - counts

    def changes() -> np.ndarray:
        """Return differences of counts whose last value differs or is absent, (pairs, bins)."""
        last_values = [[-3.0], [0.0], [1e-9], [5.0]]
        others = [[]] if adjacency is Adjacency.ADD_REMOVE else last_values
        found = []
        for one, other in itertools.product(last_values, others):
            with_one, with_other = np.append(values, one), np.append(values, other)
            found.append(private_bounds.histogram(with_one) - private_bounds.histogram(with_other))
        return np.array(found)

    return Case(
        documented=documented,
        names={"adjacency": adjacency, "epsilon": epsilon},
        adjacency=adjacency,
        event=private_bounds.Payment(epsilon=epsilon).event,
        draw_noise=draw_noise,
        changes=changes,
        epsilon=epsilon,
        delta=1e-6,
    )


def long_row_changes(
    fitted_weights: Callable[[np.ndarray, np.ndarray], np.ndarray], *, adjacency: Adjacency
) -> np.ndarray:
    """Return differences of fitted weights whose last row differs, (pairs, weights).

    Args:
        fitted_weights: Maps (X (n, p), y (n,)) to weights after one step of learning rate 1. Each
            fit has the same noise.
        adjacency: An absent row is a row of another class than 0 and 1.
    """
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, 3))
    y = rng.integers(0, 2, ROWS)
    long_row = 50 * rng.normal(size=3)
    with_row = []
    for row, label in itertools.product([long_row, -long_row], [0, 1]):
        X[-1] = row
        y[-1] = label
        with_row.append(fitted_weights(X, y))
    others = with_row
    if adjacency is Adjacency.ADD_REMOVE:
        y[-1] = 2
        others = [fitted_weights(X, y)]
    return np.array([one - other for one, other in itertools.product(with_row, others)])


def logistic_case(adjacency: Adjacency) -> Case:
    steps = 4
    parameters = {
        "delta": 1e-6,
        "clip_norm": CLIP_NORM,
        "learning_rate": 1.0,
        "classes": [0, 1],
        "average": False,
        "adjacency": str(adjacency),
    }
    model = DPLogisticRegression(epsilon=2.0, steps=steps, **parameters)

    @cache
    def draw_noise() -> np.ndarray:
        """Rows of another class have no gradient, so the weights move by the noise alone."""
        rows_without_class = np.zeros((ROWS, 200)), np.full(ROWS, 2)
        moves = []
        for seed in range(100):
            fitted = clone(model).set_params(random_state=seed).fit(*rows_without_class)
            moves.append(np.append(fitted.coef_, fitted.intercept_))
        # The sum of independent steps, scaled to the standard deviation of one.
        return np.array(moves) / math.sqrt(steps)

    def one_step(X: np.ndarray, y: np.ndarray) -> np.ndarray:
        fitted = DPLogisticRegression(epsilon=2.0, steps=1, random_state=0, **parameters).fit(X, y)
        return np.append(fitted.coef_, fitted.intercept_)

    fitted = clone(model).fit(np.zeros((ROWS, 3)), np.zeros(ROWS))
    return Case(
        documented=DPLogisticRegression,
        names={**properties_of(fitted), "adjacency": adjacency, "rows": ROWS},
        adjacency=adjacency,
        event=fitted.guarantee_.event,
        draw_noise=draw_noise,
        changes=lambda: long_row_changes(one_step, adjacency=adjacency),
        epsilon=model.epsilon,
        delta=model.delta,
    )


class RecordedScores(np.ndarray):
    """Scores that are kept when the smallest one is chosen."""

    chosen_from: list[np.ndarray]

    def argmin(self, **options: Any) -> Any:
        self.chosen_from.append(np.array(self[0]))
        return super().argmin(**options)


def noisy_scores(model: DPFrankWolfeRegressor, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the scores from which each step of a fit selects, (steps, vertices)."""
    exact_scores = L1Ball.scores
    RecordedScores.chosen_from = []
    with mock.patch.object(
        L1Ball, "scores", lambda ball, gradient: exact_scores(ball, gradient).view(RecordedScores)
    ):
        clone(model).set_params(random_state=0).fit(X, y)
    return np.array(RecordedScores.chosen_from)


def frank_wolfe_case(adjacency: Adjacency) -> Case:
    features = 25
    model = DPFrankWolfeRegressor(
        epsilon=2.0,
        delta=1e-6,
        radius=2.0,
        residual_bound=0.5,
        data_bound=3.0,
        steps=500,
        adjacency=str(adjacency),
    )

    def changes() -> np.ndarray:
        """Return differences of the scores of the first step, which has the same noise."""
        rng = np.random.default_rng(0)
        X = rng.normal(size=(ROWS, features))
        y = rng.normal(size=ROWS)
        with_row = []
        for label in (100.0, -100.0):
            X[-1] = 100.0
            y[-1] = label
            with_row.append(noisy_scores(model, X, y)[0])
        others = with_row
        if adjacency is Adjacency.ADD_REMOVE:
            X[-1] = 0
            y[-1] = 0
            others = [noisy_scores(model, X, y)[0]]
        return np.array([one - other for one, other in itertools.product(with_row, others)])

    # Without features there is no gradient, so scores are the subtracted noise alone.
    no_rows = np.zeros((ROWS, features)), np.zeros(ROWS)
    fitted = clone(model).fit(*no_rows)
    return Case(
        documented=DPFrankWolfeRegressor,
        names={**properties_of(fitted), "adjacency": adjacency, "rows": ROWS},
        adjacency=adjacency,
        event=fitted.guarantee_.event,
        draw_noise=lambda: -noisy_scores(model, *no_rows),
        changes=changes,
    )


def network_case() -> Case:
    adjacency = Adjacency.ADD_REMOVE
    steps = 4
    parameters = {
        "hidden_layer_sizes": (),
        "delta": 1e-6,
        "clip_norm": CLIP_NORM,
        "lot_size": ROWS / 2,
        "decay": 1.0,
        "classes": [0, 1],
        "accountant": "renyi",
    }
    # A lot has half of the rows, so there are twice as many steps as epochs.
    model = DPNetworkClassifier(epsilon=2.0, epochs=steps / 2, **parameters)

    @cache
    def draw_noise() -> np.ndarray:
        """Rows of another class have no gradient, so the weights move by the noise alone."""
        rows_without_class = np.zeros((ROWS, 100)), np.full(ROWS, 2)
        moves = []
        for random_state in range(100):
            fitted = clone(model).set_params(random_state=random_state).fit(*rows_without_class)
            start = fitted.architecture_.start(base.noise_seed(random_state), [0])
            moves.append(fitted.weights_ - start[0])
        # The sum of independent steps, scaled to the standard deviation of one.
        return np.array(moves) / math.sqrt(steps)

    def one_step(X: np.ndarray, y: np.ndarray) -> np.ndarray:
        """The lot of this random state contains the last row."""
        model = DPNetworkClassifier(epsilon=2.0, epochs=0.5, random_state=1, **parameters)
        return model.fit(X, y).weights_

    fitted = clone(model).fit(np.zeros((ROWS, 3)), np.zeros(ROWS))
    return Case(
        documented=DPNetworkClassifier,
        names={**properties_of(fitted), "rows": ROWS},
        adjacency=adjacency,
        event=fitted.guarantee_.event,
        draw_noise=draw_noise,
        changes=lambda: long_row_changes(one_step, adjacency=adjacency),
    )


CASES = {
    "Gaussian": gaussian_case(),
    "DPNetworkClassifier": network_case(),
    **guarantee_cases.CASES,
    **guarantee_cases_regression.CASES,
    **guarantee_cases_parties.CASES,
    **guarantee_cases_training.CASES,
}
for relation in Adjacency:
    CASES[f"bounds, {relation}"] = bounds_case(private_bounds.bounds, relation)
    CASES[f"Payment, {relation}"] = bounds_case(private_bounds.Payment, relation)
    CASES[f"DPFrankWolfeRegressor, {relation}"] = frank_wolfe_case(relation)
    CASES[f"DPLogisticRegression, {relation}"] = logistic_case(relation)


@pytest.mark.parametrize("name", CASES)
def test_code_agrees_with_the_guarantee_line(name):
    case = CASES[name]
    check_docstring(inspect.getdoc(case.documented), case)


# --- The checks can fail --------------------------------------------------------------------------

WRONG = {
    "no line": (r"(Guarantee|Sensitivity): ", "Note: "),
    "larger sensitivity": (r"(sensitivity|L2|ratio) `([^`]+)`;", r"\1 `2 * (\2)`;"),
    "smaller sensitivity": (r"(sensitivity|L2|ratio) `([^`]+)`;", r"\1 `(\2) / 2`;"),
    "other norm": (r": L2 ", ": L1 "),
    "other declared norm": (r": L1 (sensitivity `sensitivity`)", r": L2 \1"),
    "other scale": (r"scale=([^`]+)\)`", r"scale=1.05 * (\1))`"),
    "other law": (r"norm\(scale=([^`]+)\)`", r"laplace(scale=(\1) / sqrt(2))`"),
    "other law than Laplace": (r"laplace\(scale=([^`]+)\)`", r"norm(scale=(\1) * sqrt(2))`"),
    "other sign": (r"gumbel_r", "gumbel_l"),
    "other event": (r"(noise_multiplier|epsilon)=(\w+)", r"\1=2 * \2"),
    "other kind of event": (r"GaussianRelease", "LaplaceRelease"),
    "other adjacency": (r"adjacency (of the sensitivity|replace-one, )", "adjacency "),
    "unknown name": (r"(Guarantee|Sensitivity)(: \w+ [a-z ]*)`([^`]+)`", r"\1\2`unknown * \3`"),
}


def wrong_docstrings() -> list[tuple[str, str, str]]:
    """Return (name of the first case of a mechanism, mistake, docstring with that mistake)."""
    first_cases = {}
    for name, case in CASES.items():
        first_cases.setdefault(case.documented, name)
    wrong_docstrings = []
    for (documented, name), mistake in itertools.product(first_cases.items(), WRONG):
        pattern, replacement = WRONG[mistake]
        docstring = " ".join(inspect.getdoc(documented).split())
        wrong = re.sub(pattern, replacement, docstring)
        # A line without noise has no law and no event to be wrong about.
        if wrong != docstring:
            wrong_docstrings.append((name, mistake, wrong))
    return wrong_docstrings


def disagrees(docstring: str, case: Case) -> bool:
    """Return whether the guarantee line of ``docstring`` disagrees with the code."""
    try:
        check_docstring(docstring, case)
    except AssertionError:
        return True
    return False


@pytest.mark.parametrize(("name", "mistake", "docstring"), wrong_docstrings())
def test_a_wrong_line_is_found(name, mistake, docstring):
    """A case of the mechanism finds it; a mistake may be in what only one of them uses."""
    documented = CASES[name].documented
    cases = [case for case in CASES.values() if case.documented is documented]
    assert any(disagrees(docstring, case) for case in cases)


def test_code_that_drifts_from_its_line_is_found():
    """Less noise than the line says, from the same docstring."""
    case = CASES["Gaussian"]
    too_quiet = Case(**{**vars(case), "draw_noise": lambda: 0.95 * case.draw_noise()})
    with pytest.raises(AssertionError, match="scale"):
        check_docstring(inspect.getdoc(Gaussian), too_quiet)


# --- Every mechanism has a line -------------------------------------------------------------------

# Functions that add noise to private data. Classes are found by their attribute ``event``.
NOISY_FUNCTIONS = {
    "dpcore.training.descent.noisy_gradient_descent",
    "dpcore.training.sgd.train",
    "dpcore.training.frank_wolfe.noisy_frank_wolfe",
    "dpcore.mechanisms.noisy_max.noisy_winners",
    "dpcore.parties.source_releases.fit_perturbed",
    "dpcore.parties.source_releases.release",
    "dpcore.mechanisms.private_bounds.bounds",
    "dpcore.parties.source_detection.detect",
}
# Estimators whose guarantee is that of a mechanism, which the caller chooses.
CHOOSE_A_MECHANISM = {"dpcore.estimators.linear.DPLinearRegression"}
# Mechanisms without a line so far. The list may only shrink.
WITHOUT_A_LINE = {
    "dpcore.schedules.Schedule",
}


def mechanisms_of_the_engine() -> dict[str, Any]:
    """Return every estimator, class that leaves an event, and listed function, by full name."""
    found = {}
    for module_info in pkgutil.walk_packages(dpcore.__path__, "dpcore."):
        module = importlib.import_module(module_info.name)
        for name, value in vars(module).items():
            full_name = f"{module_info.name}.{name}"
            is_own_class = inspect.isclass(value) and value.__module__ == module_info.name
            leaves_event = is_own_class and any(
                hasattr(value, method) for method in ("event", "guarantee")
            )
            is_estimator = (
                is_own_class and issubclass(value, BaseEstimator) and hasattr(value, "fit")
            )
            if full_name in NOISY_FUNCTIONS or leaves_event or is_estimator:
                found[full_name] = value
    return found


def test_every_mechanism_states_its_guarantee_in_a_line_that_is_tested():
    mechanisms = mechanisms_of_the_engine()
    assert NOISY_FUNCTIONS - mechanisms.keys() == set()
    tested = {
        f"{case.documented.__module__}.{case.documented.__qualname__}"
        for case in CASES.values()
        if case.draw_noise is not None or case.outcomes is not None
    }
    with_a_line = {name for name, value in mechanisms.items() if "Guarantee: " in value.__doc__}
    assert with_a_line == tested
    assert mechanisms.keys() - with_a_line == WITHOUT_A_LINE | CHOOSE_A_MECHANISM
