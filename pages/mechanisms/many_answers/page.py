"""How the page of many answers differs from that of one number."""

from pages.mechanisms.many_answers import charts, texts
from pages.mechanisms.many_answers.result import ManyAnswersResult
from pages.mechanisms.page_shared import HEIGHT, main_choices, make_content
from ui.page.page import Controls, always
from ui.page.suggestion import Suggestion
from ui.page.view import Rows
from ui.session.slider_layout import SliderLayout
from ui.widgets import row

SLIDERS = SliderLayout(hero="noise_sd", play="questions", more=("delta", "seed"))


def main_charts(result: ManyAnswersResult) -> Rows:
    """Return the people beside the share recovered by the number of questions."""
    figures = {
        "people": charts.people(result, texts.people_finding(result)),
        "curve": charts.curve(result, texts.curve_finding(result)),
    }
    return [row(texts.ABOUT, figures, height=HEIGHT)]


QUESTION = texts.SAYS["page.question"]
CONTROLS = Controls(
    choices=main_choices,
    sliders=always(SLIDERS),
    suggestion=Suggestion("questions", texts.SAYS["page.move"], low=1000),
)
CONTENT = make_content(texts, main_charts)
