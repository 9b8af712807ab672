"""What a user of the engine meets first has an example that the doctests run."""

import importlib
import inspect
import pkgutil

import pytest

import dpcore.estimators
import dpcore.mechanisms
import dpcore.parties
import dpcore.regression
from dpcore import accountants
from dpcore.accountants import attacker, shuffling, tuning

EXAMPLE = ">>>"
ACCOUNTANTS = [
    *accountants.ACCOUNTANTS.values(),
    accountants.account,
    accountants.calibrate,
    accountants.most_steps,
    attacker.best_attacker,
    attacker.largest_success,
    shuffling.shuffled,
    tuning.prices,
]


def public_classes(package) -> list[type]:
    """Return the public classes that the modules of a package define."""
    classes = []
    for module_info in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        module = importlib.import_module(module_info.name)
        for name, value in inspect.getmembers(module, inspect.isclass):
            if value.__module__ == module.__name__ and not name.startswith("_"):
                classes.append(value)
    return classes


ESTIMATORS = [
    value for value in public_classes(dpcore.estimators) if value.__name__.startswith("DP")
]
MECHANISMS = [
    value
    for package in (dpcore.mechanisms, dpcore.parties, dpcore.regression)
    for value in public_classes(package)
    if hasattr(value, "event") and not inspect.isabstract(value)
]


def full_name(value) -> str:
    """Return the module and the name of a class or function, with a dot between."""
    return f"{value.__module__}.{value.__qualname__}"


@pytest.mark.parametrize("value", [*ESTIMATORS, *MECHANISMS, *ACCOUNTANTS], ids=full_name)
def test_every_estimator_mechanism_and_accountant_has_an_example(value):
    assert EXAMPLE in (inspect.getdoc(value) or "")
