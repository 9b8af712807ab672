"""How the page of the local model differs from that of one number."""

from pages.mechanisms.local_model import charts, texts
from pages.mechanisms.local_model.result import LocalModelResult
from pages.mechanisms.page_shared import chart, main_choices
from ui.page.page import Content, Controls, always, listed
from ui.page.suggestion import Suggestion
from ui.page.view import Rows
from ui.session.slider_layout import SliderLayout

SLIDERS = SliderLayout(
    hero="epsilon", main=("respondents", "options", "true_share"), more=("seed",)
)


def main_charts(result: LocalModelResult) -> Rows:
    """Return the estimated shares beside the error by the number of people."""
    findings = texts.findings(result)
    shares = charts.shares(result, findings["shares"])
    errors = charts.errors(result, findings["local_errors"])
    return [[chart(texts.ABOUT, "shares", shares), chart(texts.ABOUT, "local_errors", errors)]]


QUESTION = texts.SAYS["page.question"]
CONTROLS = Controls(
    choices=main_choices,
    sliders=always(SLIDERS),
    suggestion=Suggestion("epsilon", texts.SAYS["page.move"], low=5),
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
