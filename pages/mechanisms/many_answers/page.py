"""How the page of many answers differs from that of one number."""

from pages.mechanisms.many_answers import charts, texts
from pages.mechanisms.many_answers.result import ManyAnswersResult
from pages.mechanisms.page_shared import chart, main_choices
from ui.page.page import Content, Controls, always, listed
from ui.page.suggestion import Suggestion
from ui.page.view import Rows
from ui.session.slider_layout import SliderLayout

SLIDERS = SliderLayout(hero="noise_sd", play="questions", more=("delta", "seed"))


def main_charts(result: ManyAnswersResult) -> Rows:
    """Return the people beside the share recovered by the number of questions."""
    findings = texts.findings(result)
    people = charts.people(result, findings["people"])
    curve = charts.curve(result, findings["curve"])
    return [[chart(texts.ABOUT, "people", people), chart(texts.ABOUT, "curve", curve)]]


QUESTION = texts.SAYS["page.question"]
CONTROLS = Controls(
    choices=main_choices,
    sliders=always(SLIDERS),
    suggestion=Suggestion("questions", texts.SAYS["page.move"], low=1000),
)
CONTENT = Content(
    tiles=texts.numbers,
    texts={
        "verdict": texts.verdict,
        "caption": always(texts.SAYS["page.caption"]),
        "why": listed(texts.diagnostics),
        "guarantee": texts.guarantee,
    },
    charts=main_charts,
    lead=always(texts.SAYS["page.lead"]),
)
