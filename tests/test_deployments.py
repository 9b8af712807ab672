"""Releases in use: each number follows from its record, and none of another unit or trust stands unmarked."""

import csv
import math
import re
from html import unescape

import pytest
from scipy.stats import norm

from lab.deployments import CENTRAL, FILE, LOCAL, PERSON, deployments
from pages.learn import page_deployments
from pages.table import PAGES
from tests.app import opened
from tests.handouts import quick
from ui import deployments as shown
from ui.panels import at_most

RECORDS = list(csv.DictReader(FILE.read_text("utf-8").splitlines()))
VERDICT = re.compile(r"\b(fine|safe|enough for|acceptable|reasonable|good|common|usual|better than|worse than)\b", re.I)


def expected(record: dict[str, str]) -> float:
    """(1 + TV)/2 of Gaussian noise with mu = sqrt(2 rho), or of the worst (epsilon, delta) mechanism."""
    if record["rho"]:
        return norm.cdf(math.sqrt(2 * float(record["rho"])) / 2)
    ratio = math.exp(float(record["epsilon"]))
    return (ratio + float(record["delta"] or 0)) / (1 + ratio)


def test_each_number_is_recomputed_from_its_record():
    assert len(RECORDS) == len(deployments()) >= 20
    for record in RECORDS:
        (one,) = (one for one in deployments() if one.record == record["record"])
        assert {name: getattr(one, name) for name in record} == record
        assert expected(record) - 1e-9 <= one.attacker.right <= expected(record) + 6e-4
        assert (record["variant"] == "Zero-concentrated DP") == bool(record["rho"])
        assert (record["variant"] == "Approximate DP") == bool(record["delta"] and not record["rho"])
        assert record["state"] in ("Pending", "Draft")
    units = {one.unit for one in deployments() if one.protects == PERSON}
    assert units == {"User-level", "Person-level", "Person-level; housing-unit-level"}


def lines(html: str) -> list[str]:
    return [unescape(re.sub(r"<[^>]*>", "", one)) for one in re.findall(r"<li>(.*?)</li>", html)]


@pytest.mark.parametrize("unit", [PERSON, "party", "record", "event"])
@pytest.mark.parametrize("model", [CENTRAL, LOCAL])
def test_a_record_of_another_unit_or_trust_is_apart_and_marked(unit, model):
    drawn = shown.drawn(quick(PAGES[0]).page.label(quick(PAGES[0]).result).promise, unit, model)
    first, _, more = drawn.partition("<details>")
    for one in deployments():
        of_it = [line for line in lines(first if one.like(unit, model) else more) if one.name in line]
        assert len(of_it) == 1
        assert (shown.protected(one) in of_it[0]) == (not one.like(unit, model))
        right = one.attacker.right
        assert of_it[0].startswith(f"{at_most(right) if right <= 0.9995 else 100}\u00a0% ")
    assert len(lines(drawn)) == len(RECORDS) == drawn.count("<i ")
    assert not VERDICT.search(re.sub(r"<li>.*?</li>", "", drawn))


def test_every_page_with_a_guarantee_and_the_table_show_them():
    for page in PAGES:
        one = quick(page)
        said = one.page.view(one.result).words.get("guarantee", "")
        stated = one.page.label(one.result)
        assert ("lab-deployments" in said) == bool(stated.promise or page.name == "attack"), page.name
    found = unescape(page_deployments.table())
    assert all(one.source in found and one.name in found for one in deployments())
    assert not opened("deployments").exception
    assert not VERDICT.search(re.sub(r"<td>.*?</td>", "", found))
