"""The page of fairness."""

from pages.attack.fairness import charts, texts
from pages.attack.fairness.result import FairnessResult
from pages.attack.page_shared import HEIGHT, part_page, part_sliders
from ui.page.page import always
from ui.page.view import Rows
from ui.widgets import row


def fairness_charts(result: FairnessResult) -> Rows:
    """Return the accuracy of both groups over epsilon, and the gap of their costs."""
    figures = {"groups": charts.groups(result), "gap": charts.gap(result)}
    return [row(texts.ABOUT, figures, height=HEIGHT)]


PAGE = part_page(texts, sliders=always(part_sliders("minority")), charts=fairness_charts)
