"""Compare the guarantee line of a docstring with what the code does.

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

import math
import re
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pytest
from scipy import stats

from dpcore import accountants, privacy
from dpcore.accountants import gdp
from dpcore.privacy import Adjacency, Event, GaussianRelease, LaplaceRelease
from tests.guarantee_cases import Case

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


def check_docstring(docstring: str, case: Case, *, relations: set[str]) -> None:
    """Raise AssertionError unless the guarantee line of ``docstring`` agrees with the code.

    Args:
        docstring: That of the mechanism.
        case: What the code does with some arguments.
        relations: The adjacency relations that the mechanism has cases for.
    """
    line = stated_line(docstring, case)
    values = evaluated(line, case)
    check_adjacency(line["adjacency"], case, relations)
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


def check_adjacency(stated: str, case: Case, relations: set[str]) -> None:
    """Require that the stated relations are those of the cases."""
    if case.adjacency is None:
        assert stated == DECLARED, "the caller declares the sensitivity and its adjacency"
        return
    assert set(stated.split(", ")) == relations


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
    if case.norm is not None:
        assert norm == case.norm
    for release in privacy.releases(stated):
        if type(release) in NORM_OF_EVENT:
            assert norm == NORM_OF_EVENT[type(release)]
    if case.epsilon is None:
        return
    accountant = case.accountant
    if accountant is None:
        # Exact for Gaussian releases and for a single pure one.
        accountant = "basic"
        if gdp.is_gaussian(case.event):
            accountant = "gdp"
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
