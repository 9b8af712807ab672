"""The privacy label of accounting, for a run like the one described; no data are read."""

from lab.label import Stated
from pages.ledger.experiment import LedgerResult
from ui.texts import labels

_SAYS = labels("ledger")


def label(result: LedgerResult) -> Stated:
    return Stated(promise=result.held, said=_SAYS["said"])
