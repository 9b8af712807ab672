"""How much privacy does a training run spend?"""

from collections.abc import Callable

from pages.accounting import charts, texts_tuning
from pages.accounting import texts as say
from pages.accounting.experiment import AccountingSettings
from pages.accounting.result import AccountingResult
from ui import widgets
from ui.page.page import GUARANTEE_TAB, WHY_TAB, Knobs, Page, Rows, Slices, Tab, always, listed
from ui.page.suggestion import Move
from ui.session import page_state
from ui.text import labels

HEIGHT = 490
MAIN = ("steps", "sampling_rate", "delta", "target_epsilon")
MORE = ("people", "settings_tried")
DRAWN = {
    "steps": charts.over_steps,
    "effects": charts.effects,
    "noise": charts.over_noise,
    "searches": charts.searches,
}


def setup(desk: page_state.Desk) -> None:
    """Show the choices that make another experiment."""
    desk.choose("afterwards", "Post-processing", say.SHORT, wide=True, help=say.AFTERWARDS_HELP)


def row(*names: str, wide: float = 1.0) -> Callable[[AccountingResult], Rows]:
    """Return a function that draws these pictures of a result side by side; ``wide``: the share of
    the first one.
    """

    def draw(result: AccountingResult) -> Rows:
        drawn = {name: DRAWN[name](result, say.FINDINGS[name](result)) for name in names}
        return [widgets.row(say.ABOUT, drawn, height=HEIGHT, wide={names[0]: wide})]

    return draw


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
    move=Move("sampling_rate", say.SAYS["move"], low=1),
    numbers=say.numbers,
    knobs=always(Knobs(hero="noise_multiplier", main=MAIN, more=MORE, changes=say.KNOBS)),
    words={
        "verdict": say.verdict,
        "why": listed(say.diagnostics),
        "guarantee": say.guarantee,
        "neighbours": say.neighbours,
        "effects": listed(say.effects),
        "searches": texts_tuning.searches,
        "table": say.table,
    },
    pictures=row("steps", "effects", wide=1.6),
    # The first picture does not wait for the library of loss distributions: it is loaded for the
    # next one. While a slider moves: enough for the quick theorems and the exact figure of this
    # run; its curves follow at rest.
    slices=Slices(first=0, moving=0.02),
    tabs=(
        WHY_TAB,
        GUARANTEE_TAB,
        Tab(
            "effects",
            "Adjacency, groups, tuning",
            ("effects", "neighbours", "searches"),
            row("searches"),
        ),
        Tab("table", "Accountants", ("table",), row("noise")),
    ),
    frames=lambda result: {
        "Table": result.table,
        "Curves": result.curves,
    },
)
