"""The page of model inversion."""

from pages.attack.inversion import charts, texts
from pages.attack.inversion.result import InversionResult
from pages.attack.page_shared import HEIGHT, part_page, part_sliders
from ui.page.page import always
from ui.page.view import Rows
from ui.widgets import row


def inversion_charts(result: InversionResult) -> Rows:
    """Return the reconstructions without and with privacy."""
    figures = {
        "pictures.without": charts.pictures(result, private=False),
        "pictures.with": charts.pictures(result, private=True),
    }
    return [row(texts.ABOUT, figures, height=HEIGHT)]


PAGE = part_page(texts, sliders=always(part_sliders("label")), charts=inversion_charts)
