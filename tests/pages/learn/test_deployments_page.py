"""The page of releases in use shows what each record states, without a verdict."""

import re
from html import unescape

from lab.label.deployments import deployments
from pages.learn import page_deployments
from tests.app import opened
from ui.text.tiles import percent_rounded_up

VERDICT = re.compile(
    r"\b(fine|safe|enough for|acceptable|reasonable|good|common|usual|better than|worse than)\b",
    re.I,
)


def accuracy_text(accuracy: float) -> str:
    """Return an attacker's accuracy as the table writes it: in percent, rounded up."""
    percent = 100
    if accuracy <= 0.9995:
        percent = percent_rounded_up(accuracy)
    return f"{percent}\u00a0%"


def test_the_table_shows_every_record_with_its_unit_trust_and_attacker():
    table = unescape(page_deployments.table())

    for one in deployments():
        assert one.source in table
        assert one.name in table
        assert page_deployments.protected(one) in table
        assert accuracy_text(one.attacker.right) in table


def test_the_table_passes_no_verdict_outside_of_its_records():
    table = unescape(page_deployments.table())

    without_cells = re.sub(r"<td>.*?</td>", "", table)

    assert not VERDICT.search(without_cells)


def test_the_page_opens():
    assert not opened("deployments").exception
