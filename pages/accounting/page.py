"""How much privacy does a training run spend?"""

from pages.accounting import figures, words_searches
from pages.accounting import words as say
from pages.accounting import words_statements as stated
from pages.accounting.experiment import AccountingSettings
from ui import controls, labels, live
from ui.page import GUARANTEE_TAB, WHY_TAB, Knobs, Page, Slices, Tab, always, listed

HEIGHT = 455
MAIN = ("steps", "sampling_rate", "delta", "target_epsilon")
MORE = ("people", "settings_tried")


def setup(desk: controls.Desk) -> None:
    """The choices that make another experiment."""
    desk.choose("afterwards", "Post-processing", say.SHORT, wide=True, help=say.AFTERWARDS_HELP)


def pictures(result) -> list[list[live.Picture]]:
    """Epsilon by steps, and what else changes it."""
    steps = _picture("steps", figures.over_steps, result, wide=1.6)
    return [[steps, _picture("effects", figures.effects, result)]]


def over_noise(result) -> list[list[live.Picture]]:
    """Epsilon by noise, by all accountants."""
    return [[_picture("noise", figures.over_noise, result)]]


def searches(result) -> list[list[live.Picture]]:
    """The cost of having tried several configurations."""
    return [[_picture("searches", figures.searches, result)]]


def statements(result) -> list[list[live.Picture]]:
    """The moments and their bound, and the constant that each theorem takes."""
    return [
        [
            _picture("constants", figures.constants, result),
            _picture("moments", figures.moments, result),
        ]
    ]


def _picture(name: str, draw, result, **more) -> live.Picture:
    figure = draw(result, (say.FINDINGS | stated.FINDINGS)[name](result))
    return live.Picture(name=name, figure=figure, about=say.ABOUT[name], height=HEIGHT, **more)


PAGE = Page(
    name="accounting",
    title="Privacy accounting",
    icon=":material/receipt_long:",
    group="Privacy",
    about="Compare privacy accountants",
    question="How much privacy does a training run spend?",
    settings=AccountingSettings,
    label=labels.of("accounting", promise=lambda result: result.held),
    setup=setup,
    lead=always(say.INTRODUCTION),
    numbers=say.numbers,
    knobs=always(Knobs(hero="noise_multiplier", main=MAIN, more=MORE, changes=say.KNOBS)),
    words={
        "verdict": say.verdict,
        "caption": say.caption,
        "why": listed(say.diagnostics),
        "guarantee": say.guarantee,
        "neighbours": say.neighbours,
        "effects": listed(say.effects),
        "searches": words_searches.searches,
        "table": say.table,
        "statements": stated.statements,
    },
    pictures=pictures,
    # The first picture does not wait for the library of loss distributions: it is loaded for the next one. While a
    # slider moves: enough for the quick theorems and the exact figure of this run; its curves follow at rest.
    slices=Slices(first=0, moving=0.02),
    tabs=(
        WHY_TAB,
        GUARANTEE_TAB,
        Tab("effects", "Adjacency, groups, tuning", ("effects", "neighbours")),
        Tab("searches", "Hyperparameter tuning", ("searches",), searches),
        Tab("table", "Accountants", ("table",), over_noise),
        Tab("statements", "Theorems", ("statements",), statements),
    ),
    frames=lambda result: {
        "Curves": result.curves,
        "Table": result.table,
        "Effects": result.effects_table,
        "Searches": result.searches_table,
        "Statements": lambda: result.statements.table,
        "Moments": lambda: result.statements.moments,
    },
)
