"""How much can an attacker really learn?"""

from dataclasses import replace

from pages.attack import charts, texts
from pages.attack.fairness.page import PAGE as FAIRNESS
from pages.attack.inversion.page import PAGE as INVERSION
from pages.attack.membership.page import PAGE as MEMBERSHIP
from pages.attack.page_shared import HEIGHT, part_page
from pages.attack.result import OnePersonResult
from pages.attack.settings import AttackSettings
from ui.page.page import Page
from ui.page.view import Rows
from ui.session.slider_layout import SliderLayout
from ui.widgets import row

_MORE_SLIDERS = ("repeats", "delta", "steps", "learning_rate", "seed")
_REPEATS_SLIDER = {
    "label": "Models trained per data set",
    "scale": "log",
    "stops": 20,
    "help": texts.SAYS["repeats"],
}


def sliders(settings: AttackSettings) -> SliderLayout:
    """Return the sliders of the part on one person. Only an outlier is given a class."""
    more = list(_MORE_SLIDERS)
    if settings.who == "outlier":
        more.insert(0, "label")
    return SliderLayout(
        hero="epsilon",
        main=("person", "person_x", "person_y", "clip_norm"),
        more=more,
        changes={"repeats": _REPEATS_SLIDER},
    )


def one_person_charts(result: OnePersonResult) -> Rows:
    """Return the map, on which a click chooses the person, accuracy over epsilon, and scores."""
    figures = {
        "map": charts.people(result),
        "accuracy": charts.accuracy(result),
        "scores": charts.scores(result),
    }
    charts_of_row = row(
        texts.ABOUT,
        figures,
        height=HEIGHT,
        wide={"map": 1.25, "accuracy": 1.25},
        clicks={"map": charts.map_clicks(result)},
        pair={"map": True},
    )
    return [charts_of_row]


ONE_PERSON = part_page(texts, sliders=sliders, charts=one_person_charts)
_PAGES_OF_PARTS = {
    "person": ONE_PERSON,
    "membership": MEMBERSHIP,
    "fairness": FAIRNESS,
    "inversion": INVERSION,
}


def page_of(settings: AttackSettings) -> Page:
    """Return the page of the part that the settings choose."""
    return _PAGES_OF_PARTS[settings.part]


PAGE = replace(ONE_PERSON, variant=page_of)
