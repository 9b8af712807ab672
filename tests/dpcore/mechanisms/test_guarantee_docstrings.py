"""Each mechanism's docstring states its guarantee in one line, and the code does what it says.

A mechanism has a line

    Guarantee: <norm> sensitivity `<expression>`; noise `<law>` per <part>; event `<expression>`;
    adjacency <relations>.

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
from dataclasses import dataclass, fields, is_dataclass
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
from dpcore.training import clipping, descent
from dpcore.training.frank_wolfe import L1Ball

GUARANTEE = re.compile(
    r"Guarantee: (?P<norm>\w+) sensitivity `(?P<sensitivity>[^`]+)`; "
    r"noise `(?P<noise>[^`]+)` per (?P<part>[\w ]+); "
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
    **{name: getattr(stats, name) for name in ("norm", "laplace", "gamma", "gumbel_r", "gumbel_l")},
    **{name: value for name, value in vars(privacy).items() if is_dataclass(value)},
}


@dataclass(frozen=True, kw_only=True)
class Case:
    """A documented mechanism with arguments, and what the code does with them.

    Attributes:
        documented: The class or function whose docstring is checked.
        names: What the expressions may use beside ``VOCABULARY``.
        adjacency: The relation of this case; None if the caller declares the sensitivity.
        event: The event that the code returns; None for a bounded function without noise.
        draw_noise: Returns independent draws of the noise that the code adds, (draws, parts).
        changes: Returns the differences of the noiseless output between neighbours that a search
            finds, (pairs, parts); None if the caller declares the sensitivity.
        epsilon: What the event must not exceed, at this delta; None if neither is an argument.
    """

    documented: Any
    names: dict[str, Any]
    adjacency: Adjacency | None = None
    event: Event | None = None
    draw_noise: Callable[[], np.ndarray] | None = None
    changes: Callable[[], np.ndarray] | None = None
    epsilon: float | None = None
    delta: float | None = None


# --- The checks -----------------------------------------------------------------------------------


def stated_line(docstring: str, *, adds_noise: bool) -> dict[str, str]:
    """Return the parts of the only guarantee line of a docstring."""
    pattern = GUARANTEE if adds_noise else SENSITIVITY
    matches = list(pattern.finditer(" ".join(docstring.split())))
    assert len(matches) == 1, "a docstring needs exactly one guarantee line in the stated form"
    return matches[0].groupdict()


def check_docstring(docstring: str, case: Case) -> None:
    """Raise AssertionError unless the guarantee line of ``docstring`` agrees with the code."""
    line = stated_line(docstring, adds_noise=case.draw_noise is not None)
    names = {**VOCABULARY, **case.names}
    try:
        sensitivity = eval(line["sensitivity"], names)
        names["sensitivity"] = sensitivity
        if case.draw_noise is not None:
            law = eval(line["noise"], names)
            event = eval(line["event"], names)
    except NameError as error:
        raise AssertionError(f"the line uses a name that does not exist: {error}") from error

    check_adjacency(line["adjacency"], case)
    if case.changes is not None:
        check_sensitivity(case.changes(), stated=sensitivity, norm=line["norm"])
    if case.draw_noise is not None:
        check_noise(case.draw_noise(), law)
        check_event(event, case, norm=line["norm"])


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


def check_sensitivity(changes: np.ndarray, *, stated: float, norm: str) -> None:
    """Require that neighbours differ by no more than is stated, and by nearly as much."""
    assert norm in NORM_ORDERS
    largest = np.linalg.norm(changes, ord=NORM_ORDERS[norm], axis=1).max()
    assert largest <= stated * (1 + 1e-6), "a neighbour changes the output by more than is stated"
    assert largest >= 0.98 * stated, "the stated sensitivity is not reached"


def check_noise(draws: np.ndarray, law: Any) -> None:
    """Require that the noise has the stated law, and that its parts are independent."""
    noise = draws.ravel()
    standard_error = law.std() / math.sqrt(2 * noise.size)
    assert abs(noise.std() - law.std()) < 5 * standard_error, "the noise has another scale"
    assert stats.kstest(noise, law.cdf).pvalue > 1e-4, "the noise has another law"
    correlations = np.corrcoef(draws.T) - np.eye(draws.shape[1])
    assert np.abs(correlations).max() < 6 / math.sqrt(len(draws)), "parts share their noise"


def check_event(stated: Event, case: Case, *, norm: str) -> None:
    """Require that the stated event is the returned one, and that it costs at most epsilon."""
    assert same_event(stated, case.event), f"the code returns {case.event}, not {stated}"
    for release in privacy.releases(stated):
        if type(release) in NORM_OF_EVENT:
            assert norm == NORM_OF_EVENT[type(release)]
    if case.epsilon is None:
        return
    # Exact for Gaussian releases and for a single pure one.
    accountant = "gdp" if gdp.is_gaussian(case.event) else "naive"
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


def properties_of(mechanism: Any) -> dict[str, Any]:
    """Return the public attributes of a mechanism by name, without its methods."""
    names = [name for name in dir(mechanism) if not name.startswith("_")]
    values = {name: getattr(mechanism, name) for name in names}
    return {name: value for name, value in values.items() if not callable(value)}


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
    outputs = 1 if n_classes == 2 else n_classes
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
    steps = 5
    rows_of_zeros = {"X": np.zeros((ROWS, 4)), "y": np.zeros(ROWS, int)}
    multiplier = descent.noise_multiplier(epsilon=2.0, delta=1e-6, steps=steps)
    noise_sd = descent.mean_noise_sd(
        multiplier, clip_norm=CLIP_NORM, rows=ROWS, adjacency=adjacency
    )

    def draw_noise() -> np.ndarray:
        """Rows of zeros have no gradient, so the weights move by the noise alone."""
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
        """A step without noise at learning rate 1 moves the weights by the mean gradient."""
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


def gradient_case(kind: type, n_classes: int, adjacency: Adjacency) -> Case:
    bound = np.array([CLIP_NORM])

    def mean_gradient(X: np.ndarray, y: np.ndarray, weights: np.ndarray) -> np.ndarray:
        options = {} if n_classes == 2 else {"outputs": n_classes}
        gradient = kind(X, y, models=1, clip_norm=bound, **options)
        return gradient(weights[:, None]).copy()

    return Case(
        documented=kind,
        names={"adjacency": adjacency, "clip_norm": CLIP_NORM, "rows": ROWS},
        adjacency=adjacency,
        changes=lambda: gradient_changes(mean_gradient, n_classes=n_classes, adjacency=adjacency),
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


CASES = {"Gaussian": gaussian_case(), "DPNetworkClassifier": network_case()}
for relation in Adjacency:
    CASES[f"noisy_gradient_descent, {relation}"] = descent_case(relation)
    CASES[f"LogisticGradient, {relation}"] = gradient_case(clipping.LogisticGradient, 2, relation)
    CASES[f"bounds, {relation}"] = bounds_case(private_bounds.bounds, relation)
    CASES[f"Payment, {relation}"] = bounds_case(private_bounds.Payment, relation)
    CASES[f"DPFrankWolfeRegressor, {relation}"] = frank_wolfe_case(relation)
    CASES[f"DPLogisticRegression, {relation}"] = logistic_case(relation)
    CASES[f"SoftmaxGradient, {relation}"] = gradient_case(clipping.SoftmaxGradient, 4, relation)


@pytest.mark.parametrize("name", CASES)
def test_code_agrees_with_the_guarantee_line(name):
    case = CASES[name]
    check_docstring(inspect.getdoc(case.documented), case)


# --- The checks can fail --------------------------------------------------------------------------

WRONG = {
    "no line": (r"(Guarantee|Sensitivity): ", "Note: "),
    "larger sensitivity": (r"(sensitivity|L2) `([^`]+)`;", r"\1 `2 * (\2)`;"),
    "smaller sensitivity": (r"(sensitivity|L2) `([^`]+)`;", r"\1 `(\2) / 2`;"),
    "other norm": (r": L2 ", ": L1 "),
    "other scale": (r"(norm|laplace|gumbel_r)\(scale=([^`]+)\)`", r"\1(scale=1.05 * (\2))`"),
    "other law": (r"norm\(scale=([^`]+)\)`", r"laplace(scale=(\1) / sqrt(2))`"),
    "other law than Laplace": (r"laplace\(scale=([^`]+)\)`", r"norm(scale=(\1) * sqrt(2))`"),
    "other sign": (r"gumbel_r", "gumbel_l"),
    "other event": (r"(noise_multiplier|epsilon)=(\w+)", r"\1=2 * \2"),
    "other kind of event": (r"GaussianRelease", "LaplaceRelease"),
    "other adjacency": (r"adjacency (of the sensitivity|replace-one, )", "adjacency "),
    "unknown name": (r"(Guarantee|Sensitivity)(: \w+ [a-z ]*)`([^`]+)`", r"\1\2`unknown * \3`"),
}


def wrong_docstrings() -> list[tuple[str, str, str]]:
    """Return (name of a case, mistake, docstring with that mistake)."""
    found = []
    for (name, case), mistake in itertools.product(CASES.items(), WRONG):
        pattern, replacement = WRONG[mistake]
        docstring = " ".join(inspect.getdoc(case.documented).split())
        wrong = re.sub(pattern, replacement, docstring, count=1)
        # A line without noise has no law and no event to be wrong about.
        if wrong != docstring:
            found.append((name, mistake, wrong))
    return found


@pytest.mark.parametrize(("name", "mistake", "docstring"), wrong_docstrings())
def test_a_wrong_line_is_found(name, mistake, docstring):
    with pytest.raises(AssertionError):
        check_docstring(docstring, CASES[name])


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
    "dpcore.parties.pate.noisy_winners",
    "dpcore.parties.source_releases.perturbed",
    "dpcore.parties.source_releases.release",
    "dpcore.mechanisms.private_bounds.bounds",
    "dpcore.transfer.detect",
}
# Estimators whose guarantee is that of a mechanism, which the caller chooses.
CHOOSE_A_MECHANISM = {"dpcore.estimators.linear.DPLinearRegression"}
# Mechanisms without a line so far. The list may only shrink.
WITHOUT_A_LINE = {
    "dpcore.mechanisms.laplace.Laplace",
    "dpcore.mechanisms.noisy_max.NoisyMax",
    "dpcore.mechanisms.norm_exponential.NormExponential",
    "dpcore.parties.pate.noisy_winners",
    "dpcore.mechanisms.randomised_response.RandomisedResponse",
    "dpcore.parties.source_releases.Budget",
    "dpcore.parties.source_releases.perturbed",
    "dpcore.parties.source_releases.release",
    "dpcore.regression.adassp.AdaSSP",
    "dpcore.regression.functional.Functional",
    "dpcore.regression.functional.Published",
    "dpcore.regression.gaussian_statistics.GaussianStatistics",
    "dpcore.regression.perturbation.Descent",
    "dpcore.regression.perturbation.OutputPerturbation",
    "dpcore.schedules.Schedule",
    "dpcore.training.frank_wolfe.noisy_frank_wolfe",
    "dpcore.training.sgd.Recipe",
    "dpcore.training.sgd.train",
    "dpcore.transfer.detect",
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
        if case.draw_noise is not None
    }
    with_a_line = {name for name, value in mechanisms.items() if "Guarantee: " in value.__doc__}
    assert with_a_line == tested
    assert mechanisms.keys() - with_a_line == WITHOUT_A_LINE | CHOOSE_A_MECHANISM
