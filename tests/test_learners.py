"""The contract of every estimator: all of scikit-learn's own checks."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dpcore.learners.linear import MECHANISMS

# The module of an estimator, and how it is made there.
ESTIMATORS = [
    ("logistic", "DPLogisticRegression()"),
    ("logistic", "DPLogisticRegression(epsilon=100.0, adjacency='add/remove')"),
    ("network", "DPNetworkClassifier()"),
    ("network", "DPNetworkClassifier(epsilon=100.0, activation='relu', hidden_layer_sizes=(8, 8))"),
    ("frank_wolfe", "DPFrankWolfeRegressor()"),
    *(("linear", f"DPLinearRegression(mechanism={name!r}, steps=5)") for name in MECHANISMS),
]
CHECK = """
from sklearn.utils.estimator_checks import check_estimator
from dpcore.learners.{module} import *
found = check_estimator({made}, on_skip=None, on_fail=None)
print(len(found), [(one["check_name"], one["exception"]) for one in found if one["status"] != "passed"])
"""


@pytest.mark.parametrize(("module", "made"), ESTIMATORS)
def test_all_of_scikit_learns_checks_pass(module, made):
    """In a process of its own: one check needs a switch that scipy reads as it is imported."""
    run = subprocess.run(
        [sys.executable, "-c", CHECK.format(module=module, made=made)],
        capture_output=True,
        text=True,
        env={**os.environ, "SCIPY_ARRAY_API": "1"},
        cwd=Path(__file__).parents[1],
        check=False,
    )
    assert run.returncode == 0, run.stderr
    count, failed = run.stdout.split(maxsplit=1)
    assert failed.strip() == "[]"
    assert int(count) >= 50
