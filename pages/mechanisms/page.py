"""What does one released number reveal about you?"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pages.mechanisms import charts as figures
from pages.mechanisms import texts as say
from pages.mechanisms import texts_tables
from pages.mechanisms.experiment import (
    COUNT_NOISES,
    NUMBER_MECHANISMS,
    RELEASED,
    MechanismsSettings,
)
from pages.mechanisms.local_model import charts as figures_local
from pages.mechanisms.local_model import texts as words_local
from pages.mechanisms.many_answers import charts as figures_many
from pages.mechanisms.many_answers import texts as words_many
from ui import widgets
from ui.page.page import (
    GUARANTEE_TAB,
    WHY_TAB,
    Page,
    Rows,
    SliderLayout,
    Tab,
    always,
    listed,
    noted,
)
from ui.page.suggestion import Suggestion
from ui.session import page_state
from ui.text import labels

HEIGHT = 455
MAIN = ("prior", "sensitivity", "delta")
MORE = ("value", "lead", "options", "seed")
SHORT = dict(zip(NUMBER_MECHANISMS, ("Laplace", "Gaussian", "Textbook"), strict=True))
VOTES = {"leader": "the leader", "runner-up": "the runner-up", "last": "the last"}
ABOUT = say.ABOUT | words_many.ABOUT | words_local.ABOUT
DRAWN: dict[str, Callable[..., dict]] = {
    "release": figures.release,
    "posterior": figures.posterior,
    "trade": figures.trade_off,
    "profile": figures.profile,
    "errors": figures.errors,
    "dots": figures.dots,
    "formulas": figures.formulas,
    "choice": figures.choice,
    "people": figures_many.people,
    "curve": figures_many.curve,
    "shares": figures_local.shares,
    "local_errors": figures_local.errors,
}


def setup(state: page_state.PageState) -> None:
    """Show the choices that make another mechanism, or ask many questions."""
    state.choose("answers", "Released", RELEASED, wide=True, help=say.RELEASED_HELP)
    if state.settings.answers == "one":
        state.choose("mechanism", "Mechanism", SHORT, wide=True, help=say.MECHANISMS_HELP)


def more(state: page_state.PageState) -> None:
    """Show the selectors in *More settings*."""
    state.choose("vote", "Your vote", VOTES)
    state.choose("noise", "Noise on counts", COUNT_NOISES)


def row(
    *names: str,
    height: int = 360,
    first_wide: float = 1.0,
    findings: Callable[[Any], dict[str, str]] = say.findings,
) -> Callable[[Any], Rows]:
    """Return a function that draws these pictures of a result side by side."""

    def draw(result: Any) -> Rows:
        found = findings(result)
        drawn = {name: DRAWN[name](result, found[name]) for name in names}
        return [widgets.row(ABOUT, drawn, height=height, wide={names[0]: first_wide})]

    return draw


ONE = Page(
    name="mechanisms",
    title="Noise mechanisms",
    icon=":material/casino:",
    group="Privacy",
    about="What one released number reveals",
    question="What does one released number reveal about you?",
    settings=MechanismsSettings,
    label=labels.label_of("mechanisms", guarantee=lambda result: result.claim.guarantee),
    setup=setup,
    more=more,
    lead=always(say.INTRODUCTION),
    move=Suggestion("epsilon", say.SAYS["move"], low=5),
    numbers=say.numbers,
    sliders=always(SliderLayout(hero="epsilon", main=MAIN, more=MORE, play="epsilon")),
    words={
        "verdict": say.verdict,
        "caption": say.caption,
        "release": noted(say.this_release),
        "why": listed(say.diagnostics),
        "guarantee": say.guarantee,
        "table": texts_tables.table,
        "formulas": texts_tables.formulas,
        "choice": say.choosing,
    },
    pictures=row("release", "posterior", height=HEIGHT, first_wide=1.6),
    tabs=(
        WHY_TAB._replace(words=("release", "why")),
        Tab("guarantee", "Guarantee", ("guarantee",), row("trade", "profile")),
        Tab("table", "Compare mechanisms", ("table",), row("errors", "dots")),
        Tab("formulas", "Formulas", ("formulas",), row("formulas")),
        Tab("choice", "Private selection", ("choice",), row("choice")),
    ),
    frames=lambda result: {
        "Table": result.table,
        "Trade-off": lambda: result.trade_off,
    },
)


def variant(say: Any, sliders: SliderLayout, *names: str, move: Suggestion) -> Page:
    """Return the page as it is where something else is released: ``say``, its module of words; two
    pictures.
    """
    return replace(
        ONE,
        asks=False,
        label=labels.label_of("mechanisms", guarantee=lambda result: result.guarantee),
        question=say.SAYS["page.question"],
        more=None,
        lead=always(say.SAYS["page.lead"]),
        move=move,
        numbers=say.numbers,
        sliders=always(sliders),
        words={
            "verdict": say.verdict,
            "caption": always(say.SAYS["page.caption"]),
            "why": listed(say.diagnostics),
            "guarantee": say.guarantee,
        },
        pictures=row(*names, height=HEIGHT, findings=say.findings),
        tabs=(WHY_TAB, GUARANTEE_TAB),
        frames=lambda result: result.frames(),
    )


MANY = variant(
    words_many,
    SliderLayout(hero="noise_sd", play="questions", more=("delta", "seed")),
    *("people", "curve"),
    move=Suggestion("questions", words_many.SAYS["page.move"], low=1000),
)
LOCAL = variant(
    words_local,
    SliderLayout(hero="epsilon", main=("respondents", "options", "true_share"), more=("seed",)),
    *("shares", "local_errors"),
    move=Suggestion("epsilon", words_local.SAYS["page.move"], low=5),
)
_BY_ANSWERS = {"one": ONE, "many": MANY, "local": LOCAL}
PAGE = replace(ONE, variant=lambda settings: _BY_ANSWERS[settings.answers])
