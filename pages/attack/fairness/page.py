"""The page of fairness."""

from pages.attack.fairness import charts, texts
from pages.attack.fairness.result import FairnessResult
from pages.attack.fairness.tasks import GROUPS
from pages.attack.page_shared import chart, part_page, part_sliders
from pages.attack.settings import AttackSettings
from ui.page.view import Rows
from ui.session.slider_layout import SliderLayout


def sliders(settings: AttackSettings) -> SliderLayout:
    """Return the sliders of the part."""
    return part_sliders("minority")


def fairness_charts(result: FairnessResult) -> Rows:
    """Return accuracy over epsilon, and by class for each group."""
    row = [chart(texts.ABOUT, "groups", charts.groups(result), wide=1.5)]
    for group, name in enumerate(GROUPS):
        row.append(chart(texts.ABOUT, f"classes.{name}", charts.by_class(result, group)))
    return [row]


PAGE = part_page(
    lead=texts.lead,
    tiles=texts.numbers,
    verdict=texts.verdict,
    caption=texts.caption,
    why=texts.diagnostics,
    guarantee=texts.guarantee,
    table=texts.table,
    sliders=sliders,
    charts=fairness_charts,
)
