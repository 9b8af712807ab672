"""What does the run cost, and who has proved it?"""

import streamlit as st

from dpcore.experiments.ledger import LedgerSettings
from ui import controls, live, panels
from ui.compute import SLICE_SECONDS, compute
from ui.figures import ledger as figures
from ui.figures import theme
from ui.sentences import ledger as say

RUN = ("sampling_rate", "steps", "delta")
ELSEWHERE = ("target_epsilon", "people", "settings_tried")
# While a slider moves: enough for the quick theorems and the exact figure of this run. Its curves follow at rest.
MOVING_SECONDS = 0.02


@st.fragment
def lab() -> None:
    """All that moves while a slider moves."""
    desk = controls.desk("ledger", LedgerSettings)
    settings = desk.settings
    # The first picture does not wait for the library of loss distributions: it is loaded for the next one.
    seconds = MOVING_SECONDS if desk.moving else SLICE_SECONDS
    result, done = compute(settings, seconds=seconds if desk.ack else 0)
    panels.stage(
        desk,
        verdict=say.verdict(result),
        pictures=pictures(result),
        cards=(
            (panels.WHY, panels.bullets(say.diagnostics(result))),
            ("What else moves the bill", panels.bullets(say.effects(result))),
            ("The guarantee", say.guarantee(result)),
            ("Two meanings of a neighbour", say.neighbours(result)),
        ),
        table=lambda: say.table(result),
        done=done,
        hero="noise_multiplier",
        main=(*RUN, *ELSEWHERE),
        changes=say.KNOBS,
    )


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


desk = controls.desk("ledger", LedgerSettings)
st.title("What does a run cost, and by which proof?")
st.markdown(
    "A model is trained in steps; each looks at a random sample and adds Gaussian noise, and each costs some privacy. "
    "**Drag the noise or the steps.** Every curve counts the *same* run: only the theorem differs."
)
panels.notices(desk.notices)
desk.choose("afterwards", "Then, with the released weights", say.AFTERWARDS, wide=True, help=say.AFTERWARDS_HELP)
panels.key((name, colour, say.LEGEND[dash]) for name, colour, dash in theme.THEOREMS.values())
result, done = compute(desk.settings, seconds=0)
desk.tell(done=done)
lab()
panels.foot(
    desk,
    verdict=say.verdict(result),
    done=done,
    module="dpcore.experiments.ledger",
    frames={"Curves": result.curves(), "Table": result.table(), "Effects": result.effects_table()},
    how_it_works=say.how_it_works,
)
