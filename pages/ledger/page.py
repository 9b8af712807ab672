"""What does a run cost, and by which proof?"""

from pages.ledger import figures
from pages.ledger import words as say
from pages.ledger.experiment import LedgerSettings
from ui import controls, live
from ui.page import GUARANTEE_TAB, WHY_TAB, Knobs, Page, Slices, Tab, always, listed

RUN = ("sampling_rate", "steps", "delta")
ELSEWHERE = ("target_epsilon", "people", "settings_tried")


def pictures(result) -> list[list[live.Picture]]:
    """The bill over steps and over noise, and under them what else changes it."""
    steps, noise, effects = figures.over_steps(result), figures.over_noise(result), figures.effects(result)
    return [
        [
            live.Picture(name="steps", figure=steps, alt=say.curve_alt(result, "steps"), height=380),
            live.Picture(name="noise", figure=noise, alt=say.curve_alt(result, "noise"), height=380),
        ],
        [live.Picture(name="effects", figure=effects, alt=say.effects_alt(result), height=330)],
    ]


def setup(desk: controls.Desk) -> None:
    """The choices that make another experiment."""
    desk.choose("afterwards", "Then, with the released weights", say.AFTERWARDS, wide=True, help=say.AFTERWARDS_HELP)


def more(result) -> list[list[live.Picture]]:
    """The charts below the first screen."""
    return pictures(result)[1:]


PAGE = Page(
    name="ledger",
    title="Budget",
    icon=":material/receipt_long:",
    group="Promise",
    about="What a whole training spends",
    question="What does a run cost, and by which proof?",
    settings=LedgerSettings,
    setup=setup,
    lead=always(
        "A model is trained in steps. Each looks at a random sample, adds Gaussian noise, and costs some privacy. "
        "**Drag the noise or the steps.** Every curve counts the *same* run; only the theorem differs."
    ),
    numbers=always(()),
    knobs=always(Knobs(hero="noise_multiplier", main=(*RUN, *ELSEWHERE), changes=say.KNOBS)),
    words={
        "verdict": say.verdict,
        "why": listed(say.diagnostics),
        "effects": listed(say.effects),
        "guarantee": say.guarantee,
        "neighbours": say.neighbours,
        "table": say.table,
    },
    pictures=lambda result: pictures(result)[:1],
    # The first picture does not wait for the library of loss distributions: it is loaded for the next one. While a
    # slider moves: enough for the quick theorems and the exact figure of this run; its curves follow at rest.
    slices=Slices(first=0, moving=0.02),
    tabs=(
        WHY_TAB,
        Tab("effects", "What else moves the bill", ("effects",)),
        GUARANTEE_TAB,
        Tab("neighbours", "Two meanings of a neighbour", ("neighbours",)),
        Tab("more", "More charts", pictures=more),
        Tab("table", "Table", ("table",)),
    ),
    frames=lambda result: {"Curves": result.curves, "Table": result.table, "Effects": result.effects_table},
)
