"""The attacker as two rows of a hundred people: they agree with the tile and never understate the attacker."""

import math
import re
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.special import ndtri

from dpcore.privacy import Adjacency, GaussianRelease, Guarantee, PureRelease
from lab.label import Stated
from pages.classifier.experiment import ClassifierSettings
from pages.table import PAGES
from tests.handouts import quick
from tests.sentences import plain
from ui import hundred, panels

SHARES = [*np.linspace(0.5, 1.0, 5001), 0.63 + 1e-12, 0.63 - 1e-12, 0.9949, 0.99999]


def held(adjacency=Adjacency.ADD_REMOVE, unit="record", right=0.63):
    """A guarantee whose best attacker is right this often: Phi(mu/2)."""
    event = GaussianRelease(noise_multiplier=1 / (2 * ndtri(right))) if right > 0.5 else PureRelease(epsilon=1e-9)
    return Guarantee(epsilon=9.0, delta=1e-5, adjacency=adjacency, unit=unit, basis="a theorem", event=event)


def counted(html):
    """(filled people, all people, the two numbers in words) of each row."""
    html = html.partition('<div class="lab-deployments">')[0]
    rows = re.findall(r"<div aria-hidden=.*?</div>", html)
    inside = [(row.partition("<s>")[0].count("<i>"), row.count("<i>")) for row in rows]
    return inside, [int(one) for one in re.findall(r"<b>(\d+)</b>", html)]


@pytest.mark.parametrize(
    ("adjacency", "unit", "first", "second", "word"),
    [
        (Adjacency.ADD_REMOVE, "record", "with you", "without you", "in"),
        (Adjacency.REPLACE_ONE, "record", "with your row", "with another row in its place", "yours"),
        (Adjacency.REPLACE_ONE, "party", "with your party", "with another party in its place", "yours"),
    ],
)
def test_words_say_what_is_drawn(adjacency, unit, first, second, word):
    html = hundred.drawn(held(adjacency, unit))
    assert f"Of 100 releases {first}, the attacker says “{word}” for at most 63." in plain(html)
    assert f"Of 100 releases {second}, they say “{word}” for 37." in plain(html)
    assert counted(html) == ([(63, 100), (37, 100)], [63, 37])
    assert "Neither row has an error." in plain(hundred.drawn(held(adjacency, unit, 0.9999)))


def test_the_people_agree_with_the_tile_and_never_understate_the_attacker():
    for right in SHARES:
        people, tile = hundred.people(right), float(panels.at_most(right))
        assert 100 * right - 1e-6 <= people < 100 * right + 1
        assert people == math.ceil(tile)
        assert 100 * right - 1e-6 <= tile


def test_label_decides_whose_attacker_is_drawn_and_nothing_is_where_nothing_holds():
    result = SimpleNamespace(settings=ClassifierSettings())
    assert hundred.stated(Stated(promise=held()), result) == hundred.drawn(held())
    assert hundred.stated(Stated(), result) == hundred.stated(Stated(promise=held(), void="as published"), result) == ""


@pytest.mark.parametrize("page", [page for page in PAGES if page.name != "what-if"], ids=lambda page: page.name)
def test_every_guarantee_draws_the_attacker_of_the_tile(page):
    """In the tab, and on the sheet of the handout where the page promises something itself."""
    one = quick(page)
    view = page.view(one.result)
    ((tile,),) = ([number.amount] for number in view.numbers if number.label == "Attacker's accuracy, at most")
    people = math.ceil(tile)
    assert counted(view.words["guarantee"]) == ([(people, 100), (100 - people, 100)], [people, 100 - people])
    if page.name != "attack":
        sheet = one.html().partition('<article class="more">')[0]
        assert counted(sheet)[0] == [(people, 100), (100 - people, 100)]
