"""How the page of the local model differs from that of one number."""

from typing import Any

from pages.mechanisms.local_model import charts, texts
from pages.mechanisms.local_model.result import LocalModelResult
from pages.mechanisms.page_shared import chart
from ui.page.page import GUARANTEE_TAB, WHY_TAB, Rows, SliderLayout, always, listed
from ui.page.suggestion import Suggestion

SLIDERS = SliderLayout(
    hero="epsilon", main=("respondents", "options", "true_share"), more=("seed",)
)


def main_charts(result: LocalModelResult) -> Rows:
    """Return the estimated shares beside the error by the number of people."""
    findings = texts.findings(result)
    shares = charts.shares(result, findings["shares"])
    errors = charts.errors(result, findings["local_errors"])
    return [[chart(texts.ABOUT, "shares", shares), chart(texts.ABOUT, "local_errors", errors)]]


DIFFERENCES: dict[str, Any] = {
    "asks": False,
    "question": texts.SAYS["page.question"],
    "more": None,
    "lead": always(texts.SAYS["page.lead"]),
    "move": Suggestion("epsilon", texts.SAYS["page.move"], low=5),
    "numbers": texts.numbers,
    "sliders": always(SLIDERS),
    "words": {
        "verdict": texts.verdict,
        "caption": always(texts.SAYS["page.caption"]),
        "why": listed(texts.diagnostics),
        "guarantee": texts.guarantee,
    },
    "pictures": main_charts,
    "tabs": (WHY_TAB, GUARANTEE_TAB),
}
