"""The best attacker as two rows of a hundred people, who agree with the tile."""

import math
import re

import numpy as np
import pytest
from scipy.special import ndtri

from dpcore.privacy import Adjacency, GaussianRelease, Guarantee
from lab.label.label import Stated
from pages.topics import PAGES
from tests.handouts import quick
from tests.sentences import plain
from ui.charts import attacker_icons
from ui.text import tiles

# Against Gaussian noise the best attacker is right with probability Phi(mu / 2).
ACCURACY = 0.63
NOISE_MULTIPLIER = 1 / (2 * ndtri(ACCURACY))
# Of two rows of a hundred people: how many are filled in each.
FILLED = [63, 37]
# Percentages are compared as sums of floating-point numbers.
ROUNDING_ERROR = 1e-6


def guarantee_with(**properties) -> Guarantee:
    """Return a guarantee of Gaussian noise whose best attacker has ``ACCURACY``."""
    fields = {"adjacency": Adjacency.ADD_REMOVE, "unit": "record", **properties}
    event = GaussianRelease(noise_multiplier=NOISE_MULTIPLIER)
    return Guarantee(epsilon=9.0, delta=1e-5, basis="a theorem", event=event, **fields)


def filled_people(html: str) -> list[int]:
    """Return how many people are filled in each row, after a check that all rows have a hundred."""
    filled = []
    for row in re.findall(r"<div aria-hidden=.*?</div>", html):
        assert row.count("<i>") == 100
        filled_part, _, _ = row.partition("<s>")
        filled.append(filled_part.count("<i>"))
    return filled


def numbers_in_sentences(html: str) -> list[int]:
    """Return the whole numbers that stand in bold in the HTML."""
    return [int(number) for number in re.findall(r"<b>(\d+)</b>", html)]


BOTH_ADJACENCIES = pytest.mark.parametrize(
    ("properties", "answer", "without_you"),
    [
        pytest.param({}, "in", "without you", id="one row more or less"),
        pytest.param(
            {"adjacency": Adjacency.REPLACE_ONE, "unit": "party"},
            "yours",
            "with another party",
            id="one party replaced",
        ),
    ],
)


@BOTH_ADJACENCIES
def test_sentences_say_what_the_rows_show(properties, answer, without_you):
    html = attacker_icons.icons(guarantee_with(**properties))

    first_row = rf"with you.*, the attacker says “{answer}” for at most 63\."
    second_row = rf" Of 100 releases {without_you}.* “{answer}” for 37\."
    assert re.search(first_row + second_row, plain(html))


@BOTH_ADJACENCIES
def test_rows_have_as_many_people_as_the_sentences_say(properties, answer, without_you):
    html = attacker_icons.icons(guarantee_with(**properties))

    assert filled_people(html) == FILLED
    assert numbers_in_sentences(html) == FILLED


@pytest.fixture(scope="module")
def settings():
    """Settings of a page that are not void."""
    first_page, *_ = PAGES
    return first_page.settings()


@BOTH_ADJACENCIES
def test_a_label_shows_the_icons_of_its_guarantee(settings, properties, answer, without_you):
    guarantee = guarantee_with(**properties)

    html = attacker_icons.icons_of_label(Stated(guarantee=guarantee), settings)

    assert html == attacker_icons.icons(guarantee)


@pytest.mark.parametrize(
    "stated",
    [
        pytest.param(Stated(), id="no guarantee"),
        pytest.param(Stated(guarantee=guarantee_with(), void="as published"), id="void"),
    ],
)
def test_a_label_without_a_valid_guarantee_shows_no_icons(settings, stated):
    assert attacker_icons.icons_of_label(stated, settings) == ""


def test_icons_and_tile_agree_and_never_understate_the_attacker():
    many = np.linspace(0.5, 1.0, 5001)
    about_a_whole_number = [0.63 + 1e-12, 0.63 - 1e-12]
    about_everybody = [0.9949, 0.99999]

    for accuracy in (*many, *about_a_whole_number, *about_everybody):
        people = attacker_icons.correct_of_hundred(accuracy)
        percent_of_tile = float(tiles.percent_rounded_up(accuracy))

        lowest = 100 * accuracy - ROUNDING_ERROR
        assert lowest <= people < 100 * accuracy + 1, accuracy
        assert people == math.ceil(percent_of_tile), accuracy
        assert lowest <= percent_of_tile, accuracy


def filled_by_tile(view) -> list[int]:
    """Return the people of both rows by the tile *Attacker right, at most*."""
    (percent,) = [tile.amount for tile in view.tiles if tile.label == "Attacker right, at most"]
    people = math.ceil(percent)
    return [people, 100 - people]


PAGES_WITH_A_GUARANTEE = [page for page in PAGES if page.name != "what-if"]
# On the page of attacks the icons are in the other part of the handout.
PAGES_WITH_ICONS_IN_THE_SHEET = [page for page in PAGES_WITH_A_GUARANTEE if page.name != "attack"]


@pytest.mark.parametrize("page", PAGES_WITH_A_GUARANTEE, ids=lambda page: page.name)
def test_a_page_draws_the_attacker_of_its_tile(page):
    view = page.view(quick(page).result)

    html = view.texts["guarantee"]
    assert filled_people(html) == filled_by_tile(view)
    assert numbers_in_sentences(html) == filled_by_tile(view)


@pytest.mark.parametrize("page", PAGES_WITH_ICONS_IN_THE_SHEET, ids=lambda page: page.name)
def test_the_first_sheet_of_a_handout_draws_the_attacker_of_the_tile(page):
    handout = quick(page)

    sheet, _, _ = handout.html().partition('<article class="more">')

    assert filled_people(sheet) == filled_by_tile(page.view(handout.result))
