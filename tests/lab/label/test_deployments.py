"""Deployments in use elsewhere, recomputed from what they published."""

import csv
import math

import pytest
from scipy.stats import norm

from lab.label.deployments import FILE, PERSON, deployments

RECORDS = list(csv.DictReader(FILE.read_text("utf-8").splitlines()))


def expected_accuracy(record: dict[str, str]) -> float:
    """Return (1 + TV) / 2 of the worst mechanism that a record allows.

    It is Gaussian noise with mu = sqrt(2 rho), or the worst (epsilon, delta) mechanism.
    """
    if record["rho"]:
        return norm.cdf(math.sqrt(2 * float(record["rho"])) / 2)
    odds = math.exp(float(record["epsilon"]))
    delta = float(record["delta"] or 0)
    return (odds + delta) / (1 + odds)


def test_every_record_is_a_deployment():
    assert len(RECORDS) == len(deployments()) >= 20


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record["record"])
def test_a_deployment_has_the_fields_of_its_record(record):
    (deployment,) = [one for one in deployments() if one.record == record["record"]]

    assert {name: getattr(deployment, name) for name in record} == record


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record["record"])
def test_the_attacker_follows_from_the_published_parameters(record):
    (deployment,) = [one for one in deployments() if one.record == record["record"]]

    accuracy = deployment.attacker.right

    assert expected_accuracy(record) - 1e-9 <= accuracy <= expected_accuracy(record) + 6e-4


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record["record"])
def test_the_variant_of_a_record_fits_its_parameters(record):
    is_zero_concentrated = record["variant"] == "Zero-concentrated DP"
    is_approximate = record["variant"] == "Approximate DP"

    assert is_zero_concentrated == bool(record["rho"])
    assert is_approximate == bool(record["delta"] and not record["rho"])
    assert record["state"] in ("Pending", "Draft")


def test_units_of_all_data_of_a_person_protect_a_person():
    units = {one.unit for one in deployments() if one.protects == PERSON}

    assert units == {"User-level", "Person-level", "Person-level; housing-unit-level"}
