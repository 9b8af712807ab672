"""The page of model inversion."""

from pages.attack.inversion import charts, texts
from pages.attack.inversion.result import InversionResult
from pages.attack.page_shared import chart, part_page, part_sliders
from pages.attack.settings import AttackSettings
from ui.page.view import Rows
from ui.session.slider_layout import SliderLayout


def sliders(settings: AttackSettings) -> SliderLayout:
    """Return the sliders of the part."""
    return part_sliders("label")


def inversion_charts(result: InversionResult) -> Rows:
    """Return the reconstructions without and with privacy, and their match over epsilon."""
    about = texts.ABOUT
    plain = chart(about, "pictures.without", charts.pictures(result, private=False))
    private = chart(about, "pictures.with", charts.pictures(result, private=True))
    return [[plain, private, chart(about, "match", charts.match(result), wide=1.2)]]


PAGE = part_page(
    lead=texts.lead,
    tiles=texts.numbers,
    verdict=texts.verdict,
    caption=texts.caption,
    why=texts.diagnostics,
    guarantee=texts.guarantee,
    table=texts.table,
    sliders=sliders,
    charts=inversion_charts,
)
