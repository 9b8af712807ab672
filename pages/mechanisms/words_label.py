"""The privacy label of one release of a number about a made-up group."""

from lab.label import Stated
from pages.mechanisms.experiment import MechanismsResult
from ui.texts import labels

_SAYS = labels("mechanisms")


def label(result: MechanismsResult) -> Stated:
    held = result.claim.guarantee
    return Stated(promise=held, claimed=result.settings.epsilon, said=_SAYS["said"])
