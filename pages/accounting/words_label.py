"""The privacy label of accounting, for a run like the one described; no data are read."""

from lab.label import Stated
from pages.accounting.result import AccountingResult
from ui.texts import labels

_SAYS = labels("accounting")


def label(result: AccountingResult) -> Stated:
    return Stated(promise=result.held, said=_SAYS["said"])
