"""How the page of the local model differs from that of one number."""

from pages.mechanisms.local_model import charts, texts
from pages.mechanisms.local_model.result import LocalModelResult
from pages.mechanisms.page_shared import HEIGHT, main_choices, make_content
from ui.page.page import Controls, always
from ui.page.suggestion import Suggestion
from ui.page.view import Rows
from ui.session.slider_layout import SliderLayout
from ui.widgets import row

SLIDERS = SliderLayout(
    hero="epsilon", main=("respondents", "options", "true_share"), more=("seed",)
)


def main_charts(result: LocalModelResult) -> Rows:
    """Return the estimated shares beside the error by the number of people."""
    figures = {
        "shares": charts.shares(result, texts.shares_finding(result)),
        "local_errors": charts.errors(result, texts.errors_finding(result)),
    }
    return [row(texts.ABOUT, figures, height=HEIGHT)]


QUESTION = texts.SAYS["page.question"]
CONTROLS = Controls(
    choices=main_choices,
    sliders=always(SLIDERS),
    suggestion=Suggestion("epsilon", texts.SAYS["page.move"], low=5),
)
CONTENT = make_content(texts, main_charts)
