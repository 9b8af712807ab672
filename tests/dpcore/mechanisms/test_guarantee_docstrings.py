"""Each mechanism's docstring states its guarantee in one line, and the code does what it says.

``tests.guarantee_checks`` says how a line is written.
"""

import importlib
import inspect
import itertools
import pkgutil
import re
from typing import Any

import pytest
from sklearn.base import BaseEstimator

import dpcore
from dpcore.mechanisms import Gaussian
from tests import (
    guarantee_cases,
    guarantee_cases_estimators,
    guarantee_cases_parties,
    guarantee_cases_regression,
    guarantee_cases_training,
)
from tests.guarantee_cases import Case
from tests.guarantee_checks import check_docstring

CASES = {
    **guarantee_cases.CASES,
    **guarantee_cases_estimators.CASES,
    **guarantee_cases_regression.CASES,
    **guarantee_cases_parties.CASES,
    **guarantee_cases_training.CASES,
}


def relations_of(case: Case) -> set[str]:
    """Return the adjacency relations of all cases of the same mechanism."""
    return {
        str(other.adjacency)
        for other in CASES.values()
        if other.documented is case.documented and other.adjacency is not None
    }


@pytest.mark.parametrize("name", CASES)
def test_code_agrees_with_the_guarantee_line(name):
    case = CASES[name]
    check_docstring(inspect.getdoc(case.documented), case, relations=relations_of(case))


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
        check_docstring(docstring, case, relations=relations_of(case))
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
        check_docstring(inspect.getdoc(Gaussian), too_quiet, relations=set())


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
    assert mechanisms.keys() - with_a_line == CHOOSE_A_MECHANISM
