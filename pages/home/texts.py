"""Sentences of the home page: what the spy can tell, the limit for any spy, and the cost."""

from pages.home import tasks
from pages.home.charts import SAYS
from pages.home.result import DOTS, PersonResult
from pages.home.settings import DELTA
from ui.text import numbers
from ui.text.tiles import Tile, percent, percent_rounded_up

# A spy who tosses a coin is right so often in 100 guesses.
COIN = 50


def tiles(result: PersonResult) -> tuple[Tile, Tile]:
    """Return how often the spy and the model are right, each with a bar from 50 to 100."""
    limit = percent_rounded_up(result.limit)
    reference = percent(result.reference, digits=1)
    spy = Tile(
        SAYS["tiles.spy"],
        SAYS("tiles.spy_value", right=result.right_guesses),
        SAYS("tiles.spy_limit", limit=limit),
        tone="bound",
        amount=float(result.right_guesses),
        mark=_bar(result.right_guesses / 100, result.limit),
        about=SAYS("tiles.spy_about", name=result.name),
    )
    model = Tile(
        SAYS["tiles.model"],
        percent(result.accuracy, digits=1),
        SAYS("tiles.model_reference", reference=reference),
        tone="private",
        amount=round(100 * result.accuracy, 1),
        mark=_bar(result.accuracy, result.reference),
        about=SAYS["tiles.model_about"],
    )
    return spy, model


def _bar(share: float, most: float) -> str:
    """Return a bar from 50 to 100 %, with a mark at ``most`` (HTML)."""
    return (
        f'<i class="lab-bar marked"><i style="width:{_width(share):.3g}%"></i>'
        f'<b style="left:{_width(most):.3g}%"></b></i>'
    )


def _width(share: float) -> float:
    """Return the length of a bar from 50 to 100 %, in percent."""
    return min(100.0, max(0.0, 200 * (share - 0.5)))


def verdict(result: PersonResult) -> str:
    """Return what the spy gains over a coin, and what privacy costs (HTML)."""
    more = result.right_guesses - COIN
    spy = SAYS["verdict.coin"]
    if more > 0:
        spy = SAYS("verdict.finds", more=more)
    price = SAYS["verdict.free"]
    if result.cost > 0:
        price = SAYS("verdict.costs", cost=points(result.cost))
    return f"{spy} {price}"


def points(cost: float) -> str:
    """Return a cost as "0.5 points"."""
    word = "points"
    if cost == 1:
        word = "point"
    return f"{cost:.1f} {word}"


def caption(result: PersonResult) -> str:
    """Return what the dots stand for, and the terms of the guarantee."""
    pairs = len(result.pairs.accuracy)
    return SAYS(
        "caption",
        each=pairs // DOTS,
        models=2 * pairs,
        lines=tasks.LINES,
        name=result.name,
        delta=numbers.delta(DELTA),
    )
