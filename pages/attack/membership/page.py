"""The page of membership inference."""

from pages.attack.membership import charts, texts
from pages.attack.membership.result import MembershipResult
from pages.attack.page_shared import HEIGHT, part_page, part_sliders
from ui.page.page import always
from ui.page.view import Rows
from ui.widgets import row


def membership_charts(result: MembershipResult) -> Rows:
    """Return members found, and the margins of private and of non-private models."""
    figures = {
        "roc": charts.roc(result),
        "margins.private": charts.margins(result, "private"),
        "margins.plain": charts.margins(result, "plain"),
    }
    return [row(texts.ABOUT, figures, height=HEIGHT, wide={"roc": 1.3})]


PAGE = part_page(
    texts,
    sliders=always(part_sliders("members")),
    charts=membership_charts,
    table=texts.table,
)
