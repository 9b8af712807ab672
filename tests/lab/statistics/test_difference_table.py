"""The table that a page shows of two settings: what differs, both results, and the difference."""

import re

import numpy as np
import pytest

from lab.statistics.differences import of_groups, of_pairs
from pages.classifier.settings import ClassifierSettings
from tests.sentences import plain
from ui.page.differences import (
    RunDifference,
    difference_sentence,
    rows_html,
    settings_rows,
    shown_difference,
    table,
    tile_rows,
)
from ui.text.tiles import Tile

SHARE = ClassifierSettings().experiment.measures["scratch"]
# Runs whose paired difference is not the difference of their medians.
A = np.array([0.5, 0.52, 0.55, 0.6, 0.61, 0.62, 0.63])
B = A + np.array([0.1, 0.105, 0.1, 0.02, 0.13, 0.105, 0.2])

ACCURACY, PUBLISHED = (
    Tile(head, text, amount=amount, unit="points")
    for head, text, amount in (("Accuracy", "91 %", 91), ("As published", "87.4\u00a0%", 87.4))
)
INTERVAL_NOW, INTERVAL_THEN = (
    Tile("90 %", text)
    for text in ("85 <small>to</small> 95\u00a0%", "69 <small>to</small> 94\u00a0%")
)
ATTACKER = Tile("Attacker", '<b class="lab-odds">53\u00a0%</b>', amount=53.0)


def accuracy_tiles(runs):
    """Return a list with the tile that states the median of runs as accuracy."""
    percent = round(100 * np.median(runs))
    return [Tile("Accuracy", f"{percent} %", amount=percent, unit="points")]


def row_of(difference=None):
    """Return the row of accuracy of the runs A and B, with their difference if there is one."""
    known = None
    if difference is not None:
        known = RunDifference(difference, SHARE, float(np.median(A)), float(np.median(B)))
    (row,) = tile_rows(accuracy_tiles(A), accuracy_tiles(B), known)
    return row


def changed_settings_rows():
    """Return the rows for settings that differ in epsilon and in the data set."""
    a, b = ClassifierSettings(epsilon=2.0), ClassifierSettings(dataset="moons")
    return settings_rows(a, b, lambda name, value: (name, f"<{value}>"))


def test_the_table_states_the_difference_of_the_sentence():
    found = of_pairs(A, B)
    said = plain(difference_sentence(found, SHARE))

    gap = re.search(r"is ([\d.]+) points lower in A \(median of 7 paired", said)[1]

    assert row_of(found) == ("Accuracy", "60", "65", f"−{gap} in pairs")


def test_without_a_difference_of_runs_the_table_states_that_of_the_medians():
    assert row_of()[-1] == "−5"


def test_the_difference_of_groups_is_that_of_the_medians():
    assert row_of(of_groups(A, B))[-1] == "−5"


def test_only_settings_that_differ_have_a_row():
    assert changed_settings_rows() == [
        ("dataset", "<gaussians>", "<moons>", ""),
        ("epsilon", "<2.0>", "<0.5>", ""),
    ]


@pytest.mark.parametrize(
    ("now", "then", "row"),
    [
        pytest.param([ACCURACY], [PUBLISHED], ("Accuracy", "91", "87.4", "+3.6"), id="numbers"),
        pytest.param(
            [INTERVAL_NOW], [INTERVAL_THEN], ("90 %", "85–95", "69–94", ""), id="intervals"
        ),
        pytest.param([ATTACKER], [], ("Attacker", "53", "–", ""), id="missing"),
    ],
)
def test_a_tile_is_beside_the_one_in_its_place(now, then, row):
    assert tile_rows(now, then, None) == [row]


def test_a_difference_has_the_decimals_of_the_finer_number():
    assert shown_difference("52", "85.5") == "−33.5"


class TestTable:
    html = table(rows_html(changed_settings_rows()[:1]), rows_html([row_of()]), "Said.")

    def test_the_table_of_differences_has_heads_rows_and_the_sentence(self):
        words = " ".join(plain(self.html).split())

        assert words == ("A now B pinned A − B dataset <gaussians> <moons> Accuracy 60 65 −5 Said.")

    def test_heads_of_rows_and_of_columns_are_marked(self):
        assert self.html.count('scope="row"') == 2
        assert self.html.count('scope="col"') == 3
