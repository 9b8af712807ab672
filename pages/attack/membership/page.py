"""The page of membership inference."""

from pages.attack.membership import charts, texts
from pages.attack.membership.result import ARMS, MembershipResult
from pages.attack.page_shared import chart, part_page, part_sliders
from pages.attack.settings import AttackSettings
from ui.page.view import Rows
from ui.session.slider_layout import SliderLayout


def sliders(settings: AttackSettings) -> SliderLayout:
    """Return the sliders of the part."""
    return part_sliders("members")


def membership_charts(result: MembershipResult) -> Rows:
    """Return members found, and the margins of private and of non-private models."""
    row = [chart(texts.ABOUT, "roc", charts.roc(result), wide=1.3)]
    for arm in ARMS:
        row.append(chart(texts.ABOUT, f"margins.{arm}", charts.margins(result, arm)))
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
    charts=membership_charts,
)
