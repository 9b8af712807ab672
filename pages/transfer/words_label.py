"""The privacy label of the transfer alone."""

from lab.label import Stated
from lab.own_settings import OWN
from pages.transfer.result import TransferResult
from ui.texts import labels

_SAYS = labels("transfer")


def label(result: TransferResult) -> Stated:
    settings = result.settings
    own = _SAYS["own"] if settings.dataset == OWN else {}
    return Stated(promise=settings.promise, claimed=settings.epsilon, said=_SAYS["said"] | own)
